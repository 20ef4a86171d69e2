import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def signed(half: I.In[I.f32, ["int"]], block: I.In[I.f32, ["int"]], NULL: I.f32, grid: I.Out[I.f32, ["int"]]):
    auto = half[:] * NULL
    größe = auto + block[:]
    grid[:] = größe * auto
