"""Reductions: one call of the runtime for each, with the value of a member as a lambda."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from intent2cuda.base.intexpr import IntExpr, substitute, symbols
from intent2cuda.ir.ops import ArgReduce, Combiner, Reduce, Store
from intent2cuda.ir.terms import Point
from intent2cuda.ir.value import Value
from intent2cuda.lower import ask, storage
from intent2cuda.lower.access import Access, Known
from intent2cuda.lower.columns import columns
from intent2cuda.lower.coordinates import Coordinates
from intent2cuda.lower.folding import fold_call, function, member, quote_own
from intent2cuda.lower.scalars import ctype
from intent2cuda.lower.writer import Writer
from intent2cuda.machine.expressions import Binary, Call, Construct, Expression, Member, Name, Unary
from intent2cuda.machine.names import derived, identifier
from intent2cuda.machine.statements import Declare
from intent2cuda.machine.types import Named, Pointer, Scalar
from intent2cuda.machine.walk import names_in
from intent2cuda.plan.stage import Axis, Fold, Prefetch

WORDS = {
    Combiner.ADD: "sum",
    Combiner.MAXIMUM: "peak",
    Combiner.MINIMUM: "least",
    Combiner.ANY: "any_holds",
    Combiner.ALL: "all_hold",
}

_FIELDS = ("first", "second", "third", "fourth")
"""Of `intent::Values`, in the order of the reductions."""


def fold(writer: Writer, stage: Fold) -> None:
    """Writes a reduction into the current block, and remembers what it found for the stages that follow."""
    for keep in stage.keeps:
        storage.require(writer, keep.buffer, here=True)
    if stage.over:
        columns(writer, stage)
    elif isinstance(stage.op, ArgReduce):
        _arg_fold(writer, stage, stage.op)
    elif stage.beside:
        _joint_fold(writer, stage)
    else:
        _plain_fold(writer, stage, stage.op)


def _joint_fold(writer: Writer, stage: Fold) -> None:
    """Several reductions as one call; what each came to is a field of what it gives."""
    call = fold_call(writer, stage, stage.axes)
    call = replace(call, args=(*call.args, *_prefetch(writer, stage, call)))
    quote_own(writer, stage)
    users = [op.result.name or writer.definitions.user_name(op.result) for op in _plain(stage)]
    joint = writer.blocks.name(("found", *(derived(identifier(user), "found") for user in users if user)))
    writer.blocks.append(Declare(Named("auto"), joint, call))
    for op, field in zip(_plain(stage), _FIELDS, strict=False):
        _remember(writer, stage, op.result, Member(Name(joint), field))


def _plain(stage: Fold) -> tuple[Reduce, ...]:
    return tuple(op for op in stage.ops if isinstance(op, Reduce))


def _remember(writer: Writer, stage: Fold, result: Value, found: Expression) -> None:
    """A result is a variable where its author named it, else a field."""
    if result.name:
        base = identifier(result.name)
        own = writer.blocks.name((base, derived(base, "value")), author=base)
        writer.blocks.append(Declare(ctype(result.tensor.dtype), own, found))
        found = Name(own)
    writer.blocks.remember((result, writer.at(stage.at)), found)


def _plain_fold(writer: Writer, stage: Fold, op: Reduce) -> None:
    call = fold_call(writer, stage, stage.axes)
    call = replace(call, args=(*call.args, *_prefetch(writer, stage, call)))
    quote_own(writer, stage)
    author, word = identifier(op.result.name) if op.result.name else "", WORDS[op.combiner]
    user = writer.definitions.user_name(op.result)
    others = (
        *_sourced(op.source, word),
        *((derived(identifier(user), word),) if user else ()),
        *_stored(writer, op.result, word),
    )
    named = author or (word if user == word else "")  # the sum that `sum` is made of may be one with it
    name = writer.blocks.name((author, derived(author, word)) if author else (word, *others), author=named)
    if not author and user != word:
        writer.blocks.versions[name] = ""  # another sum is no later version of it
    writer.blocks.append(Declare(ctype(op.result.tensor.dtype), name, call))
    writer.blocks.remember((op.result, writer.at(stage.at)), Name(name))


def _sourced(source: Value, word: str) -> tuple[str, ...]:
    return (derived(identifier(source.name), word),) if source.name else ()


def _stored(writer: Writer, value: Value, word: str) -> Iterator[str]:
    """Names for a value that is stored at a fixed place: `out_2_sum` for one in row 2 of out."""
    for user in writer.definitions.users(value):
        if isinstance(user, Store) and user.resource.name:
            points = (writer.definitions.expression(t.index).constant for t in user.terms if isinstance(t, Point))
            place = "_".join(str(c) for c in points if c is not None and c >= 0)
            if place:
                yield derived(derived(identifier(user.resource.name), place), word)


def _arg_fold(writer: Writer, stage: Fold, op: ArgReduce) -> None:
    count = ask.integer(writer, stage.axes[0].extent)
    body = member(writer, stage, stage.axes)
    quote_own(writer, stage)
    called, template = function(writer, stage.level, "arg_max")
    call = Call(called, (count, body), template)
    users = (derived(identifier(result.name), "found") for result in op.results if result.name)
    name = writer.blocks.name(("best", *_sourced(op.source, "best"), *users))
    writer.blocks.append(Declare(Named("auto"), name, call))
    for result, part in zip(op.results, ("value", "index"), strict=True):
        _remember(writer, stage, result, Member(Name(name), part))


def _prefetch(writer: Writer, stage: Fold, call: Call) -> tuple[Expression, ...]:
    """What the plan fetches for the first dense line that the members read: the same line of the next member of the
    surrounding loop. What lies ahead of a ragged row is fetched by the loop over the rows.
    """
    if stage.prefetch is not Prefetch.ROW:
        return ()
    used = names_in(call)
    for outer in reversed(writer.blocks.open):
        for (view, axis, others), name in outer.lines.items():
            if isinstance(view, str) or name not in used or (view, axis) not in writer.unit_axes:
                continue
            axis_around = _axis_around(writer, others)
            if axis_around is not None:
                return (_next_line(writer, view, axis, others, axis_around),)
    return ()


def _axis_around(writer: Writer, at: Coordinates) -> Axis | None:
    """The innermost loop that coordinates depend on."""
    used = {symbol for coordinate in at for symbol in symbols(coordinate)}
    around = (axis for axis in reversed(writer.around) if writer.axis_symbol(axis) in used)
    return next(around, None)


def _next_line(writer: Writer, view: Value, axis: int, others: Coordinates, around: Axis) -> Expression:
    """`intent::PrefetchRow{x_next}`: the last member fetches its own line again."""
    symbol, following = writer.axis_symbol(around), writer.fresh_symbol(around.name)
    here = writer.blocks.symbols[symbol]
    last = ask.integer(writer, around.begin + (around.extent - 1) * around.step)
    member = Call("intent::least", (Binary("+", here.expression, ask.integer(writer, around.step)), last))
    moved = {symbol: IntExpr((((following,), 1),))}
    at = [substitute(coordinate, moved) for coordinate in others]
    at.insert(axis, IntExpr.of(0))
    first = Access(writer, {following: Known(member, here.depth)}).view(view, tuple(at))
    pointer = writer.blocks.name((derived(identifier(view.name), "next"),))
    element = Pointer(Scalar(view.resource.dtype), const=True)
    writer.blocks.append_before_quote(Declare(element, pointer, Unary("&", first), note="fetched meanwhile"))
    return Construct("intent::PrefetchRow", (Name(pointer),))
