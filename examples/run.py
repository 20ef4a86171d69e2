"""The main example: transpiles, builds and runs the kernels beside this file on real input, and compares with NumPy.

A photograph (shipped by scikit-learn) is blurred, its edges are found and its tones changed; handwritten digits
(shipped by
scikit-learn too) are normalised and classified by a small network. Writes `photo.png` into the folder given, or
`examples/out`.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from sklearn.datasets import load_digits, load_sample_image
from sklearn.neural_network import MLPClassifier

import intent2cuda as intent

Array = NDArray[Any]
HERE = Path(__file__).resolve().parent


def kernel(folder: str, name: str, target: str) -> Any:
    """The compiled kernel of `folder/kernel.py`."""
    return intent.compile(intent.load(f"{HERE / folder / 'kernel.py'}:{name}"), target=target)


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    """The result and the least time in milliseconds, of as many calls as a fifth of a second holds, three at least."""
    times: list[float] = []
    while len(times) < 3 or sum(times) < 0.2:
        started = time.perf_counter()
        result = call()
        times.append(time.perf_counter() - started)
    return result, 1e3 * min(times)


def report(name: str, ours: Callable[[], Any], numpy: Callable[[], Array]) -> Any:
    """Runs both, prints the largest difference and the times; our result."""
    got, our_time = timed(ours)
    want, numpy_time = timed(numpy)
    gap = np.abs(got.astype(np.float64) - want.astype(np.float64)).max()
    print(f"{name:24} {got.shape!s:14} {gap:18.3g} {our_time:10.3f} {numpy_time:10.3f}")
    assert gap <= 1e-4 * max(1.0, float(np.abs(want.astype(np.float64)).max())), f"{name} differs from NumPy"
    return got


def photograph(target: str) -> Image.Image:
    """Blur, edges and tone curve of a photograph, side by side with the original."""
    grey = load_sample_image("china.jpg").astype(np.float32).mean(axis=2)
    height, width = grey.shape
    weight = np.array([1, 4, 6, 4, 1], np.float32) / 16
    blur_rows, blur_columns = kernel("02_photo", "blur_rows", target), kernel("02_photo", "blur_columns", target)
    edges, tone = kernel("02_photo", "edges", target), kernel("02_photo", "tone", target)

    def numpy_blur() -> Array:
        wide = np.pad(grey, ((0, 0), (2, 2)), "edge")
        rows = sum((weight[t] * wide[:, t : t + width] for t in range(5)), np.zeros_like(grey))
        tall = np.pad(rows, ((2, 2), (0, 0)), "edge")
        return sum((weight[t] * tall[t : t + height] for t in range(5)), np.zeros_like(grey))

    def numpy_edges() -> Array:
        framed = np.pad(blurred, 1)
        across = 0.5 * (framed[1:-1, 2:] - framed[1:-1, :-2])
        down = 0.5 * (framed[2:, 1:-1] - framed[:-2, 1:-1])
        return np.sqrt(across * across + down * down)

    blurred = report("blur (photograph)", lambda: blur_columns.run(blur_rows.run(grey, weight), weight), numpy_blur)
    found = report("edges", lambda: edges.run(blurred), numpy_edges)
    pixels, steps = grey.astype(np.uint8), np.arange(256) / 255
    curve = np.round(255 * (0.5 - 0.5 * np.cos(np.pi * steps**0.8))).astype(np.uint8)
    toned = report("tone curve", lambda: tone.run(pixels, curve), lambda: curve[pixels])
    panels = [pixels, blurred, np.minimum(4 * found, 255), toned]
    return Image.fromarray(np.hstack([p.astype(np.uint8) for p in panels]))


def digits(target: str) -> None:
    """Layer norm, a two-layer network and softmax on handwritten digits; the weights are trained by scikit-learn."""
    images, labels = load_digits(return_X_y=True)
    x = images.astype(np.float32)
    gain, bias = np.ones(x.shape[1], np.float32), np.zeros(x.shape[1], np.float32)
    layer_norm, softmax = kernel("03_layer_norm", "layer_norm", target), kernel("04_softmax", "softmax", target)
    hidden_layer = kernel("07_digits", "hidden_layer", target)
    probabilities = kernel("07_digits", "probabilities", target)

    def numpy_norm() -> Array:
        centred = x - x.mean(1, keepdims=True)
        return centred / np.sqrt((centred * centred).mean(1, keepdims=True) + np.float32(1e-5))

    def numpy_softmax(score: Array) -> Array:
        likeness = np.exp(score - score.max(1, keepdims=True))
        return likeness / likeness.sum(1, keepdims=True)

    normal = report("layer norm (digits)", lambda: layer_norm.run(x, np.zeros_like(x), gain, bias, 1e-5), numpy_norm)
    report("softmax", lambda: softmax.run(normal), lambda: numpy_softmax(normal))
    network = MLPClassifier((32,), activation="tanh", max_iter=60, random_state=0, tol=1e-2).fit(
        normal[:1000], labels[:1000]
    )
    first, second = (w.astype(np.float32) for w in network.coefs_)
    one, two = (b.astype(np.float32) for b in network.intercepts_)
    hidden = report("hidden layer", lambda: hidden_layer.run(normal, first, one), lambda: np.tanh(normal @ first + one))
    classes = report(
        "probabilities", lambda: probabilities.run(hidden, second, two), lambda: numpy_softmax(hidden @ second + two)
    )
    right = (classes.argmax(1) == labels)[1000:].mean()
    print(f"digits that the network had not seen: {100 * right:.1f} % recognised")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--target", default="cpu", help="cpu (default), cuda-sim or reference")
    parser.add_argument("--out", type=Path, default=HERE / "out", help="folder for the picture")
    options = parser.parse_args()
    print(f"{'kernel':24} {'result':14} {'largest difference':>18} {'ours, ms':>10} {'NumPy, ms':>10}")
    picture = photograph(options.target)
    digits(options.target)
    options.out.mkdir(parents=True, exist_ok=True)
    picture.save(options.out / "photo.png")
    print(f"picture: {options.out / 'photo.png'}")


if __name__ == "__main__":
    main()
