"""`intent2cuda plan diff`: what changed between two emitted projects, by identifier."""

from __future__ import annotations

import argparse
from pathlib import Path

from intent2cuda.cli.output import say, say_json
from intent2cuda.review import diff_text
from intent2cuda.review.plan_diff import compare
from intent2cuda.review.plans import side

MEANING_CHANGED = 3


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("question", choices=("diff",), help="what to ask about plans")
    what = "an emitted folder, or a manifest or plan.json alone"
    parser.add_argument("old", metavar="OLD", help=what)
    parser.add_argument("new", metavar="NEW", help=what)
    parser.add_argument("--markdown", action="store_true", help="as a comment on a pull request")


def run(arguments: argparse.Namespace) -> int:
    """0 equal, 1 something was decided otherwise, 3 Kernel IR or facts changed."""
    found = compare(side(Path(arguments.old)), side(Path(arguments.new)))
    if arguments.json:
        say_json(diff_text.record(found))
    else:
        say(diff_text.markdown(found) if arguments.markdown else diff_text.text(found))
    if found.meaning:
        return MEANING_CHANGED
    return 0 if found.is_empty else 1
