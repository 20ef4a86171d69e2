"""cuda: matrix products tile by tile, each tile by the threads of a block."""

from __future__ import annotations

from intent2cuda.base.diagnostics import InternalError
from intent2cuda.lower.writer import Writer
from intent2cuda.plan.stage import Product


def block_product(writer: Writer, stage: Product) -> None:
    raise InternalError("no product")
