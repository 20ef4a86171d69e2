"""The layers of a kernel as sealed texts: what each is made from, its content, and a digest over all of it."""

from __future__ import annotations

from intent2cuda.base.envelope import Envelope
from intent2cuda.ir import kernel_text
from intent2cuda.machine import program_text
from intent2cuda.parse.limits import with_deep_stack
from intent2cuda.pipeline.back import plan_kernel, program_of
from intent2cuda.pipeline.front import Front
from intent2cuda.plan import concrete_sealing, portable, worksets
from intent2cuda.project.emitted import TargetKind


def kernel_snapshot(front: Front) -> Envelope:
    """The text of Kernel IR, which no target changes."""
    return with_deep_stack(lambda: kernel_text.snapshot(front.kernel))


def snapshots(front: Front, target: TargetKind) -> dict[str, Envelope]:
    """A text for each layer, by the stage of `show`."""
    planned = plan_kernel(front, target)
    return with_deep_stack(
        lambda: {
            "ir": kernel_text.snapshot(front.kernel),
            "worksets": worksets.sealed(planned.worksets),
            "portable": portable.sealed(planned.portable),
            "concrete": concrete_sealing.snapshot(planned.concrete, planned.bound.identities),
            "machine": program_text.snapshot(program_of(front, planned).unit),
        }
    )
