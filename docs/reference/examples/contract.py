"""Two axes summed, one walked together: batched products of tensors."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def products(
    a: I.In[I.f32, ("B", "M", "K", "L")], b: I.In[I.f32, ("B", "K", "L", "N")], c: I.Out[I.f32, ("B", "M", "N")]
):
    c[:, :, :] = I.contract(a[:, :, :, :], b[:, :, :, :], reduce=((2, 1), (3, 2)), batch=((0, 0),), acc_dtype=I.f32)


INPUTS = {"a": np.ones((2, 1, 3, 2), np.float32), "b": np.arange(12, dtype=np.float32).reshape(2, 3, 2, 1)}
EXPECTED = {"c": np.array([[[15]], [[51]]], np.float32)}
