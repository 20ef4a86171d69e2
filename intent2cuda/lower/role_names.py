"""What a variable is called when the compiler has to add one: the author's name, else a word for its role."""

from __future__ import annotations

from collections.abc import Sequence

from intent2cuda.ir.op import Op
from intent2cuda.ir.ops import Cast, Gather, Inspect, Load, Pointwise, Subregion
from intent2cuda.lower.access import line_names, shift
from intent2cuda.lower.coordinates import Coordinates
from intent2cuda.lower.nodes import Node
from intent2cuda.machine.glossary import CONDITION, KEPT, PAIRS, RESULT_NAMES
from intent2cuda.machine.names import derived, identifier
from intent2cuda.types.scalar_fn import SCALAR_FNS, Result


def role_names(op: Op, operands: Sequence[Node], author: str) -> tuple[str, ...]:
    """Candidates for a name, best first."""
    if author:
        return (identifier(author), derived(identifier(author), "next"))
    match op:
        case Pointwise():
            return _of_function(op, operands)
        case Cast():
            sources = operands[0].names if operands and operands[0].names else ("value",)
            return tuple(derived(source, op.result.tensor.dtype.name) for source in sources)
        case Gather():
            return (derived(identifier(op.source.name or "source"), "element"),)
        case Inspect():
            return (KEPT[op.rule.value], derived(KEPT[op.rule.value], "here"))
        case _:
            return ("element",)


def names_of_read(op: Load, where: Coordinates, users: Sequence[Op]) -> tuple[str, ...]:
    """Candidates for an element that is read: `mine_begin` for one that says where a part of a domain begins."""
    if op.result.name:
        name, *versions = role_names(op, (), op.result.name)
        place = shift(where[-1]) if where and op.result.tensor.shape else ""
        return (name, *((derived(name, place),) if place else ()), *versions)
    words = (
        derived(identifier(user.result.name), word) if user.result.name else word
        for user in users
        if isinstance(user, Subregion)
        for word, bound in (("begin", user.begin), ("end", user.end))
        if bound is op.result
    )
    return (*words, *line_names(identifier(op.resource.name or "buffer"), "element", where))


def _of_function(op: Pointwise, operands: Sequence[Node]) -> tuple[str, ...]:
    if SCALAR_FNS[op.fn].result is Result.BOOL and op.fn not in RESULT_NAMES:
        return (CONDITION, derived(CONDITION, "here"))
    names = [o.names[0] for o in operands if o.names]
    word = RESULT_NAMES.get(op.fn, "result")
    if op.fn in PAIRS and len(names) == 2 and all(o.named for o in operands):
        return (derived(derived(names[0], PAIRS[op.fn]), names[1]), word)
    first = next((o.names for o in operands if o.names), ())
    return (word, *(derived(name, word) for name in first))
