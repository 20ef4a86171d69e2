"""Relations as text: equal where kernels mean the same, different for look-alikes that mean something else."""

from __future__ import annotations

from pathlib import Path

import pytest

from intent2cuda.analysis.relation_text import RelationNames, RelationText, relations_text
from intent2cuda.analysis.relations import Relations
from intent2cuda.analysis.sites import sites
from intent2cuda.analysis.structure import Structure, structure
from intent2cuda.base.intexpr import Symbol
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.value import Value

from ..parse.texts import parsed, source

VIEWS = (
    "x: I.In[I.f32, (64,)], w: I.In[I.f32, (8, 8)], t: I.In[I.index, (8,)], m: I.In[I.bool, (8, 8)], "
    "o: I.InOut[I.f32, (64,)], v: I.InOut[I.f32, (8, 8)], n: I.index"
)

HELPERS = """
@intent.fn
def place(i, j):
    return i * 8 + j


@intent.fn
def places(i, j):
    return place(i[:, None], j[None, :])


@intent.fn
def described(i, limit):
    return I.record(at=i + 1, inside=i + 1 < limit)


@intent.fn
def later(axis, by):
    return axis[by:8]


@intent.fn
def picked(condition, i, j):
    return I.select(condition, i, j)


@intent.fn
def put(target, at, value):
    target[at] = value


"""

AXIS = "axis = I.domain(0, 8)\nrow = I.indices(axis)\n"
FLAT = AXIS + "o[row[:, None] * 8 + row[None, :]] = w[:, :]"
MASKED = AXIS + "v[0, :] = I.gather(x, index=row + 1, valid=row + 1 < n, fill=0.0)"
POINTS = (
    "for i in I.parallel(I.domain(0, 8)):\n    for j in I.parallel(I.domain(0, 8)):\n        o[i * 8 + j] = w[i, j]"
)
PART = "axis = I.domain(0, 8)\no[axis[5:8]] = x[axis[5:8]]"
CHOSEN = AXIS + "o[I.select(row < 4, row, row + 8)] = x[row]"
FROM_DATA = AXIS + "v[:, :] = I.gather(w, index=(slice(None), slice(None)), valid=m[:, :], fill=0.0)"

SAME = {
    "call": (FLAT, AXIS + "o[places(row, row)] = w[:, :]"),
    "effects of a call": (FLAT, AXIS + "put(o, places(row, row), w[:, :])"),
    "record": (MASKED, AXIS + "r = described(row, n)\nv[0, :] = I.gather(x, index=r.at, valid=r.inside, fill=0.0)"),
    "tuple": (CHOSEN, AXIS + "a, b = row, row + 8\no[picked(row < 4, a, b)] = x[row]"),
    "points": (POINTS, POINTS.replace("i * 8 + j", "place(i, j)")),
    "arithmetic": (FLAT, AXIS + "o[(row[:, None] * 4 + 1) * 2 + row[None, :] - 2] = w[:, :]"),
    "slice of a slice": (PART, "axis = I.domain(0, 8)\npart = later(later(axis, 2), 5)\no[part] = x[part]"),
    "slice of a tensor": (
        AXIS + "o[row[3:6]] = x[row[3:6]]",
        AXIS + "part = row[2:8]\no[part[1:4]] = x[part[1:4]]",
    ),
    "transpose and back": (FLAT, AXIS + "o[I.transpose(row[None, :] * 8 + row[:, None])] = w[:, :]"),
    "reshape and back": (FLAT, AXIS + "o[I.reshape(I.reshape(places(row, row), (64,)), (8, 8))] = w[:, :]"),
    "gather of a gather": (
        AXIS + "o[row] = x[7 - row]",
        AXIS + "back = 7 - row\nfar = back[back]\no[row] = x[back[far]]",
    ),
    "predicate of data": (FROM_DATA, FROM_DATA.replace("m[:, :]", "I.transpose(I.transpose(m[:, :]))")),
}

OTHER = {
    "a table of the same name": (AXIS + "o[row] = x[row]", "axis = I.domain(0, 8)\nrow = t[axis]\no[row] = x[row]"),
    "another begin": (PART, PART.replace("5:8", "4:7")),
    "numbers instead of coordinates": (PART, "axis = I.domain(0, 8)\no[I.domain(0, 3)] = x[axis[5:8]]"),
    "exchanged axes": (FLAT, FLAT.replace("row[:, None] * 8 + row[None, :]", "row[None, :] * 8 + row[:, None]")),
    "exchanged points": (POINTS, POINTS.replace("i * 8 + j", "j * 8 + i")),
    "exchanged extents": (
        AXIS + "o[I.reshape(I.indices(I.domain(0, 64)), (8, 8))] = w[:, :]",
        AXIS + "o[I.transpose(I.reshape(I.indices(I.domain(0, 64)), (8, 8)))] = w[:, :]",
    ),
    "a limit beside the other": (MASKED, MASKED.replace("< n", "<= n")),
    "no limit": (MASKED, AXIS + "v[0, :] = x[row + 1]"),
    "the other side": (CHOSEN, CHOSEN.replace("row, row + 8", "row + 8, row")),
    "a predicate of turned data": (FROM_DATA, FROM_DATA.replace("m[:, :]", "I.transpose(m[:, :])")),
    "an exclusive or": (AXIS + "o[row] = x[row + 1]", AXIS + "o[row] = x[row ^ 1]"),
}


class Numbered(RelationNames):
    """Parameters by name, every other value by when it is first mentioned: nothing of how a kernel is written."""

    def __init__(self, found: Structure) -> None:
        super().__init__({}, {})
        self._values = found.by_serial
        for parameter in found.kernel.parameters:
            self.add(parameter, parameter.name)

    def of(self, value: Value) -> str:
        if value not in self.by_value:
            self.add(value, f"%{len(self.by_value)}")
        return super().of(value)

    def symbol(self, symbol: Symbol) -> str:
        if symbol.serial > 0:
            self.of(self._values[symbol.serial])
        return super().symbol(symbol)


def touched(kernel: Kernel) -> str:
    """The relations of all accesses, without names of the author's."""
    found = structure(kernel)
    relations = Relations(found)
    writer = RelationText(relations, Numbered(found))
    return "\n".join(
        f"{type(site.op).__name__} {site.resource.name}\n" + "\n".join(writer.access(site))
        for site in sites(found, relations)
    )


def of(folder: Path, body: str) -> str:
    return touched(parsed(folder, source(body, VIEWS, HELPERS)))


@pytest.mark.req("L18", "L22", "L23", "L24", "L25", "L26", "L27", "L28", "L111", "K28", "K29")
@pytest.mark.parametrize("name", SAME)
def test_what_means_the_same_has_the_same_relations(name: str, tmp_path: Path) -> None:
    plain, written = SAME[name]
    assert of(tmp_path, plain) == of(tmp_path, written)


@pytest.mark.req("L21", "L29", "L42")
@pytest.mark.parametrize("name", OTHER)
def test_a_look_alike_has_other_relations(name: str, tmp_path: Path) -> None:
    plain, decoy = OTHER[name]
    assert of(tmp_path, plain) != of(tmp_path, decoy)


@pytest.mark.req("L21")
@pytest.mark.parametrize("body", [FLAT, MASKED, PART, CHOSEN])
def test_names_take_no_part(body: str, tmp_path: Path) -> None:
    assert of(tmp_path, body) == of(tmp_path, body.replace("row", "column").replace("axis", "a"))


@pytest.mark.req("L17", "L19", "L20", "L109", "L110")
def test_the_text_says_all_that_is_known(tmp_path: Path) -> None:
    body = """
    rows = I.domain(0, 8)
    row = I.indices(rows[2:8])
    near = row < n
    first = I.select(near, row, 0)
    other = t[rows]
    for i in I.parallel(I.domain(0, 4)):
        if i < n:
            v[i, :] = I.gather(w, index=(i + 4, slice(None)), valid=m[i, :], fill=0.0)
    o[first] = x[other[2:8]]
    """
    text = relations_text(parsed(tmp_path, source(body, VIEWS)))
    for said in (
        "%row: index[6]\n  is #0 + 2\n  along axis 0 of domain[0, 8, 1] %rows\n  rests on %4\n  from 2 to 7\n",
        "%near: bool[6]\n  holds where #0 + 2 < %n\n  rests on %4, %n\n",
        "%first: index[6]\n  is select(#0 + 2 < %n, #0 + 2, 0)\n",
        "  chosen by %near\n",
        "%other: index[8]\n  unknown: read from a view or buffer\n",
        "  at (%i + 4, #0)\n  at a point of domain[0, 4, 1]",
        "  where %i < %n and ",
        "store %o[lanes %first], ",
        "  at (select(#0 + 2 < %n, #0 + 2, 0))\n  along axis 0 of domain[0, 8, 1] %rows\n  where always\n",
    ):
        assert said in text


FOLD = """
@intent.fn
def visible(column, row):
    return column <= row


@intent.fn
def summarize(score, column, row):
    seen = SEEN
    return I.reduce.max(I.mask(score, seen, -I.inf), axis=0)


@intent.fn
def combine(a, b):
    return I.maximum(a, b)


"""

FOLDED = """
column = COLUMN
for row in I.parallel(I.domain(0, 8)):
    o[row] = I.region_fold(
        (w[row, :], column), axis=0, summarize=summarize, combine=combine, identity=I.cast(-I.inf, I.f32),
        operands=(row,),
    )
"""


def mask_of(folder: Path, seen: str, column: str = "I.indices(I.domain(0, 8))") -> str:
    """What is known of the mask in the summary of a slice."""
    body = FOLDED.replace("COLUMN", column)
    text = relations_text(parsed(folder, source(body, VIEWS, FOLD.replace("SEEN", seen))))
    return text.partition("%seen: ")[2].partition("\n%")[0].partition("\nstore")[0]


@pytest.mark.req("L22", "L23", "K28", "K29")
def test_a_mask_in_a_summary_is_a_condition_on_coordinates_also_behind_calls(tmp_path: Path) -> None:
    inline = mask_of(tmp_path, "column <= row")
    assert "holds where #0 + begin(%score_extent) <= %row\n" in inline
    assert mask_of(tmp_path, "visible(column, row)") == inline


@pytest.mark.req("L29", "L42")
def test_a_table_in_the_place_of_columns_gives_no_condition(tmp_path: Path) -> None:
    assert "holds where %seen[#0]\n" in mask_of(tmp_path, "visible(column, row)", "t[:]")
    shifted = mask_of(tmp_path, "visible(column, row)", "I.indices(I.domain(1, 9))")
    assert "holds where #0 + begin(%score_extent) + 1 <= %row\n" in shifted
