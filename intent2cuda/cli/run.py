"""`intent2cuda run`: compiles one kernel and calls it on inputs given as text."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from intent2cuda.api import values
from intent2cuda.api.arrays import allocate_outputs, fixed_extents
from intent2cuda.api.artifact import Artifact
from intent2cuda.api.compile import compile
from intent2cuda.api.kernel import Kernel
from intent2cuda.api.options import CompileOptions
from intent2cuda.cli.errors import UsageError
from intent2cuda.cli.output import Progress, say, say_json
from intent2cuda.cli.request import Request, add_source, request_of
from intent2cuda.project.interface import Interface, Parameter

_DIGITS = 19
"""So many digits need more than 64 bits."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_source(parser)
    parser.add_argument(
        "inputs",
        nargs="*",
        metavar="NAME=VALUE",
        help="a number, @file.npy, a JSON list, or random(4,5), zeros(...), ones(...), range(...)",
    )
    what = "an extent of outputs that no input fixes; may be repeated"
    parser.add_argument("--size", action="append", default=[], metavar="NAME=N", help=what)
    parser.add_argument("--save", action="append", default=[], metavar="NAME=FILE.npy", help="write an output")
    parser.add_argument("--compare", action="store_true", help="run the reference interpreter too and compare")


def run(arguments: argparse.Namespace) -> int:
    request = request_of(arguments)
    if len(request.kernels) != 1:
        raise UsageError(
            f"{request.path} has {len(request.kernels)} kernels", f"name one: {request.path}:{request.kernels[0]}"
        )
    if request.target.kind == "cuda":
        raise UsageError(
            "the arrays of `run` lie in host memory, those of a CUDA kernel on the device",
            "use --target cuda-sim, or call the kernel from Python on arrays of the device",
        )
    texts = _named(arguments.inputs, "inputs are written NAME=VALUE", "x=random(8,8)")
    sizes = _sizes(arguments.size)
    saved = [_pair(text, "--save is written NAME=FILE.npy", "y=y.npy") for text in arguments.save]
    kernel = Kernel(request.path, request.kernels[0])
    with Progress(f"compiling {kernel.name}"):
        options = CompileOptions(strict=request.strict, checked=request.checked)
        artifact = compile(kernel, request.target, request.constexprs[0], options)
    parameters = artifact.interface.parameters
    _check_saved(kernel.name, _written(parameters), saved)
    with Progress(f"running {kernel.name}"):
        outputs, elapsed = _called(artifact, texts, sizes)
        gaps = _gaps(request, kernel, (texts, sizes), outputs) if arguments.compare else {}
    for name, path in saved:
        values.save(Path(path), outputs[name])
    _report(arguments.json, outputs, gaps, elapsed)
    return 0


def _check_saved(kernel: str, written: Sequence[str], saved: Sequence[tuple[str, str]]) -> None:
    """Raises UsageError when something is to be saved that the kernel does not write."""
    for name, _ in saved:
        if name not in written:
            raise UsageError(f"{kernel} has no output `{name}`", f"its outputs are: {', '.join(written)}")


def _written(parameters: Sequence[Parameter]) -> list[str]:
    return [p.name for p in parameters if p.kind in ("out", "inout")]


def _outputs(parameters: Sequence[Parameter], result: Any) -> dict[str, Any]:
    """The written arrays by name: `result` is one array, a tuple of several, or None."""
    names = _written(parameters)
    return dict(zip(names, (result,) if len(names) == 1 else result or (), strict=True))


def _called(artifact: Artifact, texts: dict[str, str], sizes: dict[str, int]) -> tuple[dict[str, Any], float]:
    """The outputs of a call, and the seconds that it took."""
    interface = artifact.interface
    given = values.inputs_of(interface, texts)
    _check_sizes(interface, fixed_extents(interface, given), sizes)
    try:
        made = allocate_outputs(interface, given, sizes)
    except (MemoryError, ValueError) as error:
        raise UsageError(f"{interface.name}: no memory for the outputs: {error}", "give smaller extents") from error
    call = artifact.prepare(*given, outputs=made)
    started = time.perf_counter()
    call.launch()
    elapsed = time.perf_counter() - started
    return _outputs(interface.parameters, call.result()), elapsed


def _check_sizes(interface: Interface, fixed: dict[str, int], sizes: dict[str, int]) -> None:
    """Raises UsageError when an extent of an output is not known, or one is given that is not there, or is another."""
    named = list(dict.fromkeys(e for p in interface.parameters for e in p.extents if isinstance(e, str)))
    for name, size in sizes.items():
        if name not in named:
            has = f"its extents are: {', '.join(named)}" if named else "all its extents are numbers"
            raise UsageError(f"{interface.name} has no extent `{name}`", has)
        if fixed.get(name, size) != size:
            message = f"--size {name}={size}, and the inputs make it {fixed[name]}"
            raise UsageError(message, f"leave --size {name} out, or give other inputs")
    for parameter in interface.parameters:
        for extent in parameter.extents if parameter.kind == "out" else ():
            if isinstance(extent, str) and extent not in fixed and extent not in sizes:
                message = f"no input fixes the extent `{extent}` of the output `{parameter.name}`"
                raise UsageError(message, f"say it: --size {extent}=100")


def _gaps(
    request: Request, kernel: Kernel, given: tuple[dict[str, str], dict[str, int]], outputs: dict[str, Any]
) -> dict[str, float]:
    """The largest difference of each output from the reference interpreter's."""
    reference = compile(kernel, "reference", request.constexprs[0])
    expected, _ = _called(reference, *given)
    return {name: values.largest_difference(outputs[name], expected[name]) for name in outputs}


def _report(as_json: bool, outputs: dict[str, Any], gaps: dict[str, float], elapsed: float) -> None:
    if as_json:
        rows = {
            name: {"summary": values.describe(array)} | ({"difference": repr(gaps[name])} if gaps else {})
            for name, array in outputs.items()
        }
        say_json({"outputs": rows, "microseconds": int(elapsed * 1e6)})
        return
    for name, array in outputs.items():
        gap = f"; largest difference from the reference {gaps[name]:.3g}" if gaps else ""
        say(f"{name}: {values.describe(array)}{gap}")
    say(f"called in {elapsed * 1e3:.3f} ms")


def _sizes(texts: Sequence[str]) -> dict[str, int]:
    """Raises UsageError for anything that is not NAME=N."""
    rule, example = "--size is written NAME=N with a whole number", "--size N=100"
    pairs = _named(texts, rule, example)
    for name, number in pairs.items():
        if not (number.isascii() and number.isdecimal() and len(number) < _DIGITS):
            raise UsageError(f"{rule}, not '{name}={number}'", f"for example {example}")
    return {name: int(number) for name, number in pairs.items()}


def _named(texts: Sequence[str], rule: str, example: str) -> dict[str, str]:
    """Raises UsageError when one is no pair, or a name is given twice."""
    found: dict[str, str] = {}
    for text in texts:
        name, value = _pair(text, rule, example)
        if name in found:
            raise UsageError(f"`{name}` is given twice: {found[name]} and {value}", "leave one of them out")
        found[name] = value
    return found


def _pair(text: str, rule: str, example: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator or not value:
        raise UsageError(f"{rule}, not {text!r}", f"for example {example}")
    return name, value
