"""The names that authors import: harmless in annotations, complete, and of no use outside a kernel."""

from __future__ import annotations

import inspect
import subprocess
import sys
from operator import attrgetter

import pytest

from intent2cuda import language
from intent2cuda.base.diagnostics import IntentError
from intent2cuda.parse.surface import CONSTANTS, FORMATS, FREE_FORM, SIGNATURES, TYPES
from intent2cuda.types.dtype import BY_NAME
from intent2cuda.types.value_type import Access


def test_importing_the_language_does_not_import_numpy() -> None:
    code = "import sys, intent2cuda.language; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-P", "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("path", [*SIGNATURES, *FREE_FORM, *TYPES, *FORMATS, *CONSTANTS, *BY_NAME])
def test_every_name_that_the_front_end_reads_can_be_imported(path: str) -> None:
    attrgetter(path)(language)


@pytest.mark.parametrize("path", SIGNATURES)
def test_signatures_are_those_of_the_front_end(path: str) -> None:
    shown: list[str] = []
    for parameter in inspect.signature(attrgetter(path)(language)).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in shown:
            shown.append("*")
        shown.append(parameter.name + ("=" if parameter.default is not parameter.empty else ""))
    assert ", ".join(shown) == SIGNATURES[path]


@pytest.mark.parametrize("path", [p for p in SIGNATURES if not p.startswith("sparse.")])
def test_intrinsics_have_a_docstring_and_refuse_to_run(path: str) -> None:
    function = attrgetter(path)(language)
    assert inspect.getdoc(function)
    with pytest.raises(IntentError, match=rf"I\.{path} was called by Python") as refused:
        function()
    assert refused.value.code == "language.outside_kernel"


def test_annotations_hold_what_the_author_wrote() -> None:
    view = language.InOut[language.f16, ["N", 4], language.constraints(strides=(None, 1))]
    assert (view.access, view.dtype, view.shape) == (Access.INOUT, language.f16, ("N", 4))
    assert view.constraints.strides == (None, 1)
    assert language.In[language.f32, ()].shape == ()
    assert language.Constexpr[int].type is int


def test_dtypes_are_found_by_name() -> None:
    assert language.dtype("bf16") is language.bf16
    with pytest.raises(KeyError):
        language.dtype("float32")


def test_members_of_an_enum_are_distinct_integers() -> None:
    class Kind(language.Enum):
        FIRST = 0
        SECOND = 1

    assert [kind.value for kind in Kind] == [0, 1]
    with pytest.raises(TypeError, match=r"SECOND repeats the value of Twice\.FIRST"):

        class Twice(language.Enum):
            FIRST = 1
            SECOND = 1

    for wrong in (True, "a", 1.0):
        with pytest.raises(TypeError, match="must be an integer"):
            language.Enum("Wrong", {"MEMBER": wrong})
