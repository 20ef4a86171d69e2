"""Products with sparse matrices: compressed rows times a vector and times a matrix, and two values of every four."""

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def csr_vector(
    start: I.In[I.i32, ("M1",)],
    column: I.In[I.i32, ("Z",)],
    value: I.In[I.f32, ("Z",)],
    x: I.In[I.f32, ("N",)],
    y: I.Out[I.f32, ("M",)],
):
    """y = A x; the entries of row m are start[m] to start[m + 1]."""
    rows = I.ragged(outer=I.domain(0, y.shape[0]), members=I.domain(0, value.shape[0]), offsets=start)
    for row in I.parallel(rows.outer):
        entries = rows[row]
        y[row] = I.reduce.sum(value[entries] * x[column[entries]], axis=0)


@intent.kernel
def csr_matrix(
    start: I.In[I.i32, ("M1",)],
    column: I.In[I.i32, ("Z",)],
    value: I.In[I.f32, ("Z",)],
    x: I.In[I.f32, ("N", "C")],
    y: I.Out[I.f32, ("M", "C")],
):
    """y = A x for a matrix x."""
    rows = I.ragged(outer=I.domain(0, y.shape[0]), members=I.domain(0, value.shape[0]), offsets=start)
    for row in I.parallel(rows.outer):
        entries = rows[row]
        y[row, :] = I.reduce.sum(value[entries][:, None] * x[column[entries], :], axis=0)


@intent.kernel
def two_of_four(
    value: I.In[I.f32, ("M", "H")],
    places: I.In[I.u8, ("M", "Q")],
    x: I.In[I.f32, ("K", "N")],
    y: I.Out[I.f32, ("M", "N")],
):
    """y = A x, where A keeps two values of every four in a row: bits 0-1 and 2-3 of places say which."""
    code = I.cast(places[:, :], I.index)
    kept = I.record(first=code & 3, second=(code >> 2) & 3)
    y[:, :] = I.sparse_contract_2to4(value[:, :], kept, x[:, :], acc_dtype=I.f32)
