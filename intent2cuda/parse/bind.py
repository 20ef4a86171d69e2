"""Arguments of a call bound to parameters, as Python binds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import libcst as cst

from intent2cuda.parse.context import Context, near
from intent2cuda.parse.hints import PHYSICAL_WORDS
from intent2cuda.parse.values import Val


@dataclass(frozen=True)
class Signature:
    """Parameter names of a callee. `name` is how the author calls it."""

    name: str
    positional: tuple[str, ...]
    keyword_only: tuple[str, ...] = ()
    optional: frozenset[str] = frozenset()

    @property
    def names(self) -> tuple[str, ...]:
        return self.positional + self.keyword_only


@dataclass(frozen=True)
class Argument:
    """An argument as written: its keyword or None, and its value."""

    keyword: str | None
    node: cst.Arg
    value: Val


def signature_of(name: str, text: str) -> Signature:
    """The signature that a line such as `value, *, axis, acc_dtype=` describes; `=` marks what may be left out."""
    before, _, after = text.partition("*, ") if "*" in text else (text, "", "")
    groups = [[p.strip() for p in part.split(",") if p.strip()] for part in (before, after)]
    optional = frozenset(p[:-1] for group in groups for p in group if p.endswith("="))
    positional, keyword_only = (tuple(p.rstrip("=") for p in group) for group in groups)
    return Signature(name, positional, keyword_only, optional)


_ARGUMENT_HELP: Mapping[str, str] = {
    "keepdims": "keep the axis with a None index, v[:, None], or with I.reshape",
    "identity": "builtin reductions have their own identity; I.reduce takes one",
    "mask": "use `valid` of I.gather, I.select, or an `if` around the store",
    "valid": "put an `if` around it, or use I.gather for reads",
    "combine": "use combine=I.add, or I.reduce for another one",
    "out": "assign the result: o[:] = ...",
    "dtype": "convert with I.cast",
}

_MISSING_HELP: Mapping[str, str] = {
    "acc_dtype": "name the accumulator, for example acc_dtype=I.f32",
    "dtype": "name the dtype, for example I.f32",
    "axis": "name the axis, for example axis=0",
    "combine": "give the combine, for example combine=I.add",
    "stop": "write both bounds: I.domain(0, n)",
    "identity": "give the value that the combine leaves unchanged",
    "summarize": "give an intent.fn that makes a summary of a slice",
    "apply": "give an intent.fn of a summary and a state",
    "emit": "give an intent.fn that makes the outputs of a slice from it and the state before it",
    "initial_state": "give the state before the first member",
}

_MISSING_CODES: Mapping[str, str] = {
    "I.region_fold": "kir.region_fold.missing_part",
    "I.region_scan": "kir.region_scan.missing_part",
}

_PHYSICAL_CODES: Mapping[str, str] = {
    "I.parallel": "src.parallel.physical",
    "I.domain": "src.block_extent",
    "I.buffer": "src.buffer.space",
    "I.constraints": "src.view.physical",
    "I.region_fold": "src.block_extent",
    "I.region_scan": "src.block_extent",
}

_CUTS = frozenset({"extent", "segment", "segments", "parts", "block_size", "chunk_size", "segment_size"})
"""What somebody may want to say about the slices of an operation over regions."""


def bind(cx: Context, signature: Signature, arguments: list[Argument]) -> dict[str, Val]:
    """The value of each parameter that has one. Refuses what does not fit."""
    bound: dict[str, Val] = {}
    given = [a for a in arguments if a.keyword is None]
    if len(given) > len(signature.positional):
        _too_many(cx, signature, len(given), given[len(signature.positional)])
    for name, argument in zip(signature.positional, given, strict=False):
        bound[name] = argument.value
    for argument in arguments:
        if argument.keyword is not None:
            _keyword(cx, signature, argument.keyword, argument, bound)
    for name in signature.names:
        if name not in bound and name not in signature.optional:
            cx.refuse(
                _MISSING_CODES.get(signature.name, "src.call.missing_argument"),
                f"{signature.name} needs the argument `{name}`",
                _MISSING_HELP.get(name, f"write {name}=..."),
            )
    return bound


def _keyword(cx: Context, signature: Signature, name: str, argument: Argument, bound: dict[str, Val]) -> None:
    if name in bound:
        cx.refuse(
            "src.call.repeated_argument", f"{signature.name} is given `{name}` twice", "give it once", argument.node
        )
    if name in signature.names:
        bound[name] = argument.value
        return
    if name in PHYSICAL_WORDS or (name in _CUTS and signature.name.startswith("I.region_")):
        scope = name == "scope" and signature.name.startswith("I.atomic.")
        cx.refuse(
            "src.atomic.scope" if scope else _PHYSICAL_CODES.get(signature.name, "src.call.physical"),
            f"{signature.name} takes no `{name}`: how it runs is the compiler's",
            "leave it out",
            argument.node,
        )
    close = near(name, signature.names)
    listed = ", ".join(signature.names)
    help = _ARGUMENT_HELP.get(name, f"did you mean `{close}`?" if close else f"the arguments are {listed}")
    cx.refuse("src.call.unknown_argument", f"{signature.name} has no argument `{name}`", help, argument.node)


def _too_many(cx: Context, signature: Signature, count: int, argument: Argument) -> None:
    limit = len(signature.positional)
    free = [name for name in signature.keyword_only if name not in signature.optional]
    what = "argument" if limit == 1 else "arguments"
    if free:
        cx.refuse(
            "src.call.too_many_arguments",
            f"{signature.name} takes {limit} positional {what}, {count} are given; `{free[0]}` is given by name",
            f"write {free[0]}=...",
            argument.node,
        )
    cx.refuse(
        "src.call.too_many_arguments",
        f"{signature.name} takes {limit} {what}, {count} are given",
        f"the arguments are {', '.join(signature.names)}" if signature.names else "call it without arguments",
        argument.node,
    )
