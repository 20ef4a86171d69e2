import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def signed(half: I.In[I.f32, ["int"]], dim3: I.In[I.f32, ["int"]], NULL: I.f32, y: I.Out[I.f32, ["int"]]):
    auto = half[:] * NULL
    größe = auto + dim3[:]
    y[:] = größe * auto
