"""Whatever is done to the text of a legal file, there are kernels or refusals, and never a fault of the compiler."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from intent2cuda import pipeline
from intent2cuda.base.diagnostics import IntentError
from intent2cuda.ir import verify

from .edits import TOKEN, edited
from .effort import examples
from .wide import wide_kernels

ROOT = Path(__file__).resolve().parents[2]
FILES = [*ROOT.glob("examples/*/kernel.py"), *ROOT.glob("tests/conformance/cases/*/*.py")]
SOURCES = {p.relative_to(ROOT).as_posix(): p.read_text(encoding="utf-8") for p in sorted(FILES)}


def read(source: str) -> None:
    """Takes every kernel through the front end: it is well formed, or refused at a place of the file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.py"
        path.write_text(source, encoding="utf-8")
        try:
            for name in pipeline.kernel_names(path):
                verify.verify(pipeline.front(path, name).kernel)
        except IntentError as error:
            assert error.diagnostics and all(d.code and d.message for d in error.diagnostics)


def test_tokens_are_the_whole_text() -> None:
    assert len(SOURCES) > 50
    assert all("".join(TOKEN.findall(text)) == text for text in SOURCES.values())


@examples(120)
@given(data=st.data(), name=st.sampled_from(sorted(SOURCES)))
def test_edited_files(data: st.DataObject, name: str) -> None:
    read(edited(data.draw, SOURCES[name], 2))


@examples(60)
@given(data=st.data(), source=wide_kernels())
def test_edited_random_kernels(data: st.DataObject, source: str) -> None:
    read(edited(data.draw, source, 2))
