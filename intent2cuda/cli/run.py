"""`intent2cuda run`: compiles one kernel and calls it on inputs given as text."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from intent2cuda.api import values
from intent2cuda.api.compile import compile
from intent2cuda.api.errors import ArgumentError
from intent2cuda.api.kernel import Kernel
from intent2cuda.api.options import CompileOptions
from intent2cuda.cli.output import Progress, say, say_json
from intent2cuda.cli.request import Request, add_source, request_of


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
        raise ArgumentError(
            f"{request.path} has {len(request.kernels)} kernels; name one: {request.path}:{request.kernels[0]}"
        )
    texts = dict(_pair(text) for text in arguments.inputs)
    kernel, options = Kernel(request.path, request.kernels[0]), CompileOptions(strict=request.strict)
    with Progress("compiling") as progress:
        progress.step(0, 0, kernel.name)
        artifact = compile(kernel, request.target, request.constexprs, options)
    given = values.inputs_of(artifact.interface, texts)
    started = time.perf_counter()
    outputs = _outputs(artifact.interface.parameters, artifact.run(*given))
    elapsed = time.perf_counter() - started
    for text in arguments.save:
        name, path = _pair(text)
        if name not in outputs:
            raise ArgumentError(f"{kernel.name} has no output `{name}`; it has {', '.join(outputs)}")
        values.save(Path(path), outputs[name])
    gaps = _gaps(request, kernel, texts, outputs) if arguments.compare else {}
    _report(arguments.json, outputs, gaps, elapsed)
    return 0


def _outputs(parameters: Any, result: Any) -> dict[str, Any]:
    names = [p.name for p in parameters if p.kind in ("out", "inout")]
    arrays = result if isinstance(result, tuple) else (result,)
    return dict(zip(names, arrays, strict=False))


def _gaps(request: Request, kernel: Kernel, texts: dict[str, str], outputs: dict[str, Any]) -> dict[str, float]:
    """The largest difference of each output from the reference interpreter's."""
    reference = compile(kernel, "reference", request.constexprs)
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


def _pair(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator:
        raise ArgumentError(f"inputs are written NAME=VALUE, not {text!r}")
    return name, value
