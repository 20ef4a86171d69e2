"""The k largest elements of each row, greatest first, and their columns; of equal elements the first column wins."""

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def top_k(x: I.In[I.f32, ("M", "N")], value: I.Out[I.f32, ("M", "K")], place: I.Out[I.i32, ("M", "K")]):
    """k passes over a row, each of which takes out the greatest element that is left."""
    columns = I.indices(I.domain(0, x.shape[1]))
    for row in I.parallel(I.domain(0, x.shape[0])):
        left = x[row, :]
        for k in I.domain(0, value.shape[1]):
            best, where = I.arg_reduce.max(left, axis=0)
            value[row, k] = best
            place[row, k] = I.cast(where, I.i32)
            left = I.select(columns == where, -I.inf, left)


@intent.kernel
def top_k_once(
    x: I.In[I.f32, ("M", "N")],
    value: I.Out[I.f32, ("M", "K")],
    place: I.Out[I.i32, ("M", "K")],
    K: I.Constexpr[int] = 8,
):
    """One pass over a row: an element greater than the least of the best so far is put among them."""
    for row in I.parallel(I.domain(0, x.shape[0])):
        best, where = I.buffer((K,), dtype=I.f32, init=-I.inf), I.buffer((K,), dtype=I.i32, init=0)
        for column in I.domain(0, x.shape[1]):
            found = x[row, column]
            if found > best[K - 1]:
                slot = I.cast(K - 1, I.index)
                for ordinal in range(1, K):
                    above = K - 1 - ordinal
                    if best[above] < found:
                        best[above + 1] = best[above]
                        where[above + 1] = where[above]
                        slot = above
                best[slot] = found
                where[slot] = I.cast(column, I.i32)
        value[row, :] = best[:]
        place[row, :] = where[:]
