"""Expressions and statements as C++ text: one precedence table decides the parentheses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from intent2cuda.emit.comments import comment_text, string_text
from intent2cuda.emit.layout import (
    Choice,
    Concat,
    Cut,
    Doc,
    Fill,
    Group,
    HardLine,
    Line,
    Marked,
    Nest,
    Value,
    concat,
    has_one_line,
    joined,
    render,
)
from intent2cuda.emit.literals import literal
from intent2cuda.emit.spelling import declared, spell
from intent2cuda.machine.expressions import (
    Apply,
    Binary,
    Call,
    Cast,
    Conditional,
    Construct,
    Expression,
    Integer,
    Lambda,
    Literal,
    Member,
    Method,
    Name,
    Subscript,
    Text,
    Unary,
)
from intent2cuda.machine.statements import (
    Array,
    Assign,
    Barrier,
    Break,
    Declare,
    Evaluate,
    For,
    If,
    Remark,
    Return,
    Scope,
    Source,
    Statement,
    Try,
    While,
)

# https://en.cppreference.com/w/cpp/language/operator_precedence, turned round: greater binds tighter.
PRECEDENCE = {
    "*": 12, "/": 12, "%": 12, "+": 11, "-": 11, "<<": 10, ">>": 10, "<": 8, "<=": 8, ">": 8, ">=": 8,
    "==": 7, "!=": 7, "&": 6, "^": 5, "|": 4, "&&": 3, "||": 2,
}  # fmt: skip
_PRIMARY, _UNARY, _CONDITIONAL = 16, 15, 1
_CHAINS = ("*", "/", "%", "+", "-", "&&", "||")  # operators of one precedence stand in one chain without parentheses
_REMARK_COLUMNS = 400
_BITS = ("<<", ">>", "&", "^", "|")


def precedence(expression: Expression) -> int:
    match expression:
        case Binary():
            return PRECEDENCE[expression.operator]
        case Unary():
            return _UNARY
        case Literal() | Integer():
            return _UNARY if str(print_flat(expression)).startswith("-") else _PRIMARY
        case Conditional():
            return _CONDITIONAL
        case _:
            return _PRIMARY


def print_flat(expression: Literal | Integer) -> str:
    return literal(expression) if isinstance(expression, Literal) else str(expression.value)


def expression_doc(expression: Expression) -> Doc:
    match expression:
        case Name():
            return expression.text
        case Literal() | Integer():
            return print_flat(expression)
        case Text():
            return _text(expression.text)
        case Unary():
            inner = _wrapped(expression.operand, _UNARY)
            clash = isinstance(inner, str) and inner.startswith(expression.operator)
            return concat(expression.operator, concat("(", inner, ")") if clash else inner)
        case Binary():
            return _binary(expression)
        case Conditional():
            return _conditional(expression)
        case Call():
            return _call(_called(expression), expression.args)
        case Method():
            return _call(concat(_postfix(expression.object), f".{expression.name}"), expression.args)
        case Apply():
            return _call(_postfix(expression.object), expression.args)
        case Member():
            return concat(_postfix(expression.object), f".{expression.name}")
        case Subscript():
            return concat(_postfix(expression.base), "[", expression_doc(expression.index), "]")
        case Construct():
            return concat(f"{expression.type}{{", joined(", ", map(expression_doc, expression.args)), "}")
        case Cast():
            return _call(f"static_cast<{spell(expression.type)}>", (expression.operand,))
        case Lambda():
            return _lambda(expression)
        case _:
            assert_never(expression)


def _called(expression: Call) -> str:
    arguments = (a if isinstance(a, str) else spell(a) for a in expression.template)
    return f"{expression.function}<{', '.join(arguments)}>" if expression.template else expression.function


def _postfix(expression: Expression) -> Doc:
    return _wrapped(expression, _PRIMARY)


def _wrapped(expression: Expression, least: int) -> Doc:
    doc = expression_doc(expression)
    return doc if precedence(expression) >= least else concat("(", doc, ")")


def _binary(expression: Binary) -> Doc:
    """A chain of one precedence; its lines end in operators."""
    level = PRECEDENCE[expression.operator]
    operands: list[Doc] = []
    following = ""
    left: Expression = expression
    while (
        isinstance(left, Binary)
        and PRECEDENCE[left.operator] == level
        and (left is expression or left.operator in _CHAINS)
    ):
        operands.append(concat(_operand(left.rhs, left.operator, level + 1), following))
        following = f" {left.operator}"
        left = left.lhs
    operands.append(concat(_operand(left, expression.operator, level), following))
    return Group(Fill(tuple(reversed(operands))))


def _operand(side: Expression, operator: str, least: int) -> Doc:
    """Besides what C needs: parentheses where readers err (bit operations among others, `&&` inside `||`)."""
    if isinstance(side, Binary) and (side.operator != operator or operator in ("==", "!=")):
        mixed_bits = operator in _BITS or side.operator in _BITS
        mixed_logic = operator == "||" and side.operator == "&&"
        compared = operator in ("==", "!=") and PRECEDENCE[side.operator] <= PRECEDENCE["<"]
        if mixed_bits or mixed_logic or compared:
            return concat("(", expression_doc(side), ")")
    return _wrapped(side, least)


def _conditional(expression: Conditional) -> Doc:
    parts = [
        _wrapped(expression.condition, _CONDITIONAL + 1),
        _wrapped(expression.true_value, _CONDITIONAL + 1),
        _wrapped(expression.false_value, _CONDITIONAL + 1),
    ]
    return Group(Nest(Concat((parts[0], Line(), "? ", parts[1], Line(), ": ", parts[2]))))


def _call(function: Doc, args: tuple[Expression, ...]) -> Doc:
    """A lambda hugs the parentheses and breaks in its braces where what stands before it fits on the line."""
    docs = [expression_doc(a) for a in args]
    parts = tuple(concat(doc, ",") if i < len(docs) - 1 else doc for i, doc in enumerate(docs))
    heads = [(i, head) for i, head in enumerate(map(_opening, args)) if head is not None]
    if not heads:
        return Group(Concat((function, "(", Fill(parts, hangs=True), ")")))
    position, first = heads[0]
    head = Concat((function, "(", joined(", ", (*docs[:position], first))))
    tight = Concat((function, "(", joined(", ", docs), ")"))
    rows = joined(HardLine(), ((Fill(parts[:position]),) if position else ()) + parts[position:])
    loose = Concat((function, "(", Nest(concat(HardLine(), rows)), ")"))
    is_last = position == len(args) - 1
    if len(heads) == 1 and (isinstance(args[position], Lambda) or is_last):
        return Choice(head, tight, loose)
    return Choice(tight, tight, loose) if has_one_line(tight) or isinstance(args[position], Lambda) else loose


def _opening(argument: Expression) -> Doc | None:
    """What stands before the braces of a lambda, which is the argument or the only argument of a call that is it."""
    match argument:
        case Lambda():
            return _lambda_head(argument)
        case Call(args=(inner,)) if (head := _opening(inner)) is not None:
            return concat(_called(argument), "(", head)
        case _:
            return None


def _text(text: str) -> Doc:
    """A string literal, in several pieces where it is too long for a line."""
    words = f'"{string_text(text)}"'.split(" ")
    return Group(Fill(tuple(words), Line(" ", ' "', '"')))


def _is_short(item: Lambda) -> bool:
    """Whether the body is one simple statement, which may stand on the line of its braces."""
    return len(item.body) == 1 and isinstance(item.body[0], Return | Assign | Evaluate)


def _lambda_head(item: Lambda) -> str:
    parameters = ", ".join(f"{spell(t)} {name}".rstrip() for t, name in item.parameters)
    result = f" -> {spell(item.reference_to)}&" if item.reference_to is not None else ""
    return f"[{'&' if item.by_reference else '='}]({parameters}){result} {{"


def _lambda(item: Lambda) -> Doc:
    head, body = _lambda_head(item), body_doc(item.body)
    if _is_short(item):
        return Group(Concat((head, Nest(Concat((Line(), body))), Line(), "}")))
    return Concat((head, Nest(Concat((HardLine(), body))), HardLine(), "}"))


def text(statements: Sequence[Statement], column: int) -> str:
    """The statements as lines that begin at `column`, the first one without its indentation."""
    return render(body_doc(statements), column=column)


def body_doc(statements: Sequence[Statement]) -> Doc:
    """Statements one below the other; a blank line stands before the quote of a source statement (not at the top),
    and before a loop with a pragma that follows declarations."""
    parts: list[Doc] = []
    for i, statement in enumerate(statements):
        if i:
            apart = isinstance(statement, Source) or (_has_pragma(statement) and isinstance(statements[i - 1], Declare))
            parts += [HardLine(), HardLine()] if apart else [HardLine()]
        parts.append(Marked(_statement(statement), statement))
    return Concat(tuple(parts))


def _has_pragma(statement: Statement) -> bool:
    if isinstance(statement, For):
        return bool(statement.pragmas)
    return isinstance(statement, Scope) and bool(statement.pragma)


def _statement(statement: Statement) -> Doc:
    match statement:
        case Source():
            return joined(HardLine(), (_quote(s.file, s.line, s.text) for s in statement.lines))
        case Remark():
            return _remark(statement.text)
        case Declare():
            return _declare(statement)
        case Array():
            dims = joined("", (concat("[", expression_doc(d), "]") for d in statement.dims))
            head = f"{'__shared__ ' if statement.shared else ''}{spell(statement.type)} {statement.name}"
            return noted(concat(head, dims, ";"), statement.note)
        case Assign():
            value = Value(expression_doc(statement.value))
            return Concat((expression_doc(statement.target), f" {statement.operator}", value, ";"))
        case Evaluate():
            return concat(expression_doc(statement.call), ";")
        case If() | For() | While() | Scope() | Try():
            return _compound(statement)
        case Break():
            return "break;"
        case Return():
            return "return;" if statement.value is None else concat("return ", expression_doc(statement.value), ";")
        case Barrier():
            return _commented("__syncthreads();  //", statement.reason)
        case _:
            assert_never(statement)


def _compound(statement: If | For | While | Scope | Try) -> Doc:
    match statement:
        case If():
            return _if(statement)
        case For():
            return _for(statement)
        case While():
            return concat("while (", expression_doc(statement.condition), ") ", braces(statement.body))
        case Scope():
            head: Doc = concat(f"#pragma {statement.pragma}", HardLine()) if statement.pragma else ""
            return concat(head, braces(statement.body))
        case Try():
            kept = Evaluate(Method(statement.keeper, "keep", ()))
            return concat("try ", braces(statement.body), " catch (...) ", braces((kept,)))
        case _:
            assert_never(statement)


def _quote(file: str, line: int, source: str) -> Doc:
    return _commented(f"// {comment_text(file, 40)}:{line} ", source)


def _commented(kept: str, text: str) -> Cut:
    return Cut(f"{kept} {comment_text(text)}", kept=len(kept))


def _remark(text: str) -> Doc:
    """A comment on as many lines as it takes."""
    return Group(Fill(tuple(f"// {comment_text(text, _REMARK_COLUMNS)}".split(" ")), Line(" ", "", "// ")))


def _declare(statement: Declare) -> Doc:
    head = declared(statement.type, statement.name, statement.const)
    if statement.maybe_unused:
        head = f"[[maybe_unused]] {head}"
    if statement.value is None:
        return noted(f"{head};", statement.note)
    return noted(Concat((head, " =", Value(expression_doc(statement.value)), ";")), statement.note)


def noted(doc: Doc, note: str) -> Doc:
    """The note behind the line where both fit, else above it."""
    if not note:
        return doc
    behind = concat(doc, f"  // {comment_text(note)}")
    return Choice(behind, behind, concat(_remark(note), HardLine(), doc))


def braces(body: Sequence[Statement]) -> Doc:
    if not body:
        return "{}"
    return Concat(("{", Nest(Concat((HardLine(), body_doc(body)))), HardLine(), "}"))


def _if(statement: If) -> Doc:
    head = concat("if (", expression_doc(statement.condition), ") ", braces(statement.then_body))
    if statement.note:
        head = concat(_remark(statement.note), HardLine(), head)
    match statement.else_body:
        case ():
            return head
        case (If(note="") as only,):
            return concat(head, " else ", Marked(_if(only), only))
        case (Source() as quoted, If(note="") as only):
            return Concat(
                (head, HardLine(), Marked(_statement(quoted), quoted), HardLine(), "else ", Marked(_if(only), only))
            )
        case _:
            return concat(head, " else ", braces(statement.else_body))


def _for(statement: For) -> Doc:
    variable = statement.variable
    step = (
        f"++{variable}" if statement.step == Integer(1) else concat(f"{variable} += ", expression_doc(statement.step))
    )
    parts: tuple[Doc, ...] = (
        concat(f"{spell(statement.type)} {variable} = ", expression_doc(statement.begin), ";"),
        concat(f"{variable} < ", expression_doc(statement.end), ";"),
        step,
    )
    head = Group(Concat(("for (", Nest(joined(Line(), parts), None), ") ")))
    pragmas = [concat(f"#pragma {p}", HardLine()) for p in statement.pragmas]
    note = [concat(_remark(statement.note), HardLine())] if statement.note else []
    return Concat((*note, *pragmas, head, braces(statement.body)))
