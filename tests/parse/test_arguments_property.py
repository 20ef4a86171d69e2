"""Whatever stands in the place of an argument is read, or refused with a place and a help line."""

from __future__ import annotations

import ast
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from intent2cuda.base.diagnostics import IntentError
from intent2cuda.ir.printer import text
from intent2cuda.ir.reader import read
from intent2cuda.ir.verify import verify
from intent2cuda.parse import parse_kernel
from intent2cuda.parse.calls import BUILDERS

from .texts import source

PARAMETERS = (
    'x: I.In[I.f32, ("M", "N")], v: I.In[I.f32, ("N",)], k: I.In[I.i32, ("N",)], c: I.InOut[I.i32, (4,)], '
    'e: I.InOut[I.f8e4m3fn, (4,)], b: I.InOut[I.bool, ("N",)], u: I.In[I.u8, ("M", 4, 16)], '
    'w: I.In[I.u8, ("M", 144)], n: I.index, s: I.u64, a: I.f32, flag: I.bool, o: I.Out[I.f32, ("M", "N")]'
)

BEFORE = """
class Mode(I.Enum):
    ONE = 0


@intent.fn
def both(p, q):
    return p + q


@intent.fn
def draw(p, q):
    return I.atomic.add(p, 0, q, "relaxed")


@intent.fn
def weighted(p, q):
    return I.reduce.sum(p * q, axis=0)


@intent.fn
def shifted(p, state, q):
    return p * q + state


"""

NAMES = """
d = I.domain(0, n)
rows = I.ragged(d, d, k)
pairs = I.sparse.one_of_two(1, 2 * x.shape[1])
scratch = I.buffer((4,), I.f32, init=0.0)
"""

CALLS = [
    "I.domain(start=0, stop=n, step=2)",
    "I.indices(region=d)",
    "I.end(region=d)",
    "I.assume_in_bounds(index=k[:], view=v, axis=0)",
    "I.ragged(outer=d, members=d, offsets=k, indices=k)",
    "I.members(region=rows[0])",
    "I.full(shape=(n, 4), fill=1, dtype=I.f32)",
    "I.reshape(value=x[:, :], shape=(..., 4))",
    "I.transpose(value=x, permutation=(1, 0))",
    "I.join(lhs=v, rhs=v)",
    "I.cast(value=k, dtype=I.f32)",
    "I.bitcast(value=k, dtype=I.f32)",
    "I.select(condition=flag, true_value=v, false_value=1.0)",
    "I.mask(value=v, valid=flag, fill=0)",
    "I.maximum(lhs=v, rhs=1)",
    "I.minimum_num(lhs=2, rhs=1.5)",
    "I.fdiv(lhs=v, rhs=a, approximate=True, flush_to_zero=True)",
    "I.exp2(value=v, approximate=True, flush_to_zero=False)",
    "I.abs(value=k)",
    "I.reduce(value=v, axis=0, identity=0.0, combine=both, combine_operands=(), acc_dtype=I.f32)",
    "I.reduce.sum(value=x, axis=(0, 1), acc_dtype=I.f64)",
    "I.arg_reduce.max(value=x, axis=0, acc_dtype=I.f32)",
    "I.scan(value=v, axis=0, identity=0.0, combine=I.add, inclusive=False, reverse=True)",
    "I.cumsum(value=k, axis=0, inclusive=False, reverse=True, acc_dtype=I.i64)",
    "I.region_fold(source=v, axis=0, summarize=weighted, combine=both, identity=a, operands=(2.0,))",
    "I.region_scan(source=v, axis=0, summarize=weighted, combine=both, identity=a, initial_state=a, apply=both, "
    "emit=shifted, operands=(2.0,))",
    "I.contract(lhs=x, rhs=x, reduce=((1, 1),), acc_dtype=I.f32, batch=((0, 0),))",
    "I.matvec(matrix=x, vector=v, acc_dtype=I.f32, transpose=False)",
    "I.matmul(lhs=x, rhs=x, acc_dtype=I.f32, transpose_lhs=False, transpose_rhs=True)",
    "I.outer(lhs=v, rhs=v)",
    "I.scaled_contract(lhs=u, lhs_scale=u[:, :, 0], rhs=I.zeros((4, 16, 3), I.u8), rhs_scale=I.zeros((3, 4), I.f32), "
    "lhs_format=I.e2m1, rhs_format=I.e2m1, lhs_group_size=32, rhs_group_size=32, reduce=((1, 0), (2, 1)), batch=(), "
    "acc_dtype=I.f32)",
    "I.sparse_contract(compressed=x, metadata=I.cast(x, I.i32), dense_rhs=I.zeros((2 * x.shape[1], 3), I.f32), "
    "format=pairs, reduce=((1, 0),), batch=(), acc_dtype=I.f32)",
    "I.sparse_contract_2to4(compressed_lhs=I.zeros((4, 4), I.f32), metadata=I.record(first=I.zeros((4, 2), I.i32), "
    "second=I.zeros((4, 2), I.i32)), rhs=I.zeros((8, 3), I.f32), acc_dtype=I.f32)",
    "I.sparse.two_of_four(compression_axis=1, logical_extent=n)",
    "I.histogram(values=k, bins=n, valid=b, count_dtype=I.i32)",
    "I.quantize(values=I.zeros((n, 256), I.f32), format=I.quant.q8_k)",
    "I.quantized_dot(lhs=w, rhs=I.zeros((w.shape[0], 292), I.u8), lhs_format=I.quant.q4_k, "
    "rhs_format=I.quant.q8_k, acc_dtype=I.f32)",
    "I.gather(source=x, index=(k[:], 0), valid=k[:] > 0, fill=1.0)",
    "I.scatter_unique(destination=c, index=(k[0:2],), value=k[0:2])",
    "I.scatter_reduce(destination=c, index=k, value=k, combine=I.add)",
    "I.buffer(shape=(n, 4), dtype=I.f32, init=1)",
    "I.mutable_load(target=scratch, index=(0,))",
    "I.atomic.load(target=c, index=(0,), order='acquire')",
    "I.atomic.store(target=c, index=(0,), value=1, order='release')",
    "I.atomic.add(target=c, index=(k[:],), value=k, order='acq_rel')",
    "I.atomic.compare_exchange(target=c, index=0, expected=0, desired=1, order='relaxed')",
    "I.random.uniform(seed=3, logical_counter=n, dtype=I.f32)",
    "I.random.bits(seed=s, logical_counter=I.indices(d))",
]

VALUES = [
    "x", "v", "k", "c", "e", "b", "u", "w", "n", "s", "a", "flag", "o", "x[:, :]", "v[:]", "e[:]", "b[:]", "d",
    "d[1:3]", "rows", "rows[0]", "pairs", "scratch", "scratch[:]", "0", "1", "-1", "2", "16", "1.5", "300", "True",
    "False", "None", "...", "'relaxed'", "I.f32", "I.i32", "I.f8e5m2", "I.bool", "I.index", "I.u32", "I.e2m1",
    "I.e4m3", "I.quant.q8_k", "I.add", "I.maximum", "I.reduce", "I.atomic", "I", "intent", "Mode", "Mode.ONE", "both",
    "draw", "(0,)", "((1, 0),)", "()", "(n, 4)", "(x, v)", "I.record(first=k, second=k)", "slice(None)", "(k[:],)",
    "(0, slice(None))", "I.inf", "x.shape", "x.shape[0]", "I.indices(d)", "len", "9223372036854775807", "-I.inf",
    "I.zeros((2, 3), I.f32)", "I.dot(v, v, acc_dtype=I.f32)",
]  # fmt: skip

PLACES = ["z = {}", "o[0, 0] = {}", "{}", "for i in {}:\n    pass", "z = {}\nq = z.old_value", "z = {}[0]"]


def replaced(call: str, position: int, value: str) -> str:
    """The call with another value for one of its arguments."""
    node = ast.parse(call, mode="eval").body
    assert isinstance(node, ast.Call)
    node.keywords[position % len(node.keywords)].value = ast.parse(value, mode="eval").body
    return ast.unparse(node)


def judged(folder: Path, body: str) -> bool:
    """Whether a body is accepted; what is accepted is well formed, what is refused is explained."""
    path = folder / "file.py"
    path.write_text(source(NAMES + body, PARAMETERS, BEFORE), encoding="utf-8")
    try:
        kernel = verify(parse_kernel(path, "kernel", None, "file.py").kernel)
    except IntentError as error:
        assert error.diagnostics and all(d.span and d.help and d.message for d in error.diagnostics)
        return False
    assert text(read(text(kernel))) == text(kernel)
    return True


def test_the_calls_are_legal_as_they_stand(tmp_path: Path) -> None:
    for call in CALLS:
        assert any(judged(tmp_path, place.format(call)) for place in ("z = {}", "{}")), call
    families = {path.split(".")[0] for path in BUILDERS}
    assert {"atomic", "random", "sparse", "ragged", "quantize", "histogram", "scatter_reduce"} < families


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    call=st.sampled_from(CALLS),
    position=st.integers(0, 11),
    value=st.sampled_from(VALUES),
    place=st.sampled_from(PLACES),
)
def test_any_argument(tmp_path: Path, call: str, position: int, value: str, place: str) -> None:
    judged(tmp_path, place.replace("{}", replaced(call, position, value)))
