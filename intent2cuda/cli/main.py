"""The command line: verbs, common options, exit codes.

0: done, nothing to complain about. 1: `check` and `diff` found differences. 2: bad input or usage.
70: a fault of intent2cuda.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from intent2cuda.base.diagnostics import IntentError, InternalError
from intent2cuda.cli import build, check, doctor, emit, explain, run, show
from intent2cuda.cli.output import diagnostic_record, say_json
from intent2cuda.version import VERSION

BAD_INPUT, OUR_FAULT = 2, 70


@dataclass(frozen=True)
class Verb:
    name: str
    help: str
    configure: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


VERBS = (
    Verb("emit", "write the C++ or CUDA project of a kernel file", emit.configure, emit.run),
    Verb("build", "emit a project and build it", build.configure, build.run),
    Verb("run", "compile a kernel and call it on given inputs", run.configure, run.run),
    Verb("check", "is an emitted project up to date and untouched?", check.configure, check.run),
    Verb("diff", "how an emitted project differs from what would be emitted now", check.configure, check.run_diff),
    Verb("show", "a kernel at a stage of its way", show.configure, show.run),
    Verb("explain", "what was chosen for a kernel, what was rejected, and why", explain.configure, explain.run),
    Verb("doctor", "which tools are here, and what is missing", doctor.configure, doctor.run),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one verb; the exit status."""
    parsed = _parser().parse_args(arguments)
    try:
        return parsed.run(parsed)
    except IntentError as error:
        if parsed.json:
            say_json({"diagnostics": [diagnostic_record(d) for d in error.diagnostics]})
        else:
            sys.stderr.write(f"{error}\n")
        return BAD_INPUT
    except InternalError as error:
        sys.stderr.write(
            f"internal error: {error}\nThis is a fault of intent2cuda {VERSION}; please report the kernel.\n"
        )
        return OUR_FAULT
    except BrokenPipeError:
        return 0
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="intent2cuda", description="Kernels written once, emitted as readable C++ and CUDA."
    )
    parser.add_argument("--version", action="version", version=f"intent2cuda {VERSION}")
    verbs = parser.add_subparsers(metavar="VERB", required=True)
    for verb in VERBS:
        one = verbs.add_parser(verb.name, help=verb.help, description=verb.help)
        one.add_argument("--json", action="store_true", help="one JSON object instead of text")
        one.set_defaults(run=verb.run)
        verb.configure(one)
    return parser


if __name__ == "__main__":
    sys.exit(main())
