import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def softmax(x: I.In[I.f32, ["M", "N"]], y: I.Out[I.f32, ["M", "N"]]):
    for row in I.parallel(I.domain(0, x.shape[0])):
        value = x[row, :]
        peak = I.reduce.max(value, axis=0)
        weight = I.exp(value - peak)
        mass = I.reduce.sum(weight, axis=0)
        y[row, :] = weight / mass
