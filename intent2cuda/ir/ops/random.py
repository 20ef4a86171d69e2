"""Counter-based random bits."""

from __future__ import annotations

from dataclasses import dataclass

from intent2cuda.ir.op import Op
from intent2cuda.ir.value import Value


@dataclass(frozen=True, eq=False)
class Philox(Op):
    """Word `counter % 4` of the Philox4x32-10 block `counter // 4` under the key `seed`, for each counter: u32.

    `seed` is a u64 scalar; the counters are u64 or index, of the shape of the result.
    """

    seed: Value
    counter: Value
    result: Value
