"""Every kernel of the conformance cases becomes valid Kernel IR whose text reads back as itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from intent2cuda.ir.digest import kernel_digest
from intent2cuda.ir.printer import text
from intent2cuda.ir.reader import read
from intent2cuda.ir.verify import verify
from intent2cuda.parse import parse_kernel, parse_signature
from intent2cuda.parse.annotations import ConstexprType
from intent2cuda.parse.kernels import kernel_names
from intent2cuda.parse.source import load_source

CASES = Path(__file__).resolve().parents[1] / "conformance" / "cases"
FILES = [p.relative_to(CASES).as_posix() for p in sorted(CASES.glob("*/*.py")) if "@intent.kernel" in p.read_text()]

VALUES = {"bool": True, "int": 4, "float": 1.5}


def constexprs(path: Path, kernel: str) -> dict[str, object]:
    """A value of its type for each Constexpr of a kernel."""
    types = {p.name: p.type for p in parse_signature(path, kernel) if isinstance(p.type, ConstexprType)}
    return {name: VALUES[t.name] if t.enum is None else t.enum.names()[0] for name, t in types.items()}


@pytest.mark.req("S1")
@pytest.mark.parametrize("file", FILES)
def test_print_read_print_is_a_fixed_point(file: str) -> None:
    path = CASES / file
    for name in kernel_names(load_source(path)):
        kernel = verify(parse_kernel(path, name, constexprs(path, name)).kernel)
        again = verify(read(text(kernel)))
        assert text(again) == text(kernel)
        assert kernel_digest(again) == kernel_digest(kernel)
