import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def embedding(table: I.In[I.f32, ["V", "D"]], token: I.In[I.i32, ["T"]], y: I.Out[I.f32, ["T", "D"]]):
    for t in I.parallel(I.domain(0, token.shape[0])):
        place = token[t]
        known = place >= 0 and place < 50000
        y[t, :] = I.gather(table, index=(place, slice(None)), valid=known, fill=0.0)
