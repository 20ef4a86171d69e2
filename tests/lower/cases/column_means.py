import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def column_means(x: I.In[I.f64, ["M", "N"]], y: I.Out[I.f64, ["N"]]):
    y[:] = I.reduce.sum(x[:, :], axis=0) / I.cast(x.shape[0], I.f64)
