"""Programs of several commands, as a host would record them."""

from __future__ import annotations

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.plan.commands import (
    Command,
    HostCall,
    ImplementationRef,
    Launch,
    SignalAfter,
    Transfer,
    WaitAndSignal,
    WaitFor,
)
from intent2cuda.plan.coordination import (
    Binding,
    Coordination,
    Device,
    Engine,
    MemoryRegion,
    PlacedBuffer,
    Queue,
    QueueKind,
    Size,
)

BYTES = IntExpr.symbol("M") * IntExpr.symbol("N") * 4


def code(namespace: str, name: str) -> ImplementationRef:
    return ImplementationRef(namespace, name, "1", "cuda-12/cc80", "any")


def placed(name: str, first: str, last: str, region: str = "", offset: IntExpr | int = 0) -> PlacedBuffer:
    place = region or f"r.{name}"
    return PlacedBuffer(name, place, IntExpr.of(offset), BYTES, 256, first, last, name, Size.EXACT, name)


def split_product() -> Coordination:
    """A sum over parts and their combination on two queues, the copy of the result, and a function of the host."""
    names = ("a", "b", "partial", "out", "out_host")
    regions = tuple(
        MemoryRegion(
            f"r.{name}", "host" if name == "out_host" else "global", "host" if name == "out_host" else "gpu", "call",
            Binding.CALLER, BYTES,
        )
        for name in names
    )  # fmt: skip
    return Coordination(
        devices=(Device("gpu", "cuda", ("global",), True), Device("host", "cpu", ("host",), False)),
        queues=(
            Queue("q0", "gpu", QueueKind.COMPUTE),
            Queue("q1", "gpu", QueueKind.COMPUTE),
            Queue("copy", "gpu", QueueKind.COPY),
            Queue("calls", "host", QueueKind.HOST),
        ),
        engines=(Engine("sm", "gpu", ("q0", "q1")), Engine("dma", "gpu", ("copy",))),
        tokens=("e0", "e1", "e2"),
        regions=regions,
        buffers=(
            placed("a", "c0", "c0"),
            placed("b", "c0", "c0"),
            placed("partial", "c0", "c1"),
            placed("out", "c1", "c2"),
            placed("out_host", "c2", "c3"),
        ),
        given=("a", "b"),
        commands=(
            Command("c0", Launch(code("artifact", "split_k_partial"), "q0"), "gpu", SignalAfter(("e0",)), (),
                    ("a", "b"), ("partial",)),
            Command("c1", Launch(code("artifact", "split_k_combine"), "q1"), "gpu", WaitAndSignal(("e0",), ("e1",)), (),
                    ("partial",), ("out",)),
            Command("c2", Transfer("out", "out_host", "copy"), "gpu", WaitAndSignal(("e1",), ("e2",)), (),
                    ("out",), ("out_host",)),
            Command("c3", HostCall(code("py", "postprocess"), "calls"), "host", WaitFor(("e2",)), (), ("out_host",)),
        ),
    )  # fmt: skip


def independent() -> Coordination:
    """Two chains on two queues that meet in one command."""
    plan = split_product()
    names = ("a", "left", "right", "sum")
    return Coordination(
        devices=plan.devices,
        queues=plan.queues[:2],
        engines=(),
        tokens=("e0",),
        regions=tuple(MemoryRegion(f"r.{n}", "global", "gpu", "call", Binding.CALLER, BYTES) for n in names),
        buffers=(
            placed("a", "c0", "c2"),
            placed("left", "c0", "c4"),
            placed("right", "c2", "c4"),
            placed("sum", "c4", "c4"),
        ),
        given=("a",),
        commands=(
            Command("c0", Launch(code("artifact", "double"), "q0"), "gpu", reads=("a",), writes=("left",)),
            Command("c1", Launch(code("artifact", "next"), "q0"), "gpu", reads=("left",), writes=("left",)),
            Command("c2", Launch(code("artifact", "double"), "q1"), "gpu", reads=("a",), writes=("right",)),
            Command("c3", Launch(code("artifact", "next"), "q1"), "gpu", SignalAfter(("e0",)), (),
                    ("right",), ("right",)),
            Command("c4", Launch(code("artifact", "sum"), "q0"), "gpu", WaitFor(("e0",)), (),
                    ("left", "right"), ("sum",)),
        ),
    )  # fmt: skip
