"""Members in groups of different sizes: descriptors that expand to loads of offsets and parts of a domain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from intent2cuda.base.intexpr import maximum, minimum
from intent2cuda.ir.value import Value
from intent2cuda.parse.access import read, subregion
from intent2cuda.parse.context import Context
from intent2cuda.parse.describe import described
from intent2cuda.parse.indexing import integer_dtype
from intent2cuda.parse.intrinsics import coordinates
from intent2cuda.parse.operators import binary
from intent2cuda.parse.shaping import require_equal
from intent2cuda.parse.values import Literal, Nothing, Ragged, Stretch, Val
from intent2cuda.types.value_type import DomainType

Arguments = Mapping[str, Val]


def ragged(cx: Context, path: str, given: Arguments) -> Val:
    outer, source = (_domain(cx, given[name], name) for name in ("outer", "members"))
    offsets = _vector(cx, given["offsets"], "offsets")
    _one_more(cx, offsets, outer)
    indices = given.get("indices", Nothing())
    return Ragged(outer, source, offsets, None if isinstance(indices, Nothing) else _vector(cx, indices, "indices"))


def group(cx: Context, relation: Ragged, items: Sequence[Val]) -> Value:
    """The coordinates of the members of one group, `relation[g]`, as a part of the domain of members."""
    item = items[0] if len(items) == 1 else None
    if item is None:
        cx.refuse(
            "kir.ragged.selector",
            f"a ragged relation has one axis, the index has {len(items)} terms",
            "name one group, rows[g]",
        )
    integer_dtype(cx, item, "the group of a ragged relation", "kir.ragged.selector")
    begin = read(cx, relation.offsets, (item,))
    end = read(cx, relation.offsets, (binary(cx, "add", item, Literal(1)),))
    found = subregion(cx, relation.members, (Stretch(begin, end, None),))
    cx.groups[found] = relation
    return found


def members(cx: Context, path: str, given: Arguments) -> Val:
    """The members of a group: its coordinates, or what the mapping makes of them."""
    region = given["region"]
    relation = cx.groups.get(region) if isinstance(region, Value) else None
    if relation is None:
        cx.refuse(
            "kir.ragged.members",
            f"I.members takes a group of a ragged relation, not {described(region)}",
            "use I.indices for the coordinates of a domain",
        )
    if relation.mapping is None:
        return coordinates.indices(cx, path, given)
    assert isinstance(region, Value)
    return read(cx, relation.mapping, (region,))


def _domain(cx: Context, given: Val, name: str) -> Value:
    if isinstance(given, Value) and isinstance(given.type, DomainType):
        return given
    cx.refuse(
        f"kir.ragged.{name}",
        f"`{name}` of I.ragged is a domain, not {described(given)}",
        "write a domain, for example I.domain(0, x.shape[0])",
    )


def _one_more(cx: Context, offsets: Value, outer: Value) -> None:
    """Offsets end each group where the next one begins, and the last one. A count of its own may leave some unused."""
    assert not isinstance(offsets.type, DomainType) and isinstance(outer.type, DomainType)
    found, groups = offsets.type.shape[0], outer.type.extent
    if not cx.emitter.is_call_time(found) or not cx.emitter.is_call_time(groups):
        return
    if groups.as_symbol is not None and not groups.as_symbol.serial:
        text = "the offsets of I.ragged are one more than its groups"
        require_equal(cx, found, groups + 1, text, "kir.ragged.offsets")
    else:
        wanted = maximum(groups, 0) + 1
        text = "the offsets of I.ragged are at least one more than its groups"
        require_equal(cx, minimum(found, wanted), wanted, text, "kir.ragged.offsets")


def _vector(cx: Context, given: Val, name: str) -> Value:
    """A view, buffer or tensor of integers with one axis."""
    code = f"kir.ragged.{name}"
    if not isinstance(given, Value) or isinstance(given.type, DomainType) or len(given.type.shape) != 1:
        cx.refuse(
            code, f"`{name}` of I.ragged is a vector of integers, not {described(given)}", "name a view of one axis"
        )
    if not given.type.dtype.is_integer:
        cx.refuse(
            code, f"`{name}` of I.ragged is a vector of integers, not of {given.type.dtype}", "use a view of I.i32"
        )
    return given
