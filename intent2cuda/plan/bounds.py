"""Greatest values of extents that only the inside of a kernel knows, for storage that must be laid out before."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from intent2cuda.base.intexpr import Atom, IntExpr, Operation, ceiling, maximum, minimum
from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.ops import Dim, For, Parallel, Pointwise, Subregion
from intent2cuda.types.value_type import DomainType


class Bounds:
    """Bounds of integer expressions in terms of extents and scalars of the call. Factors of products are not
    negative.
    """

    def __init__(self, kernel: Kernel) -> None:
        self._known = {parameter.serial for parameter in kernel.parameters}
        self._domains: dict[int, DomainType] = {}
        self._sources: dict[IntExpr, IntExpr] = {}
        self._meanings: dict[int, Sequence[IntExpr]] = {}
        """What a scalar may be, by serial."""
        for op in walk(kernel.body):
            if isinstance(op, For):
                self._domains[op.body.args[0].serial] = op.domain.domain
            elif isinstance(op, Parallel):
                for point, domain in zip(op.body.args, op.domains, strict=True):
                    self._domains[point.serial] = domain.domain
            elif isinstance(op, Subregion):
                self._sources[op.result.domain.extent] = op.source.domain.extent
            elif isinstance(op, Dim):
                self._meanings[op.result.serial] = (op.expression,)
            elif isinstance(op, Pointwise) and op.fn == "select" and op.result.tensor.is_scalar:
                self._meanings[op.result.serial] = tuple(side.as_symbol for side in op.args[1:])

    def upper(self, expression: IntExpr) -> IntExpr | None:
        """An expression that is never less; None when nothing is known. A domain is no shorter than its parts."""
        bound, source = self._bound(expression, up=True), self._sources.get(expression)
        return self.upper(source) if bound is None and source is not None else bound

    def _bound(self, expression: IntExpr, up: bool) -> IntExpr | None:
        total = IntExpr.of(0)
        for monomial, coefficient in expression.terms:
            product = IntExpr.of(coefficient)
            for atom in monomial:
                factor = self._atom(atom, up if coefficient > 0 else not up)
                if factor is None:
                    return None
                product = product * factor
            total = total + product
        return total

    def _atom(self, atom: Atom, up: bool) -> IntExpr | None:
        if isinstance(atom, Operation):
            return self._operation(atom, up)
        if not atom.serial or atom.serial in self._known:
            return IntExpr((((atom,), 1),))
        domain = self._domains.get(atom.serial)
        if atom.serial in self._meanings:
            bounds = [self._bound(meaning, up) for meaning in self._meanings[atom.serial]]
            known = [bound for bound in bounds if bound is not None]
            return reduce(maximum if up else minimum, known) if len(known) == len(bounds) else None
        if domain is None:
            return None if up else IntExpr.of(0)
        return self._bound(domain.begin + (domain.extent - 1) * domain.step if up else domain.begin, up)

    def _operation(self, atom: Operation, up: bool) -> IntExpr | None:
        lhs, rhs = self._bound(atom.lhs, up), self._bound(atom.rhs, up)
        match atom.kind:
            case "min":
                if up and (lhs is None or rhs is None):
                    return lhs if rhs is None else rhs
                return None if lhs is None or rhs is None else minimum(lhs, rhs)
            case "max":
                return None if lhs is None or rhs is None else maximum(lhs, rhs)
            case "mod":
                return None if rhs is None else rhs - 1 if up else IntExpr.of(0)
            case "floordiv" if lhs is not None and atom.rhs.constant:
                return lhs // atom.rhs
            case "ceildiv" if lhs is not None and (step := self._step(atom.rhs, up)) is not None:
                return ceiling(lhs, step)
            case "ceildiv" if up:
                return lhs  # what divides is a step, so at least 1
            case _:
                return None

    def _step(self, expression: IntExpr, up: bool) -> IntExpr | None:
        """What a divisor is at least, or at most for a bound from below; None where it may be anything."""
        found = self._bound(expression, not up)
        return None if found is None or found.constant == 0 else found
