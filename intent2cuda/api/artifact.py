"""A kernel compiled for one target: the callable, and everything that was made on the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from intent2cuda.api.arrays import allocate_outputs
from intent2cuda.api.callables import Call
from intent2cuda.api.errors import ArgumentError
from intent2cuda.api.targets import CudaTarget, Target
from intent2cuda.base.codec import Plain
from intent2cuda.base.diagnostics import Diagnostic
from intent2cuda.ir import printer
from intent2cuda.pipeline import Front, plan_kernel
from intent2cuda.project.emitted import EmittedProject
from intent2cuda.project.interface import Interface


class Artifact:
    """A compiled kernel. `project` and `cache_directory` are None for the reference target, which emits nothing.

    front: gives the parsed kernel. It is asked only when somebody looks: a kernel from the cache was not parsed.
    """

    def __init__(
        self,
        interface: Interface,
        target: Target,
        front: Callable[[], Front],
        call: Call,
        project: EmittedProject | None = None,
        cache_directory: Path | None = None,
    ) -> None:
        self.interface = interface
        self.target = target
        self.project = project
        self.cache_directory = cache_directory
        self._front = front
        self._call = call

    def __call__(
        self, *arguments: object, stream: int | None = None, workspace: int | None = None, **unknown: object
    ) -> None:
        """Runs the kernel on every runtime parameter in order, outputs included.

        stream: for `cuda` alone, the address of a CUDA stream; the call then returns before the kernel has run.
        workspace: for `cuda` alone, the address of device memory, aligned to 256 bytes, when the kernel needs some.
        unknown: nothing; parameters are given by position.

        Raises:
            CallError: of the kind that names the fault; nothing was written.
        """
        if unknown:
            raise ArgumentError(
                f"{self.interface.name} takes its arguments by position; `{next(iter(unknown))}=` given"
            )
        on_device = {n: v for n, v in (("stream", stream), ("workspace", workspace)) if v is not None}
        if on_device and not (isinstance(self.target, CudaTarget) and not self.target.simulated):
            message = f"{self.interface.name}: `{next(iter(on_device))}` is for the target cuda"
            raise ArgumentError(f"{message}; this is the kernel for {self.target.kind}")
        self._call(*arguments, **on_device)

    def workspace_bytes(self, *arguments: object) -> int:
        """How many bytes of workspace a call with these arguments needs; 0 where the kernel needs none.

        For `cuda` the caller allocates them; `cuda-sim` allocates its own.

        Raises:
            CallError: as for a call.
        """
        return self._call.workspace_bytes(*arguments)

    def run(self, *inputs: object) -> Any:
        """The outputs, in parameter order: one object or a tuple. Out arrays are allocated; InOut arrays are changed.

        Raises:
            CallError: as for a call; also when no input fixes the extent of an output.
        """
        call = self.prepare(*inputs)
        call.launch()
        return call.result()

    def prepare(self, *inputs: object, outputs: Sequence[object] | None = None) -> PreparedCall:
        """A call that can be launched many times. Without `outputs`, arrays for the Out parameters are allocated.

        Raises:
            ArgumentError: too few or too many inputs or outputs.
        """
        name, parameters = self.interface.name, self.interface.parameters
        given = [p.name for p in parameters if p.kind != "out"]
        if len(inputs) != len(given):
            raise ArgumentError(f"{name} takes {len(given)} inputs ({', '.join(given)}); {len(inputs)} given")
        made = [p.name for p in parameters if p.kind == "out"]
        if outputs is None:
            if isinstance(self.target, CudaTarget) and not self.target.simulated and made:
                raise ArgumentError(f"{name}: outputs on a CUDA device are the caller's; pass `{made[0]}`")
            outputs = allocate_outputs(self.interface, inputs)
        if len(outputs) != len(made):
            raise ArgumentError(f"{name} has {len(made)} outputs ({', '.join(made)}); {len(outputs)} given")
        next_input, next_output = iter(inputs), iter(outputs)
        arguments = tuple(next(next_output) if p.kind == "out" else next(next_input) for p in parameters)
        return PreparedCall(self, arguments)

    @property
    def source(self) -> str:
        """The emitted source with the kernel; empty for the reference target."""
        return "\n".join(self.project.files[path] for path in self.project.sources) if self.project else ""

    @property
    def kir(self) -> str:
        """Kernel IR as text."""
        return printer.text(self._front().kernel)

    @property
    def plan(self) -> object:
        """Every planning layer of the kernel, made again from its Kernel IR; None for the reference target."""
        return plan_kernel(self._front(), self.project.target) if self.project else None

    @property
    def files(self) -> Mapping[str, str]:
        """The emitted project: path -> text."""
        return self.project.files if self.project else {}

    @property
    def manifest(self) -> Mapping[str, Plain]:
        """What the project was made from and what it needs."""
        return self.project.manifest if self.project else {}

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Notes and warnings about the kernel."""
        return self._front().diagnostics

    def __repr__(self) -> str:
        return f"<artifact {self.interface.name} for {self.target.kind}>"


class PreparedCall:
    """An artifact with its arguments."""

    def __init__(self, artifact: Artifact, arguments: tuple[object, ...]) -> None:
        self._artifact = artifact
        self._arguments = arguments

    def launch(self, stream: int | None = None) -> None:
        """Runs the kernel on the arguments as they are now."""
        self._artifact(*self._arguments, stream=stream)

    def result(self) -> Any:
        """What the kernel writes, in parameter order: one object, a tuple of several, or None."""
        pairs = zip(self._artifact.interface.parameters, self._arguments, strict=True)
        written = tuple(value for parameter, value in pairs if parameter.kind in ("out", "inout"))
        return written[0] if len(written) == 1 else written or None
