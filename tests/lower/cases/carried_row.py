import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def carried_row(x: I.In[I.i32, ("B", "M", "N")], y: I.Out[I.i32, ("B", "N")]):
    at = I.indices(I.domain(0, x.shape[2]))
    for b in I.parallel(I.domain(0, x.shape[0])):
        row = I.zeros((x.shape[2],), dtype=I.i32)
        for i in I.domain(0, x.shape[1]):
            left = I.gather(row, index=(at - 1,), valid=at > 0, fill=0)
            row = I.cummax(left + x[b, i, :], axis=0) - I.cast(at, I.i32)
        y[b, :] = row
