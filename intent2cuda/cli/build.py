"""`intent2cuda build`: emits a project and builds it with its own CMakeLists.txt."""

from __future__ import annotations

import argparse

from intent2cuda.cli.errors import UsageError
from intent2cuda.cli.output import Progress, records, say, say_json, say_notes
from intent2cuda.cli.request import add_name, add_source, output_folder, request_of
from intent2cuda.project import toolchain
from intent2cuda.project.cmake import build_project, python_options
from intent2cuda.project.emitted import TargetKind
from intent2cuda.project.tree import write_tree

_PRODUCTS = (".a", ".so", ".dylib", ".dll", ".pyd", ".lib")


def configure(parser: argparse.ArgumentParser) -> None:
    add_source(parser)
    add_name(parser)
    parser.add_argument("-o", "--out", metavar="DIR", required=True, help="the project; it is built in DIR/build")
    parser.add_argument("--force", action="store_true", help="replace another project, and files edited by hand")
    parser.add_argument("--no-python", action="store_true", help="leave the Python module out")


def run(arguments: argparse.Namespace) -> int:
    request = request_of(arguments)
    options = _compiler(request.compiled_target)
    fronts = request.fronts()
    project = request.project(fronts)
    notes = [d for front in fronts for d in front.diagnostics]
    out = output_folder(arguments.out)
    write_tree(out, project.files, force=arguments.force)
    options |= {f"{project.name.upper()}_PYTHON": "OFF"} if arguments.no_python else python_options()
    if not arguments.json:
        say_notes(notes)
    with Progress(f"building {project.name}") as progress:
        build_project(out.resolve(), out.resolve() / "build", options=options, on_progress=progress.step)
    products = sorted(
        path.relative_to(out).as_posix() for path in (out / "build").glob("*") if path.suffix in _PRODUCTS
    )
    if arguments.json:
        record = {"project": project.name, "directory": str(out), "products": list(products), "notes": records(notes)}
        say_json(record)
    else:
        say("\n".join(str(out / product) for product in products))
    return 0


def _compiler(target: TargetKind) -> dict[str, str]:
    """The CMake definitions about the compiler of a target.

    Raises:
        UsageError: the target is only simulated.
        ToolchainError: its compiler is missing.
    """
    match target:
        case "cpu":
            return {"CMAKE_CXX_COMPILER": str(toolchain.cxx_compiler().path)}
        case "cuda":
            return {"CMAKE_CUDA_COMPILER": str(toolchain.nvcc().path)}
        case "cuda-sim":
            raise UsageError(
                "cuda-sim is compiled when a kernel is called and makes no library", "build --target cuda, or use `run`"
            )
