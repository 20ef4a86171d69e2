"""Many values into few, and running totals: means of segments, sums by key, counts by value, sums of prefixes."""

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def segment_mean(x: I.In[I.f32, ("N",)], offsets: I.In[I.i32, ("G1",)], mean: I.Out[I.f32, ("G",)]):
    """The mean of x[offsets[g]:offsets[g + 1]]; 0 of nothing."""
    segments = I.ragged(outer=I.domain(0, mean.shape[0]), members=I.domain(0, x.shape[0]), offsets=offsets)
    for g in I.parallel(segments.outer):
        count = offsets[g + 1] - offsets[g]
        mean[g] = I.reduce.sum(x[segments[g]], axis=0) / I.cast(I.maximum(count, 1), I.f32)


@intent.kernel
def scatter_add(rows: I.In[I.f32, ("N", "D")], key: I.In[I.i32, ("N",)], total: I.InOut[I.f32, ("K", "D")]):
    """Each row is added to the total of its key."""
    I.scatter_reduce(total, index=(key[:], slice(None)), value=rows[:, :], combine=I.add)


@intent.kernel
def histogram(x: I.In[I.i32, ("N",)], count: I.Out[I.i32, ("BINS",)]):
    """How often each of the values 0, 1, ... below the number of bins occurs; other values do not count."""
    value = x[:]
    inside = value >= 0 and value < I.cast(count.shape[0], I.i32)
    count[:] = I.histogram(value, bins=count.shape[0], valid=inside, count_dtype=I.i32)


@intent.kernel
def running_sums(x: I.In[I.f32, ("M", "N")], y: I.Out[I.f32, ("M", "N")]):
    """Each element of y is the sum of its row of x up to there."""
    y[:, :] = I.cumsum(x[:, :], axis=1)
