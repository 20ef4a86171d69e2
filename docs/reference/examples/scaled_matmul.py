"""One group size for both operands; e4m3 elements with f32 scales."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def product(
    a: I.In[I.u8, ("M", "G", 2)],
    a_scale: I.In[I.f32, ("M", "G")],
    b: I.In[I.u8, ("G", 2, "N")],
    b_scale: I.In[I.f32, ("N", "G")],
    c: I.Out[I.f32, ("M", "N")],
):
    c[:, :] = I.scaled_matmul(
        a[:, :, :], a_scale[:, :], b[:, :, :], b_scale[:, :],
        lhs_format=I.e4m3, rhs_format=I.e4m3, group_size=2, acc_dtype=I.f32,
    )  # fmt: skip


ONE, TWO = 0x38, 0x40
INPUTS = {
    "a": np.array([[[ONE, TWO]]], np.uint8),
    "a_scale": np.array([[10]], np.float32),
    "b": np.array([[[ONE], [TWO]]], np.uint8),
    "b_scale": np.array([[3]], np.float32),
}
EXPECTED = {"c": np.array([[150]], np.float32)}
