"""Loops: what is iterated, what is carried from round to round, and how a round may end the loop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import libcst as cst

from intent2cuda.base.intexpr import symbols
from intent2cuda.base.span import Span
from intent2cuda.ir.ops import For, While
from intent2cuda.ir.value import Value
from intent2cuda.parse.beginnings import Beginning
from intent2cuda.parse.branches import condition_value
from intent2cuda.parse.context import Binding, Context, Loop, Maybe, RefusedError, Scope
from intent2cuda.parse.describe import value_text
from intent2cuda.parse.emitter import Block
from intent2cuda.parse.exits import LEFT, RESULT, RETURNED, STOP, Statements, block_of, flag
from intent2cuda.parse.expressions import evaluate
from intent2cuda.parse.intrinsics.shapes import filled, zero
from intent2cuda.parse.iteration import Iteration, iteration
from intent2cuda.parse.literals import constant, default_dtype, tensor
from intent2cuda.parse.parallel import parallel_loop
from intent2cuda.parse.products import MismatchError, NoValueError, each, pair
from intent2cuda.parse.pruning import assigned_at_run_time
from intent2cuda.parse.values import POISON, Extent, Literal, Poison, Val
from intent2cuda.parse.walk import target_names
from intent2cuda.types.dtype import BOOL, INDEX, DType
from intent2cuda.types.value_type import scalar

_FLAGS = (LEFT, STOP, RETURNED, RESULT)


@dataclass
class _Carried:
    """The names that a loop carries, and how each leaf begins and is called."""

    names: dict[str, Binding]
    initial: list[Value] = field(default_factory=list[Value])
    labels: list[str] = field(default_factory=list[str])

    def fresh(self, cx: Context) -> tuple[Value, ...]:
        """New values for all leaves."""
        values = tuple(cx.emitter.value(v.type, name) for v, name in zip(self.initial, self.labels, strict=True))
        for value, first in zip(values, self.initial, strict=True):
            cx.beginnings.follow(value, first)
        return values


def for_loop(cx: Context, node: cst.For) -> None:
    """Reads a `for` over a domain, or over the points of I.parallel."""
    if node.asynchronous is not None:
        cx.refuse("src.python.async", "`async for` is not part of kernels", "write for i in I.parallel(domain)")
    if node.orelse is not None:
        cx.error("src.control.else", "`else` of a loop is not part of kernels", "test a flag after the loop")
    body = block_of(node.body)
    try:
        source = iteration(cx, node, evaluate)
    except RefusedError:
        _read_for_errors(cx, node, body)
        raise
    if source.parallel:
        parallel_loop(cx, node, source, body)
    else:
        _ordered(cx, node, source, body)


def _read_for_errors(cx: Context, node: cst.For, body: Statements) -> None:
    """The body of a loop whose header was refused; what it does is dropped."""
    before = cx.frame.scope
    cx.frame.scope = {**before, **{name: Binding(POISON) for name in target_names(node.target)}}
    cx.frame.loops.append(Loop("ordered"))
    with cx.emitter.block():
        cx.run(cx, body)
    cx.frame.loops.pop()
    cx.frame.scope = before


def _ordered(cx: Context, node: cst.For, source: Iteration, body: Statements) -> None:
    place = cx.emitter.statement
    carried = _carried(cx, body, [node.target])
    index = cx.emitter.value(scalar(INDEX), "" if source.names[-1] == "_" else source.names[-1])
    round_ = _Round(cx, carried, Loop("for", frozenset(carried.names)))
    ordinal = source.ordinal_value(cx, index)

    def start() -> None:
        source.bind(cx, index, ordinal)
        cx.run(cx, body)

    with cx.emitter.block() as block:
        round_.read(block, start)
    cx.emitter.statement = cx.emitter.place = place
    region = cx.emitter.region((index, *round_.arguments), block, round_.values, round_.stop)
    results = round_.results()
    cx.emitter.emit(For(source.domains[0], tuple(carried.initial), region, results))
    round_.finish(results, (*target_names(node.target), *round_.fresh))


def while_loop(cx: Context, node: cst.While) -> None:
    """Reads a `while`; a constant condition runs it always or never."""
    if node.orelse is not None:
        cx.error("src.control.else", "`else` of a loop is not part of kernels", "test a flag after the loop")
    place = cx.emitter.statement
    body = block_of(node.body)
    carried = _carried(cx, body, [])
    round_ = _Round(cx, carried, Loop("while", frozenset(carried.names)))
    before = cx.frame.scope
    test_args = carried.fresh(cx)
    cx.frame.scope = {**before, **_bound(carried, test_args)}
    try:
        with cx.emitter.block() as test:
            tested = evaluate(cx, node.test)
            cx.node = node.test
            condition = condition_value(cx, tested, "while")
    finally:
        cx.frame.scope = before
    if tested == Literal(False):
        return
    with cx.emitter.block() as block:
        round_.read(block, lambda: cx.run(cx, body))
    cx.emitter.statement = cx.emitter.place = place
    extra = tuple(cx.emitter.value(v.type) for v in carried.initial[len(test_args) :])
    test_region = cx.emitter.region((*test_args, *extra), test, (condition,))
    body_region = cx.emitter.region(round_.arguments, block, round_.values, round_.stop)
    results = round_.results()
    cx.emitter.emit(While(tuple(carried.initial), test_region, body_region, results))
    round_.finish(results, round_.fresh)
    if tested == Literal(True) and not round_.loop.may_break:
        cx.bind(RETURNED, Literal(True))
        cx.bind(LEFT, Literal(True))


def _carried(cx: Context, body: Statements, targets: list[cst.BaseExpression]) -> _Carried:
    """The names that exist and that the body assigns, with runtime values to begin with."""
    own = {name for target in targets for name in target_names(target)}
    carried = _Carried({})
    for name in assigned_at_run_time(cx, body, evaluate):
        found = cx.scope.get(name)
        if name in own or not isinstance(found, Binding) or isinstance(found.value, Poison):
            continue
        try:
            value = _begun(cx, carried, name, found.value)
        except NoValueError as error:
            cx.error(
                "kir.loop.carry_type",
                f"`{name}` is {error} and assigned in the loop: it cannot be carried",
                "use another name in the loop",
                cx.assignments.of(body)[name],
            )
            value = POISON
        carried.names[name] = Binding(value, found.span)
    return carried


def _begun(cx: Context, carried: _Carried, name: str, value: Val) -> Val:
    return each(name, value, lambda path, leaf: _initial(cx, carried, name, path, leaf))


def _initial(cx: Context, carried: _Carried, name: str, path: str, leaf: Val) -> Val:
    """The first value of a name, or of its part at a path."""
    if isinstance(leaf, Literal):
        value = constant(cx, leaf, default_dtype(leaf), fresh=True)
        cx.beginnings.begin(value, Beginning(name, leaf, path != name))
    else:
        value = tensor(cx, leaf)
    cx.emitter.christen(value, path)
    carried.initial.append(value)
    carried.labels.append(path)
    return value


def _bound(carried: _Carried, values: tuple[Value, ...]) -> Scope:
    """The carried names with one value for each leaf."""
    remaining = iter(values)
    return {
        name: Binding(
            POISON if found.value is POISON else each(name, found.value, lambda _, __: next(remaining)), found.span
        )
        for name, found in carried.names.items()
    }


class _Round:
    """One round of a loop: reads the body once and finds what it yields."""

    def __init__(self, cx: Context, carried: _Carried, loop: Loop) -> None:
        self.cx = cx
        self.carried = carried
        self.loop = loop
        self.before = cx.frame.scope
        self.arguments = carried.fresh(cx)
        self.leaves = len(self.arguments)
        self.mark = cx.emitter.mark
        self.values: tuple[Value, ...] = ()
        self.stop: Value | None = None
        self.fresh: tuple[str, ...] = ()
        self.refused: set[str] = set()
        self.returned: Val = Literal(False)
        self.result: Binding | Maybe | None = None

    def read(self, block: Block, body: Callable[[], None]) -> None:
        cx = self.cx
        off = {name: Binding(Literal(False)) for name in (LEFT, STOP, RETURNED)}
        cx.frame.scope = {**self.before, **_bound(self.carried, self.arguments), **off}
        cx.frame.scope.pop(RESULT, None)
        cx.frame.loops.append(self.loop)
        following, cx.frame.following = cx.frame.following, 0
        try:
            body()
            self._end(block)
        finally:
            cx.frame.following = following
            cx.frame.loops.pop()
            cx.frame.scope = self.before

    def _end(self, block: Block) -> None:
        scope = self.cx.frame.scope
        self.fresh = tuple(n for n in scope if n not in self.before and n not in _FLAGS and n not in self.carried.names)
        arguments = _bound(self.carried, self.arguments)
        values: list[Value] = []
        for name, argument in arguments.items():
            self._yield(name, argument, scope.get(name), values)
        self.returned, stop = flag(scope, RETURNED), flag(scope, STOP)
        self.result = scope.get(RESULT)
        if self.returned != Literal(False):
            values += self._returns(block)
        self.stop = None if stop == Literal(False) else tensor(self.cx, stop, BOOL)
        self.values = tuple(values)

    def _yield(self, name: str, argument: Binding | Maybe, found: Binding | Maybe | None, values: list[Value]) -> None:
        """The next values of a carried name, checked against its first ones."""
        assert isinstance(argument, Binding)
        if argument.value is POISON:
            return
        if not isinstance(found, Binding) or found.value is POISON:
            each(name, argument.value, lambda _, leaf: _kept(values, leaf))
            self.refused.add(name)
            return
        try:
            pair(name, argument.value, found.value, lambda _, old, new: self._next(old, new, values), every=True)
        except (MismatchError, NoValueError) as error:
            help = "begin with the form, dtype and shape that the loop gives, for example with I.cast or I.zeros"
            self.cx.error(
                "kir.loop.carry_type",
                f"`{name}` is carried by the loop and changes its form: {error}",
                (error.help if isinstance(error, MismatchError) else "") or help,
                found.span,
            )
            self.refused.add(name)

    def _next(self, old: Val, new: Val, values: list[Value]) -> Val:
        assert isinstance(old, Value)
        value = tensor(self.cx, new, old.tensor.dtype) if not isinstance(new, Literal) else self._literal(old, new)
        a, b = old.tensor, value.tensor
        same = a.rank == b.rank and all(self.cx.emitter.are_equal(x, y) for x, y in zip(a.shape, b.shape, strict=True))
        if a.dtype != b.dtype or not same:
            help = self.cx.beginnings.advice((old, value), (a.dtype, b.dtype)) if same else None
            raise MismatchError(f"{value_text(old)} at first, then {value_text(value)}", help or "")
        return _kept(values, value)

    def _literal(self, old: Value, new: Literal) -> Value:
        dtype: DType = old.tensor.dtype
        if default_dtype(new).is_bool != dtype.is_bool:
            raise MismatchError(f"{value_text(old)} at first, then a scalar of {default_dtype(new)}")
        return tensor(self.cx, new, dtype)

    def _returns(self, block: Block) -> list[Value]:
        """What a `return` in the body hands out of the loop: whether it was taken, and its value."""
        cx = self.cx
        found = [tensor(cx, self.returned, BOOL)]
        if isinstance(self.result, Binding) and self.result.value is not POISON:
            each("", self.result.value, lambda _, leaf: _kept(found, tensor(cx, leaf)))
        outer = cx.emitter.blocks.pop()
        assert outer is block
        for value in found:
            if any(symbol.serial > self.mark for extent in value.tensor.shape for symbol in symbols(extent)):
                cx.refuse(
                    "src.fn.result",
                    "a tensor whose extent only the loop knows is returned out of it",
                    "give the extent before the loop, or return a scalar",
                )
            first = zero(cx, value.tensor.dtype)
            self.carried.initial.append(filled(cx, first, value.tensor.shape))
            self.arguments += (cx.emitter.value(value.type),)
        cx.emitter.blocks.append(block)
        return found

    def results(self) -> tuple[Value, ...]:
        values = tuple(self.cx.emitter.value(value.type, value.name) for value in self.arguments)
        for value, argument in zip(values, self.arguments, strict=True):
            self.cx.beginnings.follow(value, argument)
        return values

    def finish(self, results: tuple[Value, ...], local: tuple[str, ...]) -> None:
        """The names after the loop: carried ones have their results, those of the body are not certain."""
        cx = self.cx
        scope = cx.frame.scope = dict(cx.frame.scope)
        scope.update(_bound(self.carried, results[: self.leaves]))
        scope.update((name, Binding(POISON)) for name in self.refused)
        for name in local:
            if name not in self.carried.names:
                scope[name] = Maybe(
                    "only the rounds of a loop give it a value",
                    self._span(name),
                    help="give it a value before the loop",
                )
        if self.returned != Literal(False):
            self._leave(results[self.leaves :])

    def _span(self, name: str) -> Span | None:
        found = self.before.get(name)
        return found.span if found is not None else None

    def _leave(self, results: tuple[Value, ...]) -> None:
        cx = self.cx
        remaining = iter(results[1:])
        for name in (LEFT, STOP, RETURNED):
            cx.bind(name, results[0])
        if isinstance(self.result, Binding):
            value = self.result.value
            cx.bind(RESULT, value if value is POISON else each("", value, lambda _, __: next(remaining)))


def _kept(values: list[Value], leaf: Val) -> Val:
    assert isinstance(leaf, Value | Extent)
    if isinstance(leaf, Value):
        values.append(leaf)
    return leaf
