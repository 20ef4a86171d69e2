"""Control. `break`, `continue` and early `return` have been turned into conditions and the `stop` of a `Yield`."""

from __future__ import annotations

from dataclasses import dataclass

from intent2cuda.ir.op import Op, Region
from intent2cuda.ir.value import Value


@dataclass(frozen=True, eq=False)
class Yield(Op):
    """Ends a region: the next values of the carries (loops), the merged values (If), or the condition (a while's test).

    In the body of a loop a true `stop` (bool scalar) leaves the loop after this round, with these values.
    """

    values: tuple[Value, ...]
    stop: Value | None = None


@dataclass(frozen=True, eq=False)
class Parallel(Op):
    """Each point of the product of the domains once, in no order. Region arguments: one index scalar for each
    domain."""

    domains: tuple[Value, ...]
    body: Region


@dataclass(frozen=True, eq=False)
class For(Op):
    """The members of a domain in order. Region arguments: the index scalar, then the carries."""

    domain: Value
    initial: tuple[Value, ...]
    body: Region
    results: tuple[Value, ...]


@dataclass(frozen=True, eq=False)
class While(Op):
    """Region arguments of `test` and `body`: the carries. `test` yields one bool scalar."""

    initial: tuple[Value, ...]
    test: Region
    body: Region
    results: tuple[Value, ...]


@dataclass(frozen=True, eq=False)
class If(Op):
    """A scalar condition; both regions yield values of the results' types. `else_body` may be empty but for its
    yield."""

    condition: Value
    then_body: Region
    else_body: Region
    results: tuple[Value, ...]
