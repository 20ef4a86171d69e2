import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def attention(
    q: I.In[I.f32, ["H", "S", 64]],
    k: I.In[I.f32, ["H", "T", 64]],
    v: I.In[I.f32, ["H", "T", 64]],
    o: I.Out[I.f32, ["H", "S", 64]],
):
    for head in I.parallel(I.domain(0, q.shape[0])):
        score = I.matmul(q[head, :, :], k[head, :, :], acc_dtype=I.f32, transpose_rhs=True) * 0.125
        peak = I.reduce.max(score, axis=1)
        weight = I.exp(score - peak[:, None])
        mass = I.reduce.sum(weight, axis=1)
        o[head, :, :] = I.matmul(weight, v[head, :, :], acc_dtype=I.f32) / mass[:, None]
