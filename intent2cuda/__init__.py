"""intent2cuda: kernels written once, emitted as readable C++ and CUDA."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from intent2cuda.api.errors import (
    AliasError,
    ArgumentError,
    BoundsError,
    CallError,
    CapacityError,
    CheckError,
    DeviceError,
    DTypeError,
    DuplicateError,
    ExecutionError,
    PromiseError,
    RaceError,
    RegionError,
    ShapeError,
    SimulationError,
    StrideError,
    UninitialisedError,
)
from intent2cuda.api.kernel import Helper, Kernel, fn, kernel, load
from intent2cuda.api.options import CompileOptions
from intent2cuda.api.targets import CpuTarget, CudaTarget, ReferenceTarget
from intent2cuda.base.diagnostics import Diagnostic, IntentError
from intent2cuda.project.errors import ArtifactError, ProjectError, ToolchainError
from intent2cuda.version import VERSION

if TYPE_CHECKING:
    from intent2cuda.api.artifact import Artifact, PreparedCall
    from intent2cuda.api.compile import compile, emit
    from intent2cuda.api.loading import load_project

__all__ = [
    "AliasError",
    "ArgumentError",
    "Artifact",
    "ArtifactError",
    "BoundsError",
    "CallError",
    "CapacityError",
    "CheckError",
    "CompileOptions",
    "CpuTarget",
    "CudaTarget",
    "DTypeError",
    "DeviceError",
    "Diagnostic",
    "DuplicateError",
    "ExecutionError",
    "Helper",
    "IntentError",
    "Kernel",
    "PreparedCall",
    "ProjectError",
    "PromiseError",
    "RaceError",
    "ReferenceTarget",
    "RegionError",
    "ShapeError",
    "SimulationError",
    "StrideError",
    "ToolchainError",
    "UninitialisedError",
    "__version__",
    "compile",
    "emit",
    "fn",
    "kernel",
    "load",
    "load_project",
]

__version__ = VERSION

_ON_FIRST_USE = {
    "Artifact": "intent2cuda.api.artifact",
    "PreparedCall": "intent2cuda.api.artifact",
    "compile": "intent2cuda.api.compile",
    "load_project": "intent2cuda.api.loading",
}
"""What needs NumPy and the compiler behind it: loaded when it is first asked for."""


def __getattr__(name: str) -> Any:
    if name not in _ON_FIRST_USE:
        raise AttributeError(f"module 'intent2cuda' has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(_ON_FIRST_USE[name]), name)
    globals()[name] = value
    return value


class _Package(ModuleType):
    """This module. `emit` is the function although a layer of the compiler, a subpackage, has that name too."""

    @property
    def emit(self) -> Any:
        from intent2cuda.api.compile import emit

        return emit

    @emit.setter
    def emit(self, subpackage: ModuleType) -> None:
        """Python offers the subpackage when it is first imported. `from intent2cuda.emit import ...` reaches it."""


sys.modules[__name__].__class__ = _Package
