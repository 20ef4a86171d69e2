"""What is computed once for many elements stands in the author's order, and once."""

from __future__ import annotations

from pathlib import Path

from intent2cuda import pipeline

ATTENTION = Path(__file__).parents[2] / "examples/08_attention/kernel.py"
SOURCE = """
import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def blended(image: I.In[I.f32, ("C", "W")], u: I.In[I.f32, ("P",)], out: I.Out[I.f32, ("P", "C")]):
    W = image.shape[1]
    for p in I.parallel(I.domain(0, u.shape[0])):
        x0 = I.minimum(I.cast(I.floor(u[p]), I.index), W - 1)
        x1 = I.minimum(x0 + 1, W - 1)
        f = u[p] - I.cast(x0, I.f32)
        left = image[:, x0] * (1.0 - f) + f
        right = image[:, x1] * (1.0 - f) - f
        out[p, :] = left * right


@intent.kernel
def escape(re: I.In[I.f64, ("N",)], out: I.Out[I.i32, ("N",)], limit: I.i32):
    for j in I.parallel(I.domain(0, re.shape[0])):
        zr: I.f64 = 0.0
        zi: I.f64 = 0.5
        k: I.i32 = 0
        while k < limit and zr * zr + zi * zi <= 4.0:
            t = zr * zr - zi * zi + re[j]
            zi = 2.0 * zr * zi
            zr = t
            k = k + 1
        out[j] = k


@intent.kernel
def merged(x: I.In[I.f32, ("M", "N")], flag: I.In[I.i32, ("M",)], y: I.InOut[I.f32, ("M", "N")]):
    for m in I.parallel(I.domain(0, x.shape[0])):
        t = x[m, :] * 2.0
        if flag[m] > 0:
            t = t + y[m, :]
        y[m, :] = t


@intent.kernel
def ranks(x: I.In[I.f32, ("N",)], rank: I.Out[I.i32, ("N",)]):
    v = x[:]
    rank[:] = I.reduce.sum(I.cast(v[None, :] * v[None, :] < v[:, None] * v[:, None], I.i32), axis=1)
"""


def _text(name: str, folder: Path) -> str:
    file = folder / "kernel.py"
    file.write_text(SOURCE, encoding="utf-8")
    return pipeline.emit_project([pipeline.front(file, name)], "cpu", name).files[f"src/{name}.cpp"]


def _in_order(text: str, *parts: str) -> bool:
    places = [text.find(part) for part in parts]
    return -1 not in places and places == sorted(places)


def test_index_variables_and_numbers_stand_in_the_order_of_the_text(tmp_path: Path) -> None:
    text = _text("blended", tmp_path)
    assert _in_order(text, "kernel.py:10  x0", " x0 =", "kernel.py:11  x1", " x1 =", "kernel.py:12  f =", " f =")


def test_numbers_that_are_written_twice_are_computed_once(tmp_path: Path) -> None:
    assert _text("blended", tmp_path).count("1.0f - f") == 1


def test_carried_variables_begin_and_move_on_in_the_order_of_the_text(tmp_path: Path) -> None:
    text = _text("escape", tmp_path)
    assert _in_order(text, "double zr = 0.0", "double zi = 0.5", "k = 0", "while (", "zr = zr", "k = intent::wrap_add")


def test_a_value_that_is_changed_under_a_condition_is_one_variable(tmp_path: Path) -> None:
    text = _text("merged", tmp_path)
    assert _in_order(text, "float t;", "t = x_row[n] * 2.0f;", "t += y_row[n];") and "t_next" not in text


def test_another_element_goes_by_its_place(tmp_path: Path) -> None:
    text = _text("ranks", tmp_path)
    assert "v_i" in text or "v_n" in text
    assert "v_next" not in text


def test_what_a_comparison_of_indices_chose_is_stored_for_later_sweeps() -> None:
    kernel = pipeline.front(ATTENTION, "attention", {"CAUSAL": True})
    text = pipeline.emit_project([kernel], "cpu", "attention").files["src/attention.cpp"]
    assert text.count("j <= query_place") == 1 and "score_row[j] = score" in text
