"""The only names that the compiler may add to an author's, and how it derives names of roles from his."""

from __future__ import annotations

_ROLES = """
grid block shared_bytes stream workspace block_bytes slice_bytes work leave leave_all stop chosen merged best
sum peak least any_holds all_hold element position turn condition carried lane row0 column0 scratch
faults found inside promised unique apart written caught begin end count length prefix
"""
ROLES = frozenset(_ROLES.split())
"""Words that stand alone."""

_SUFFIXES = """
 row column line lines element matrix block kept part sums sum peak best least found value index array buffer next
 before merged so_far at here in member extent step streams first bytes copy launch scratch begin end count
"""
SUFFIXES = frozenset(_SUFFIXES.split())
"""Words behind an author's name: `x_row` is the row of x that the code around it works on."""

RESULT_NAMES: dict[str, str] = {
    "add": "sum",
    "sub": "difference",
    "mul": "product",
    "div": "quotient",
    "floordiv": "quotient",
    "mod": "remainder",
    "pow": "power",
    "neg": "negated",
    "abs": "magnitude",
    "select": "selected",
    "maximum": "larger",
    "minimum": "smaller",
    "maximum_num": "larger",
    "minimum_num": "smaller",
    "exp": "exponential",
    "exp2": "exponential",
    "log": "logarithm",
    "log1p": "logarithm",
    "sqrt": "root",
    "rsqrt": "inverse_root",
    "tanh": "tangent",
    "sin": "sine",
    "cos": "cosine",
    "sigmoid": "logistic",
    "floor": "rounded",
    "shl": "shifted",
    "shr": "shifted",
    "bit_and": "bits",
    "bit_or": "bits",
    "bit_xor": "bits",
    "and": "both",
    "or": "either",
    "not": "negated",
}
"""What the result of a scalar function is called when its author gave it no name and it is needed twice."""

CONDITION = "condition"
"""The result of a comparison without a name."""

KEPT: dict[str, str] = {
    "bounds": "inside",
    "region": "inside",
    "promise": "promised",
    "duplicate": "unique",
    "race": "apart",
    "uninitialised": "written",
}
"""Whether a rule is kept."""

PAIRS = {"add": "plus", "sub": "minus", "mul": "times", "div": "over"}
"""How the names of two operands make a name of the result: `x_minus_peak`."""
