"""Calls compiled kernels with arrays of any Python library."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypedDict

from numpy import dtype

ErrorKind = Literal[
    "argument", "dtype", "shape", "stride", "alias", "capacity", "device", "internal",
    "bounds", "region", "promise", "duplicate", "race", "uninitialised",
]  # fmt: skip

class ArrayDescription(TypedDict):
    """An array parameter. `strides` is empty or has an entry for each axis; None leaves the axis free."""

    name: str
    kind: Literal["in", "out", "inout"]
    dtype: str
    numpy_dtype: dtype[Any]
    extents: Sequence[int | str]
    strides: Sequence[int | str | None]
    noalias: bool

class ScalarDescription(TypedDict):
    """A runtime scalar."""

    name: str
    kind: Literal["scalar"]
    dtype: str

class SignatureDescription(TypedDict):
    """What a kernel takes. `has_stream`, `has_workspace`: what the native call takes behind the parameters."""

    kernel: str
    on_device: bool
    has_stream: bool
    has_workspace: bool
    parameters: Sequence[ArrayDescription | ScalarDescription]
    alias_rules: Sequence[tuple[str, str, Literal["disjoint", "same_or_disjoint"]]]

class Entry:
    """A kernel as a callable. It checks the arguments, in parameter order and before anything runs, then calls the
    native function without the GIL. Without a library it only checks. The library stays loaded as long as it lives.

    Raises whatever `make_error` returns for the kind and the message of a refusal.
    """

    def __init__(
        self,
        signature: SignatureDescription,
        make_error: Callable[[ErrorKind, str], BaseException],
        library: str | None = None,
        symbol: str = "",
        last_error_symbol: str = "",
        workspace_symbol: str = "",
    ) -> None: ...
    def __call__(self, *arguments: object, stream: int | None = None, workspace: int | None = None) -> None: ...
    def workspace_bytes(self, *arguments: object) -> int:
        """Bytes of workspace that a call with these arguments needs."""
