"""Assignments: names, unpacking, subscripts."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from intent2cuda.ir.value import Value
from intent2cuda.parse.access import subscript, write
from intent2cuda.parse.constants import evaluate as constant_of
from intent2cuda.parse.context import Binding, Context
from intent2cuda.parse.describe import described
from intent2cuda.parse.expressions import evaluate, index_items
from intent2cuda.parse.literals import constant, dtype_of, no_tensor
from intent2cuda.parse.operator_names import AUGMENTED, spelled
from intent2cuda.parse.operators import binary
from intent2cuda.parse.source import identifier
from intent2cuda.parse.values import Element, Extent, Literal, Poison, Record, Tuple, Val, Void
from intent2cuda.types.value_type import Access, BufferType, ViewType


def assignment(cx: Context, node: cst.Assign) -> None:
    value = evaluate(cx, node.value)
    for target in node.targets:
        assign(cx, target.target, value)


def annotated(cx: Context, node: cst.AnnAssign) -> None:
    """`name: I.f32 = value`: a literal takes the dtype, any other value has it."""
    if not isinstance(node.target, cst.Name):
        cx.refuse("src.python.annotation", "only a name can be annotated", "leave the annotation out", node.target)
    text = identifier(node.target.value)
    if node.value is None:
        cx.refuse("src.python.declaration", f"`{text}` is declared without a value", "give it one", node)
    annotation = constant_of(cx.globals, cx.frame.module, node.annotation.annotation)
    if not isinstance(annotation, Element):
        cx.refuse(
            "src.python.annotation",
            f"the annotation of `{text}` is no dtype of the language",
            "write, for example, I.f32",
            node.annotation.annotation,
        )
    value = evaluate(cx, node.value)
    found = dtype_of(value)
    if isinstance(value, Literal):
        value = constant(cx, value, annotation.dtype, fresh=True)
    elif found is None:
        no_tensor(cx, value, f"a value of {annotation.dtype}")
    elif found != annotation.dtype:
        cx.refuse(
            "kir.dtype.mixed",
            f"`{text}` is annotated {annotation.dtype}, its value is {found}",
            f"convert with I.cast(..., I.{annotation.dtype})",
        )
    assign(cx, node.target, value)


def augmented(cx: Context, node: cst.AugAssign) -> None:
    """`target op= value`; the index of a subscript is evaluated once."""
    fn = AUGMENTED.get(type(node.operator))
    if fn is None:
        cx.refuse(
            "src.python.matrix_multiply", "the operator @= is not part of kernels", "use I.matmul with an acc_dtype"
        )
    if isinstance(node.target, cst.Subscript):
        base, items = evaluate(cx, node.target.value), index_items(cx, node.target)
        old = subscript(cx, base, items)
        write(cx, base, items, binary(cx, fn, old, evaluate(cx, node.value)))
        return
    old = evaluate(cx, node.target)
    if isinstance(old, Value) and isinstance(old.type, ViewType | BufferType):
        cx.refuse(
            "src.assign.view",
            f"{described(old)} has elements: an assignment to its name stores nothing",
            f"write {old.name}[:] {spelled(fn)}= ...",
        )
    assign(cx, node.target, binary(cx, fn, old, evaluate(cx, node.value)))


def assign(cx: Context, target: cst.BaseExpression, value: Val) -> None:
    """Gives a target its value."""
    match target:
        case cst.Name(value=name):
            bind_name(cx, identifier(name), value)
        case cst.Tuple(elements=elements) | cst.List(elements=elements):
            _unpack(cx, elements, value, target)
        case cst.Subscript():
            cx.node, cx.emitter.place = target, cx.span(target)
            write(cx, evaluate(cx, target.value), index_items(cx, target), value)
        case cst.Attribute(attr=cst.Name(value=name)):
            cx.refuse(
                "src.python.attribute_assignment",
                f"the attribute `{name}` cannot be assigned",
                "values are immutable: build a new one",
                target,
            )
        case _:
            cx.refuse("src.python.target", "this cannot be assigned", "assign to a name or a subscript", target)


def _unpack(cx: Context, elements: Sequence[cst.BaseElement], value: Val, target: cst.BaseExpression) -> None:
    for element in elements:
        if isinstance(element, cst.StarredElement):
            cx.refuse("src.python.starred", "a starred target (*) is not part of kernels", "name every member", element)
    if not isinstance(value, Tuple):
        if isinstance(value, Poison | Void):
            no_tensor(cx, value, "a tuple to unpack")
        cx.refuse(
            "kir.tuple.unpack",
            f"{described(value)} is unpacked into {len(elements)} names, it is no tuple",
            "unpack tuples and shapes only",
            target,
        )
    if len(value.items) != len(elements):
        cx.refuse(
            "kir.tuple.unpack",
            f"a tuple of {len(value.items)} is unpacked into {len(elements)} names",
            f"name {len(value.items)} targets",
            target,
        )
    for element, item in zip(elements, value.items, strict=True):
        assign(cx, element.value, item)


def bind_name(cx: Context, name: str, value: Val) -> None:
    """The name stands for the value from now on; nameless values take the name."""
    if isinstance(value, Void):
        cx.refuse(value.code, f"`{value.name}` gives no value", "call it as a statement")
    if name == "_":
        return
    _check_view(cx, name)
    cx.bind(name, named(cx, name, value))


def _check_view(cx: Context, name: str) -> None:
    """Refuses to give the name of an Out view to something else: what is meant is a store."""
    found = cx.scope.get(name)
    if isinstance(found, Binding) and isinstance(found.value, Value):
        type_ = found.value.type
        if isinstance(type_, ViewType) and type_.access is Access.OUT and found.value.name == name:
            cx.refuse(
                "src.assign.view",
                f"`{name}` is an Out view: an assignment to its name stores nothing",
                f"write {name}[...] = ...",
            )


def named(cx: Context, name: str, value: Val) -> Val:
    """The value with its nameless parts named. Index arithmetic becomes a value of its own."""
    match value:
        case Value():
            cx.emitter.christen(value, name)
            return value
        case Extent(expression=expression, named=written):
            if expression.constant is not None or expression.as_symbol is not None:
                return value
            made = cx.emitter.dim(expression, written)
            cx.emitter.christen(made, name)
            return made
        case Tuple(items=items):
            return Tuple(tuple(named(cx, f"{name}_{k}", item) for k, item in enumerate(items)))
        case Record(fields=fields):
            return Record(tuple((field, named(cx, f"{name}_{field}", item)) for field, item in fields))
        case _:
            return value


def is_buffer(value: Val) -> bool:
    return isinstance(value, Value) and isinstance(value.type, BufferType)
