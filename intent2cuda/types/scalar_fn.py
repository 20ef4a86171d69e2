"""The scalar functions of the language: one line each, read by the front end, the interpreter, the planner and the
printers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, Flag, auto

from intent2cuda.types.dtype import DType


class Domain(Flag):
    """Which element types a function takes."""

    BOOL = auto()
    INTEGER = auto()
    FLOAT = auto()
    NUMBER = INTEGER | FLOAT
    ANY = BOOL | INTEGER | FLOAT


class Result(Enum):
    SAME = "same"
    BOOL = "bool"


class Work(Enum):
    """The class under which one evaluation is counted."""

    ADD = "add"
    MUL = "mul"
    COMPARE = "cmp"
    SELECT = "sel"
    DIVIDE = "div"
    TRANSCENDENTAL = "transc"
    INTEGER = "int"


@dataclass(frozen=True)
class ScalarFn:
    """A pure function of `arity` scalars of one element type (`select` has a bool first)."""

    name: str
    arity: int
    domain: Domain
    work: Work
    result: Result = Result.SAME
    commutative: bool = False

    def accepts(self, dtype: DType) -> bool:
        if dtype.is_bool:
            return Domain.BOOL in self.domain
        return (Domain.FLOAT if dtype.is_float else Domain.INTEGER) in self.domain


_F, _I, _N, _B = Domain.FLOAT, Domain.INTEGER, Domain.NUMBER, Domain.BOOL

SCALAR_FNS: dict[str, ScalarFn] = {
    fn.name: fn
    for fn in (
        ScalarFn("add", 2, _N, Work.ADD, commutative=True),
        ScalarFn("sub", 2, _N, Work.ADD),
        ScalarFn("mul", 2, _N, Work.MUL, commutative=True),
        ScalarFn("div", 2, _F, Work.DIVIDE),
        ScalarFn("floordiv", 2, _I, Work.INTEGER),
        ScalarFn("mod", 2, _I, Work.INTEGER),
        ScalarFn("pow", 2, _F, Work.TRANSCENDENTAL),
        ScalarFn("neg", 1, _N, Work.ADD),
        ScalarFn("abs", 1, _N, Work.ADD),
        ScalarFn("eq", 2, Domain.ANY, Work.COMPARE, Result.BOOL, commutative=True),
        ScalarFn("ne", 2, Domain.ANY, Work.COMPARE, Result.BOOL, commutative=True),
        ScalarFn("lt", 2, _N, Work.COMPARE, Result.BOOL),
        ScalarFn("le", 2, _N, Work.COMPARE, Result.BOOL),
        ScalarFn("gt", 2, _N, Work.COMPARE, Result.BOOL),
        ScalarFn("ge", 2, _N, Work.COMPARE, Result.BOOL),
        ScalarFn("and", 2, _B, Work.INTEGER, commutative=True),
        ScalarFn("or", 2, _B, Work.INTEGER, commutative=True),
        ScalarFn("not", 1, _B, Work.INTEGER),
        ScalarFn("bit_and", 2, _I | _B, Work.INTEGER, commutative=True),
        ScalarFn("bit_or", 2, _I | _B, Work.INTEGER, commutative=True),
        ScalarFn("bit_xor", 2, _I | _B, Work.INTEGER, commutative=True),
        ScalarFn("shl", 2, _I, Work.INTEGER),
        ScalarFn("shr", 2, _I, Work.INTEGER),
        ScalarFn("select", 3, Domain.ANY, Work.SELECT),
        ScalarFn("maximum", 2, _N, Work.COMPARE, commutative=True),
        ScalarFn("minimum", 2, _N, Work.COMPARE, commutative=True),
        ScalarFn("maximum_num", 2, _N, Work.COMPARE, commutative=True),
        ScalarFn("minimum_num", 2, _N, Work.COMPARE, commutative=True),
        ScalarFn("exp", 1, _F, Work.TRANSCENDENTAL),
        ScalarFn("exp2", 1, _F, Work.TRANSCENDENTAL),
        ScalarFn("log", 1, _F, Work.TRANSCENDENTAL),
        ScalarFn("log1p", 1, _F, Work.TRANSCENDENTAL),
        ScalarFn("lgamma", 1, _F, Work.TRANSCENDENTAL),
        ScalarFn("sin", 1, _F, Work.TRANSCENDENTAL),
        ScalarFn("cos", 1, _F, Work.TRANSCENDENTAL),
        ScalarFn("asin", 1, _F, Work.TRANSCENDENTAL),
        ScalarFn("tanh", 1, _F, Work.TRANSCENDENTAL),
        ScalarFn("erf", 1, _F, Work.TRANSCENDENTAL),
        ScalarFn("erfc", 1, _F, Work.TRANSCENDENTAL),
        ScalarFn("i0", 1, _F, Work.TRANSCENDENTAL),
        ScalarFn("sigmoid", 1, _F, Work.TRANSCENDENTAL),
        ScalarFn("sqrt", 1, _F, Work.DIVIDE),
        ScalarFn("rsqrt", 1, _F, Work.DIVIDE),
        ScalarFn("floor", 1, _F, Work.ADD),
        ScalarFn("rounded", 1, _F, Work.ADD),  # itself, at a point where what made it is not fused with what follows
    )
}
