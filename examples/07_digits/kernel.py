"""A small network for handwritten digits: a normalised hidden layer, then the probabilities of ten classes."""

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def hidden_layer(
    x: I.In[I.f32, ("B", "K")],
    weight: I.In[I.f32, ("K", "H")],
    bias: I.In[I.f32, ("H",)],
    hidden: I.Out[I.f32, ("B", "H")],
):
    """hidden = tanh(x weight + bias)."""
    hidden[:, :] = I.tanh(I.matmul(x[:, :], weight[:, :], acc_dtype=I.f32) + bias[:])


@intent.kernel
def probabilities(
    hidden: I.In[I.f32, ("B", "H")],
    weight: I.In[I.f32, ("H", "C")],
    bias: I.In[I.f32, ("C",)],
    out: I.Out[I.f32, ("B", "C")],
):
    """Each row of out is the softmax of hidden weight + bias."""
    for row in I.parallel(I.domain(0, hidden.shape[0])):
        score = I.vecmat(hidden[row, :], weight[:, :], acc_dtype=I.f32) + bias[:]
        likeness = I.exp(score - I.reduce.max(score, axis=0))
        out[row, :] = likeness / I.reduce.sum(likeness, axis=0)
