"""Cross entropy of scores against labels: the mean over all rows, and the gradient."""

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def mean_loss(score: I.In[I.f32, ("M", "N")], label: I.In[I.i32, ("M",)], loss: I.Out[I.f32, ()]):
    """The mean of -log(softmax(score)[label]) over the rows."""
    value = score[:, :]
    peak = I.reduce.max(value, axis=1)
    mass = I.reduce.sum(I.exp(value - peak[:, None]), axis=1)
    chosen = score[I.indices(I.domain(0, score.shape[0])), label[:]]
    loss[()] = I.reduce.sum(I.log(mass) + peak - chosen, axis=0) / I.cast(score.shape[0], I.f32)


@intent.kernel
def gradient(score: I.In[I.f32, ("M", "N")], label: I.In[I.i32, ("M",)], out: I.Out[I.f32, ("M", "N")]):
    """The derivative of the mean loss by each score: (softmax(score) - 1 at the label) / rows."""
    rows = I.cast(score.shape[0], I.f32)
    columns = I.indices(I.domain(0, score.shape[1]))
    for row in I.parallel(I.domain(0, score.shape[0])):
        value = score[row, :]
        weight = I.exp(value - I.reduce.max(value, axis=0))
        mass = I.reduce.sum(weight, axis=0)
        wanted = I.cast(columns == I.cast(label[row], I.index), I.f32)
        out[row, :] = (weight / mass - wanted) / rows
