"""From a file to an array, and to a project of C++."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def scaled(x: I.In[I.f32, ("N",)], y: I.Out[I.f32, ("N",)], FACTOR: I.Constexpr[int] = 2):
    y[:] = x[:] * I.cast(FACTOR, I.f32)


def main() -> None:
    kernel = intent.load(f"{__file__}:scaled")  # or `scaled` itself, when Python imported it
    artifact = intent.compile(kernel, target="reference", constexprs={"FACTOR": 3})
    x, y = np.arange(3, dtype=np.float32), np.zeros(3, np.float32)
    assert artifact.run(x).tolist() == [0, 3, 6]  # makes the outputs
    artifact(x, y)  # or fills the caller's
    assert y.tolist() == [0, 3, 6]
    call = artifact.prepare(x, outputs=(y,))  # checks once, launches often
    call.launch()
    try:
        artifact(x, np.zeros(4, np.float32))
    except intent.ShapeError as error:
        assert "`y` has extent 4" in str(error)
    files = intent.emit(kernel, target="cpu")
    assert "src/scaled.cpp" in files
