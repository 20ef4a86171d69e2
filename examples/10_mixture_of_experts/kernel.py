"""A layer of a mixture of experts: tokens are sorted by expert, and each expert multiplies the rows that are its own.

The rows of expert e are offsets[e] to offsets[e + 1]; row r belongs to token[r]. A token may have several rows.
"""

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def expand(
    x: I.In[I.f32, ("T", "K")],
    offsets: I.In[I.i32, ("E1",)],
    token: I.In[I.i32, ("R",)],
    weight: I.In[I.f32, ("E", "K", "H")],
    hidden: I.Out[I.f32, ("R", "H")],
):
    """Each row of hidden is the activation of its token's row times the matrix of its expert."""
    experts, rows = I.domain(0, weight.shape[0]), I.domain(0, token.shape[0])
    routed = I.ragged(outer=experts, members=rows, offsets=offsets, indices=token)
    for expert in I.parallel(routed.outer):
        mine = routed[expert]
        product = I.matmul(x[I.members(mine), :], weight[expert, :, :], acc_dtype=I.f32)
        hidden[mine, :] = product * I.sigmoid(product)


@intent.kernel
def contract(
    hidden: I.In[I.f32, ("R", "H")],
    offsets: I.In[I.i32, ("E1",)],
    token: I.In[I.i32, ("R",)],
    gate: I.In[I.f32, ("R",)],
    weight: I.In[I.f32, ("E", "H", "N")],
    y: I.InOut[I.f32, ("T", "N")],
):
    """Each row of hidden, times the matrix of its expert and its gate, is added to the row of its token."""
    experts, rows = I.domain(0, weight.shape[0]), I.domain(0, token.shape[0])
    routed = I.ragged(outer=experts, members=rows, offsets=offsets, indices=token)
    for expert in I.parallel(routed.outer):
        mine = routed[expert]
        product = I.matmul(hidden[mine, :], weight[expert, :, :], acc_dtype=I.f32)
        tokens = I.members(mine)
        I.scatter_reduce(y, index=(tokens, slice(None)), value=gate[mine][:, None] * product, combine=I.add)
