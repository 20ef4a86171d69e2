"""What a `for` walks over: a domain, its ordinals beside it, or the points of I.parallel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import libcst as cst

from intent2cuda.ir.value import Value
from intent2cuda.parse.bind import Argument, bind, signature_of
from intent2cuda.parse.context import Context
from intent2cuda.parse.describe import described
from intent2cuda.parse.intrinsics.coordinates import make_domain
from intent2cuda.parse.source import identifier
from intent2cuda.parse.surface import SIGNATURES
from intent2cuda.parse.values import Extent, HostName, Intrinsic, Literal, Ragged, Record, Tuple, Val
from intent2cuda.types.value_type import DomainType

Evaluate = Callable[[Context, cst.BaseExpression], Val]

_PARALLEL = signature_of("I.parallel", SIGNATURES["parallel"])


@dataclass(frozen=True)
class Iteration:
    """The domains of a loop and the names of its coordinates; with `enumerated`, the first name counts from 0."""

    domains: tuple[Value, ...]
    names: tuple[str, ...]
    parallel: bool = False
    enumerated: bool = False

    def ordinal_value(self, cx: Context, index: Value) -> Val | None:
        """The ordinal of a coordinate, when the loop counts them."""
        if not self.enumerated:
            return None
        domain = self.domains[0].domain
        return Extent((cx.emitter.expression(index) - domain.begin) // domain.step)

    def bind(self, cx: Context, index: Value, ordinal: Val | None) -> None:
        """Gives the names of an ordered loop their values in a round."""
        if ordinal is not None and self.names[0] != "_":
            cx.bind(self.names[0], ordinal)
        if self.names[-1] != "_":
            cx.bind(self.names[-1], index)


def iteration(cx: Context, node: cst.For, evaluate: Evaluate) -> Iteration:
    """What the header of a loop says."""
    names = _target_names(cx, node.target)
    callee = evaluate(cx, node.iter.func) if isinstance(node.iter, cst.Call) else None
    if isinstance(node.iter, cst.Call) and isinstance(callee, Intrinsic | HostName):
        cx.node = node.iter
        match callee:
            case Intrinsic(path="parallel"):
                return _parallel(cx, _arguments(cx, node.iter, evaluate), names)
            case HostName(path="range"):
                return Iteration((_range(cx, _arguments(cx, node.iter, evaluate)),), _one(cx, names))
            case HostName(path="enumerate"):
                return _enumerate(cx, _arguments(cx, node.iter, evaluate), names)
            case _:
                pass
    return Iteration((_domain(cx, evaluate(cx, node.iter), "for"),), _one(cx, names))


def _arguments(cx: Context, node: cst.Call, evaluate: Evaluate) -> list[Argument]:
    found: list[Argument] = []
    for arg in node.args:
        if arg.star:
            cx.refuse(
                "src.python.starred", "starred arguments (*) are not part of kernels", "write the arguments out", arg
            )
        keyword = None if arg.keyword is None else identifier(arg.keyword.value)
        found.append(Argument(keyword, arg, evaluate(cx, arg.value)))
    return found


def _target_names(cx: Context, target: cst.BaseExpression) -> tuple[str, ...]:
    match target:
        case cst.Name(value=name):
            return (identifier(name),)
        case cst.Tuple(elements=elements) | cst.List(elements=elements) if all(
            isinstance(e, cst.Element) and isinstance(e.value, cst.Name) for e in elements
        ):
            return tuple(identifier(e.value.value) for e in elements if isinstance(e.value, cst.Name))
        case _:
            cx.refuse(
                "src.for.target", "the target of a loop is a name, or a tuple of names", "name the coordinates", target
            )


def _one(cx: Context, names: Sequence[str]) -> tuple[str, ...]:
    if len(names) != 1:
        cx.refuse(
            "src.for.target",
            f"{len(names)} names for 1 coordinate",
            "use one name, or enumerate for an ordinal beside it",
        )
    return tuple(names)


def _domain(cx: Context, value: Val, what: str) -> Value:
    if isinstance(value, Value) and isinstance(value.type, DomainType):
        return value
    code = "kir.parallel.domain" if what == "I.parallel" else "src.for.source"
    bound = " of the extent: I.domain(0, n)" if isinstance(value, Literal | Extent) else ": I.domain(0, x.shape[0])"
    help = f"iterate an I.domain{bound}"
    if isinstance(value, Tuple | Record):
        help = "iterate an I.domain; write the rounds out for a tuple"
    if isinstance(value, Ragged):
        help = "iterate rows.outer for the groups, or rows[g] for the members of one"
    cx.refuse(code, f"`{what}` walks over a domain or subregion, not {described(value)}", help)


def _parallel(cx: Context, arguments: list[Argument], names: tuple[str, ...]) -> Iteration:
    given = [a for a in arguments if a.keyword is None]
    if len(given) > 1:
        cx.refuse(
            "src.parallel.physical",
            "I.parallel takes a domain and nothing about how it runs",
            "leave the rest out",
            given[1].node,
        )
    source = bind(cx, _PARALLEL, arguments)["source"]
    items = source.items if isinstance(source, Tuple) else (source,)
    domains = tuple(_domain(cx, item, "I.parallel") for item in items)
    if len(domains) != len(names):
        cx.refuse("src.for.target", f"{len(names)} names for {len(domains)} coordinates", "give each coordinate a name")
    return Iteration(domains, names, parallel=True)


def _range(cx: Context, arguments: list[Argument]) -> Value:
    given = (
        bind(cx, signature_of("range", "start, stop=, step="), arguments)
        if all(a.keyword is None for a in arguments)
        else None
    )
    if given is None:
        cx.refuse(
            "src.call.unknown_argument", "range takes no arguments by name", "write range(stop) or range(start, stop)"
        )
    if "stop" not in given:
        return make_domain(cx, Literal(0), given["start"], Literal(1))
    return make_domain(cx, given["start"], given["stop"], given.get("step", Literal(1)))


def _enumerate(cx: Context, arguments: list[Argument], names: tuple[str, ...]) -> Iteration:
    source = bind(cx, signature_of("enumerate", "iterable"), arguments)["iterable"]
    domain = _domain(cx, source, "enumerate")
    if len(names) != 2:
        cx.refuse(
            "src.for.target", f"enumerate gives 2 names, not {len(names)}", "write for ordinal, i in enumerate(region)"
        )
    return Iteration((domain,), names, enumerated=True)
