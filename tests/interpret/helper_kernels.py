"""Kernels whose helpers loop, branch, gather and contract; read as text by the tests beside this file."""

import intent2cuda as intent
import intent2cuda.language as I


@intent.fn
def horner(x, coefficients):
    total = I.zeros(x.shape, dtype=I.f64)
    for k in I.domain(0, 3):
        total = total * x + coefficients[k]
    return total


@intent.fn
def rounds_to_halve_below(value, limit):
    rounds = I.cast(0, I.i64)
    while value > limit:
        value = value * 0.5
        rounds = rounds + 1
    return rounds


@intent.fn
def summarize(x, key, table, coefficients, squared):
    value = horner(x, coefficients)
    if squared:
        value = value * value
    best = I.reduce.max(value, axis=0)
    mix = I.dot(table[key], value, acc_dtype=I.f64)
    return I.record(best=best, mix=mix, halved=rounds_to_halve_below(best, 9.0))


@intent.fn
def merge(a, b):
    if a.halved > b.halved:
        halved = a.halved
    else:
        halved = b.halved
    return I.record(best=I.maximum(a.best, b.best), mix=a.mix + b.mix, halved=halved)


@intent.kernel
def folds(
    x: I.In[I.f64, ("M", "N")],
    key: I.In[I.index, ("M", "N")],
    table: I.In[I.f64, ("K",)],
    coefficients: I.In[I.f64, ("M", 3)],
    squared: I.In[I.bool, ("M",)],
    best: I.Out[I.f64, ("M",)],
    mix: I.Out[I.f64, ("M",)],
    halved: I.Out[I.i64, ("M",)],
):
    nothing = I.record(best=I.cast(-I.inf, I.f64), mix=I.cast(0.0, I.f64), halved=I.cast(0, I.i64))
    for row in I.parallel(I.domain(0, x.shape[0])):
        found = I.region_fold(
            source=(x[row, :], key[row, :]),
            axis=0,
            summarize=summarize,
            combine=merge,
            identity=nothing,
            operands=(table[:], coefficients[row, :], squared[row]),
        )
        best[row] = found.best
        mix[row] = found.mix
        halved[row] = found.halved


@intent.fn
def lesser_by(lhs, rhs, keys):
    first = keys[lhs] < keys[rhs] or (keys[lhs] == keys[rhs] and lhs <= rhs)
    return I.select(first, lhs, rhs)


@intent.kernel
def least_place(x: I.In[I.f32, ("M", "N")], y: I.Out[I.index, ("M",)]):
    n = x.shape[1]
    for row in I.parallel(I.domain(0, x.shape[0])):
        places = I.indices(I.domain(0, n))
        y[row] = I.reduce(places, axis=0, identity=n - 1, combine=lesser_by, combine_operands=(x[row, :],))


@intent.fn
def behind(a, b):
    return I.matmul(a, b, acc_dtype=I.f64)


@intent.kernel
def matrix_products(
    m: I.In[I.f64, ("N", 2, 2)],
    unit: I.In[I.f64, (2, 2)],
    upto: I.Out[I.f64, ("N", 2, 2)],
    after: I.Out[I.f64, ("N", 2, 2)],
):
    upto[:, :, :] = I.scan(m[:, :, :], axis=0, identity=unit[:, :], combine=behind, inclusive=True)
    after[:, :, :] = I.scan(m[:, :, :], axis=0, identity=unit[:, :], combine=behind, inclusive=False, reverse=True)


@intent.kernel
def under_a_lock(lock: I.InOut[I.i32, (1,)], y: I.InOut[I.i64, (1,)], n: I.index):
    for _ in I.parallel(I.domain(0, n)):
        free = False
        while not free:
            free = I.atomic.compare_exchange(lock, index=(0,), expected=0, desired=1, order="acquire").success
        y[0] = y[0] * 3 + 1
        I.atomic.store(lock, index=(0,), value=0, order="release")
