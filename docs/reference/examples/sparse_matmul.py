"""Two of four: values in rising positions."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def product(
    kept: I.In[I.f32, ("M", 2)],
    first: I.In[I.i32, ("M", 1)],
    second: I.In[I.i32, ("M", 1)],
    b: I.In[I.f32, (4, "N")],
    c: I.Out[I.f32, ("M", "N")],
    again: I.Out[I.f32, ("M", "N")],
):
    places = I.record(first=first[:, :], second=second[:, :])
    c[:, :] = I.sparse_matmul(kept[:, :], places, b[:, :], format=I.sparse.two_of_four(1, 4), acc_dtype=I.f32)
    again[:, :] = I.sparse_contract_2to4(kept[:, :], places, b[:, :], acc_dtype=I.f32)


INPUTS = {
    "kept": np.array([[5, 7]], np.float32),
    "first": np.array([[0]], np.int32),
    "second": np.array([[3]], np.int32),  # the row 5 0 0 7
    "b": np.array([[1], [10], [100], [1000]], np.float32),
}
EXPECTED = {"c": np.array([[7005]], np.float32), "again": np.array([[7005]], np.float32)}
