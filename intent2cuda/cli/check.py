"""`intent2cuda check` and `diff`: whether a folder holds what would be emitted now. Nothing is written."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from intent2cuda.api.errors import ArgumentError
from intent2cuda.cli.output import say, say_json
from intent2cuda.cli.request import add_source, request_of
from intent2cuda.project.tree import MANIFEST, recorded_digests
from intent2cuda.review.freshness import Difference, State, differences, unified


def configure(parser: argparse.ArgumentParser) -> None:
    add_source(parser)
    parser.set_defaults(target="", arch="")
    parser.add_argument("-o", "--out", metavar="DIR", required=True, help="the emitted project")


def run(arguments: argparse.Namespace) -> int:
    """0 up to date, 1 anything missing, stale, edited by hand or left over."""
    rows, _, _ = _compare(arguments)
    if arguments.json:
        say_json({"up_to_date": not rows, "differences": [{"path": r.path, "state": r.state.value} for r in rows]})
    elif rows:
        say("\n".join(f"{row.state.value:8} {Path(arguments.out) / row.path}" for row in rows))
    else:
        say(f"{arguments.out} is up to date")
    return 1 if rows else 0


def run_diff(arguments: argparse.Namespace) -> int:
    """The same as a unified diff from the folder to what would be emitted."""
    rows, fresh, found = _compare(arguments)
    texts = [
        unified(row.path, found.get(row.path, b"").decode(errors="replace"), fresh.get(row.path, ""))
        for row in rows
        if row.path != MANIFEST
    ]
    if arguments.json:
        say_json({"up_to_date": not rows, "diff": "".join(texts)})
    elif rows:
        say("".join(texts) or f"only {MANIFEST} differs")
    return 1 if rows else 0


def _compare(arguments: argparse.Namespace) -> tuple[tuple[Difference, ...], dict[str, str], dict[str, bytes]]:
    out = Path(arguments.out)
    _complete_from_manifest(arguments, out)
    fresh = dict(request_of(arguments).project().files)
    recorded = recorded_digests(out)
    paths = sorted({*fresh, *recorded})
    found = {path: (out / path).read_bytes() for path in paths if (out / path).is_file()}
    rows = differences(fresh, found, recorded)
    stray = [path for path in _foreign(out) if path not in fresh and path not in recorded]
    return (*rows, *(Difference(path, State.ORPHAN) for path in stray)), fresh, found


def _foreign(out: Path) -> list[str]:
    """The files in the folders that a project owns whole: one that was never emitted could still be included."""
    owned = [p for folder in ("include", "src", "python") for p in sorted((out / folder).rglob("*")) if p.is_file()]
    return [p.relative_to(out).as_posix() for p in owned]


def _complete_from_manifest(arguments: argparse.Namespace, out: Path) -> None:
    """Target, architectures and compile-time values default to those that the folder was emitted with."""
    try:
        manifest: dict[str, Any] = json.loads((out / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        if arguments.target:
            return
        raise ArgumentError(f"{out} holds no {MANIFEST} that can be read; say --target") from error
    if not arguments.target:
        arguments.target = str(manifest.get("target", "cpu"))
    if arguments.target == "cuda" and not arguments.arch:
        arguments.arch = ",".join(manifest.get("requires", {}).get("architectures", []))
    if not arguments.constexpr:
        bound = {n: v for kernel in manifest.get("kernels", []) for n, v in kernel.get("constexprs", {}).items()}
        arguments.constexpr = [f"{name}={value}" for name, value in bound.items()]
