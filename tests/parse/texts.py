"""Sources as text, and what the front end says about them."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path

import pytest

from intent2cuda.base.diagnostics import Diagnostic, IntentError
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.verify import verify
from intent2cuda.parse import parse_kernel

HEAD = "import intent2cuda as intent\nimport intent2cuda.language as I\n\n\n"

VIEWS = 'x: I.In[I.f32, ("M", "N")], v: I.In[I.f32, ("N",)], k: I.In[I.i32, ("N",)], o: I.Out[I.f32, ("M", "N")]'


def source(body: str, parameters: str = VIEWS, before: str = "") -> str:
    """A file with one kernel `kernel` of the given parameters and body."""
    lines = textwrap.indent(textwrap.dedent(body).strip("\n"), "    ")
    return f"{HEAD}{textwrap.dedent(before)}@intent.kernel\ndef kernel({parameters}):\n{lines}\n"


def parsed(folder: Path, text: str, constexprs: Mapping[str, object] | None = None, name: str = "kernel") -> Kernel:
    """The verified kernel of a text."""
    path = folder / "file.py"
    path.write_text(text, encoding="utf-8", newline="")
    return verify(parse_kernel(path, name, constexprs, "file.py").kernel)


def refused(
    folder: Path, text: str | bytes, constexprs: Mapping[str, object] | None = None, name: str = "kernel"
) -> tuple[Diagnostic, ...]:
    """What is said about a text that is refused."""
    path = folder / "file.py"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(IntentError) as error:
        parse_kernel(path, name, constexprs, "file.py")
    assert all(d.help and d.message for d in error.value.diagnostics)
    return error.value.diagnostics
