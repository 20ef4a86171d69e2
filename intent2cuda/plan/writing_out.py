"""What no target has a stage for is written out in operations that have one, before anything else is planned."""

from __future__ import annotations

from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.ops import Histogram, ReduceBy, RegionFold, RegionScan, ScaledContract, Scan, ScanBy, SparseContract
from intent2cuda.ir.verify import verify
from intent2cuda.rewrite import forwarding
from intent2cuda.rewrite import run as simplified
from intent2cuda.rewrite.expansion import Choices, expand

KINDS = frozenset({Histogram, ReduceBy, RegionFold, RegionScan, ScaledContract, Scan, ScanBy, SparseContract})

SEGMENT = 64
"""Members of a slice of a region operation that does not run in one piece: the products inside fill vector lanes and
tiles, and what they leave stays in the nearest cache or in shared memory."""


def written_out(kernel: Kernel) -> Kernel:
    """The kernel in the operations that stages are made for; it is the same kernel where all of them are already."""
    expanded = expand(kernel, Choices(KINDS, SEGMENT))
    if expanded is kernel:
        return kernel
    return simplified(verify(forwarding.run(verify(expanded, "writing out")), "filling views at once"))
