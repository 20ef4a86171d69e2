"""f16 operands accumulated in f32."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def product(a: I.In[I.f16, ("M", "K")], b: I.In[I.f16, ("N", "K")], c: I.Out[I.f32, ("M", "N")]):
    c[:, :] = I.matmul(a[:, :], b[:, :], acc_dtype=I.f32, transpose_rhs=True)


INPUTS = {"a": np.array([[1, 2], [3, 4]], np.float16), "b": np.array([[1, 0], [1, 1]], np.float16)}
EXPECTED = {"c": np.array([[1, 3], [3, 7]], np.float32)}
