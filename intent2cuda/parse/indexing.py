"""Index expressions become one term for each axis, and new axes of the result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir import infer
from intent2cuda.ir.terms import Along, Lanes, Point, Slice, Term, Whole
from intent2cuda.ir.value import Value
from intent2cuda.parse.context import Context
from intent2cuda.parse.describe import described, extent_text
from intent2cuda.parse.literals import constant, held, no_tensor, tensor
from intent2cuda.parse.operators import one_dtype
from intent2cuda.parse.shaping import broadcast
from intent2cuda.parse.sizes import MAX_RANK
from intent2cuda.parse.values import Dots, Extent, Literal, Nothing, Stretch, Text, Tuple, Val
from intent2cuda.types.dtype import INDEX, DType
from intent2cuda.types.value_type import DomainType, Shape, TensorType

_BOUNDS = "use a position inside the axis: nothing is clamped"


@dataclass(frozen=True)
class Selection:
    """Terms for every axis; `axes` maps the axes of the result to those of the access, None for a new one."""

    terms: tuple[Term, ...]
    shape: Shape
    axes: tuple[int | None, ...]

    @property
    def is_plain(self) -> bool:
        """Whether there are no new axes."""
        return None not in self.axes


@dataclass(frozen=True)
class _Parsed:
    """A term before the lanes are broadcast. `constant` marks a position that is no variable."""

    term: Term
    constant: bool = False


def index_argument(index: Val) -> tuple[Val, ...]:
    """The terms of an index that is an argument: the members of a tuple, or one term."""
    return index.items if isinstance(index, Tuple) else (index,)


def selection(cx: Context, shape: Shape, items: Sequence[Val]) -> Selection:
    """What an index selects from a shape."""
    expanded = _expand(cx, shape, items)
    axis = 0
    parsed: list[_Parsed | None] = []
    for item in expanded:
        if isinstance(item, Nothing):
            parsed.append(None)
        else:
            parsed.append(_term(cx, item, shape[axis]))
            axis += 1
    _check_adjacent(cx, parsed)
    terms = _joint_lanes(cx, [p.term for p in parsed if p is not None])
    axes = _result_axes(parsed, terms)
    if len(axes) > MAX_RANK:
        cx.refuse("src.limit.rank", f"the index makes {len(axes)} axes, more than {MAX_RANK}", "use fewer axes")
    return Selection(terms, infer.selected_shape(shape, terms), axes)


def _expand(cx: Context, shape: Shape, items: Sequence[Val]) -> list[Val]:
    """The items with the ellipsis and the missing trailing axes written out."""
    dots = [k for k, item in enumerate(items) if isinstance(item, Dots)]
    if len(dots) > 1:
        cx.refuse(
            "kir.index.ellipsis", "an index holds more than one ellipsis", "write one ellipsis, and `:` for the rest"
        )
    used = sum(not isinstance(item, Nothing | Dots) for item in items)
    if used > len(shape):
        axes = "axis" if len(shape) == 1 else "axes"
        help = "write [()] for a rank-0 view" if not shape else "write at most one term for each axis"
        cx.refuse("kir.index.rank", f"the index has {used} terms, there are {len(shape)} {axes}", help)
    missing: list[Val] = [Stretch(None, None, None)] * (len(shape) - used)
    at = dots[0] if dots else len(items)
    return [*items[:at], *missing, *items[at + 1 :]]


def _term(cx: Context, item: Val, extent: IntExpr) -> _Parsed:
    match item:
        case Stretch():
            return _Parsed(_slice(cx, item, extent), constant=True)
        case Literal() if type(item.value) is int:
            return _Parsed(Point(_position(cx, item.value, extent, item.named)), constant=True)
        case Extent():
            number = item.expression.constant
            if number is not None:
                return _Parsed(Point(_position(cx, number, extent, item.named)))
            return _Parsed(Point(cx.emitter.dim(item.expression, item.named)))
        case Value(type=DomainType() as domain):
            _check_domain(cx, domain, extent)
            return _Parsed(Along(item), constant=True)
        case Literal() | Text():
            cx.refuse(
                "kir.index.dtype", f"{described(item)} is no position: an index is an integer", "write an integer"
            )
        case _:
            found = tensor(cx, item, INDEX, "an index")
            _check_integer(cx, found)
            return _Parsed(Lanes(found) if found.tensor.shape else Point(found))


def _check_integer(cx: Context, value: Value) -> None:
    dtype = value.tensor.dtype
    if dtype.is_bool:
        cx.refuse(
            "kir.index.dtype", "an index is an integer, not a bool mask", "keep the shape with I.mask or I.select"
        )
    if not dtype.is_integer:
        cx.refuse("kir.index.dtype", f"an index is an integer, not {dtype}", "convert with I.cast(..., I.index)")


def _position(cx: Context, number: int, extent: IntExpr, named: IntExpr) -> Value:
    """A fixed position; a negative one counts from the end."""
    held(cx, IntExpr.of(number))
    size = extent.constant
    if size is not None and not -size <= number < size:
        cx.refuse("kir.index.bounds", f"position {number} is outside an axis of extent {size}", _BOUNDS)
    return cx.emitter.dim(IntExpr.of(number), named) if number >= 0 else cx.emitter.dim(extent + number)


def _slice(cx: Context, item: Stretch, extent: IntExpr) -> Term:
    if item.step is not None and not (isinstance(item.step, Literal) and item.step.value == 1):
        cx.refuse(
            "kir.index.step", "a slice with a step is not taken", "use I.indices of a stepped I.domain as the index"
        )
    if item.lower is None and item.upper is None:
        return Whole()
    bounds = (item.lower, item.upper)
    dtypes = [integer_dtype(cx, bound, "a bound of a slice", "kir.index.dtype") for bound in bounds]
    one_dtype(cx, "a slice", bounds, dtypes)
    lower = IntExpr.of(0) if item.lower is None else scalar_expression(cx, item.lower)
    upper = extent if item.upper is None else scalar_expression(cx, item.upper)
    a, b = extent_text(lower), extent_text(upper)
    for bound in (lower, upper):
        if (bound.constant or 0) < 0:
            cx.refuse(
                "kir.index.bounds", f"the bound {bound} of a slice is negative", "count from the start: x.shape[0] - 1"
            )
    if ((upper - lower).constant or 0) < 0:
        cx.refuse("kir.index.bounds", f"the slice {a}:{b} ends before it begins", "order the bounds")
    if ((extent - upper).constant or 0) < 0 or ((extent - lower).constant or 0) < 0:
        cx.refuse("kir.index.bounds", f"the slice {a}:{b} leaves an axis of extent {extent_text(extent)}", _BOUNDS)
    if lower.constant == 0 and upper == extent:
        return Whole()
    begin = IntExpr.of(0) if item.lower is None else item.lower
    return Slice(integer_scalar(cx, begin), upper - lower)


def _check_domain(cx: Context, domain: DomainType, extent: IntExpr) -> None:
    size, members, begin, step = extent.constant, domain.extent.constant, domain.begin.constant, domain.step.constant
    if size is None or members is None or begin is None or step is None or members <= 0:
        return
    end = begin + (members - 1) * step + 1
    if begin < 0 or end > size:
        cx.refuse("kir.index.bounds", f"the domain from {begin} to {end} leaves an axis of extent {size}", _BOUNDS)


def integer_dtype(cx: Context, value: Val | None, role: str, code: str) -> DType | None:
    """The dtype of an integer scalar; None for a constant or a missing one. Refuses everything else."""
    match value:
        case None:
            return None
        case Literal() if type(value.value) is int:
            return None
        case Extent():
            return INDEX
        case Literal():
            cx.refuse(code, f"{described(value)} stands where {role} is needed: an integer", "write an integer")
        case Value(type=TensorType() as found) if found.shape:
            cx.refuse(code, f"{role} is a scalar, not {described(value)}", "use one element of the tensor")
        case Value(type=TensorType() as found) if not found.dtype.is_integer:
            cx.refuse(code, f"{role} is an integer, not {found.dtype}", "convert with I.cast(..., I.index)")
        case Value(type=TensorType() as found):
            return found.dtype
        case _:
            no_tensor(cx, value, f"an integer scalar for {role}", code)
            return None


def scalar_expression(cx: Context, value: Val) -> IntExpr:
    """The expression of an integer scalar whose kind has been checked."""
    match value:
        case Extent():
            return held(cx, value.expression)
        case Literal():
            return held(cx, IntExpr.of(int(value.value)))
        case Value():
            return cx.emitter.expression(value)
        case _:
            raise AssertionError(value)


def integer_scalar(cx: Context, value: Val | IntExpr, dtype: DType = INDEX) -> Value:
    """The runtime value of an integer scalar; a constant takes the dtype."""
    if isinstance(value, IntExpr):
        return cx.emitter.dim(value)
    return constant(cx, value, dtype) if isinstance(value, Literal) else tensor(cx, value)


def _check_adjacent(cx: Context, parsed: Sequence[_Parsed | None]) -> None:
    """Tensor terms stand side by side; only scalar variables may stand between them."""
    lanes = [k for k, p in enumerate(parsed) if p is not None and isinstance(p.term, Lanes)]
    if lanes and any(p is None or p.constant for p in parsed[lanes[0] : lanes[-1] + 1]):
        cx.refuse(
            "kir.index.adjacent",
            "tensor indices must be adjacent: a slice, a constant or a new axis separates them",
            "move the tensor indices together, or transpose first",
        )


def _joint_lanes(cx: Context, terms: list[Term]) -> tuple[Term, ...]:
    """The terms with all lanes in one shape. The coordinates of a domain, alone, are that domain."""
    lanes = [term.index for term in terms if isinstance(term, Lanes)]
    if len(lanes) == 1 and (domain := cx.coordinates.get(lanes[0])) is not None:
        return tuple(Along(domain) if isinstance(term, Lanes) else term for term in terms)
    shaped = iter(broadcast(cx, lanes))
    return tuple(Lanes(next(shaped)) if isinstance(term, Lanes) else term for term in terms)


def _result_axes(parsed: Sequence[_Parsed | None], terms: Sequence[Term]) -> tuple[int | None, ...]:
    axes: list[int | None] = []
    source = 0
    remaining = iter(terms)
    lanes_placed = False
    for p in parsed:
        if p is None:
            axes.append(None)
            continue
        match next(remaining):
            case Point():
                count = 0
            case Lanes(index=index):
                count = 0 if lanes_placed else index.tensor.rank
                lanes_placed = True
            case Whole() | Slice() | Along():
                count = 1
        axes += range(source, source + count)
        source += count
    return tuple(axes)
