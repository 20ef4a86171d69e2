"""What stands behind a call of an artifact, one for each kind of target."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np

from intent2cuda.api.arrays import host_array, numpy_dtype
from intent2cuda.api.errors import DeviceError, ShapeError, SimulationError, call_error, check_error
from intent2cuda.api.signature import signature_of
from intent2cuda.base.diagnostics import IntentError
from intent2cuda.ir.kernel import Kernel
from intent2cuda.project.interface import Interface

try:
    from intent2cuda._bridge import Entry
except ModuleNotFoundError as missing:
    raise ImportError(
        "Python found the source folder of intent2cuda before the installed package, and intent2cuda._bridge is not "
        "compiled there; start it in another folder, or install with `pip install -e .`"
    ) from missing

if TYPE_CHECKING:
    from intent2cuda._bridge import SignatureDescription


WORKSPACE_ALIGNMENT = 256
"""Bytes, as `intent/device/workspace.cuh` asks for."""


class Call(Protocol):
    """Checks every argument, then runs the kernel. That of a CUDA device also takes `stream`, the address of a stream,
    and `workspace`, the address of device memory for a kernel that needs some."""

    def __call__(self, *arguments: Any, **addresses: Any) -> None: ...

    def workspace_bytes(self, *arguments: object) -> int:
        """How many bytes of workspace such a call needs."""
        ...


def host_call(interface: Interface, library: Path) -> Call:
    """A call of compiled C++ with host arrays."""
    return _entry(interface, signature_of(interface), library)


def device_call(interface: Interface, library: Path) -> Call:
    """A call of compiled CUDA with device arrays."""
    return _entry(interface, signature_of(interface, on_device=True, has_stream=True), library)


def _entry(interface: Interface, signature: SignatureDescription, library: Path) -> Entry:
    symbols = (interface.symbol, interface.last_error_symbol, interface.workspace_symbol)
    return Entry(signature, call_error, str(library), *symbols)


class ReferenceCall:
    """A call that the interpreter of Kernel IR carries out."""

    def __init__(self, interface: Interface, kernel: Kernel, checked: bool = False) -> None:
        self._interface = interface
        self._kernel = kernel
        self._checked = checked
        self._check = Entry(signature_of(interface), call_error)

    def __call__(self, *arguments: object) -> None:
        from intent2cuda import interpret

        self._check(*arguments)
        values: dict[str, Any] = {}
        for parameter, value in zip(self._interface.parameters, arguments, strict=True):
            if parameter.kind == "scalar":
                values[parameter.name] = numpy_dtype(parameter.dtype).type(cast(Any, value))
            else:
                values[parameter.name] = host_array(value)
        try:
            interpret.run(self._kernel, values, self._checked)
        except IntentError as error:
            if self._checked and (found := check_error(self._interface.name, error)):
                raise found from error
            if error.code != ShapeError.diagnostic_code:
                raise
            # An extent that the signature leaves open, for example one that must be 1 or equal to another.
            raise ShapeError(f"{self._interface.name}: {error.diagnostics[0].message}") from error

    def workspace_bytes(self, *arguments: object) -> int:
        """0, once the arguments are checked."""
        self._check(*arguments)
        return 0


class SimulatedCall:
    """A call of CUDA text that was compiled for the host, under the checker.

    Raises:
        SimulationError: the checker found something.
    """

    CHECKS = 2
    """Memory, barriers, and barriers that some threads of a block never reach."""

    def __init__(self, interface: Interface, library: Path) -> None:
        signature = signature_of(interface, has_stream=True)
        self._interface = interface
        self._check = Entry(signature, call_error)
        self._entry = _entry(interface, signature, library)
        self._simulator = _simulator(library)

    def __call__(self, *arguments: object) -> None:
        self._check(*arguments)
        values = list(arguments)
        simulator = self._simulator
        simulator.intent_sim_clear()
        simulator.intent_sim_set_checks(self.CHECKS)
        try:
            for index, parameter in enumerate(self._interface.parameters):
                if parameter.kind != "scalar":
                    array = host_array(values[index])
                    values[index] = array
                    low, high = np.lib.array_utils.byte_bounds(array) if array.size else (0, 0)
                    simulator.intent_sim_track(low, high - low, parameter.name.encode())
            self._run(values)
        except DeviceError as error:  # the checker also stops kernels that cannot go on
            raise self._findings() or error from error
        finally:
            simulator.intent_sim_untrack_all()
        findings = self._findings()
        if findings:
            raise findings

    def workspace_bytes(self, *arguments: object) -> int:
        """How many bytes a call allocates for the kernel."""
        return self._entry.workspace_bytes(*arguments)

    def _run(self, values: list[object]) -> None:
        """Calls the kernel; the workspace that it may need is memory of this call."""
        if not self._interface.workspace_symbol:
            return self._entry(*values)
        workspace = np.empty(self._entry.workspace_bytes(*values) + WORKSPACE_ALIGNMENT, np.uint8)
        address = workspace.ctypes.data + -workspace.ctypes.data % WORKSPACE_ALIGNMENT
        self._simulator.intent_sim_track(address, workspace.nbytes - WORKSPACE_ALIGNMENT, b"the workspace")
        return self._entry(*values, workspace=address)

    def _findings(self) -> SimulationError | None:
        simulator = self._simulator
        reports = [simulator.intent_sim_report(i).decode() for i in range(simulator.intent_sim_report_count())]
        return SimulationError(self._interface.name, reports) if reports else None


def _simulator(library: Path) -> Any:
    """The controls of the simulator inside the library; see intent/sim/report.h."""
    loaded = ctypes.CDLL(str(library))
    loaded.intent_sim_track.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p]
    loaded.intent_sim_track.restype = None
    loaded.intent_sim_report_count.restype = ctypes.c_size_t
    loaded.intent_sim_report.argtypes = [ctypes.c_size_t]
    loaded.intent_sim_report.restype = ctypes.c_char_p
    return loaded
