"""The only names that the compiler may add to an author's, and how it derives names of roles from his."""

from __future__ import annotations

ROLES = (
    "acc",
    "blocks",
    "grid",
    "block",
    "shared_bytes",
    "lane",
    "warp",
    "thread",
    "row",
    "column",
    "stream",
    "workspace",
)
"""Words that stand alone."""

SUFFIXES = (
    "row",
    "column",
    "line",
    "element",
    "next",
    "tile",
    "step",
    "extent",
    "before",
    "in",
    "out",
    "first",
    "stored",
    "bytes",
)
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

PAIRS = {"add": "plus", "sub": "minus", "mul": "times", "div": "over"}
"""How the names of two operands make a name of the result: `x_minus_peak`."""
