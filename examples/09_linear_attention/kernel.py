"""Causal linear attention: a matrix of key-value products is carried along the sequence, slice by slice."""

import intent2cuda as intent
import intent2cuda.language as I


@intent.fn
def products(q, k, v, place):
    return I.matmul(k, v, acc_dtype=I.f32, transpose_lhs=True)


@intent.fn
def plus(a, b):
    return a + b


@intent.fn
def outputs(q, k, v, place, state):
    """What a slice sees of itself up to each place, and all that came before it."""
    score = I.matmul(q, k, acc_dtype=I.f32, transpose_rhs=True)
    past = I.mask(score, valid=place[None, :] <= place[:, None], fill=0.0)
    return I.matmul(past, v, acc_dtype=I.f32) + I.matmul(q, state, acc_dtype=I.f32)


@intent.kernel
def linear_attention(
    q: I.In[I.f32, ("H", "T", "D")],
    k: I.In[I.f32, ("H", "T", "D")],
    v: I.In[I.f32, ("H", "T", "E")],
    out: I.Out[I.f32, ("H", "T", "E")],
    state: I.Out[I.f32, ("H", "D", "E")],
):
    """out[t] = q[t] (k[0] v[0]^T + ... + k[t] v[t]^T) in each head; the last sum is left in state."""
    time = I.domain(0, q.shape[1])
    nothing = I.zeros((q.shape[2], v.shape[2]), dtype=I.f32)
    for head in I.parallel(I.domain(0, q.shape[0])):
        mixed, last = I.region_scan(
            source=(q[head, time, :], k[head, time, :], v[head, time, :], I.indices(time)),
            axis=0,
            summarize=products,
            combine=plus,
            identity=nothing,
            initial_state=nothing,
            apply=plus,
            emit=outputs,
        )
        out[head, time, :] = mixed
        state[head, :, :] = last
