"""The recurrence y = a * y + b as a scan: functions compose in order."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.fn
def then(first, second):
    return I.record(factor=first.factor * second.factor, offset=first.offset * second.factor + second.offset)


@intent.kernel
def recurrence(a: I.In[I.f32, ("N",)], b: I.In[I.f32, ("N",)], y: I.Out[I.f32, ("N",)]):
    steps = I.record(factor=a[:], offset=b[:])
    y[:] = I.scan(steps, axis=0, identity=I.record(factor=1.0, offset=0.0), combine=then, inclusive=True).offset


INPUTS = {"a": np.array([2, 3, 4], np.float32), "b": np.array([1, 1, 1], np.float32)}
EXPECTED = {"y": np.array([1, 4, 17], np.float32)}
