"""Products of quantised numbers: 4-bit records against 8-bit records, and plain bytes."""

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def quantise(x: I.In[I.f32, ("M", "G", 256)], records: I.Out[I.u8, ("M", "G", 292)]):
    """Every 256 numbers of a row become a q8_k record."""
    for row in I.parallel(I.domain(0, x.shape[0])):
        records[row, :, :] = I.quantize(x[row, :, :], format=I.quant.q8_k)


@intent.kernel
def q4_matmul(
    x: I.In[I.u8, ("M", "G", 292)],
    weight: I.In[I.u8, ("N", "G", 144)],
    y: I.Out[I.f32, ("M", "N")],
):
    """y = x weight^T, where rows of x are q8_k records and rows of weight q4_k records."""
    for row, column in I.parallel((I.domain(0, x.shape[0]), I.domain(0, weight.shape[0]))):
        y[row, column] = I.quantized_dot(
            weight[column, :, :], x[row, :, :], lhs_format=I.quant.q4_k, rhs_format=I.quant.q8_k, acc_dtype=I.f32
        )


@intent.kernel
def int8_matmul(a: I.In[I.i8, ("M", "K")], b: I.In[I.i8, ("K", "N")], c: I.Out[I.i32, ("M", "N")]):
    """c = a b, exactly."""
    c[:, :] = I.matmul(a[:, :], b[:, :], acc_dtype=I.i32)
