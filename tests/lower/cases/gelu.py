import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def gelu(x: I.In[I.f32, ["N"]], bias: I.In[I.f32, ["N"]], scale: I.f32, y: I.Out[I.f32, ["N"]]):
    h = scale * x[:] + bias[:]
    inner = 0.7978845608 * (h + 0.044715 * h * h * h)
    y[:] = 0.5 * h * (1.0 + I.tanh(inner))
