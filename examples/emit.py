"""Emits every example into its `emitted` folder, or with `--check` says which of them are not up to date."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from intent2cuda.cli.main import main as command

HERE = Path(__file__).resolve().parent
TARGETS = (("cpu", ()), ("cuda", ("--arch", "sm_80,sm_90a")))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; 1 when something is stale")
    options = parser.parse_args()
    status = 0
    for source in sorted(HERE.glob("*/kernel.py")):
        for target, extra in TARGETS:
            out = source.parent / "emitted" / target
            verb = "check" if options.check else "emit"
            status |= command([verb, str(source), "--target", target, *extra, "-o", str(out)])
    return status


if __name__ == "__main__":
    sys.exit(main())
