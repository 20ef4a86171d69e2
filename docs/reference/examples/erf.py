"""Special functions at points where they are simple."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def special(
    x: I.In[I.f64, ("N",)], one: I.Out[I.f64, ("N",)], factorial: I.Out[I.f64, ("N",)], bessel: I.Out[I.f64, ("N",)]
):
    one[:] = I.erf(x[:]) + I.erfc(x[:])
    factorial[:] = I.exp(I.lgamma(x[:] + 1.0))
    bessel[:] = I.i0(x[:] - 4.0)


INPUTS = {"x": np.array([2.0, 4.0])}
EXPECTED = {"one": np.ones(2), "factorial": np.array([2.0, 24.0]), "bessel": np.array([2.279585302336067, 1.0])}
TOLERANCE = 1e-12
