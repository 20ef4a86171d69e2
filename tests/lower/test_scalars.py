"""Every scalar function and conversion of every element type, as C++ that a strict compiler takes."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from intent2cuda.emit.layout import render
from intent2cuda.emit.printer import expression_doc
from intent2cuda.emit.spelling import spell
from intent2cuda.lower.scalars import apply, bitcast, convert, ctype
from intent2cuda.machine.expressions import Binary, Conditional, Expression, Literal, Name, Unary
from intent2cuda.types.dtype import BOOL, DTYPES, F32, F64, I8, I32, INDEX, U8, U16, U32, DType
from intent2cuda.types.scalar_fn import SCALAR_FNS, Result

ROOT = Path(__file__).parents[2]
HEAD = """
#include <intent/check.hpp>
#include <intent/cpu/math.hpp>
#include <intent/float16.hpp>
#include <intent/float8.hpp>
#include <intent/integer.hpp>
#include <intent/numeric.hpp>
#include <cstdio>
using intent::index_t;
"""


def text(expression: Expression) -> str:
    return render(expression_doc(expression))


def functions() -> Iterator[str]:
    """A C++ function for each scalar function and element type: its result has exactly the type of the language."""
    for fn in SCALAR_FNS.values():
        for dtype in DTYPES:
            if not fn.accepts(dtype) or (fn.name == "abs" and dtype.is_integer):
                continue
            names = ("c", "a", "b") if fn.name == "select" else ("a", "b")[: fn.arity]
            element, result = spell(ctype(dtype)), spell(ctype(BOOL if fn.result is Result.BOOL else dtype))
            parameters = ", ".join(f"{'bool' if n == 'c' else element} {n}" for n in names)
            value = text(apply(fn.name, dtype, tuple(Name(n) for n in names)))
            yield f"{result} {fn.name}_{dtype.name}({parameters}) {{ return {value}; }}"


def conversions() -> Iterator[str]:
    for source in DTYPES:
        for target in DTYPES:
            value = text(convert(source, target, Name("a")))
            head = f"{spell(ctype(target))} {source.name}_to_{target.name}({spell(ctype(source))} a)"
            yield f"{head} {{ return {value}; }}"
            if source.bits == target.bits and BOOL not in (source, target) and INDEX not in (source, target):
                bits = text(bitcast(target, Name("a")))
                yield f"{head.replace('_to_', '_bits_')} {{ return {bits}; }}"


def test_every_function_compiles(tmp_path: Path) -> None:
    source = tmp_path / "functions.cpp"
    source.write_text("\n".join((HEAD, *functions(), *conversions())), encoding="utf-8")
    flags = ("-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Wconversion", "-Werror")
    command = ["g++", *flags, f"-I{ROOT / 'runtime_cpp' / 'include'}", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("fn", "dtype", "expected"),
    [
        ("add", F32, "a + b"),
        ("add", U32, "a + b"),
        ("add", INDEX, "a + b"),
        ("add", I32, "intent::wrap_add(a, b)"),
        ("add", U8, "static_cast<std::uint8_t>(a + b)"),
        ("mul", U16, "intent::wrap_mul(a, b)"),
        ("sub", I8, "intent::wrap_sub(a, b)"),
        ("bit_xor", I8, "static_cast<std::int8_t>(a ^ b)"),
        ("bit_xor", BOOL, "a != b"),
        ("and", BOOL, "a && b"),
        ("floordiv", I32, "intent::floor_div(a, b)"),
        ("maximum", F32, "intent::maximum(a, b)"),
        ("maximum", INDEX, "intent::maximum<index_t>(a, b)"),
        ("exp", F64, "intent::exp(a)"),
    ],
)
def test_spelling(fn: str, dtype: DType, expected: str) -> None:
    names = ("a", "b")[: SCALAR_FNS[fn].arity]
    assert text(apply(fn, dtype, tuple(Name(n) for n in names))) == expected


def test_constants_beside_narrow_integers_are_plain() -> None:
    assert text(apply("le", U8, (Name("a"), Literal(3, U8)))) == "a <= 3"
    assert text(apply("add", U8, (Name("a"), Literal(200, U8)))) == "static_cast<std::uint8_t>(a + 200)"


def test_a_selection_with_a_known_truth_value_is_a_connective() -> None:
    c, x = Name("c"), Name("x")
    no, yes = Literal(False, BOOL), Literal(True, BOOL)
    assert apply("select", BOOL, (c, x, no)) == Binary("&&", c, x)
    assert apply("select", BOOL, (c, x, yes)) == Binary("||", Unary("!", c), x)
    assert apply("select", BOOL, (c, yes, x)) == Binary("||", c, x)
    assert apply("select", BOOL, (c, x, x)) == Conditional(c, x, x)
