"""`intent2cuda laws`: tries the laws that the helpers of reductions, scans and region operations declare."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING

from intent2cuda.base.codec import Plain
from intent2cuda.cli.errors import UsageError
from intent2cuda.cli.output import say, say_json
from intent2cuda.cli.request import add_kernel, request_of

if TYPE_CHECKING:
    from intent2cuda.laws.search import Tested, Verdict, Violation

EXAMPLES = 100


def configure(parser: argparse.ArgumentParser) -> None:
    add_kernel(parser)
    parser.set_defaults(target="reference", arch="")
    parser.add_argument(
        "--examples", type=int, default=EXAMPLES, metavar="N", help=f"inputs tried for each law (default: {EXAMPLES})"
    )


def run(arguments: argparse.Namespace) -> int:
    """0 the laws hold on everything tried, 1 one is violated."""
    if arguments.examples < 1:
        raise UsageError(f"--examples is a positive number, not {arguments.examples}", f"for example {EXAMPLES}")
    if find_spec("hypothesis") is None:
        raise UsageError("the law tester needs hypothesis, which is not installed", "pip install 'intent2cuda[laws]'")
    from intent2cuda.laws.search import try_laws  # needs hypothesis

    tested = {front.kernel.name: try_laws(front.kernel, arguments.examples) for front in request_of(arguments).fronts()}
    if arguments.json:
        say_json({"kernels": {kernel: [_record(one) for one in found] for kernel, found in tested.items()}})
    else:
        say("\n\n".join("\n".join(_text(kernel, found)) for kernel, found in tested.items()))
    return 0 if all(one.holds for found in tested.values() for one in found) else 1


def _text(kernel: str, found: tuple[Tested, ...]) -> Iterator[str]:
    if not found:
        yield f"{kernel}: no operation whose laws are the author's"
    for one in found:
        place = f"{one.span.file.name}:{one.span.line}:{one.span.column}: " if one.span else ""
        yield f"{place}{one.construct} in {kernel}"
        for verdict in one.verdicts:
            yield from _verdict(verdict)


def _verdict(verdict: Verdict) -> Iterator[str]:
    state = "VIOLATED" if verdict.violation else f"holds on {verdict.tried} inputs" if verdict.tried else "not tried"
    yield f"  {verdict.law}: {state}"
    yield f"    {verdict.equation}"
    if verdict.violation:
        yield from _violation(verdict.violation)
    if verdict.special:
        inputs = "; ".join(f"{name} = {value}" for name, value in verdict.special.inputs.items())
        yield f"    note: not for NaN or infinities: {inputs}"
    if not verdict.violation and not verdict.tried:
        yield "    note: no random input reaches it; the helpers leave what is defined, or extents never meet"


def _violation(violation: Violation) -> Iterator[str]:
    yield from (f"      {name} = {value}" for name, value in violation.inputs.items())
    yield f"      left side:  {violation.left}"
    yield f"      right side: {violation.right}"


def _record(one: Tested) -> Plain:
    return {
        "construct": one.construct,
        "path": one.span.file.name if one.span else "",
        "line": one.span.line if one.span else None,
        "helpers": dict(one.helpers),
        "holds": one.holds,
        "laws": [
            {
                "law": verdict.law,
                "equation": verdict.equation,
                "tried": verdict.tried,
                "violation": _sides(verdict.violation),
                "with_special_values": _sides(verdict.special),
            }
            for verdict in one.verdicts
        ],
    }


def _sides(violation: Violation | None) -> Plain:
    if violation is None:
        return None
    return {"inputs": dict(violation.inputs), "left": violation.left, "right": violation.right}
