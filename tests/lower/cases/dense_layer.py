import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def dense_layer(
    a: I.In[I.f16, ["M", "K"]],
    b: I.In[I.f16, ["K", "N"]],
    bias: I.In[I.f32, ["N"]],
    c: I.Out[I.f16, ["M", "N"]],
):
    product = I.matmul(a[:, :], b[:, :], acc_dtype=I.f32)
    c[:, :] = I.cast(I.maximum(product + bias[:], 0.0), I.f16)
