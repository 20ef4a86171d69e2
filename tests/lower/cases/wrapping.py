import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def wrapping(x: I.In[I.i8, ["N"]], y: I.In[I.u8, ["N"]], sums: I.Out[I.i8, ["N"]], bits: I.Out[I.u8, ["N"]]):
    sums[:] = x[:] * x[:] + 3
    bits[:] = (y[:] + 200) ^ (y[:] << 1)
