"""Helpers of the random kernels. Each combination is associative without any rounding, and its identity neutral."""

from __future__ import annotations

import ast

TEXT = """
@intent.fn
def plus(a, b):
    return a + b


@intent.fn
def times(a, b):
    return a * b


@intent.fn
def greater(a, b):
    return I.maximum(a, b)


@intent.fn
def tally(a, b):
    return I.record(total=a.total + b.total, bits=a.bits ^ b.bits, seen=a.seen or b.seen)


@intent.fn
def modular(a, b, modulus):
    return (a + b) % modulus


@intent.fn
def within(a, b, mask):
    return (a | b) & mask


@intent.fn
def affine(f, g):
    return f[0] * g[0], f[1] * g[0] + g[1]


@intent.fn
def sums(x):
    return I.reduce.sum(x, axis=0)


@intent.fn
def row_sums(x):
    return I.reduce.sum(x, axis=1)


@intent.fn
def last_place(x, place, least, strict):
    chosen = x > least if strict else x >= least
    return I.reduce.max(I.select(chosen, I.cast(place, I.i32), -1), axis=0)


@intent.fn
def powers(x):
    return I.full(x.shape, 31, I.i32)


@intent.fn
def polynomial(x):
    after = I.scan(powers(x), 0, 1, times, inclusive=False, reverse=True)
    return I.reduce(powers(x), 0, 1, times), I.reduce.sum(x * after, axis=0)


@intent.fn
def act(transition, state):
    return transition[0] * state + transition[1]


@intent.fn
def horner(x, state):
    scale, shift = I.scan((powers(x), x), 0, (I.cast(1, I.i32), I.cast(0, I.i32)), affine)
    return scale * state + shift


@intent.fn
def running(x, state):
    return I.cumsum(x, axis=0) + state


@intent.fn
def tallied(x):
    return I.record(total=I.reduce.sum(x, axis=0), bits=I.reduce(x, 0, 0, either), seen=I.reduce.any(x > 0, axis=0))


@intent.fn
def either(a, b):
    return a ^ b


@intent.fn
def early(x, y):
    if x > y:
        return x - y
    return y
"""

HELPERS = {node.name: ast.unparse(node) for node in ast.parse(TEXT).body if isinstance(node, ast.FunctionDef)}


def used_by(source: str) -> str:
    """The helpers that a source names, and those that they name themselves."""
    waiting, found = _names(source), set[str]()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting |= _names(HELPERS[name])
    return "".join(f"\n\n{text}\n" for name, text in HELPERS.items() if name in found)


def _names(source: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)} & HELPERS.keys()
