"""Random kernels over the whole language as source text: well typed, exact, and the same in every order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from hypothesis import strategies as st

from .elementwise import ODD, as_i32, converted, elements
from .library import used_by
from .programs import DTYPES, ROW, WHOLE, Draw, Name, Scope, branch, expression, literal, ordered
from .structured import EXTENTS, MAKERS

HEAD = """\
import intent2cuda as intent
import intent2cuda.language as I

"""
SIGNATURE = """

@intent.kernel
def kernel(
    a: I.In[I.i32, ("M", "N")],
    f: I.In[I.f32, ("M", "N")],
    v: I.In[I.i32, ("N",)],
    w: I.In[I.f32, ("M",)],
    h: I.In[I.{odd}, ("M", "N")],
    n: I.i32,
    p: I.Out[I.i32, ("M", "N")],
    q: I.Out[I.f32, ("M", "N")],
    r: I.Out[I.i32, ("M",)],
    o: I.Out[I.{odd}, ("M", "N")],
    c: I.InOut[I.i32, (4,)],
    d: I.InOut[I.i32, (4,)],
    K: I.Constexpr[int] = {constexpr},
):
"""
COMMUTING = ("add", "max", "min", "and_", "or_", "xor")
ORDERS = ("relaxed", "acquire", "release", "acq_rel")

Lines = list[str]
Statement = Callable[[Draw, "Body"], Lines]


@dataclass
class Body:
    """What has been written: further helpers, names in scope, and how many names there are.

    odd: the dtype of h and o. update: the one atomic update of c, so that its order does not show.
    """

    scope: Scope
    odd: str
    update: str
    in_row: bool
    helpers: str = ""
    count: int = 0

    @property
    def shapes(self) -> list[tuple[str, ...]]:
        return [("N",), ()] if self.in_row else [("M", "N"), ("N",), ("M",), ()]

    @property
    def row(self) -> str:
        """The first subscript of what has a row for each point."""
        return "i" if self.in_row else ":"

    def fresh(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    def add(self, *names: Name) -> None:
        self.scope = self.scope.plus(*names)

    def expression(self, draw: Draw, dtype: str, shape: tuple[str, ...], depth: int = 1) -> str:
        return expression(draw, self.scope, dtype, shape, depth)

    def structured(self, draw: Draw, dtype: str, shape: tuple[str, ...]) -> str:
        """An expression with a structured operation at its top, mostly."""
        return draw(st.sampled_from(MAKERS))(draw, self.scope, dtype, shape, 1)


def bound(draw: Draw, body: Body) -> Lines:
    name, dtype, shape = body.fresh("t"), draw(st.sampled_from(DTYPES)), draw(st.sampled_from(body.shapes))
    line = f"{name} = {body.structured(draw, dtype, shape)}"
    body.add(Name(name, dtype, shape))
    return [line]


def branched(draw: Draw, body: Body) -> Lines:
    body.count += 1
    lines, body.scope = branch(draw, body.scope, body.count)
    return lines


def repeated_for(draw: Draw, body: Body) -> Lines:
    body.count += 1
    lines, body.scope = ordered(draw, body.scope, body.count)
    return lines


def repeated_while(draw: Draw, body: Body) -> Lines:
    """A loop with two carries that is left at times, or skips the rest of a round."""
    total, count = body.fresh("s"), body.fresh("k")
    dtype, shape = draw(st.sampled_from(("i32", "f32"))), draw(st.sampled_from([("N",), ()]))
    limit, first = body.expression(draw, "i32", ()), body.expression(draw, dtype, shape)
    inner = body.scope.plus(Name(total, dtype, shape), Name(count, "i32", ()))
    exit = draw(st.sampled_from(("break", "continue")))
    body.add(Name(total, dtype, shape), Name(count, "i32", ()))
    return [
        f"{total} = {first}",
        f"{count} = I.cast(0, I.i32)",
        f"while {count} < ({limit} & 3):",
        f"    {count} = {count} + 1",
        f"    if {expression(draw, inner, 'bool', (), 1)}:",
        f"        {exit}",
        f"    {total} = {expression(draw, inner, dtype, shape, 2)}",
    ]


def buffered(draw: Draw, body: Body) -> Lines:
    """A buffer that a loop fills or changes."""
    name, index = body.fresh("b"), body.fresh("j")
    whole = draw(st.booleans())
    start = body.expression(draw, "i32", ("N",)) if whole else literal(draw, "i32")
    inner = body.scope.plus(Name(f"I.cast({index}, I.i32)", "i32", ()))
    change = draw(st.sampled_from(("=", "+=")))
    body.add(Name(f"{name}[:]", "i32", ("N",)))
    return [
        f"{name} = I.buffer(({EXTENTS['N']},), I.i32, init={start})",
        f"for {index} in range({EXTENTS['N']}):",
        f"    {name}[{index}] {change} {expression(draw, inner, 'i32', (), 1)}",
    ]


def region_scan(draw: Draw, body: Body) -> Lines:
    outputs, state = body.fresh("u"), body.fresh("z")
    source, initial = body.expression(draw, "i32", ("N",)), body.expression(draw, "i32", ())
    helpers = draw(
        st.sampled_from(
            (
                "summarize=sums, combine=plus, identity=I.cast(0, I.i32), apply=plus, emit=running",
                "summarize=polynomial, combine=affine, identity=(I.cast(1, I.i32), I.cast(0, I.i32)), "
                "apply=act, emit=horner",
            )
        )
    )
    body.add(Name(outputs, "i32", ("N",)), Name(state, "i32", ()))
    return [f"{outputs}, {state} = I.region_scan({source}, 0, initial_state=I.cast({initial}, I.i32), {helpers})"]


def by_made_helper(draw: Draw, body: Body) -> Lines:
    """A call of a helper made for it, with a keyword-only parameter and a record as its result."""
    name, result = body.fresh("made"), body.fresh("m")
    shape = draw(st.sampled_from(body.shapes))
    first, second, third = (elements(draw, "i32", ("x", "y"), 2) for _ in range(3))
    body.helpers += (
        f"\n\n@intent.fn\ndef {name}(x, *, y):\n    z = {first}\n"
        f"    return I.record(left={second}, right=(z, {third}))\n"
    )
    given = [body.expression(draw, "i32", shape) for _ in range(2)]
    body.add(*(Name(f"{result}.{field}", "i32", shape) for field in ("left", "right[0]", "right[1]")))
    return [f"{result} = {name}({given[0]}, y={given[1]})"]


def by_constexpr(draw: Draw, body: Body) -> Lines:
    """A name that a compile-time condition decides, in one of the two dtypes it may have."""
    name, shape = body.fresh("t"), draw(st.sampled_from(body.shapes))
    values = [body.expression(draw, "i32", shape) for _ in range(2)]
    body.add(Name(name, "i32", shape), Name("I.cast(K, I.i32)", "i32", ()))
    return ["if K == 1:", f"    {name} = {values[0]}", "else:", f"    {name} = {values[1]} + K"]


def odd_values(draw: Draw, body: Body) -> Lines:
    """A value of the odd dtype, and what it is as i32."""
    name = body.fresh("x")
    shape = ("N",) if body.in_row else ("M", "N")
    other = converted(draw, body.odd, body.expression(draw, "i32", shape), body.expression(draw, "f32", shape))
    body.add(Name(as_i32(body.odd, name), "i32", shape))
    return [
        f"{name} = {elements(draw, body.odd, (f'h[{body.row}, :]', other), 2)}",
        f"{name} = {elements(draw, body.odd, (name, f'h[{body.row}, :]'), 1)}",
    ]


def counted(draw: Draw, body: Body) -> Lines:
    """Atomic updates and scatters of counters that nobody reads."""
    vector = draw(st.booleans())
    shape = ("N",) if vector else ()
    index, value = (body.expression(draw, "i32", shape) for _ in range(2))
    if draw(st.booleans()):
        return [f"I.scatter_reduce(d, {index} & 3, {value}, I.add)"]
    return [f'I.atomic.{body.update}(c, {index} & 3, {value}, order="{draw(st.sampled_from(ORDERS))}")']


def exchanged(draw: Draw, body: Body) -> Lines:
    """Atomic accesses one after the other, whose results are used; only where there is one point."""
    if body.in_row:
        return counted(draw, body)
    name, index = body.fresh("e"), f"{body.expression(draw, 'i32', ())} & 3"
    value, order = body.expression(draw, "i32", ()), draw(st.sampled_from(ORDERS))
    match draw(st.sampled_from(("exchange", "add", "compare", "load"))):
        case "compare":
            expected = body.expression(draw, "i32", ())
            body.add(Name(f"{name}.old_value", "i32", ()), Name(f"{name}.success", "bool", ()))
            return [f'{name} = I.atomic.compare_exchange(d, {index}, {expected}, {value}, order="{order}")']
        case "load":
            body.add(Name(name, "i32", ()))
            return [
                f'I.atomic.store(d, {index}, {value}, order="release")',
                f'{name} = I.atomic.load(d, {index}, order="acquire")',
            ]
        case kind:
            body.add(Name(name, "i32", ()))
            return [f'{name} = I.atomic.{kind}(d, {index}, {value}, order="{order}")']


STATEMENTS: tuple[Statement, ...] = (
    bound,
    branched,
    repeated_for,
    repeated_while,
    buffered,
    region_scan,
    by_made_helper,
    by_constexpr,
    odd_values,
    counted,
    exchanged,
    exchanged,
)


@st.composite
def wide_kernels(draw: Draw, statements: int = 4) -> str:
    """Kernels of one point, or with one for each row."""
    in_row = draw(st.booleans())
    scope = replace(ROW if in_row else WHOLE, more=MAKERS)
    body = Body(scope, draw(st.sampled_from(ODD)), draw(st.sampled_from(COMMUTING)), in_row)
    lines: Lines = []
    for _ in range(draw(st.integers(0, statements))):
        lines += draw(st.sampled_from(STATEMENTS))(draw, body)
    wide, each = (("N",), ()) if in_row else (("M", "N"), ("M",))
    lines.append(f"p[{body.row}, :] = {body.structured(draw, 'i32', wide)}")
    lines.append(f"q[{body.row}, :] = {body.structured(draw, 'f32', wide)}")
    lines.append(f"r[{body.row}] = {body.structured(draw, 'i32', each)}")
    lines.append(f"o[{body.row}, :] = {elements(draw, body.odd, (f'h[{body.row}, :]',), 2)}")
    head = SIGNATURE.format(odd=body.odd, constexpr=draw(st.integers(0, 2)))
    if in_row:
        lines.insert(0, "I.assume_in_bounds(i, a, 0)")
        lines = [f"for i in I.parallel(I.domain(0, {EXTENTS['M']})):", *(f"    {line}" for line in lines)]
    written = body.helpers + head + "".join(f"    {line}\n" for line in lines)
    return HEAD + used_by(written) + written
