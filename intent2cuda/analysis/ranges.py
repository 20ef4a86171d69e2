"""What is known of the size of integer expressions, and proofs from it.

`Facts.nonneg` is a decision by elimination: an atom whose coefficient has a known sign is replaced by its bound until
a number is left. It answers True only with a proof; False means "not proved".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from intent2cuda.analysis.expressions import coordinate_axis, of_atom, operation, rebuild
from intent2cuda.analysis.limits import Bounds
from intent2cuda.analysis.samples import Samples
from intent2cuda.analysis.structure import Structure, is_segment_begin
from intent2cuda.base.intexpr import Atom, IntExpr, Monomial, Operation, Symbol
from intent2cuda.types.dtype import Kind
from intent2cuda.types.value_type import TensorType

ZERO, ONE = IntExpr.of(0), IntExpr.of(1)
BUDGET = 120
DEPTH = 10
"""Steps of one proof and of one chain in it; a proof that needs more counts as not found."""


class Facts:
    """Bounds of symbols: those given, extents (not negative), loop variables, dtypes, the author's promises.

    `positive` lists expressions that are at least 1 because something runs only then.
    """

    def __init__(
        self, found: Structure, given: Mapping[Symbol, Bounds] | None = None, positive: Iterable[IntExpr] = ()
    ) -> None:
        self._structure = found
        self._given = dict(given or {})
        self._positive = tuple(dict.fromkeys(e for p in positive if p.constant is None for e in (p, *_factors(p))))
        self._samples = Samples(self.bounds, self._positive)
        self._proved: dict[IntExpr, tuple[bool, int]] = {}
        self._simple: dict[Operation, IntExpr] = {}
        self._left = 0

    def with_bounds(self, given: Mapping[Symbol, Bounds], positive: Iterable[IntExpr] = ()) -> Facts:
        return Facts(self._structure, {**self._given, **given}, (*self._positive, *positive))

    def nonneg(self, expression: IntExpr) -> bool:
        """Whether the expression is proved to be at least 0."""
        self._left = BUDGET
        return self._nonneg(expression)

    def less(self, lhs: IntExpr, rhs: IntExpr) -> bool:
        return self.nonneg(rhs - lhs - 1)

    def within(self, expression: IntExpr, extent: IntExpr) -> bool:
        """Whether 0 <= expression < extent is proved."""
        return self.nonneg(expression) and self.less(expression, extent)

    def bounds(self, symbol: Symbol) -> Bounds:
        """What is known of one symbol."""
        if symbol in self._given:
            return self._given[symbol]
        if symbol.serial == 0:
            return Bounds((ONE, ZERO) if of_atom(symbol) in self._positive else (ZERO,))
        value = self._structure.by_serial.get(symbol.serial)
        if value is None:
            return Bounds()
        domain = self._structure.loop_domain(value)
        if domain is not None:
            return Bounds((domain.begin,), (domain.begin + (domain.extent - 1) * domain.step,))
        whole = self._structure.segment_whole(value)
        if whole is not None:
            return Bounds((ZERO,), (whole - value.as_symbol if is_segment_begin(symbol) else whole,))
        lower: list[IntExpr] = [ONE] if of_atom(symbol) in self._positive else []
        upper: list[IntExpr] = []
        if symbol.serial in self._structure.promises:
            lower.append(ZERO)
            upper.append(self._structure.promises[symbol.serial] - 1)
        if isinstance(value.type, TensorType) and value.type.dtype.kind in (Kind.SIGNED, Kind.UNSIGNED):
            least, greatest = value.type.dtype.integer_range
            lower.append(IntExpr.of(least))
            upper.append(IntExpr.of(greatest))
        return Bounds(tuple(lower), tuple(upper))

    def extremes(self, expression: IntExpr) -> Bounds:
        """Bounds of an expression without coordinates and loop variables, as far as elimination finds them."""
        return Bounds(self._extreme(expression, 1), self._extreme(expression, -1))

    def simplify(self, expression: IntExpr) -> IntExpr:
        """An equal expression with divisions and remainders resolved where the ranges allow it."""
        return _merge_divisions(rebuild(expression, self._simple_atom))

    def _simple_atom(self, atom: Atom) -> IntExpr:
        if isinstance(atom, Symbol):
            return of_atom(atom)
        if atom not in self._simple:
            self._simple[atom] = self._simple_operation(atom)
        return self._simple[atom]

    def _simple_operation(self, atom: Operation) -> IntExpr:
        lhs, rhs = self.simplify(atom.lhs), self.simplify(atom.rhs)
        if atom.kind in ("min", "max"):
            smaller, larger = (lhs, rhs) if self.nonneg(rhs - lhs) else (rhs, lhs)
            if self.nonneg(larger - smaller):
                return smaller if atom.kind == "min" else larger
            return operation(atom.kind, lhs, rhs)
        self._left = BUDGET
        found = self._floor(lhs + rhs - 1 if atom.kind == "ceildiv" else lhs, rhs)
        if found is not None:
            return found[1] if atom.kind == "mod" else found[0]
        whole, rest = _divide(lhs, rhs)
        tail = operation(atom.kind, rest, rhs)
        return tail if atom.kind == "mod" else whole + tail

    def _floor(self, dividend: IntExpr, divisor: IntExpr) -> tuple[IntExpr, IntExpr] | None:
        """Quotient (rounded down) and remainder without a division, where the ranges decide them."""
        whole, rest = _divide(dividend, divisor)
        for step in (0, -1, 1):
            left = rest - divisor * step
            if self._nonneg(left) and self._nonneg(divisor - 1 - left):
                return whole + step, left
        return None

    def _nonneg(self, expression: IntExpr, depth: int = DEPTH) -> bool:
        constant = expression.constant
        if constant is not None:
            return constant >= 0
        known = self._proved.get(expression)
        if known is not None and (known[0] or known[1] >= depth):
            return known[0]
        if depth == 0 or self._left <= 0 or self._samples.refute(expression):
            return False
        self._left -= 1
        proved = any(all(self._nonneg(e, depth - 1) for e in way) for way in self._steps(expression, depth))
        if proved or self._left > 0:
            self._proved[expression] = (proved, depth)
        return proved

    def _steps(self, expression: IntExpr, depth: int) -> Iterator[tuple[IntExpr, ...]]:
        """Ways to prove an expression not negative: it follows when all expressions of a way are not."""
        for atom in _elimination_order(expression):
            share = factor(expression, atom)
            rest = expression - share * of_atom(atom)
            rising = self._nonneg(share, depth - 1)
            falling = not rising and self._nonneg(-share, depth - 1)
            if isinstance(atom, Operation) and atom.kind in ("min", "max"):
                sides = (rest + share * atom.lhs, rest + share * atom.rhs)
                either = falling if atom.kind == "min" else rising
                yield from ((side,) for side in sides) if either else (sides,)
                continue
            if not rising and not falling:
                continue
            if isinstance(atom, Operation):
                yield from self._operation_steps(atom, share, rest, rising)
            else:
                found = self.bounds(atom)
                yield from ((rest + share * bound,) for bound in (found.lower if rising else found.upper))
        for fact in self._positive:
            if fact.as_symbol is None and any(
                monomial in dict(expression.terms) for monomial, _ in fact.terms if monomial
            ):
                yield (expression - fact + 1,)

    def _operation_steps(
        self, atom: Operation, share: IntExpr, rest: IntExpr, rising: bool
    ) -> Iterator[tuple[IntExpr, ...]]:
        divisor = atom.rhs
        if not self._nonneg(divisor - 1):
            return
        if atom.kind == "mod":
            yield (rest if rising else rest + share * (divisor - 1),)
            if not rising:
                yield (rest + share * atom.lhs, atom.lhs)
            return
        rounding = divisor - 1 if atom.kind == "ceildiv" else ZERO
        for bound in self._extreme(atom.lhs, 1 if rising else -1):
            found = self._floor(bound + rounding, divisor)
            if found is not None:
                yield (rest + share * found[0],)
        slack = rounding if not rising else ONE - divisor + rounding
        yield (divisor * rest + share * (atom.lhs + slack),)

    def _extreme(self, expression: IntExpr, direction: int) -> tuple[IntExpr, ...]:
        """Lower (direction 1) or upper (-1) bounds with one bound chosen for each coordinate and loop variable."""
        current = expression
        for _ in range(16):
            atom = next((a for a in _elimination_order(current) if self._is_bound(a)), None)
            if not isinstance(atom, Symbol):
                return (current,)
            share = factor(current, atom)
            rising = self._nonneg(share)
            if not rising and not self._nonneg(-share):
                return ()
            found = self.bounds(atom)
            options = found.lower if rising == (direction > 0) else found.upper
            if not options:
                return ()
            current = current - share * of_atom(atom) + share * options[0]
        return ()

    def _is_bound(self, atom: Atom) -> bool:
        if not isinstance(atom, Symbol) or atom.serial == 0:
            return False
        found = self.bounds(atom)
        return bool(found.lower and found.upper)


def _factors(positive: IntExpr) -> Iterator[IntExpr]:
    """The extents whose product is positive; they are not negative, so each is positive too."""
    if len(positive.terms) == 1 and all(isinstance(a, Symbol) and not a.serial for a in positive.terms[0][0]):
        yield from map(of_atom, positive.terms[0][0])


def _elimination_order(expression: IntExpr) -> list[Atom]:
    """Atoms to replace first to last: operations, coordinates, later scalars, earlier scalars, extents."""
    atoms = dict.fromkeys(atom for monomial, _ in expression.terms for atom in monomial)
    return sorted(atoms, key=_elimination_rank)


def _elimination_rank(atom: Atom) -> tuple[int, int, str]:
    if isinstance(atom, Operation):
        return (0 if atom.kind in ("min", "max") else 1, 0, str(of_atom(atom)))
    if coordinate_axis(atom) is not None:
        return (2, atom.serial, atom.name)
    return (3, -atom.serial, atom.name)


def factor(expression: IntExpr, atom: Atom) -> IntExpr:
    """The sum of the terms that hold the atom, divided by it once."""
    total = ZERO
    for monomial, coefficient in expression.terms:
        if atom in monomial:
            position = monomial.index(atom)
            total = total + IntExpr(((monomial[:position] + monomial[position + 1 :], coefficient),))
    return total


def _divide(dividend: IntExpr, divisor: IntExpr) -> tuple[IntExpr, IntExpr]:
    """(q, r) with dividend = q * divisor + r, where q collects what a divisor of one term divides evenly."""
    if len(divisor.terms) != 1:
        return (ONE, ZERO) if dividend == divisor else (ZERO, dividend)
    (of_divisor, scale), quotient, rest = divisor.terms[0], ZERO, ZERO
    for monomial, coefficient in dividend.terms:
        left = _without(monomial, of_divisor)
        times, over = (0, coefficient) if left is None else divmod(coefficient, scale)
        quotient = quotient + IntExpr.of(times) * IntExpr(((left or (), 1),))
        rest = rest + IntExpr.of(over) * IntExpr(((monomial, 1),))
    return quotient, rest


def _without(monomial: Monomial, atoms: Monomial) -> Monomial | None:
    """The product divided by the atoms; None when it does not hold them all."""
    left = list(monomial)
    for atom in atoms:
        if atom not in left:
            return None
        left.remove(atom)
    return tuple(left)


def _merge_divisions(expression: IntExpr) -> IntExpr:
    """`a // b * b + a % b` becomes `a`, also with a common factor."""
    for monomial, coefficient in expression.terms:
        for atom in monomial:
            if not isinstance(atom, Operation) or atom.kind != "mod":
                continue
            others = list(monomial)
            others.remove(atom)
            scale = IntExpr(((tuple(others), coefficient),))
            quotient = operation("floordiv", atom.lhs, atom.rhs) * atom.rhs * scale
            if quotient.terms and all(dict(expression.terms).get(m) == c for m, c in quotient.terms):
                return _merge_divisions(expression - quotient - scale * of_atom(atom) + scale * atom.lhs)
    return expression
