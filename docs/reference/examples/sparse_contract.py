"""One of two: a row of four numbers of which two are kept."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def product(
    kept: I.In[I.f32, ("M", 2)], place: I.In[I.i32, ("M", 2)], b: I.In[I.f32, (4, "N")], c: I.Out[I.f32, ("M", "N")]
):
    c[:, :] = I.sparse_contract(
        kept[:, :], place[:, :], b[:, :], I.sparse.one_of_two(1, 4), reduce=((1, 0),), acc_dtype=I.f32
    )


INPUTS = {
    "kept": np.array([[5, 7]], np.float32),
    "place": np.array([[1, 0]], np.int32),  # the row 0 5 7 0
    "b": np.array([[1], [10], [100], [1000]], np.float32),
}
EXPECTED = {"c": np.array([[750]], np.float32)}
