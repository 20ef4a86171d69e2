"""The kernels of the worked examples."""

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def softmax(x: I.In[I.f32, ("M", "N")], y: I.Out[I.f32, ("M", "N")]):
    value = x[:, :]
    peak = I.reduce.max(value, axis=1)
    weight = I.exp(value - peak[:, None])
    mass = I.reduce.sum(weight, axis=1)
    y[:, :] = weight / mass[:, None]


@intent.kernel
def matmul(a: I.In[I.bf16, ("M", "K")], b: I.In[I.bf16, ("K", "N")], c: I.Out[I.bf16, ("M", "N")]):
    c[:, :] = I.cast(I.matmul(a[:, :], b[:, :], acc_dtype=I.f32), I.bf16)


@intent.fn
def attend_part(key, value, place, query, query_place, causal):
    scores = I.matmul(query, key, acc_dtype=I.f32, transpose_rhs=True)
    if causal:
        scores = I.mask(scores, valid=place[None, :] <= query_place[:, None], fill=-I.inf)
    peak = I.maximum(I.reduce.max(scores, axis=1), -1.0e30)
    weight = I.exp2(scores - peak[:, None])
    return I.record(
        peak=peak,
        mass=I.reduce.sum(weight, axis=1),
        mix=I.matmul(weight, I.cast(value, I.f32), acc_dtype=I.f32),
    )


@intent.fn
def merge_parts(one, other):
    peak = I.maximum(one.peak, other.peak)
    left, right = I.exp2(one.peak - peak), I.exp2(other.peak - peak)
    return I.record(
        peak=peak,
        mass=one.mass * left + other.mass * right,
        mix=one.mix * left[:, None] + other.mix * right[:, None],
    )


@intent.kernel
def attention(
    q: I.In[I.f16, ("B", "H", "Q", "D")],
    k: I.In[I.f16, ("B", "H", "K", "D")],
    v: I.In[I.f16, ("B", "H", "K", "E")],
    out: I.Out[I.f16, ("B", "H", "Q", "E")],
    CAUSAL: I.Constexpr[bool],
):
    queries, keys = I.domain(0, q.shape[2]), I.domain(0, k.shape[2])
    nothing = I.record(
        peak=I.full((q.shape[2],), -1.0e30, dtype=I.f32),
        mass=I.zeros((q.shape[2],), dtype=I.f32),
        mix=I.zeros((q.shape[2], v.shape[3]), dtype=I.f32),
    )
    for batch, head in I.parallel((I.domain(0, q.shape[0]), I.domain(0, q.shape[1]))):
        seen = I.region_fold(
            source=(k[batch, head, keys, :], v[batch, head, keys, :], I.indices(keys)),
            axis=0,
            summarize=attend_part,
            combine=merge_parts,
            identity=nothing,
            operands=(q[batch, head, queries, :], I.indices(queries), CAUSAL),
        )
        out[batch, head, queries, :] = I.cast(seen.mix / seen.mass[:, None], I.f16)


@intent.kernel
def ragged_mean(x: I.In[I.f32, ("R", "D")], offsets: I.In[I.index, ("E",)], out: I.Out[I.f32, ("G", "D")]):
    rows = I.domain(0, x.shape[0])
    for group in I.parallel(I.domain(0, out.shape[0])):
        members = rows[offsets[group] : offsets[group + 1]]
        count = offsets[group + 1] - offsets[group]
        total = I.reduce.sum(x[members, :], axis=0)
        out[group, :] = I.select(count > 0, total / I.cast(count, I.f32), 0.0)
