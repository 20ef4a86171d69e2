import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def noise(seed: I.u64, first: I.index, x: I.In[I.f32, ["M", "N"]], y: I.Out[I.f32, ["M", "N"]]):
    M, N = y.shape
    for m in I.parallel(I.domain(0, M)):
        drawn = I.random.uniform(seed, first + m * N + I.indices(I.domain(0, N)), dtype=I.f32)
        y[m, :] = x[m, :] + drawn
