"""Bits of words and halves of places: operators of C++ where they mean the same; sums that go straight to memory."""

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def packed_bits(words: I.In[I.u32, ("M", "N")], by: I.i32, y: I.Out[I.u32, ("M",)], z: I.Out[I.i32, ("M",)]):
    place = I.indices(I.domain(0, words.shape[1]))
    for row in I.parallel(I.domain(0, words.shape[0])):
        word = words[row, :]
        odd = I.cast(place % 2, I.u32) + I.cast(place // 2, I.u32)
        y[row] = I.reduce.sum(((word >> 4) & 15) + (word << 3) + odd, axis=0)
        z[row] = I.reduce.sum((I.cast(word, I.i32) >> by) // 3, axis=0)
