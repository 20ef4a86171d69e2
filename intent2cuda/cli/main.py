"""The command line: verbs, common options, exit codes.

0: done, nothing to complain about. 1: `check`, `diff` and `plan diff` found differences, `laws` a violation, `trace`
nothing, `doctor` misses the compiler. 2: bad input or usage. 3: `plan diff` found that Kernel IR or facts changed.
70: a fault of intent2cuda.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from intent2cuda.base.diagnostics import IntentError
from intent2cuda.cli import build, check, doctor, emit, explain, laws, plan, run, show, trace
from intent2cuda.cli.errors import FileError
from intent2cuda.cli.output import records, say_json
from intent2cuda.version import VERSION

BAD_INPUT, OUR_FAULT, INTERRUPTED = 2, 70, 130


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
    Verb("trace", "what became of an author's line, and where an emitted line comes from", trace.configure, trace.run),
    Verb(
        "plan", "what changed between the plans of two emitted projects (plan diff OLD NEW)", plan.configure, plan.run
    ),
    Verb("explain", "what was chosen for a kernel, what was rejected, and why", explain.configure, explain.run),
    Verb("laws", "do the helpers of reductions, scans and folds obey their laws?", laws.configure, laws.run),
    Verb("doctor", "which tools are here, and what is missing", doctor.configure, doctor.run),
)


def _parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    """What was asked for; inputs of a run may stand behind options too."""
    parser = _parser()
    parsed, rest = parser.parse_known_args(arguments)
    if rest and (not hasattr(parsed, "inputs") or any(text.startswith("-") for text in rest)):
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    if rest:
        parsed.inputs += rest
    return parsed


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one verb; the exit status."""
    sys.stdout, sys.stderr = map(_open, (sys.stdout, sys.stderr))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a name that the terminal cannot show is no reason to fail
    parsed = _parsed(arguments)
    try:
        status = parsed.run(parsed)
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nobody reads on: not even the last flush
        return 0
    except KeyboardInterrupt:
        return INTERRUPTED
    except IntentError as error:
        return _refused(error, parsed.json)
    except OSError as error:
        return _refused(FileError(error), parsed.json)
    except Exception as error:
        return _failed(error, parsed.json)


def _open(stream: TextIO | None) -> TextIO:
    """The stream; where the caller has closed it, one that leads nowhere."""
    return os.fdopen(os.open(os.devnull, os.O_WRONLY), "w") if stream is None else stream


def _refused(error: IntentError, as_json: bool) -> int:
    if as_json:
        say_json({"diagnostics": records(error.diagnostics)})
    else:
        sys.stderr.write("\n\n".join(d.render() for d in error.diagnostics) + "\n")
    return BAD_INPUT


def _failed(error: Exception, as_json: bool) -> int:
    """Says that this program is at fault, and where."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(last.filename).name}:{last.lineno}"
    if as_json:
        say_json({"internal_error": f"{type(error).__name__}: {error}", "place": place, "version": VERSION})
    sys.stderr.write(
        f"internal error: {type(error).__name__}: {error} ({place})\n"
        f"This is a fault of intent2cuda {VERSION}; please report the kernel.\n"
    )
    return OUR_FAULT


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
