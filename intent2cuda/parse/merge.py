"""After a runtime branch: each name that a side changed gets one value, or is said to have none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from intent2cuda.base.intexpr import symbols
from intent2cuda.base.span import Span
from intent2cuda.ir.ops import If
from intent2cuda.ir.value import Value
from intent2cuda.parse.branches import Columns, Outcome, in_block, leaf_merger
from intent2cuda.parse.context import Binding, Context, Maybe, Scope
from intent2cuda.parse.exits import FLAGS, LEFT, RESULT, STOP, flag, has_left
from intent2cuda.parse.intrinsics.shapes import filled, zero
from intent2cuda.parse.operators import inversion
from intent2cuda.parse.products import MismatchError, NoValueError, each, pair
from intent2cuda.parse.values import POISON, Literal, Val
from intent2cuda.types.dtype import BOOL


def merge(cx: Context, condition: Value, then: Outcome, other: Outcome, inside: Mapping[str, int]) -> None:
    """Ends a branch: emits it, and gives each name that a side changed its value after it.

    `inside` counts how often each name stands in the branch; one that stands nowhere else needs no value.
    """
    merging = _Merge(cx, condition, then, other, inside)
    after: Scope = dict(cx.frame.scope)
    for name in _changed(then.scope, other.scope):
        entry = merging.name(name)
        if entry is None:
            after.pop(name, None)
        else:
            after[name] = entry
    cx.frame.scope = after
    columns = merging.columns
    if columns.results or then.block.ops or other.block.ops:
        regions = [cx.emitter.region((), side.block, v) for side, v in ((then, columns.then), (other, columns.other))]
        cx.emitter.emit(If(condition, regions[0], regions[1], tuple(columns.results)))


def _changed(lhs: Scope, rhs: Scope) -> Iterator[str]:
    for name in dict.fromkeys((*lhs, *rhs)):
        if lhs.get(name) is not rhs.get(name):
            yield name


@dataclass
class _Merge:
    cx: Context
    condition: Value
    then: Outcome
    other: Outcome
    inside: Mapping[str, int]
    columns: Columns = field(default_factory=Columns)

    def name(self, name: str) -> Binding | Maybe | None:
        """The entry of a name after the branch; None when it has none."""
        a, b = self.then.scope.get(name), self.other.scope.get(name)
        if name in FLAGS:
            return Binding(self.flag(name))
        if not self.cx.is_carried(name):
            if name == RESULT and (a is None or b is None):
                return self.kept(name, self.then if b is None else self.other)
            left = has_left(self.then.scope), has_left(self.other.scope)
            if left == (True, True) and name != RESULT:
                return self.cx.frame.scope.get(name)
            if left[0] != left[1] and name != RESULT:
                return self.kept(name, self.other if left[0] else self.then)
        return self.both(name, a, b)

    def flag(self, name: str) -> Val:
        """A flag after a branch; where the sides are constants it is the condition or its opposite."""
        sides = (flag(self.then.scope, name), flag(self.other.scope, name))
        if sides[0] == sides[1]:
            return sides[0]
        if not self.is_asked(name):
            return Literal(False)
        match sides:
            case Literal(value=a), Literal():
                return self.condition if a else inversion(self.cx, self.condition)
            case _:
                values = [
                    in_block(self.cx, o.block, f, BOOL) for o, f in zip((self.then, self.other), sides, strict=True)
                ]
                return self.columns.add(self.cx, "", values[0], values[1])

    def is_asked(self, name: str) -> bool:
        """Whether anything after the branch depends on the flag."""
        frame = self.cx.frame
        if name == LEFT:
            return frame.following > 0
        return name == STOP or bool(frame.loops) or frame.function.kind == "fn"

    def both(self, name: str, a: Binding | Maybe | None, b: Binding | Maybe | None) -> Binding | Maybe:
        """The name of two sides that both go on."""
        before = self.cx.frame.scope.get(name)
        changed = b if b is not None and b is not before else a
        span = changed.span if changed is not None else None
        if not isinstance(a, Binding) or not isinstance(b, Binding):
            maybe = next((side for side in (a, b) if isinstance(side, Maybe)), None)
            return maybe or Maybe("only one branch gives it a value", span)
        if a.value is POISON or b.value is POISON:
            return Binding(POISON)
        if not self.is_live(name):
            return Maybe("the branches give it different values", span)
        leaf = leaf_merger(self.cx, self.columns, self.then, self.other)
        try:
            return Binding(pair(_shown(name), a.value, b.value, leaf), span)
        except NoValueError as error:
            return _no_choice(f"it is {error} on one of them, which a runtime branch cannot choose", span)
        except MismatchError as error:
            if name == RESULT:
                what, code = f"`{self.cx.frame.function.name}` returns {error} on different paths", "src.fn.result"
            else:
                what, code = f"`{name}` is {error} on the two paths", "kir.if.yield_type"
            self.cx.error(code, what, "give it one form, dtype and shape, for example with I.cast", span)
            return Binding(POISON)

    def kept(self, name: str, side: Outcome) -> Binding | Maybe | None:
        """The name of the side that goes on; the other side, which left, yields something that nobody reads."""
        found = side.scope.get(name)
        if not isinstance(found, Binding) or found is self.cx.frame.scope.get(name) or found.value is POISON:
            return found
        if not self.is_live(name):
            return Maybe("the branches give it different values", found.span)
        try:
            return Binding(
                each(_shown(name), found.value, lambda path, value: self.beside_filler(path, value, side)), found.span
            )
        except NoValueError as error:
            return _no_choice(f"it is {error}, made after a way out", found.span)

    def beside_filler(self, path: str, value: Val, side: Outcome) -> Val:
        if isinstance(value, Literal):
            return value
        kept = in_block(self.cx, side.block, value, BOOL)
        if any(symbol.serial > side.mark for extent in kept.tensor.shape for symbol in symbols(extent)):
            raise NoValueError("a tensor whose extent only that path knows")
        gone = self.other if side is self.then else self.then
        with self.cx.emitter.block(gone.block):
            filler = filled(self.cx, zero(self.cx, kept.tensor.dtype), kept.tensor.shape)
        pairs = (kept, filler) if side is self.then else (filler, kept)
        return self.columns.add(self.cx, path, *pairs)

    def is_live(self, name: str) -> bool:
        return name == RESULT or self.cx.is_carried(name) or self.cx.uses(name) > self.inside.get(name, 0)


def _shown(name: str) -> str:
    """The name for values; what a function returns has none."""
    return "" if name == RESULT else name


def _no_choice(reason: str, span: Span | None) -> Maybe:
    return Maybe(reason, span, "kir.if.yield_type", "use a Constexpr condition, or move what uses it into the branches")
