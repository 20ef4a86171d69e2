import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def lower_bounds(keys: I.In[I.i32, ["N"]], wanted: I.In[I.i32, ["Q"]], place: I.Out[I.i64, ["Q"]]):
    for q in I.parallel(I.domain(0, wanted.shape[0])):
        low = I.cast(0, I.index)
        high = I.cast(keys.shape[0], I.index)
        while low < high:
            middle = (low + high) // 2
            if keys[middle] < wanted[q]:
                low = middle + 1
            else:
                high = middle
        place[q] = I.cast(low, I.i64)
