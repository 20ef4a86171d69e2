"""Jacobi's method for Laplace's equation on a grid: many sweeps over the interior, border fixed."""

import intent2cuda as intent
import intent2cuda.language as I


@intent.fn
def sweep(old, new):
    """Each interior element of new is the mean of the five elements of old around it."""
    height, width = old.shape
    for row, column in I.parallel((I.domain(1, height - 1), I.domain(1, width - 1))):
        across = old[row, column] + old[row, column - 1] + old[row, column + 1]
        new[row, column] = 0.2 * (across + old[row + 1, column] + old[row - 1, column])


@intent.kernel
def jacobi(
    u: I.InOut[I.f32, ("H", "W"), I.constraints(noalias=True)],
    v: I.InOut[I.f32, ("H", "W"), I.constraints(noalias=True)],
    pairs: I.index,
):
    """Two sweeps a pair, from u to v and back; both hold the same border when it begins."""
    for _ in I.domain(0, pairs):
        sweep(u, v)
        sweep(v, u)


@intent.kernel
def residual(u: I.In[I.f32, ("H", "W")], out: I.Out[I.f32, ()]):
    """The greatest change that one more sweep would make."""
    height, width = u.shape
    row, column = I.indices(I.domain(1, height - 1))[:, None], I.indices(I.domain(1, width - 1))[None, :]
    across = u[row, column] + u[row, column - 1] + u[row, column + 1]
    swept = 0.2 * (across + u[row + 1, column] + u[row - 1, column])
    out[()] = I.reduce.max(I.abs(swept - u[row, column]), axis=(0, 1))
