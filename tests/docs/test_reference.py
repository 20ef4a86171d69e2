"""The reference is what the package holds now, describes every public name, and its examples run."""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import intent2cuda as intent
from intent2cuda.parse.surface import CONSTANTS, FORMATS, FREE_FORM, SIGNATURES, TYPES
from intent2cuda.types.dtype import BY_NAME

DOCS = Path(__file__).resolve().parents[2] / "docs"
EXAMPLES = sorted((DOCS / "reference" / "examples").glob("*.py"))


def loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"docs_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    return loaded(DOCS / "make_reference.py")


def test_pages_are_fresh(maker: ModuleType) -> None:
    assert maker.stale() == [], "run python docs/make_reference.py"


def test_every_public_name_is_described(maker: ModuleType) -> None:
    language = {*SIGNATURES, *FREE_FORM, *TYPES, *CONSTANTS, *BY_NAME, *(f.partition(".")[0] for f in FORMATS)}
    public = {f"I.{name}" for name in language} | {f"intent.{name}" for name in intent.__all__} - {"intent.__version__"}
    described = [name for group in maker.GROUPS for name in group.names]
    assert len(described) == len(set(described))
    assert public - set(described) == set()
    assert [name for name in described if not maker.documentation(name)] == []


@pytest.mark.parametrize("path", [*SIGNATURES, *FREE_FORM])
def test_an_operation_says_what_it_takes_and_refuses(maker: ModuleType, path: str) -> None:
    labels = {word for labels, _ in maker.described(f"I.{path}") for word in labels.split(", ")}
    wanted = set() if path.startswith("sparse.") else {"Refused"}
    if re.search(r"-> (?:Tensor|Value)$", maker.signature(f"I.{path}")):
        wanted |= {"Shapes", "Dtypes"}
    assert wanted <= labels


def test_every_operation_has_an_example(maker: ModuleType) -> None:
    assert [path for path in (*SIGNATURES, *FREE_FORM) if maker.example_of(f"I.{path}") is None] == []


def test_codes_of_the_pages_exist(maker: ModuleType) -> None:
    known = loaded(DOCS / "make_diagnostics.py").messages()
    families = tuple(code.removesuffix("*") for code in known if code.endswith("*"))
    for name, text in maker.pages().items():
        codes = re.findall(r"`((?:src|kir|call|gate|project|toolchain)\.[a-z_0-9.]+(?:\*)?)`", text)
        for code in codes:
            known_family = code.endswith("*") and any(k.startswith(code.removesuffix("*")) for k in known)
            assert code in known or known_family or code.startswith(families), f"{name}: {code}"


def test_links_lead_somewhere(maker: ModuleType) -> None:
    pages = maker.pages()
    for name, text in pages.items():
        for path, anchor in re.findall(r"\]\(([^)#]+)(#[^)]*)?\)", text):
            place = (DOCS / "reference" / path).resolve()
            assert place.exists(), f"{name}: {path}"
            if anchor:
                headings = re.findall(r"^#+ (.*)$", place.read_text(encoding="utf-8"), re.M)
                assert anchor[1:] in {maker._anchor(heading) for heading in headings}, f"{name}: {path}{anchor}"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_example(path: Path) -> None:
    module = loaded(path)
    assert module.__doc__
    if hasattr(module, "main"):
        module.main()
        return
    functions = [node for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)]
    (kernel,) = (f for f in functions if any(ast.unparse(d) == "intent.kernel" for d in f.decorator_list))
    artifact = intent.compile(
        intent.load(f"{path}:{kernel.name}"), "reference", constexprs=getattr(module, "CONSTEXPRS", None)
    )
    arguments: dict[str, Any] = {}
    for parameter in artifact.interface.parameters:
        given = module.INPUTS.get(parameter.name)
        if parameter.kind == "scalar":
            arguments[parameter.name] = given
        else:
            arguments[parameter.name] = np.copy(given if given is not None else module.EXPECTED[parameter.name])
        if parameter.kind == "out":
            arguments[parameter.name].fill(77)
    assert set(module.INPUTS) | set(module.EXPECTED) == set(arguments)
    artifact(*arguments.values())
    for name, expected in module.EXPECTED.items():
        if hasattr(module, "TOLERANCE"):
            np.testing.assert_allclose(arguments[name], expected, rtol=module.TOLERANCE, atol=module.TOLERANCE)
        else:
            np.testing.assert_array_equal(arguments[name], expected)
