"""One step of k-means: each point joins its nearest centre, and the centres move to the means of their points."""

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def assign(x: I.In[I.f32, ("N", "D")], centre: I.In[I.f32, ("K", "D")], owner: I.Out[I.i32, ("N",)]):
    """The nearest centre of each point: |x - c|^2 is least where x c - |c|^2 / 2 is greatest."""
    half_square = 0.5 * I.reduce.sum(centre[:, :] * centre[:, :], axis=1)
    closeness = I.matmul(x[:, :], centre[:, :], acc_dtype=I.f32, transpose_rhs=True) - half_square
    _, nearest = I.arg_reduce.max(closeness, axis=1)
    owner[:] = I.cast(nearest, I.i32)


@intent.kernel
def accumulate(
    x: I.In[I.f32, ("N", "D")],
    owner: I.In[I.i32, ("N",)],
    total: I.InOut[I.f32, ("K", "D")],
    count: I.InOut[I.i32, ("K",)],
):
    """Each point is added to the total of its owner, and counted."""
    I.scatter_reduce(total, index=(owner[:], slice(None)), value=x[:, :], combine=I.add)
    I.scatter_reduce(count, index=(owner[:],), value=1, combine=I.add)


@intent.kernel
def move(total: I.In[I.f32, ("K", "D")], count: I.In[I.i32, ("K",)], centre: I.InOut[I.f32, ("K", "D")]):
    """A centre with points moves to their mean; one without stays where it is."""
    for k in I.parallel(I.domain(0, centre.shape[0])):
        points = count[k]
        if points > 0:
            centre[k, :] = total[k, :] / I.cast(points, I.f32)
