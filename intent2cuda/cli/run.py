"""`intent2cuda run`: compiles one kernel and calls it on inputs given as text."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from intent2cuda.api import values
from intent2cuda.api.compile import compile
from intent2cuda.api.kernel import Kernel
from intent2cuda.api.options import CompileOptions
from intent2cuda.cli.errors import UsageError
from intent2cuda.cli.output import Progress, say, say_json
from intent2cuda.cli.request import Request, add_source, request_of
from intent2cuda.project.interface import Parameter


def configure(parser: argparse.ArgumentParser) -> None:
    add_source(parser)
    parser.add_argument(
        "inputs",
        nargs="*",
        metavar="NAME=VALUE",
        help="a number, @file.npy, a JSON list, or random(4,5), zeros(...), ones(...), range(...)",
    )
    parser.add_argument("--save", action="append", default=[], metavar="NAME=FILE.npy", help="write an output")
    parser.add_argument("--compare", action="store_true", help="run the reference interpreter too and compare")


def run(arguments: argparse.Namespace) -> int:
    request = request_of(arguments)
    if len(request.kernels) != 1:
        raise UsageError(
            f"{request.path} has {len(request.kernels)} kernels", f"name one: {request.path}:{request.kernels[0]}"
        )
    texts = dict(_pair(text, "inputs are written NAME=VALUE", "x=random(8,8)") for text in arguments.inputs)
    saved = [_pair(text, "--save is written NAME=FILE.npy", "y=y.npy") for text in arguments.save]
    kernel = Kernel(request.path, request.kernels[0])
    with Progress(f"compiling {kernel.name}"):
        options = CompileOptions(strict=request.strict, checked=request.checked)
        artifact = compile(kernel, request.target, request.constexprs[0], options)
    parameters = artifact.interface.parameters
    _check_saved(kernel.name, _written(parameters), saved)
    given = values.inputs_of(artifact.interface, texts)
    with Progress(f"running {kernel.name}"):
        started = time.perf_counter()
        outputs = _outputs(parameters, artifact.run(*given))
        elapsed = time.perf_counter() - started
        gaps = _gaps(request, kernel, texts, outputs) if arguments.compare else {}
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


def _gaps(request: Request, kernel: Kernel, texts: dict[str, str], outputs: dict[str, Any]) -> dict[str, float]:
    """The largest difference of each output from the reference interpreter's."""
    reference = compile(kernel, "reference", request.constexprs[0])
    given = values.inputs_of(reference.interface, texts)
    expected = _outputs(reference.interface.parameters, reference.run(*given))
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


def _pair(text: str, rule: str, example: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator or not value:
        raise UsageError(f"{rule}, not {text!r}", f"for example {example}")
    return name, value
