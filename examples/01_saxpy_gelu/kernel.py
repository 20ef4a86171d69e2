"""Element by element: a scaled sum, and the tanh form of GELU on top of it."""

import intent2cuda as intent
import intent2cuda.language as I


@intent.fn
def gelu(y):
    return 0.5 * y * (1.0 + I.tanh(0.7978845608 * (y + 0.044715 * y * y * y)))


@intent.kernel
def saxpy_gelu(x: I.In[I.f32, ("N",)], b: I.In[I.f32, ("N",)], a: I.f32, out: I.Out[I.f32, ("N",)]):
    """out = gelu(a * x + b)."""
    y = a * x[:] + b[:]
    out[:] = gelu(y)
