"""What is said, where, and that one mistake is one error. The marked line is the one at fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from .texts import refused, source

CASES = [
    # names
    ("o[:, :] = x[:, :] + bais  #!", "src.name.undefined", "`bais`", "parameter"),
    ("bias = 1.0\no[:, :] = x[:, :] + bais  #!", "src.name.undefined", "`bais`", "`bias`"),
    ("o[:, :] = x[:, :] * N  #!", "src.name.undefined", "`N`", "x.shape[1]"),
    ("o[:, :] = x[:, :] * late  #!\nlate = 2.0", "src.name.undefined", "before", "assign"),
    ("if v.shape[0] > 3:\n    w = v[:]\no[:, :] = x[:, :] * w  #!", "src.name.maybe_undefined", "`w`", "before"),
    ("for i in range(3):\n    w = v[:]\no[:, :] = x[:, :] * w  #!", "src.name.maybe_undefined", "`w`", "loop"),
    ("o[:, :] = I.softmax(x[:, :])  #!", "src.name.unknown", "softmax", "I.exp"),
    ("o[:, :] = x[:, :].sum()  #!", "src.attribute.unknown", "sum", "I.reduce.sum"),
    ("o[:, :] = max(x[:, :], 0.0)  #!", "src.call.python", "`max`", "I.maximum"),
    # dtypes and literals
    ("o[:, :] = x[:, :] + k[:]  #!", "kir.dtype.mixed", "f32 and i32", "I.cast"),
    ("o[:, :] = k[:]  #!", "kir.store.dtype", "i32", "I.f32"),
    ("m = k[:] / 2  #!\no[:, :] = x[:, :]", "kir.dtype.operator", "/ does not take i32", "//"),
    ("m = k[:] + 0.5  #!\no[:, :] = x[:, :]", "src.literal.fraction", "0.5", "I.cast"),
    ("m = k[:] + 3000000000  #!\no[:, :] = x[:, :]", "src.literal.range", "3000000000", "wider"),
    ("o[:, :] = x[:, :] * 1e999  #!", "src.literal.range", "1e999", "I.inf"),
    ("o[:, :] = -1e999 * x[:, :]  #!", "src.literal.range", "1e999", "I.inf"),
    ("m = k[:] << 32  #!\no[:, :] = x[:, :]", "kir.shift", "32", "below"),
    ("m = k[:] % 0  #!\no[:, :] = x[:, :]", "kir.divisor", "zero", "not zero"),
    ("m = not k[:]  #!\no[:, :] = x[:, :]", "kir.dtype.operator", "i32", "== 0"),
    (
        "t = 0.0\nfor i in range(3):\n    t = t + v[i]  #!\no[:, :] = x[:, :]",
        "kir.dtype.mixed",
        "f64 and f32",
        "I.cast",
    ),
    # shapes
    (
        "o[:, :] = x[:, :] * I.zeros((2, 3), dtype=I.f32) + I.zeros((4,), dtype=I.f32)  #!",
        "kir.broadcast.incompatible",
        "3 and 4",
        "None",
    ),
    ("w = I.reshape(I.zeros((4, 6), dtype=I.f32), (5, 5))  #!\no[:, :] = x[:, :]", "kir.reshape.count", "25", "keep"),
    ("w = I.transpose(x[:, :], (0, 0))  #!\no[:, :] = x[:, :]", "kir.permute.not_bijective", "twice", "once"),
    ("o[0, 0] = v[:]  #!", "kir.store.shape", "`o`", "I.reduce"),
    (
        "w = v[I.domain(0, k[0])] + v[I.domain(0, k[1])]  #!\no[:, :] = x[:, :]",
        "kir.shape.unproved_equal",
        "extents",
        "one",
    ),
    # indices
    ("o[:, :] = x[:, :, 0]  #!", "kir.index.rank", "3 terms", "axis"),
    ("o[:, :] = x[v[:], :]  #!", "kir.index.dtype", "f32", "I.cast"),
    ("o[:, :] = v[v[:] > 0.0]  #!", "kir.index.dtype", "bool", "I.select"),
    ("o[:, :] = x[::2, :]  #!", "kir.index.step", "step", "I.indices"),
    ("w = I.zeros((4,), dtype=I.f32)[2:9]  #!\no[:, :] = x[:, :]", "kir.index.bounds", "2:9", "clamped"),
    ("o[99999999999999999999, 0] = v[0]  #!", "src.literal.range", "99999999999999999999", "range"),
    ("o[:, :] = x[:, : 1 << 63]  #!", "src.literal.range", "9223372036854775808", "range"),
    ("o[:, :] = I.cast(x.shape[0] * 0 + (1 << 70), I.f32)  #!", "src.literal.range", "outside index", "range"),
    ("o[:, :] = v[x.shape[0] * (1 << 70)]  #!", "src.literal.range", "outside index", "range"),
    ("for i in I.domain(-(1 << 62), 1 << 62):  #!\n    o[0, 0] = 0.0", "src.literal.range", "outside index", "range"),
    ("w = I.domain(0, 8)[4:2]  #!\no[:, :] = x[:, :]", "kir.subregion.bounds", "4:2", "absolute"),
    # sizes
    ("w = I.zeros((1 << 32, 1 << 30), dtype=I.f32)  #!\no[:, :] = x[:, :]", "kir.shape.extent", "63 bits", "smaller"),
    ("b = I.buffer((1 << 62,), I.f32, init=0.0)  #!\no[:, :] = b[0]", "kir.buffer.shape", "63 bits", "smaller"),
    (
        "h = I.histogram(k[:], bins=1 << 62, valid=True, count_dtype=I.i32)  #!\no[0, 0] = 0.0",
        "kir.histogram.bins",
        "63 bits",
        "smaller",
    ),
    (
        "h = I.histogram(k[:], bins=1 << 70, valid=True, count_dtype=I.i32)  #!\no[0, 0] = 0.0",
        "src.literal.range",
        "index",
        "range",
    ),
    (f"w = I.reshape(v[:], (..., {'1, ' * 16}))  #!\no[:, :] = x[:, :]", "src.limit.rank", "17 axes", "fewer"),
    (f"w = v[:, {'None, ' * 16}]  #!\no[:, :] = x[:, :]", "src.limit.rank", "17 axes", "fewer"),
    # effects
    ("x[0, 0] = 1.0  #!\no[:, :] = 0.0", "kir.view.write", "`x`", "InOut"),
    ("w = v[:]\nw[0] = 1.0  #!\no[:, :] = w", "kir.value.immutable", "`w`", "I.buffer"),
    ("v[:] * 2.0  #!\no[:, :] = x[:, :]", "src.python.unused_expression", "unused", "store"),
    # control
    ("if v[:] > 0.0:  #!\n    o[:, :] = x[:, :]", "src.if.tensor_condition", "scalar", "I.select"),
    ("if k[0]:  #!\n    o[:, :] = x[:, :]", "kir.if.condition", "i32", "!= 0"),
    ("t = v[0]\nfor i in range(3):\n    t = v[:]  #!\no[:, :] = t", "kir.loop.carry_type", "`t`", "I.zeros"),
    (
        "for i in I.parallel(I.domain(0, 3)):\n    break  #!\no[:, :] = x[:, :]",
        "src.parallel.break",
        "unordered",
        "continue",
    ),
    (
        "t = v[0]\nfor i in I.parallel(I.domain(0, 3)):\n    t = t + v[i]  #!\no[:, :] = t",
        "kir.parallel.carry",
        "`t`",
        "I.reduce",
    ),
    ("for i in v[:]:  #!\n    pass\no[:, :] = x[:, :]", "src.for.source", "domain", "I.domain"),
    ("for i in I.domain(0, 9, 0):  #!\n    pass\no[:, :] = x[:, :]", "kir.domain.step", "0", "forward"),
    ("return x[:, :]  #!", "src.kernel.return_value", "return", "Out"),
    # calls
    ("o[:, :] = I.matmul(x[:, :], x[:, :])  #!", "src.call.missing_argument", "acc_dtype", "I.f32"),
    ("o[:, :] = I.exp(x[:, :], fast=True)  #!", "src.call.unknown_argument", "fast", "value"),
    ("w = I.reduce.sum(x[:, :], axis=2)  #!\no[:, :] = x[:, :]", "kir.reduce.axes", "axis 2", "1"),
    (
        "w = I.matmul(x[:, :], I.zeros((3, 4), dtype=I.f16), acc_dtype=I.f32)  #!\no[:, :] = x[:, :]",
        "kir.contract.dtype",
        "f32 and f16",
        "I.cast",
    ),
    ("o[:, :] = I.gather(x, index=(k[:], k[:]), valid=k[:], fill=0.0)  #!", "kir.gather.valid", "i32", "compare"),
    # Python
    ("f = lambda a: a  #!\no[:, :] = x[:, :]", "src.python.lambda", "lambda", "intent.fn"),
    ("try:  #!\n    o[:, :] = x[:, :]\nexcept ValueError:\n    pass", "src.python.try", "try", "if"),
    ("o[:, :] = [x[:, :]]  #!", "src.python.list", "list", "tuple"),
    ("a, *b = x.shape  #!\no[:, :] = x[:, :]", "src.python.starred", "starred", "every"),
]


@pytest.mark.parametrize(("body", "code", "message", "help"), CASES, ids=[f"{c[1]}-{k}" for k, c in enumerate(CASES)])
def test_one_mistake_is_one_error_at_its_line(tmp_path: Path, body: str, code: str, message: str, help: str) -> None:
    text = source(body)
    (found,) = refused(tmp_path, text)
    line = next(n for n, row in enumerate(text.splitlines(), 1) if row.endswith("#!"))
    assert (found.code, found.line) == (code, line)
    assert message in found.message
    assert help in found.help


def test_every_mistake_is_reported_in_source_order(tmp_path: Path) -> None:
    body = """
        a = x[:, :] + k[:]
        if missing > 0:
            b = v[:] / 0
        else:
            c = unknown
        for i in I.domain(0, N):
            o[i, :] = I.relu(x[i, :])
        o[:, :] = a
    """
    found = refused(tmp_path, source(body))
    assert [(d.line, d.code) for d in found] == [
        (7, "kir.dtype.mixed"),
        (8, "src.name.undefined"),
        (11, "src.name.undefined"),
        (12, "src.name.undefined"),
        (13, "src.name.unknown"),
    ]


def test_a_diagnostic_shows_the_line_and_the_place(tmp_path: Path) -> None:
    (found,) = refused(tmp_path, source("o[:, :] = x[:, :] + k[:]"))
    assert found.render().splitlines() == [
        "file.py:7:15: error[kir.dtype.mixed]: the operands of + are f32 and i32",
        "7 |     o[:, :] = x[:, :] + k[:]",
        "  |               ^^^^^^^^^^^^^^",
        "help: convert one of them: I.cast(..., I.f32)",
    ]


HELPERS = [
    ("def f(a):\n    return f(a)", "f(v[:])", "src.fn.recursion", "f -> f"),
    ("def f(a, b=1):\n    return a", "f(v[:])", "src.fn.default", "`b`"),
    ("def f(*a):\n    return a[0]", "f(v[:])", "src.fn.variadic", "`a`"),
    ("def f(a):\n    if a[0] > 0.0:\n        return a", "f(v[:])", "src.fn.missing_return", "`f`"),
    ("def f(a):\n    pass", "f(v[:])", "src.fn.no_value", "`f`"),
    ("def f(a):\n    return a * x", "f(v[:])", "src.fn.capture", "`x`"),
    ("def f(a):\n    s = I.buffer((4,), I.f32)\n    return s", "f(v[:])", "kir.buffer.escape", "`s`"),
    ("def f(a, b):\n    return a", "f(v[:])", "src.call.missing_argument", "`b`"),
    ("def f(a):\n    return a", "f(v[:], b=1)", "src.call.unknown_argument", "`b`"),
    ("def f(a):\n    return a", "f(v[:], a=1)", "src.call.repeated_argument", "`a`"),
    ("def f(a):\n    if a[0] > 0.0:\n        return a\n    return I.cast(a, I.f64)", "f(v[:])", "src.fn.result", "`f`"),
]


@pytest.mark.req("K22", "K25", "K26")
@pytest.mark.parametrize(("helper", "call", "code", "word"), HELPERS, ids=[h[2] for h in HELPERS])
def test_helpers_refused(tmp_path: Path, helper: str, call: str, code: str, word: str) -> None:
    (found,) = refused(tmp_path, source(f"w = {call}\no[:, :] = x[:, :]", before=f"@intent.fn\n{helper}\n\n\n"))
    assert found.code == code
    assert word in found.message


@pytest.mark.parametrize("body", ["o = x[:, :]  #!", "x += 1.0  #!"])
def test_the_name_of_a_view_is_no_target(tmp_path: Path, body: str) -> None:
    (found,) = refused(tmp_path, source(body))
    assert (found.code, found.line) == ("src.assign.view", 7)
    assert "[" in found.help
