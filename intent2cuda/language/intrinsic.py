"""Names that mean something only in the text of a kernel: signature and docstring, and a refusal to be called."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, NoReturn, ParamSpec, TypeAlias

from intent2cuda.base.diagnostics import Diagnostic, IntentError

P = ParamSpec("P")

Tensor: TypeAlias = Any
"""A tensor value of a kernel, or a view read in full. Typed as Any so that its operators pass a type checker."""
Scalar: TypeAlias = Any
"""A scalar value of a kernel, a literal or a Constexpr."""
Value: TypeAlias = Any
"""A tensor or a scalar."""
Product: TypeAlias = Any
"""A tensor, a scalar, or a tuple or record of them."""
Region: TypeAlias = Any
"""A domain or a part of one."""
Resource: TypeAlias = Any
"""A view or a buffer."""
Index: TypeAlias = Any
"""One index term, or a tuple of them, as they stand between the brackets of a subscript."""
Shape: TypeAlias = Any
"""A tuple or list of extents: ints, extents, integer scalars, domains, or symbols of the signature."""


def outside(name: str) -> NoReturn:
    """Refuses a use of the language that only a compiled kernel can have."""
    message = f"I.{name} was called by Python; it has a meaning only inside a kernel or a helper"
    help = "put the call into a function under @intent.kernel or @intent.fn and compile that with intent.compile"
    raise IntentError([Diagnostic("language.outside_kernel", message, help=help)])


def member(space: str) -> Callable[[Callable[P, Any]], Callable[P, Any]]:
    """Declares an intrinsic of a name space: `I.reduce.sum`, or `I.reduce` itself when the function is `__call__`."""

    def declare(declared: Callable[P, Any]) -> Callable[P, Any]:
        name = space if declared.__name__ == "__call__" else f"{space}.{declared.__name__}"

        @wraps(declared)
        def refuse(*args: P.args, **kwargs: P.kwargs) -> Any:
            outside(name)

        return refuse

    return declare


def intrinsic(declared: Callable[P, Any]) -> Callable[P, Any]:
    """Declares an intrinsic that stands directly under `I`."""

    @wraps(declared)
    def refuse(*args: P.args, **kwargs: P.kwargs) -> Any:
        outside(declared.__name__)

    return refuse
