"""`intent2cuda build`: emits a project and builds it with its own CMakeLists.txt."""

from __future__ import annotations

import argparse
from pathlib import Path

from intent2cuda.cli.output import Progress, say, say_json
from intent2cuda.cli.request import add_source, request_of
from intent2cuda.project.cmake import build_project, python_options
from intent2cuda.project.tree import write_tree


def configure(parser: argparse.ArgumentParser) -> None:
    add_source(parser)
    parser.add_argument("-o", "--out", metavar="DIR", required=True, help="the project; it is built in DIR/build")
    parser.add_argument("--force", action="store_true", help="overwrite files that were edited by hand")
    parser.add_argument("--no-python", action="store_true", help="leave the Python module out")


def run(arguments: argparse.Namespace) -> int:
    project = request_of(arguments).project()
    out = Path(arguments.out)
    write_tree(out, project.files, force=arguments.force)
    options = {f"{project.name.upper()}_PYTHON": "OFF"} if arguments.no_python else python_options()
    with Progress(f"building {project.name}") as progress:
        build_project(out, out / "build", options=options, on_progress=progress.step)
    products = sorted(
        p.relative_to(out).as_posix() for p in (out / "build").glob("*") if p.suffix in (".a", ".so", ".pyd", ".lib")
    )
    if arguments.json:
        say_json({"project": project.name, "directory": str(out), "products": list(products)})
    else:
        say("\n".join(str(out / p) for p in products))
    return 0
