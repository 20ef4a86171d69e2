"""Pictures: a separable blur, edges by central differences, and a tone curve looked up in 256 bins."""

import intent2cuda as intent
import intent2cuda.language as I


@intent.fn
def clamped(position, extent):
    return I.minimum(I.maximum(position, 0), extent - 1)


@intent.kernel
def blur_rows(image: I.In[I.f32, ("H", "W")], weight: I.In[I.f32, (5,)], out: I.Out[I.f32, ("H", "W")]):
    """Each pixel becomes the weighted sum of five neighbours in its row; the border repeats the last pixel."""
    height, width = image.shape
    for y, x in I.parallel((I.domain(0, height), I.domain(0, width))):
        total = I.cast(0.0, I.f32)
        for tap in range(5):
            total = total + weight[tap] * image[y, clamped(x + tap - 2, width)]
        out[y, x] = total


@intent.kernel
def blur_columns(image: I.In[I.f32, ("H", "W")], weight: I.In[I.f32, (5,)], out: I.Out[I.f32, ("H", "W")]):
    """The same along columns."""
    height, width = image.shape
    for y, x in I.parallel((I.domain(0, height), I.domain(0, width))):
        total = I.cast(0.0, I.f32)
        for tap in range(5):
            total = total + weight[tap] * image[clamped(y + tap - 2, height), x]
        out[y, x] = total


@intent.kernel
def edges(image: I.In[I.f32, ("H", "W")], out: I.Out[I.f32, ("H", "W")]):
    """The length of the gradient; a neighbour outside the picture counts as black."""
    height, width = image.shape
    rows, columns = I.indices(I.domain(0, height))[:, None], I.indices(I.domain(0, width))[None, :]
    left = I.gather(image, index=(rows, columns - 1), valid=columns > 0, fill=0.0)
    right = I.gather(image, index=(rows, columns + 1), valid=columns < width - 1, fill=0.0)
    above = I.gather(image, index=(rows - 1, columns), valid=rows > 0, fill=0.0)
    below = I.gather(image, index=(rows + 1, columns), valid=rows < height - 1, fill=0.0)
    across = 0.5 * (right - left)
    down = 0.5 * (below - above)
    out[:, :] = I.sqrt(across * across + down * down)


@intent.kernel
def tone(image: I.In[I.u8, ("H", "W")], curve: I.In[I.u8, (256,)], out: I.Out[I.u8, ("H", "W")]):
    """Each pixel is replaced by its entry of the curve."""
    out[:, :] = curve[I.cast(image[:, :], I.i32)]
