"""`intent2cuda explain`: what was chosen for a kernel, what was not, and why."""

from __future__ import annotations

import argparse

from intent2cuda import pipeline, plan
from intent2cuda.cli.output import in_sections, records, say, say_json
from intent2cuda.cli.request import add_source, request_of


def configure(parser: argparse.ArgumentParser) -> None:
    add_source(parser)


def run(arguments: argparse.Namespace) -> int:
    request = request_of(arguments)
    fronts = request.fronts()
    texts = {f.kernel.name: plan.explain(pipeline.plan_kernel(f, request.compiled_target)) for f in fronts}
    notes = [d for f in fronts for d in f.diagnostics]
    if arguments.json:
        say_json({"kernels": dict(texts), "notes": records(notes)})
        return 0
    say(in_sections(texts))
    if notes:
        say("\n" + "\n\n".join(d.render() for d in notes))
    return 0
