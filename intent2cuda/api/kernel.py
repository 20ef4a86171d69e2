"""Kernels as objects of a Python program: where their source stands, never their code."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NoReturn, cast, overload

from intent2cuda.api.errors import ArgumentError
from intent2cuda.base.diagnostics import Diagnostic, IntentError


class Kernel:
    """A kernel's place in the source. It is read as text when it is compiled, and never runs as Python."""

    def __init__(self, path: Path, name: str, line: int = 0, function: Callable[..., None] | None = None) -> None:
        self.path = path
        self.name = name
        self.line = line
        self.function = function
        if function is not None:
            functools.update_wrapper(self, function)

    def verify(self, constexprs: Mapping[str, object] | None = None) -> None:
        """Parses, types and verifies the kernel now.

        Raises:
            IntentError: with every finding in `.diagnostics`.
        """
        from intent2cuda import pipeline

        pipeline.front(self.path, self.name, constexprs)

    def __call__(self, *_arguments: object, **_keywords: object) -> NoReturn:
        raise ArgumentError(f"{self.name} is a kernel: compile it first, intent.compile({self.name}, target=...)")

    def __repr__(self) -> str:
        return f"<kernel {self.name} of {self.path.name}>"


class Helper:
    """A function that kernels call. Like a kernel it is read as text and never runs as Python."""

    def __init__(self, function: Callable[..., object]) -> None:
        self.function = function
        functools.update_wrapper(self, function)

    def __call__(self, *_arguments: object, **_keywords: object) -> NoReturn:
        name = getattr(self.function, "__name__", "this function")
        raise ArgumentError(f"{name} is a helper of kernels; only a kernel can call it")


@overload
def kernel(function: Callable[..., None]) -> Kernel: ...
@overload
def kernel() -> Callable[[Callable[..., None]], Kernel]: ...
def kernel(function: Callable[..., None] | None = None) -> Kernel | Callable[[Callable[..., None]], Kernel]:
    """The function as a kernel; a decorator, with or without parentheses."""
    return _kernel if function is None else _kernel(function)


def fn(function: Callable[..., object]) -> Helper:
    """The function as a helper of kernels; a decorator."""
    return Helper(function)


def load(place: str) -> Kernel:
    """The kernel at `path/file.py:name`. The file is read and parsed when needed, never imported.

    Raises:
        IntentError: `src.kernel.missing` where no kernel is named, `src.file` where there is no such file.
        ArgumentError: the place is no text.
    """
    if not isinstance(cast(object, place), str):
        raise ArgumentError(f"a kernel's place is a text, path/file.py:name; it is {place!r}")
    path, separator, name = place.rpartition(":")
    if not separator or not path or not name.isidentifier():
        message = f"{place!r} names no kernel"
        raise _refusal("src.kernel.missing", message, "write the file and the kernel: kernels/softmax.py:softmax")
    if not Path(path).is_file():
        raise _refusal("src.file", f"there is no file {path}", "the path is relative to the working directory")
    return Kernel(Path(path), name)


def _refusal(code: str, message: str, help: str) -> IntentError:
    return IntentError([Diagnostic(code, message, help=help)])


def _kernel(function: Callable[..., None]) -> Kernel:
    code = inspect.unwrap(function).__code__
    return Kernel(Path(code.co_filename), function.__name__, code.co_firstlineno, function)
