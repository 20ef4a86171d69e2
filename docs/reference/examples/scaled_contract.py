"""Products of 4-bit numbers with a scale for each group of two."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def product(
    a: I.In[I.u8, (1, 2, 1)],
    a_scale: I.In[I.u8, (1, 2)],
    b: I.In[I.u8, (2, 1, 1)],
    b_scale: I.In[I.u8, (1, 2)],
    c: I.Out[I.f32, (1, 1)],
):
    c[:, :] = I.scaled_contract(
        a[:, :, :], a_scale[:, :], b[:, :, :], b_scale[:, :],
        lhs_format=I.e2m1, rhs_format=I.e2m1, lhs_group_size=2, rhs_group_size=2,
        reduce=((1, 0), (2, 1)), acc_dtype=I.f32,
    )  # fmt: skip


INPUTS = {
    "a": np.array([[[0x42], [0x07]]], np.uint8),  # 1 and 2; 6 and 0
    "a_scale": np.array([[127, 128]], np.uint8),  # 1; 2
    "b": np.array([[[0x22]], [[0x2A]]], np.uint8),  # 1 and 1; -1 and 1
    "b_scale": np.array([[127, 127]], np.uint8),
}
EXPECTED = {"c": np.array([[3 - 12]], np.float32)}
