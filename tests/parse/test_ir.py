"""Kernels become the expected Kernel IR: golden texts, names, places, relations."""

from __future__ import annotations

from pathlib import Path

import pytest

from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.ops import Broadcast, Dim, Domain, For, If, Load, RequireEqual, Store, Subregion, While, Yield
from intent2cuda.ir.printer import text
from intent2cuda.ir.terms import Along, Lanes, Point, Slice, Whole
from tests.conftest import Golden

from .texts import parsed, source

KERNELS = {
    "row_softmax": (
        'x: I.In[I.f32, ("M", "N")], o: I.Out[I.f32, ("M", "N")]',
        """
        \"\"\"Softmax of each row.\"\"\"
        for row in I.parallel(I.domain(0, x.shape[0])):
            value = x[row, :]
            weight = I.exp(value - I.reduce.max(value, axis=0))
            o[row, :] = weight / I.reduce.sum(weight, axis=0)
        """,
    ),
    "matmul_bias": (
        'a: I.In[I.f16, ("M", "K")], b: I.In[I.f16, ("N", "K")], c: I.In[I.f32, ("N",)], o: I.Out[I.f32, ("M", "N")]',
        "o[:, :] = I.matmul(a[:, :], b[:, :], acc_dtype=I.f32, transpose_rhs=True) + c[:]",
    ),
    "newton": (
        'x: I.In[I.f64, ("N",)], o: I.Out[I.f64, ("N",)]',
        """
        for i in I.parallel(I.domain(0, x.shape[0])):
            guess = x[i]
            for step in range(20):
                change = (guess * guess - x[i]) / (2.0 * guess)
                guess = guess - change
                if I.abs(change) < 1.0e-9:
                    break
            o[i] = guess
        """,
    ),
    "flatten": (
        'x: I.In[I.i8, ("M", "N")], o: I.Out[I.i32, ("K",)]',
        "o[:] = I.reshape(I.cast(x[:, :], I.i32), (x.shape[0] * x.shape[1],))",
    ),
    "shifted_window": (
        'x: I.In[I.f32, ("N",)], begin: I.index, o: I.InOut[I.f32, ("N",)]',
        """
        window = I.domain(0, x.shape[0])[begin:]
        source = I.indices(window) - 3
        o[window] = I.gather(x, index=(source,), valid=source >= 0, fill=-1.0)
        """,
    ),
}


@pytest.mark.parametrize("name", KERNELS)
def test_golden(tmp_path: Path, golden: Golden, name: str) -> None:
    parameters, body = KERNELS[name]
    golden.check(f"{name}.txt", text(parsed(tmp_path, source(body, parameters)), places=True))


def ops(kernel: Kernel, kind: type) -> list:
    return [op for op in walk(kernel.body) if isinstance(op, kind)]


def test_ops_know_their_expression_and_statement(tmp_path: Path) -> None:
    helper = "@intent.fn\ndef half(a):\n    return a * 0.5\n\n\n"
    kernel = parsed(tmp_path, source("y = x[:, :] + v[:]\no[:, :] = half(y)", before=helper))
    found = [(op.span.text, op.statement.text) for op in walk(kernel.body) if op.span and op.statement]
    assert found[0] == ("x[:, :]", "y = x[:, :] + v[:]")
    assert ("x[:, :] + v[:]", "y = x[:, :] + v[:]") in found
    assert ("a * 0.5", "return a * 0.5") in found
    assert found[-1] == ("o[:, :]", "o[:, :] = half(y)")


def test_values_have_the_names_of_the_author(tmp_path: Path) -> None:
    body = """
        m, n = x.shape
        half = n // 2
        low, high = v[0], v[1]
        pair = I.record(sum=low + high, parts=(low, high * 2.0))
        o[:, :] = pair.sum + pair.parts[1]
    """
    kernel = parsed(tmp_path, source(body))
    names = [op.result.name for op in walk(kernel.body) if getattr(op, "result", None) is not None]
    assert [n for n in names if n] == ["half", "low", "high", "pair_sum", "pair_parts_1"]


def test_carries_have_their_own_names_whatever_they_begin_with(tmp_path: Path) -> None:
    body = """
    row = v[:]
    best = row
    for i in I.domain(0, x.shape[0]):
        row = x[i, :]
        best = I.maximum(best, row)
    while row[0] > 0.0:
        row, best = row - 1.0, best + 1.0
    o[0, :] = best
    """
    loops = [op for op in walk(parsed(tmp_path, source(body)).body) if isinstance(op, For | While)]
    assert len(loops) == 2
    for op in loops:
        arguments = op.body.args[1:] if isinstance(op, For) else op.body.args
        assert [v.name for v in arguments] == [v.name for v in op.results] == ["row", "best"]


def test_index_arithmetic_is_one_expression(tmp_path: Path) -> None:
    kernel = parsed(tmp_path, source("n = x.shape[1]\nfor i in range(4):\n    o[0, n - 1 - (i * 2 + n) % 3] = v[i]"))
    assert str(ops(kernel, Dim)[-1].expression).startswith("N - mod(N + 2*i%")


INDEX_TERMS = [
    ("o[:, :] = x[:, :]", [Whole, Whole]),
    ("o[:, :] = x[3, :]", [Point, Whole]),
    ("o[:, :] = x[-1, :]", [Point, Whole]),
    ("o[:, 0:2] = x[:, 1:3]", [Whole, Slice]),
    ("d = I.domain(0, x.shape[1])\no[:, d] = x[:, d]", [Whole, Along]),
    ("d = I.indices(I.domain(0, x.shape[1]))\no[:, d] = x[:, d]", [Whole, Along]),
    ("o[:, :] = x[..., k[:]]", [Whole, Lanes]),
    ("o[:, :] = x[k[:], k[:]]", [Lanes, Lanes]),
    ("o[:, :] = x[k[0]]", [Point, Whole]),
]


@pytest.mark.req("L109", "L110")
@pytest.mark.parametrize(("body", "terms"), INDEX_TERMS, ids=[t[0] for t in INDEX_TERMS])
def test_terms_of_an_index(tmp_path: Path, body: str, terms: list[type]) -> None:
    loads = [op for op in ops(parsed(tmp_path, source(body)), Load) if op.resource.name == "x"]
    assert [type(term) for term in loads[0].terms] == terms


@pytest.mark.req("L33", "L35", "L37")
def test_what_only_a_call_decides_is_guarded(tmp_path: Path) -> None:
    parameters = 'x: I.In[I.f32, ("N",)], b: I.In[I.f32, ("B",)], o: I.Out[I.f32, ("N",)]'
    for body in ("o[:] = x[:] + b[:]", "o[:] = b[:] + x[:]"):
        kernel = parsed(tmp_path, source(body, parameters))
        (spread,) = ops(kernel, Broadcast)
        assert (spread.guarded, str(spread.result.tensor.shape[0])) == ((0,), "N")
        assert not ops(kernel, RequireEqual)


@pytest.mark.req("L31", "L32")
def test_extents_of_a_store_are_required_equal(tmp_path: Path) -> None:
    parameters = 'x: I.In[I.f32, ("M", "N")], o: I.Out[I.f32, ("K",)]'
    kernel = parsed(tmp_path, source("o[:] = I.reshape(x[:, :], (...,))", parameters))
    (found,) = ops(kernel, RequireEqual)
    assert {str(found.lhs), str(found.rhs)} == {"M*N", "K"}


@pytest.mark.req("L32")
@pytest.mark.parametrize("begin", ["k[0]", "I.cast(k[0], I.index)"])
def test_windows_of_one_begin_are_equal(tmp_path: Path, begin: str) -> None:
    body = f"""
        b = {begin}
        one, other = x[0, b:b + 4], x[1, b:b + 4]
        o[:, 0:4] = one + other
    """
    kernel = parsed(tmp_path, source(body))
    assert not ops(kernel, RequireEqual)
    assert [str(op.result.tensor.shape[0]) for op in ops(kernel, Load)[1:]] == ["4", "4"]


@pytest.mark.req("L6", "L10")
def test_subregions_keep_absolute_coordinates(tmp_path: Path) -> None:
    kernel = parsed(tmp_path, source("d = I.domain(2, 9)[4:][5:7]\nfor i in d:\n    o[0, i] = v[i]"))
    inner = ops(kernel, Subregion)[-1].result.domain
    assert (str(inner.begin), str(inner.extent)) == ("5", "2")
    assert not [op for op in ops(kernel, Domain) if op.result.domain == inner]


@pytest.mark.req("L57")
def test_a_way_out_guards_the_rest(tmp_path: Path) -> None:
    kernel = parsed(tmp_path, source("for i in range(9):\n    if v[i] > 0.0:\n        break\n    o[0, i] = v[i]"))
    (loop,) = ops(kernel, For)
    (branch,) = ops(kernel, If)
    end = loop.body.ops[-1]
    assert isinstance(end, Yield) and end.stop is branch.condition
    assert not [op for op in branch.then_body.ops if not isinstance(op, Yield)]
    assert [type(op) for op in branch.else_body.ops] == [Load, Store, Yield]


def test_a_chain_of_returns_needs_no_flags(tmp_path: Path) -> None:
    helper = """
        @intent.fn
        def sign(a):
            if a > 0.0:
                return 1.0
            if a < 0.0:
                return -1.0
            return 0.0


    """
    kernel = parsed(tmp_path, source("o[:, :] = I.cast(sign(v[0]), I.f32)", before=helper))
    assert [len(op.results) for op in ops(kernel, If)] == [1, 1]


def test_text_does_not_depend_on_what_was_read_before(tmp_path: Path) -> None:
    body = KERNELS["newton"][1]
    first = text(parsed(tmp_path, source(body, KERNELS["newton"][0])))
    parsed(tmp_path, source("o[:, :] = x[:, :]"))
    assert text(parsed(tmp_path, source(body, KERNELS["newton"][0]))) == first


@pytest.mark.parametrize(
    ("expression", "branches"),
    [
        ("n if flag else m", 0),
        ("n + 1 if flag else m * 2", 0),
        ("n // m if m != 0 else 0", 1),
        ("v[n] if flag else 0.0", 1),
        ("(n, m) if flag else (m, n)", 1),
    ],
)
def test_a_conditional_expression_runs_only_what_may_run(tmp_path: Path, expression: str, branches: int) -> None:
    parameters = (
        'v: I.In[I.f32, ("N",)], n: I.index, m: I.index, flag: I.bool, o: I.Out[I.index, ()], p: I.Out[I.f32, ()]'
    )
    end = "p[()] = c" if "v[" in expression else "o[()] = c[0]" if "," in expression else "o[()] = c"
    kernel = parsed(tmp_path, source(f"c = {expression}\n{end}", parameters))
    assert len(ops(kernel, If)) == branches


def test_products_of_sums_do_not_grow_without_end(tmp_path: Path) -> None:
    lines = ["n = k.shape[0] + 1", "m = x.shape[0] + 3", *["n = (n + m) * (m + n) % 1000 + n * n"] * 40]
    kernel = parsed(tmp_path, source("\n".join([*lines, "o[n % 3, :] = v[:]"])))
    assert max(len(str(op.expression)) for op in ops(kernel, Dim)) < 5000
