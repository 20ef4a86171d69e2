"""Matrix products: plain, and with a bias and an activation on the way out."""

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def matmul(a: I.In[I.f32, ("M", "K")], b: I.In[I.f32, ("K", "N")], c: I.Out[I.f32, ("M", "N")]):
    """c = a b."""
    c[:, :] = I.matmul(a[:, :], b[:, :], acc_dtype=I.f32)


@intent.kernel
def dense_relu(
    x: I.In[I.f32, ("M", "K")],
    weight: I.In[I.f32, ("N", "K")],
    bias: I.In[I.f32, ("N",)],
    y: I.Out[I.f32, ("M", "N")],
):
    """y = max(x weight^T + bias, 0)."""
    product = I.matmul(x[:, :], weight[:, :], acc_dtype=I.f32, transpose_rhs=True)
    y[:, :] = I.maximum(product + bias[:], 0.0)
