"""`intent2cuda show`: a kernel at a stage of its way."""

from __future__ import annotations

import argparse

from intent2cuda import pipeline, plan
from intent2cuda.cli.errors import UsageError
from intent2cuda.cli.output import in_sections, say, say_json
from intent2cuda.cli.request import Request, add_source, request_of
from intent2cuda.ir import printer

STAGES = ("ir", "relations", "worksets", "portable", "concrete", "machine", "files")
UNSEALED = ("relations", "files")


def configure(parser: argparse.ArgumentParser) -> None:
    add_source(parser)
    parser.add_argument("--stage", choices=STAGES, default="ir", help="which stage (default: ir)")
    parser.add_argument("--sealed", action="store_true", help="as the text of its layer, with its origin and digest")


def run(arguments: argparse.Namespace) -> int:
    request = request_of(arguments)
    if arguments.sealed and arguments.stage in UNSEALED:
        raise UsageError(f"--sealed is for layers, {arguments.stage} is none", "for example --stage portable --sealed")
    if arguments.stage == "files":
        return _show_files(request, arguments.json)
    texts = (_sealed if arguments.sealed else _texts)(request, arguments.stage)
    if arguments.json:
        say_json({"stage": arguments.stage, "kernels": dict(texts)})
    else:
        say(in_sections(texts))
    return 0


def _show_files(request: Request, as_json: bool) -> int:
    """What a project consists of: as text each path with its number of lines, as JSON the files themselves."""
    files = request.project().files
    if as_json:
        say_json({"stage": "files", "files": dict(files)})
    else:
        say("\n".join(f"{text.count(chr(10)):5}  {path}" for path, text in files.items()))
    return 0


def _sealed(request: Request, stage: str) -> dict[str, str]:
    """The sealed text of the layer for each kernel."""
    if stage == "ir":
        return {front.kernel.name: pipeline.kernel_snapshot(front).text for front in request.fronts()}
    return {f.kernel.name: pipeline.snapshots(f, request.compiled_target)[stage].text for f in request.fronts()}


def _texts(request: Request, stage: str) -> dict[str, str]:
    """The text of the stage for each kernel."""
    fronts = request.fronts()
    if stage == "ir":
        return {f.kernel.name: printer.text(f.kernel) for f in fronts}
    if stage == "relations":
        return {f.kernel.name: pipeline.relations_text(f) for f in fronts}
    if stage == "machine":
        return {f.kernel.name: pipeline.machine_text(f, request.compiled_target) for f in fronts}
    planned = {f.kernel.name: pipeline.plan_kernel(f, request.compiled_target) for f in fronts}
    printers = {"worksets": plan.worksets_text, "portable": plan.portable_text, "concrete": plan.concrete_text}
    return {name: printers[stage](p) for name, p in planned.items()}
