"""`intent2cuda emit`: the project of a kernel file, into a folder or (its kernels only) to standard output."""

from __future__ import annotations

import argparse
from pathlib import Path

from intent2cuda.cli.output import records, say, say_json, say_notes
from intent2cuda.cli.request import add_name, add_source, output_folder, request_of
from intent2cuda.project.tree import write_tree


def configure(parser: argparse.ArgumentParser) -> None:
    add_source(parser)
    add_name(parser)
    parser.add_argument(
        "-o", "--out", metavar="DIR", help="write the project there; without it the kernels are printed"
    )
    parser.add_argument("--force", action="store_true", help="replace another project, and files edited by hand")


def run(arguments: argparse.Namespace) -> int:
    request = request_of(arguments)
    fronts = request.fronts()
    project = request.project(fronts)
    notes = [d for front in fronts for d in front.diagnostics]
    if arguments.out is None:
        if arguments.json:
            say_json({"project": project.name, "files": dict(project.files), "notes": records(notes)})
        else:
            say_notes(notes)
            say("\n".join(project.files[path] for path in project.sources if not path.endswith("_c.cpp")))
        return 0
    written = write_tree(output_folder(arguments.out), project.files, force=arguments.force)
    if arguments.json:
        say_json(
            {
                "project": project.name,
                "written": list(written.written),
                "unchanged": list(written.unchanged),
                "removed": list(written.removed),
                "notes": records(notes),
            }
        )
        return 0
    say_notes(notes)
    for path in (*project.sources, f"include/{project.name}/{project.name}.hpp"):
        say(f"{Path(arguments.out) / path}")
    say(f"{len(written.written)} files written, {len(written.unchanged)} unchanged, {len(written.removed)} removed")
    return 0
