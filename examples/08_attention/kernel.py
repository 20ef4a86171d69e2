"""Attention: the softmax of scaled scores over the keys, folded over slices of the keys.

A slice of keys contributes its greatest score, its mass and its mix of values, all relative to that score; two
contributions are brought to the greater of their scores and added. No row of scores outlives its slice.
"""

import intent2cuda as intent
import intent2cuda.language as I

LOWEST = -1e30  # stands for the score of a key that is not seen: finite, so that differences of it are numbers


@intent.fn
def summarize(key, value, place, query, query_place, scale, causal):
    score = I.matmul(query, key, acc_dtype=I.f32, transpose_rhs=True) * scale
    if causal:
        score = I.mask(score, valid=place[None, :] <= query_place[:, None], fill=-I.inf)
    peak = I.maximum(I.reduce.max(score, axis=1), LOWEST)
    weight = I.exp(score - peak[:, None])
    return I.record(peak=peak, mass=I.reduce.sum(weight, axis=1), mix=I.matmul(weight, value, acc_dtype=I.f32))


@intent.fn
def merge(a, b):
    peak = I.maximum(a.peak, b.peak)
    left, right = I.exp(a.peak - peak), I.exp(b.peak - peak)
    return I.record(peak=peak, mass=a.mass * left + b.mass * right, mix=a.mix * left[:, None] + b.mix * right[:, None])


@intent.kernel
def attention(
    q: I.In[I.f32, ("H", "Q", "D")],
    k: I.In[I.f32, ("H", "K", "D")],
    v: I.In[I.f32, ("H", "K", "E")],
    scale: I.f32,
    out: I.Out[I.f32, ("H", "Q", "E")],
    CAUSAL: I.Constexpr[bool] = False,
):
    """Each query of a head mixes the values by the softmax of its scores; causal: of the keys up to its own place."""
    queries, keys = I.domain(0, q.shape[1]), I.domain(0, k.shape[1])
    nothing = I.record(
        peak=I.full((q.shape[1],), LOWEST, dtype=I.f32),
        mass=I.zeros((q.shape[1],), dtype=I.f32),
        mix=I.zeros((q.shape[1], v.shape[2]), dtype=I.f32),
    )
    for head in I.parallel(I.domain(0, q.shape[0])):
        seen = I.region_fold(
            source=(k[head, keys, :], v[head, keys, :], I.indices(keys)),
            axis=0,
            summarize=summarize,
            combine=merge,
            identity=nothing,
            operands=(q[head, queries, :], I.indices(queries), scale, CAUSAL),
        )
        out[head, queries, :] = seen.mix / seen.mass[:, None]
