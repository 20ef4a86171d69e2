"""Constants of the module, compile-time parameters, literals and permissions."""

import math

import intent2cuda as intent
import intent2cuda.language as I
from intent2cuda.language import f16 as ELEMENT
from intent2cuda.language import reduce


class Mode(I.Enum):
    SUM = 0
    MAX = 1


LIMIT = 4
HALF = LIMIT / 8
WIDE = (1 << 10) - LIMIT * 2**3 // 5 % 7
NESTED = (LIMIT, HALF, (True, Mode.MAX))
FIRST, (SECOND, THIRD) = 1, (2.5, LIMIT)
BOTH = OTHER = -HALF
TYPED: float = math.pi * 2
MASK = ~0 & 0xFF
SMALL = LIMIT < 5 and not 3 <= LIMIT < 4
CHOSEN = HALF if Mode.SUM != Mode.MAX else WIDE
SHAPE = (LIMIT, "N")
LOW = -I.inf


@intent.kernel
def captured(v: I.In[ELEMENT, ("N",)], y: I.InOut[I.f32, (16,)]):
    """Numbers, truth values, tuples and enums of the module, and arithmetic on them. Rows: K25."""
    y[0] = HALF + NESTED[1] + SECOND
    y[1] = BOTH * OTHER + TYPED
    y[2] = WIDE - FIRST
    y[3] = THIRD % MASK
    y[4] = CHOSEN if SMALL and NESTED[2][0] else LOW
    if NESTED[2][1] == Mode.MAX:
        y[5] = math.tau + I.LOG2E
    else:
        y[5] = missing
    t = I.zeros(SHAPE, ELEMENT) + v
    y[6] = I.cast(reduce.max(t, axis=(0, 1)), I.f32)


@intent.kernel
def specialised(
    x: I.In[I.f32, ("COUNT", "N")],
    y: I.Out[I.f32, ("COUNT",)],
    COUNT: I.Constexpr[int] = LIMIT,
    SCALE: I.Constexpr[float] = 2 * HALF,
    FAST: I.Constexpr[bool] = True,
    MODE: I.Constexpr[Mode] = Mode.SUM,
):
    """Compile-time numbers, truth values and members choose code, extents, axes and permissions. Rows: K31 K36 K38."""
    assert COUNT > 2 and SCALE == 1.0
    axis = COUNT % 2 + 1
    t = I.exp2(x, approximate=FAST, flush_to_zero=FAST)
    if MODE == Mode.SUM:
        y[:] = I.reduce.sum(t, axis=axis) * SCALE
    elif not FAST:
        y[:] = undefined
    for i in range(COUNT):
        y[i] = I.fdiv(t[i, 0], SCALE + 1.0, approximate=True) + I.tanh(t[i, 1], approximate=FAST)


@intent.kernel
def literals(k: I.In[I.u8, ("N",)], flag: I.bool, f: I.Out[I.f64, (8,)], i: I.Out[I.i64, (4,)], u: I.Out[I.u64, ()]):
    """Literals of every base adapt to their place; two of them have a dtype of their own. Rows: A8 A11."""
    f[0] = 1_000.5e-3
    f[1] = 0x10
    f[2] = I.select(flag, 1.0, 2.0)
    f[3] = -I.inf
    i[0] = -9223372036854775808
    i[1] = 1 if flag else 2
    i[2] = I.cast(I.abs(I.cast(k[0], I.i8)), I.i64)
    u[()] = 18446744073709551615
