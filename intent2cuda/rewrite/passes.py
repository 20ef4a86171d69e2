"""The passes in their order.

Before:                                              After:
    %0: index = dim N                                    parallel %rows body(%i: index) {
    %1: index = dim N                                      %value: f32 = load %x[%i, %column]
    parallel %rows body(%i: index) {                       store %y[%i], %value
      %row: f32[N] = load %x[%i, :]                        yield
      %value: f32 = gather %row[%column]                 }
      store %y[%i], %value
      yield
    }
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial

from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.value import Value
from intent2cuda.ir.verify import verify
from intent2cuda.rewrite import dead_code, guards, neutral, read_back, repeated, selection, shapes, unread_buffers

PASSES: tuple[tuple[str, Callable[[Kernel], Kernel]], ...] = (
    ("composing shapes", shapes.run),
    ("composing selections", selection.run),
    ("dropping products with one", neutral.run),
    ("dropping selections that make no difference", guards.run),
    ("reading stored values back", read_back.run),
    ("merging repeated values", repeated.run),
    ("removing dead code", dead_code.run),
)


def run(kernel: Kernel, kept: Collection[Value] = ()) -> Kernel:
    """A kernel that computes the same, verified after each pass that changed it. `kept`: buffers that stay, read or
    not.
    """
    for name, rewrite in (*PASSES, ("dropping buffers that nothing reads", partial(unread_buffers.run, kept=kept))):
        rewritten = rewrite(kernel)
        if rewritten != kernel:
            kernel = verify(rewritten, name)
    return kernel
