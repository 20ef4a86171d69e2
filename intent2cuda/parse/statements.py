"""Statements: each is read on its own, so that one mistake does not hide the next."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager

import libcst as cst

from intent2cuda.base.span import Span
from intent2cuda.ir.value import Value
from intent2cuda.parse.assign import annotated, assignment, augmented, is_buffer
from intent2cuda.parse.branches import Outcome, branch, condition_value
from intent2cuda.parse.context import Binding, Context, RefusedError
from intent2cuda.parse.emitter import Block
from intent2cuda.parse.exits import LEFT, RESULT, RETURNED, STOP, Statements, always_exits, block_of, flag
from intent2cuda.parse.expressions import evaluate
from intent2cuda.parse.loops import for_loop, while_loop
from intent2cuda.parse.merge import merge
from intent2cuda.parse.source import identifier
from intent2cuda.parse.values import POISON, EnumMember, Literal, Tuple, Val, Void
from intent2cuda.parse.walk import name_counts

_FORBIDDEN: Mapping[type[cst.CSTNode], tuple[str, str, str]] = {
    cst.Try: ("try", "try", "test with `if` before"),
    cst.TryStar: ("try", "try", "test with `if` before"),
    cst.With: ("with", "with", "write a for over I.parallel or I.domain"),
    cst.ClassDef: ("class", "a class", "use I.record, or I.Enum at the top level"),
    cst.Match: ("match", "match", "use if and elif"),
    cst.Raise: ("raise", "raise", "check arguments on the host"),
    cst.Del: ("del", "del", "leave it out"),
    cst.Import: ("import", "import", "import at the top of the file"),
    cst.ImportFrom: ("import", "import", "import at the top of the file"),
    cst.Global: ("global", "global", "pass values as parameters"),
    cst.Nonlocal: ("nonlocal", "nonlocal", "pass values as parameters"),
}


def run(cx: Context, statements: Statements) -> None:
    """Reads statements in order; those behind a way out become conditional."""
    flat = _flat(statements)
    for position, node in enumerate(flat):
        left = flag(cx.scope, LEFT)
        if left == Literal(True):
            return
        if not isinstance(left, Literal):
            _guarded(cx, left, flat[position:])
            return
        if isinstance(node, cst.If):
            if _if(cx, node, flat[position + 1 :]):
                return
        else:
            with _following(cx, position + 1 < len(flat)):
                execute(cx, node)


@contextmanager
def _following(cx: Context, follows: bool) -> Generator[None]:
    """While a statement is read behind which others stand in its block."""
    cx.frame.following += follows
    try:
        yield
    finally:
        cx.frame.following -= follows


def _flat(statements: Statements) -> Statements:
    found: list[cst.BaseStatement | cst.BaseSmallStatement] = []
    for node in statements:
        if isinstance(node, cst.SimpleStatementLine):
            found += node.body
        else:
            found.append(node)
    return found


def _guarded(cx: Context, left: Val, rest: Statements) -> None:
    """The rest of a block where a runtime way out may have been taken."""
    condition = condition_value(cx, left, "if")
    gone = {**cx.scope, LEFT: Binding(Literal(True))}
    if not cx.frame.loops:
        gone[RETURNED] = Binding(Literal(True))
    empty = Outcome(Block(), gone, cx.emitter.mark)

    def body() -> None:
        cx.bind(LEFT, Literal(False))
        run(cx, rest)

    merge(cx, condition, empty, branch(cx, body), name_counts(rest))


def execute(cx: Context, node: cst.BaseStatement | cst.BaseSmallStatement) -> None:
    """Reads one statement; when it is refused, the names it assigns have no readable value."""
    cx.emitter.statement = cx.emitter.place = cx.node = None
    cx.node = node
    cx.emitter.statement = cx.emitter.place = header(cx, node)
    try:
        _dispatch(cx, node)
    except RefusedError:
        for name in cx.assignments.of([node]):
            cx.bind(name, POISON)
        if isinstance(node, cst.Return):
            for name, value in (
                (RESULT, POISON),
                (RETURNED, Literal(True)),
                (LEFT, Literal(True)),
                (STOP, Literal(True)),
            ):
                cx.bind(name, value)


def header(cx: Context, node: cst.CSTNode) -> Span | None:
    """The place of a statement; of a block statement, that of its header."""
    whole = cx.span(node)
    last = node.iter if isinstance(node, cst.For) else node.test if isinstance(node, cst.If | cst.While) else None
    end = cx.span(last) if last is not None else None
    if whole is None or end is None:
        return whole
    return Span(whole.file, whole.line, whole.column, end.end_line, end.end_column)


def _dispatch(cx: Context, node: cst.BaseStatement | cst.BaseSmallStatement) -> None:
    match node:
        case cst.Assign():
            assignment(cx, node)
        case cst.AnnAssign():
            annotated(cx, node)
        case cst.AugAssign():
            augmented(cx, node)
        case cst.Expr():
            _expression(cx, node)
        case cst.For():
            for_loop(cx, node)
        case cst.While():
            while_loop(cx, node)
        case cst.Return():
            _return(cx, node)
        case cst.Break():
            _break(cx)
        case cst.Continue():
            _continue(cx)
        case cst.Assert():
            _assert(cx, node)
        case cst.Pass():
            return
        case cst.FunctionDef():
            _nested_function(cx, node)
        case _:
            word, what, help = _FORBIDDEN.get(
                type(node), ("statement", type(node).__name__.lower(), "write it with the language")
            )
            cx.refuse(f"src.python.{word}", f"`{what}` is not part of kernels", help)


def _expression(cx: Context, node: cst.Expr) -> None:
    if isinstance(node.value, cst.Ellipsis):
        return
    before = cx.emitter.effects
    value = evaluate(cx, node.value)
    if not isinstance(value, Void) and before == cx.emitter.effects:
        cx.refuse(
            "src.python.unused_expression", "the value of the expression is unused", "assign it, store it, or remove it"
        )


def _nested_function(cx: Context, node: cst.FunctionDef) -> None:
    name = identifier(node.name.value)
    decorators = [cx.globals.kind(cx.frame.module, node)]
    if "kernel" in decorators:
        cx.refuse(
            "src.kernel.nested",
            f"the kernel `{name}` is defined inside another function",
            "define kernels at the top level",
            node.name,
        )
    cx.refuse(
        "src.fn.nested",
        f"`{name}` is defined inside a kernel or helper",
        "define it at the top level with @intent.fn, and pass what it uses",
        node.name,
    )


def _return(cx: Context, node: cst.Return) -> None:
    frame = cx.frame
    if any(loop.kind == "parallel" for loop in frame.loops):
        cx.refuse("src.parallel.return", "`return` cannot leave a parallel loop", "use continue to end this point")
    if frame.function.kind == "kernel" and node.value is not None:
        cx.refuse("src.kernel.return_value", "a kernel cannot return a value", "store it into an Out view")
    if node.value is not None:
        value = evaluate(cx, node.value)
        _check_escape(cx, value)
        cx.bind(RESULT, value)
    cx.bind(RETURNED, Literal(True))
    cx.bind(LEFT, Literal(True))
    if frame.loops:
        cx.bind(STOP, Literal(True))


def _check_escape(cx: Context, value: Val) -> None:
    for item in value.items if isinstance(value, Tuple) else (value,):
        if is_buffer(item):
            name = getattr(item, "name", "")
            cx.refuse(
                "kir.buffer.escape",
                f"the buffer `{name}` cannot be returned: it does not outlive its body",
                "return values read from it, or pass a buffer in",
            )


def _break(cx: Context) -> None:
    if not cx.frame.loops:
        cx.refuse("src.control.break", "`break` stands outside a loop", "remove it")
    if cx.frame.loops[-1].kind == "parallel":
        cx.refuse(
            "src.parallel.break",
            "`break` cannot end a parallel loop: its points are unordered",
            "use an ordered for over I.domain, or continue to skip a point",
        )
    cx.frame.loops[-1].may_break = True
    cx.bind(LEFT, Literal(True))
    cx.bind(STOP, Literal(True))


def _continue(cx: Context) -> None:
    if not cx.frame.loops:
        cx.refuse("src.control.continue", "`continue` stands outside a loop", "remove it")
    cx.bind(LEFT, Literal(True))


def _assert(cx: Context, node: cst.Assert) -> None:
    value = evaluate(cx, node.test)
    if not isinstance(value, Literal):
        what = str(value) if isinstance(value, EnumMember) else "a runtime value"
        cx.refuse(
            "src.assert.runtime", f"assert is for compile-time conditions, not {what}", "check arguments on the host"
        )
    if not value.value:
        span = cx.span(node.test)
        cx.refuse(
            "src.assert.failed", f"the assertion `{span.text if span else ''}` is false", "specialise with other values"
        )


def _if(cx: Context, node: cst.If, tail: Statements) -> bool:
    """Reads an `if`. True when the statements after it were read too, on the only side that reaches them."""
    cx.node = node
    cx.emitter.statement = cx.emitter.place = header(cx, node)
    then, other = block_of(node.body), block_of(node.orelse)
    try:
        test = evaluate(cx, node.test)
        if isinstance(test, Literal):
            with _following(cx, bool(tail)):
                run(cx, then if test.value else other)
            return False
        cx.node = node.test
        condition = condition_value(cx, test, "if")
    except RefusedError:
        _read_for_errors(cx, node, then, other)
        return False
    exits = always_exits(then), always_exits(other)
    moved = bool(tail) and exits[0] != exits[1]
    if moved:
        then, other = (then, [*other, *tail]) if exits[0] else ([*then, *tail], other)
    with _following(cx, bool(tail) and not moved):
        _branches(cx, node, condition, (then, other), [node, *tail] if moved else [node])
    return moved


def _branches(
    cx: Context, node: cst.If, condition: Value, sides: tuple[Statements, Statements], inside: Statements
) -> None:
    """Reads both sides of a runtime branch and merges them."""
    place = cx.emitter.statement
    outcomes = branch(cx, lambda: run(cx, sides[0])), branch(cx, lambda: run(cx, sides[1]))
    cx.emitter.statement = cx.emitter.place = place
    cx.node = node
    try:
        merge(cx, condition, outcomes[0], outcomes[1], name_counts(inside))
    except RefusedError:
        for name in cx.assignments.of([*sides[0], *sides[1]]):
            cx.bind(name, POISON)


def _read_for_errors(cx: Context, node: cst.If, then: Statements, other: Statements) -> None:
    """Both sides of an `if` whose condition was refused; what they do is dropped."""
    for side in (then, other):
        branch(cx, lambda side=side: run(cx, side))
    for name in cx.assignments.of([node]):
        cx.bind(name, POISON)
