"""Layer normalisation of a sum of two inputs, row by row."""

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def layer_norm(
    x: I.In[I.f32, ("M", "N")],
    residual: I.In[I.f32, ("M", "N")],
    gain: I.In[I.f32, ("N",)],
    bias: I.In[I.f32, ("N",)],
    epsilon: I.f32,
    out: I.Out[I.f32, ("M", "N")],
):
    """out = normalised(x + residual) * gain + bias, each row with its own mean and variance."""
    count = I.cast(x.shape[1], I.f32)
    for row in I.parallel(I.domain(0, x.shape[0])):
        h = x[row, :] + residual[row, :]
        mean = I.reduce.sum(h, axis=0) / count
        centred = h - mean
        variance = I.reduce.sum(centred * centred, axis=0) / count
        out[row, :] = centred / I.sqrt(variance + epsilon) * gain[:] + bias[:]
