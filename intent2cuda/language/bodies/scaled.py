"""Members of scaled operands: small floats in carriers, and the scale of each group of them."""

from __future__ import annotations

import numpy as np

from intent2cuda.language.bodies.conversion import bitcast
from intent2cuda.language.bodies.storage import Array
from intent2cuda.types.dtype import F8E4M3FN, U8, DType

E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6], np.float32)
"""The number of each four-bit code."""
E8M0_BIAS = 127
E8M0_NAN = 255


def members(carriers: Array, carrier: DType, packed: bool, axis: int) -> Array:
    """The numbers in carriers, as f32: two E2M1 codes a byte along `axis` when `packed`, else E4M3."""
    if not packed:
        return (bitcast(carriers, F8E4M3FN) if carrier == U8 else carriers).astype(np.float32)
    pairs = np.stack([carriers & 15, carriers >> 4], axis + 1)
    return E2M1[pairs.reshape(*carriers.shape[:axis], 2 * carriers.shape[axis], *carriers.shape[axis + 1 :])]


def scales(codes: Array, carrier: DType) -> Array:
    """Scales as f32: a u8 code c is 2^(c - 127), and 255 NaN; f32 scales are themselves."""
    if carrier != U8:
        return codes
    powers = np.ldexp(np.float32(1), codes.astype(np.int32) - E8M0_BIAS)
    return np.where(codes == E8M0_NAN, np.float32(np.nan), powers)
