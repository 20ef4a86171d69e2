"""Kernels whose plans are looked at."""

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def saxpy(a: I.f32, x: I.In[I.f32, ("N",)], y: I.InOut[I.f32, ("N",)]):
    y[:] = a * x[:] + y[:]


@intent.kernel
def softmax_rows(x: I.In[I.f32, ("M", "N")], y: I.Out[I.f32, ("M", "N")]):
    for row in I.parallel(I.domain(0, x.shape[0])):
        value = x[row, :]
        peak = I.reduce.max(value, axis=0)
        weight = I.exp(value - peak)
        mass = I.reduce.sum(weight, axis=0)
        y[row, :] = weight / mass


@intent.kernel
def two_sums(x: I.In[I.f32, ("M", "N")], y: I.In[I.f32, ("M", "K")], z: I.Out[I.f32, (2, "M")]):
    for row in I.parallel(I.domain(0, x.shape[0])):
        z[0, row] = I.reduce.sum(x[row, :], axis=0)
        z[1, row] = I.reduce.sum(y[row, :], axis=0)


@intent.kernel
def softmax_whole(x: I.In[I.f32, ("M", "N")], y: I.Out[I.f32, ("M", "N")]):
    value = x[:, :]
    weight = I.exp(value - I.reduce.max(value, axis=1)[:, None])
    y[:, :] = weight / I.reduce.sum(weight, axis=1)[:, None]


@intent.kernel
def layer_norm(
    x: I.In[I.f32, ("M", "N")],
    residual: I.In[I.f32, ("M", "N")],
    gain: I.In[I.f32, ("N",)],
    bias: I.In[I.f32, ("N",)],
    y: I.Out[I.f32, ("M", "N")],
):
    count = I.cast(x.shape[1], I.f32)
    for row in I.parallel(I.domain(0, x.shape[0])):
        h = x[row, :] + residual[row, :]
        mean = I.reduce.sum(h, axis=0) / count
        centred = h - mean
        deviation = I.sqrt(I.reduce.sum(centred * centred, axis=0) / count + 1e-5)
        y[row, :] = centred / deviation * gain[:] + bias[:]


@intent.kernel
def transpose(x: I.In[I.f32, ("M", "N")], y: I.Out[I.f32, ("N", "M")]):
    y[:, :] = I.transpose(x[:, :])


@intent.kernel
def sum_columns(x: I.In[I.f32, ("M", "N")], y: I.Out[I.f32, ("N",)]):
    y[:] = I.reduce.sum(x[:, :], axis=0)


@intent.kernel
def sum_rows(x: I.In[I.f32, ("M", "N")], y: I.Out[I.f32, ("M",)]):
    y[:] = I.reduce.sum(x[:, :], axis=1)


@intent.kernel
def sum_first_and_last(x: I.In[I.f32, ("A", "B", "C")], y: I.Out[I.f32, ("B",)]):
    y[:] = I.reduce.sum(x[:, :, :], axis=(0, 2))


@intent.kernel
def sum_all(x: I.In[I.f32, ("N",)], y: I.Out[I.f32, ()]):
    y[()] = I.reduce.sum(x[:], axis=0)


@intent.kernel
def greatest(x: I.In[I.f32, ("M", "N")], value: I.Out[I.f32, ("M",)], place: I.Out[I.index, ("M",)]):
    best, where = I.arg_reduce.max(x[:, :], axis=1)
    value[:] = best
    place[:] = where


@intent.kernel
def greatest_of_columns(x: I.In[I.f32, ("M", "N")], value: I.Out[I.f32, ("N",)], place: I.Out[I.index, ("N",)]):
    best, where = I.arg_reduce.max(x[:, :], axis=0)
    value[:] = best
    place[:] = where


@intent.kernel
def likeliest(x: I.In[I.f32, ("T", "N")], step: I.In[I.f32, ("N", "N")], y: I.Out[I.index, ("T", "N")]):
    score = x[0, :]
    for t in I.domain(0, x.shape[0]):
        best, where = I.arg_reduce.max(score[:, None] + step[:, :], axis=0)
        y[t, :] = where
        score = best + x[t, :]


@intent.kernel
def dense(
    x: I.In[I.f32, ("M", "K")], w: I.In[I.f32, ("K", "N")], bias: I.In[I.f32, ("N",)], y: I.Out[I.f32, ("M", "N")]
):
    y[:, :] = I.maximum(I.matmul(x[:, :], w[:, :], acc_dtype=I.f32) + bias[:], 0.0)


@intent.kernel
def batched(a: I.In[I.f32, ("B", "M", "K")], b: I.In[I.f32, ("B", "K", "N")], y: I.Out[I.f32, ("B", "M", "N")]):
    y[:, :, :] = I.matmul(a[:, :, :], b[:, :, :], acc_dtype=I.f32)


@intent.kernel
def matvec(a: I.In[I.f32, ("M", "K")], x: I.In[I.f32, ("K",)], y: I.Out[I.f32, ("M",)]):
    y[:] = I.matvec(a[:, :], x[:], acc_dtype=I.f32)


@intent.kernel
def two_layers(
    x: I.In[I.f32, ("M", "K")], u: I.In[I.f32, ("K", "H")], v: I.In[I.f32, ("H", "N")], y: I.Out[I.f32, ("M", "N")]
):
    for row in I.parallel(I.domain(0, x.shape[0])):
        hidden = I.tanh(I.vecmat(x[row, :], u[:, :], acc_dtype=I.f32))
        y[row, :] = I.vecmat(hidden, v[:, :], acc_dtype=I.f32)


@intent.kernel
def normalised_product(x: I.In[I.f32, ("M", "N")], y: I.Out[I.f32, ("M", "M")]):
    value = x[:, :]
    length = I.sqrt(I.reduce.sum(value * value, axis=1))
    unit = value / length[:, None]
    y[:, :] = I.matmul(unit, unit, acc_dtype=I.f32, transpose_rhs=True)


@intent.kernel
def gather(x: I.In[I.f32, ("N",)], index: I.In[I.i32, ("M",)], y: I.Out[I.f32, ("M",)]):
    y[:] = x[index[:]] * 2.0


@intent.kernel
def vector_carry(x: I.In[I.f32, ("T", "N")], y: I.Out[I.f32, ("N",)]):
    state = I.zeros((x.shape[1],), dtype=I.f32)
    for t in I.domain(0, x.shape[0]):
        state = I.maximum(state * 0.5, x[t, :])
    y[:] = state


@intent.kernel
def sort_rows(y: I.InOut[I.i32, ("M", "N")]):
    n = y.shape[1]
    place = I.indices(I.domain(0, n))
    for row in I.parallel(I.domain(0, y.shape[0])):
        value = y[row, :]
        stride = n // 2
        while stride > 0:
            value = I.maximum(value, value[place ^ stride])
            stride = stride // 2
        y[row, :] = value


@intent.kernel
def merge(x: I.In[I.i32, ("N",)], wrap: I.bool, y: I.Out[I.i32, ("N",)]):
    value = x[:]
    if wrap:
        value = value % 10
    else:
        value = I.minimum(value, 9)
    y[:] = value


@intent.kernel
def reverse_row(y: I.InOut[I.f32, ("M", "N")]):
    n = y.shape[1]
    for row in I.parallel(I.domain(0, y.shape[0])):
        y[row, n - 1 - I.indices(I.domain(0, n))] = y[row, :]


@intent.kernel
def passes(x: I.In[I.f32, ("M", "N")], work: I.InOut[I.f32, ("M", "N")], y: I.Out[I.f32, ("M", "N")]):
    n = x.shape[1]
    for row in I.parallel(I.domain(0, x.shape[0])):
        for column in I.parallel(I.domain(0, n)):
            work[row, column] = x[row, column] * 2.0
        for column in I.parallel(I.domain(0, n)):
            y[row, column] = work[row, n - 1 - column]


@intent.kernel
def odd_even_sort(y: I.InOut[I.f32, ("N",)]):
    n = y.shape[0]
    for round in I.domain(0, n):
        for pair in I.parallel(I.domain(0, (n - round % 2) // 2)):
            i = 2 * pair + round % 2
            low, high = y[i], y[i + 1]
            y[i] = I.minimum(low, high)
            y[i + 1] = I.maximum(low, high)


@intent.kernel
def distance_table(a: I.In[I.u8, ("P", "M")], y: I.Out[I.i32, ("P",)]):
    m = a.shape[1]
    for p in I.parallel(I.domain(0, a.shape[0])):
        table = I.buffer((m + 1,), dtype=I.i32, init=0)
        for i in I.domain(1, m + 1):
            table[i] = table[i - 1] + I.cast(a[p, i - 1], I.i32)
        y[p] = table[m]


@intent.kernel
def collatz(x: I.In[I.i64, ("N",)], rounds: I.Out[I.i32, ("N",)]):
    for i in I.parallel(I.domain(0, x.shape[0])):
        value = x[i]
        count = I.cast(0, I.i32)
        while value != 1:
            value = value // 2 if value % 2 == 0 else 3 * value + 1
            count = count + 1
        rounds[i] = count


@intent.kernel
def triangle(n: I.index, y: I.Out[I.i64, ()]):
    total = I.cast(0, I.index)
    for i in I.domain(0, n):
        for j in I.domain(i, n):
            total = total + i * j
    y[()] = I.cast(total, I.i64)


@intent.kernel
def standardise_columns(x: I.In[I.f32, ("M", "N")], y: I.Out[I.f32, ("M", "N")]):
    value = x[:, :]
    mean = I.reduce.sum(value, axis=0) / I.cast(x.shape[0], I.f32)
    y[:, :] = value - mean


@intent.kernel
def smooth(x: I.In[I.f32, ("N",)], y: I.Out[I.f32, ("N",)]):
    place = I.indices(I.domain(0, x.shape[0]))
    left, right = I.maximum(place - 1, 0), I.minimum(place + 1, x.shape[0] - 1)
    value = x[:]
    value = value[left] + value + value[right]
    value = value[left] + value + value[right]
    value = value[left] + value + value[right]
    value = value[left] + value + value[right]
    y[:] = value


@intent.kernel
def blur(image: I.In[I.f32, ("R", "C")], y: I.Out[I.f32, ("R", "C")]):
    height, width = image.shape
    for i, j in I.parallel((I.domain(0, height), I.domain(0, width))):
        total = I.cast(0.0, I.f32)
        for down in range(3):
            row = I.minimum(I.maximum(i + down - 1, 0), height - 1)
            for across in range(3):
                total = total + image[row, I.minimum(I.maximum(j + across - 1, 0), width - 1)]
        y[i, j] = total / 9.0


@intent.kernel
def two_steps(x: I.In[I.f32, ("N",)], y: I.InOut[I.f32, ("N",)], z: I.Out[I.f32, ("N",)]):
    n = x.shape[0]
    y[:] = x[:] * 2.0
    z[:] = y[n - 1 - I.indices(I.domain(0, n))]


@intent.kernel
def matrix_power(a: I.In[I.f32, ("N", "N")], k: I.index, y: I.Out[I.f32, ("N", "N")]):
    power = a[:, :]
    for _ in I.domain(0, k):
        power = I.matmul(power, a[:, :], acc_dtype=I.f32)
    y[:, :] = power


@intent.kernel
def sweeps(u: I.InOut[I.f32, ("M", "N")], v: I.InOut[I.f32, ("M", "N")], rounds: I.index):
    height, width = u.shape
    for _ in I.domain(0, rounds):
        for m, n in I.parallel((I.domain(1, height - 1), I.domain(0, width))):
            v[m, n] = u[m - 1, n] + u[m + 1, n]
        for m, n in I.parallel((I.domain(1, height - 1), I.domain(0, width))):
            u[m, n] = 0.5 * v[m, n]
