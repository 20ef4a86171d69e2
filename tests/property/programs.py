"""Random kernels as source text: well typed, without races, exact in every order of evaluation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from hypothesis import strategies as st

Draw = Callable[[st.SearchStrategy], object]

HEAD = """\
import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def kernel(
    a: I.In[I.i32, ("M", "N")],
    f: I.In[I.f32, ("M", "N")],
    v: I.In[I.i32, ("N",)],
    w: I.In[I.f32, ("M",)],
    n: I.i32,
    p: I.Out[I.i32, ("M", "N")],
    q: I.Out[I.f32, ("M", "N")],
    r: I.Out[I.i32, ("M",)],
):
"""

DTYPES = ("i32", "f32", "bool")
INTEGER_OPERATORS = ("+", "-", "*", "&", "|", "^")
FLOAT_OPERATORS = ("+", "-")
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
Shape = tuple[str, ...]
Maker = Callable[..., str]
"""From draw, scope, dtype, shape and depth to an expression of that dtype and shape."""


@dataclass(frozen=True)
class Name:
    """Text that stands for a value of a dtype and a shape."""

    text: str
    dtype: str
    shape: Shape


@dataclass(frozen=True)
class Scope:
    """What may be named at a place. Without `products` floats are not multiplied: no fused multiply-add can show.

    more: further makers of expressions, beside those that every kernel uses.
    """

    names: tuple[Name, ...]
    products: bool = True
    more: tuple[Maker, ...] = ()

    def of(self, dtype: str, shape: Shape) -> list[str]:
        return [name.text for name in self.names if (name.dtype, name.shape) == (dtype, shape)]

    def plus(self, *names: Name) -> Scope:
        return replace(self, names=(*self.names, *names))


WHOLE = Scope(
    (
        Name("a[:, :]", "i32", ("M", "N")),
        Name("f[:, :]", "f32", ("M", "N")),
        Name("v[:]", "i32", ("N",)),
        Name("w[:]", "f32", ("M",)),
        Name("n", "i32", ()),
    )
)
ROW = Scope(
    (
        Name("a[i, :]", "i32", ("N",)),
        Name("f[i, :]", "f32", ("N",)),
        Name("v[:]", "i32", ("N",)),
        Name("w[i]", "f32", ()),
        Name("n", "i32", ()),
        Name("I.cast(i, I.i32)", "i32", ()),
    )
)


def expression(draw: Draw, scope: Scope, dtype: str, shape: Shape, depth: int) -> str:
    """Text of a value of exactly this dtype and shape."""
    names = scope.of(dtype, shape)
    if depth == 0 or (names and draw(st.integers(0, 4)) == 0):
        return draw(st.sampled_from(names)) if names else constant(draw, scope, dtype, shape)
    makers = [arithmetic if dtype != "bool" else truth, choice, extreme if dtype != "bool" else truth]
    if len(shape) < 2 and dtype != "bool":
        makers.append(reduction)
    if dtype != "bool":
        makers.append(conversion)
    makers += scope.more
    return draw(st.sampled_from(makers))(draw, scope, dtype, shape, depth - 1)


def constant(draw: Draw, scope: Scope, dtype: str, shape: Shape) -> str:
    if dtype == "bool":
        kind = draw(st.sampled_from([kind for kind in ("i32", "f32") if scope.of(kind, shape)]))
        name = draw(st.sampled_from(scope.of(kind, shape)))
        return f"({name} {draw(st.sampled_from(COMPARISONS))} {literal(draw, kind)})"
    number = literal(draw, dtype)
    return f"I.full({extents(shape)}, {number}, I.{dtype})" if shape else f"I.cast({number}, I.{dtype})"


def literal(draw: Draw, dtype: str) -> str:
    return str(draw(st.integers(-9, 9)) if dtype == "i32" else draw(st.integers(-36, 36)) / 4)


def extents(shape: Shape) -> str:
    sources = {"M": "a.shape[0]", "N": "a.shape[1]"}
    return "(" + "".join(f"{sources[symbol]}, " for symbol in shape) + ")"


def other(draw: Draw, scope: Scope, dtype: str, shape: Shape, depth: int) -> str:
    """Text of a value that broadcasts to the shape."""
    smaller = draw(st.sampled_from([shape[k:] for k in range(len(shape) + 1)]))
    if shape == ("M", "N") and draw(st.booleans()):
        return f"({expression(draw, scope, dtype, ('M',), depth)})[:, None]"
    return expression(draw, scope, dtype, smaller, depth)


def operands(draw: Draw, scope: Scope, dtype: str, shape: Shape, depth: int) -> tuple[str, str]:
    pair = expression(draw, scope, dtype, shape, depth), other(draw, scope, dtype, shape, depth)
    return pair if draw(st.booleans()) else (pair[1], pair[0])


def arithmetic(draw: Draw, scope: Scope, dtype: str, shape: Shape, depth: int) -> str:
    lhs, rhs = operands(draw, scope, dtype, shape, depth)
    if dtype == "f32":
        kind = draw(st.sampled_from([*FLOAT_OPERATORS, *("*" for _ in range(scope.products)), "/", "sqrt", "floor"]))
        if kind == "/":
            return f"({lhs} / (I.abs({rhs}) + 1.0))"
        if kind in ("sqrt", "floor"):
            return f"I.{kind}({expression(draw, scope, dtype, shape, depth)})"
        return f"({lhs} {kind} {rhs})"
    kind = draw(st.sampled_from([*INTEGER_OPERATORS, "//", "%", "<<", ">>", "-"]))
    if kind in ("//", "%"):
        return f"({lhs} {kind} (({rhs} & 7) + 1))"
    if kind in ("<<", ">>"):
        return f"({lhs} {kind} ({rhs} & 31))"
    return f"({lhs} {kind} {rhs})"


def truth(draw: Draw, scope: Scope, dtype: str, shape: Shape, depth: int) -> str:
    if draw(st.booleans()):
        lhs, rhs = operands(draw, scope, draw(st.sampled_from(("i32", "f32"))), shape, depth)
        return f"({lhs} {draw(st.sampled_from(COMPARISONS))} {rhs})"
    if draw(st.booleans()):
        return f"(not {expression(draw, scope, 'bool', shape, depth)})"
    lhs, rhs = operands(draw, scope, "bool", shape, depth)
    return f"({lhs} {draw(st.sampled_from(('and', 'or')))} {rhs})"


def choice(draw: Draw, scope: Scope, dtype: str, shape: Shape, depth: int) -> str:
    condition = other(draw, scope, "bool", shape, depth)
    lhs, rhs = operands(draw, scope, dtype, shape, depth)
    return f"I.select({condition}, {lhs}, {rhs})"


def extreme(draw: Draw, scope: Scope, dtype: str, shape: Shape, depth: int) -> str:
    name = draw(st.sampled_from(("maximum", "minimum", "maximum_num", "minimum_num")))
    lhs, rhs = operands(draw, scope, dtype, shape, depth)
    return f"I.{name}({lhs}, {rhs})"


def conversion(draw: Draw, scope: Scope, dtype: str, shape: Shape, depth: int) -> str:
    source = draw(st.sampled_from(("bool", "i32" if dtype == "f32" else "f32")))
    value = expression(draw, scope, source, shape, depth)
    if dtype == "i32" and source == "f32":
        value = f"I.maximum_num(I.minimum_num({value}, 1000.0), -1000.0)"
    return f"I.cast({value}, I.{dtype})"


def reduction(draw: Draw, scope: Scope, dtype: str, shape: Shape, depth: int) -> str:
    """A sum of integers or a maximum; the order of a float sum would show."""
    name = draw(st.sampled_from(("sum", "max"))) if dtype == "i32" else "max"
    wide, axis = wider(scope, shape)
    if axis is None:
        return arithmetic(draw, scope, dtype, shape, depth)
    return f"I.reduce.{name}({expression(draw, scope, dtype, wide, depth)}, axis={axis})"


def wider(scope: Scope, shape: Shape) -> tuple[Shape, int | None]:
    """A shape with one axis more, and which one; None where there is none wider."""
    wide = ("M", "N") if shape and scope.of("i32", ("M", "N")) else ("N",)
    if shape == wide:
        return wide, None
    return wide, 0 if len(wide) == 1 else wide.index(next(symbol for symbol in wide if symbol not in shape))


def binding(draw: Draw, scope: Scope, number: int, shapes: list[Shape]) -> tuple[str, Scope]:
    dtype, shape = draw(st.sampled_from(DTYPES)), draw(st.sampled_from(shapes))
    name = f"t{number}"
    return f"{name} = {expression(draw, scope, dtype, shape, 2)}", scope.plus(Name(name, dtype, shape))


@st.composite
def whole_kernels(draw: Draw, products: bool = True) -> str:
    """Statements over whole tensors."""
    lines: list[str] = []
    scope = replace(WHOLE, products=products)
    for number in range(draw(st.integers(0, 3))):
        line, scope = binding(draw, scope, number, [("M", "N"), ("N",), ("M",), ()])
        lines.append(line)
    lines.append(f"p[:, :] = {expression(draw, scope, 'i32', ('M', 'N'), 2)}")
    lines.append(f"q[:, :] = {expression(draw, scope, 'f32', ('M', 'N'), 2)}")
    lines.append(f"r[:] = {expression(draw, scope, 'i32', ('M',), 2)}")
    return HEAD + "".join(f"    {line}\n" for line in lines)


@st.composite
def row_kernels(draw: Draw, products: bool = True) -> str:
    """A parallel loop over rows, with branches and ordered loops that differ from row to row."""
    lines: list[str] = []
    scope = replace(ROW, products=products)
    for number in range(draw(st.integers(0, 2))):
        line, scope = binding(draw, scope, number, [("N",), ()])
        lines.append(line)
    for number in range(draw(st.integers(0, 2))):
        kind = draw(st.sampled_from((branch, ordered)))
        added, scope = kind(draw, scope, number)
        lines += added
    lines.append(f"p[i, :] = {expression(draw, scope, 'i32', ('N',), 2)}")
    lines.append(f"q[i, :] = {expression(draw, scope, 'f32', ('N',), 2)}")
    lines.append(f"r[i] = {expression(draw, scope, 'i32', (), 2)}")
    body = "".join(f"        {line}\n" for line in lines)
    return f"{HEAD}    for i in I.parallel(I.domain(0, a.shape[0])):\n{body}"


def branch(draw: Draw, scope: Scope, number: int) -> tuple[list[str], Scope]:
    dtype, shape = draw(st.sampled_from(DTYPES)), draw(st.sampled_from([("N",), ()]))
    name = f"c{number}"
    values = [expression(draw, scope, dtype, shape, 2) for _ in range(2)]
    test = expression(draw, scope, "bool", (), 1)
    lines = [f"if {test}:", f"    {name} = {values[0]}", "else:", f"    {name} = {values[1]}"]
    return lines, scope.plus(Name(name, dtype, shape))


def ordered(draw: Draw, scope: Scope, number: int) -> tuple[list[str], Scope]:
    """A loop with one carry whose length differs between rows; perhaps left early."""
    dtype, shape = draw(st.sampled_from(("i32", "f32"))), draw(st.sampled_from([("N",), ()]))
    name, index = f"s{number}", f"j{number}"
    lines = [f"{name} = {expression(draw, scope, dtype, shape, 1)}"]
    inner = scope.plus(Name(name, dtype, shape), Name(f"I.cast({index}, I.i32)", "i32", ()))
    lines.append(f"for {index} in I.domain(0, I.cast({expression(draw, scope, 'i32', (), 1)} & 3, I.index)):")
    lines.append(f"    {name} = {expression(draw, inner, dtype, shape, 2)}")
    if draw(st.booleans()):
        lines += [f"    if {expression(draw, inner, 'bool', (), 1)}:", "        break"]
    return lines, scope.plus(Name(name, dtype, shape))
