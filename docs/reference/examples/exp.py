"""Exponentials and logarithms."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def there_and_back(x: I.In[I.f32, ("N",)], a: I.Out[I.f32, ("N",)], b: I.Out[I.f32, ("N",)], c: I.Out[I.f32, ("N",)]):
    a[:] = I.log(I.exp(x[:]))
    b[:] = I.exp2(x[:])
    c[:] = I.log1p(x[:])


INPUTS = {"x": np.array([0, 1, 3], np.float32)}
EXPECTED = {
    "a": np.array([0, 1, 3], np.float32),
    "b": np.array([1, 2, 8], np.float32),
    "c": np.log(np.array([1, 2, 4], np.float32)),
}
TOLERANCE = 1e-6
