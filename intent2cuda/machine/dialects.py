"""Which target the parts of a machine program belong to, and what they do in the words that targets share.

What waits is another operation on each target: the end of a parallel region is no barrier of a block. They have one
protocol, and never one opcode.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from intent2cuda.machine import runtime
from intent2cuda.machine.expressions import Call, Name
from intent2cuda.machine.opcodes import opcode
from intent2cuda.machine.statements import Array, Barrier, For, Scope
from intent2cuda.machine.types import Named
from intent2cuda.machine.walk import nodes

CUDA, CPP, BUILTIN = "cuda", "cpp", "builtin"
DIALECTS: Mapping[str, str] = {"cuda": CUDA, "cpu": CPP}
"""The dialect of each target; what is builtin belongs to all."""

WORDS: Mapping[str, str] = dict.fromkeys(("threadIdx", "blockIdx", "blockDim", "gridDim", "cudaStream_t", "dim3"), CUDA)

PROTOCOLS: Mapping[str, tuple[str, ...]] = {
    "entry": ("function.kernel", "function.launcher", "function.workspace"),
    "loop": ("for", "for.team", "while"),
    "barrier": ("barrier", "region"),
    "store": ("store",),
}
"""The opcodes that are of one kind on all targets; each keeps the meaning that it has on its own."""


def dialect_of(part: Any) -> str:
    """The dialect of one node of a program; `builtin` for what every target has."""
    match part:
        case Barrier():
            return CUDA
        case Array(shared=True):
            return CUDA
        case For() if any("omp" in pragma for pragma in part.pragmas):
            return CPP
        case Scope(pragma=pragma) if "omp" in pragma:
            return CPP
        case Call(function=function):
            return _of_function(function)
        case Name(text=text) | Named(name=text):
            return WORDS.get(text, BUILTIN)
        case _:
            return BUILTIN


def foreign(item: Any, target: str) -> Iterator[str]:
    """What in a program belongs to another target."""
    own = DIALECTS[target]
    for part in nodes(item):
        if dialect_of(part) not in (own, BUILTIN):
            yield getattr(part, "function", "") or getattr(part, "text", "") or type(part).__name__.lower()


def protocol_of(part: Any) -> str:
    """What a part does in the words that targets share; empty when it has none."""
    word = opcode(part).partition(" ")[0]
    return next((name for name, opcodes in PROTOCOLS.items() if word in opcodes), "")


def _of_function(function: str) -> str:
    """That of the only target whose runtime has the function."""
    name = function.removeprefix("intent::")
    if name == function or (name in runtime.CPU) == (name in runtime.CUDA):
        return BUILTIN
    return CPP if name in runtime.CPU else CUDA
