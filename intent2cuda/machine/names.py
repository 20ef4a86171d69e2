"""Names of the machine program: the author's, made into identifiers that C, C++ and CUDA accept, and kept apart."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

_CPP = """
alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class
co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype
default delete do double dynamic_cast else enum explicit export extern false float for friend goto if import
inline int long module mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected
public register reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast
struct switch template this thread_local throw true try typedef typeid typename typeof union unsigned using
virtual void volatile wchar_t while xor xor_eq final override
"""

_CUDA = """
threadIdx blockIdx blockDim gridDim warpSize dim3 half half2 nv_bfloat16 nv_bfloat162 float1 float2 float3
float4 double1 double2 double3 double4 int1 int2 int3 int4 uint1 uint2 uint3 uint4 char1 char2 char3 char4
uchar1 uchar2 uchar3 uchar4 short1 short2 short3 short4 ushort1 ushort2 ushort3 ushort4 long1 long2 long3
long4 ulong1 ulong2 ulong3 ulong4 longlong1 longlong2 longlong3 longlong4 min max cudaStream_t cudaError_t
"""

_MACROS = """
NULL EOF INFINITY NAN HUGE_VAL HUGE_VALF CHAR_BIT CHAR_MIN CHAR_MAX SCHAR_MIN SCHAR_MAX UCHAR_MAX SHRT_MIN
SHRT_MAX USHRT_MAX INT_MIN INT_MAX UINT_MAX LONG_MIN LONG_MAX ULONG_MAX LLONG_MIN LLONG_MAX ULLONG_MAX
INT8_MIN INT8_MAX INT16_MIN INT16_MAX INT32_MIN INT32_MAX INT64_MIN INT64_MAX UINT8_MAX UINT16_MAX UINT32_MAX
UINT64_MAX SIZE_MAX PTRDIFF_MIN PTRDIFF_MAX FLT_MIN FLT_MAX FLT_EPSILON DBL_MIN DBL_MAX DBL_EPSILON BUFSIZ
RAND_MAX M_PI M_E M_LN2 M_LOG2E M_SQRT2 DOMAIN OVERFLOW UNDERFLOW SING PLOSS TLOSS assert errno stdin stdout
stderr offsetof va_start va_arg va_end linux unix i386 signbit isnan isinf isfinite isnormal fpclassify
signgam complex imaginary I NDEBUG EXIT_SUCCESS EXIT_FAILURE INTENT_HOST_DEVICE INTENT_OK INTENT_SHAPE_ERROR
INTENT_STRIDE_ERROR INTENT_ALIAS_ERROR INTENT_CAPACITY_ERROR INTENT_DEVICE_ERROR INTENT_INTERNAL_ERROR
INTENT_SIMULATED
"""

_OURS = "intent std index_t main kDense kThreads kResident kMostBlocks kTileM kTileN kTileK"

RESERVED: frozenset[str] = frozenset(" ".join((_CPP, _CUDA, _MACROS, _OURS)).split())
"""Words that no name of an author may take in emitted text."""


def identifier(name: str) -> str:
    """An ASCII identifier for an author's name: other alphabets are spelled out, reserved words get an underscore.

    Different names may give one identifier; whoever declares it keeps them apart.
    """
    if not name.strip("_"):
        return "turn"  # `_`: the author counts turns of a loop and does not look at the number
    ascii_name = "".join(c if c.isascii() else _spelled(c) for c in name)
    safe = re.sub(r"\W", "_", ascii_name)
    safe = re.sub(r"__+", "_", safe)
    if re.match(r"_?[A-Z]|_", safe) and safe.startswith("_"):
        safe = safe.lstrip("_") + "_"
    if safe[0].isdigit():
        safe = f"n{safe}"
    return f"{safe}_" if safe in RESERVED else safe


def _spelled(character: str) -> str:
    """The letter without its marks, `ss` for the sharp s, `alpha` for a Greek letter; else the character's number."""
    bare = "".join(c for c in unicodedata.normalize("NFKD", character) if not unicodedata.combining(c))
    for plain in (bare, character.casefold()):
        if plain.isascii() and plain.isidentifier():
            return plain
    words = unicodedata.name(character, "").split()
    if len(words) >= 3 and words[-2] == "LETTER":
        return words[-1].capitalize() if "CAPITAL" in words else words[-1].lower()
    return f"u{ord(character):04x}"


def derived(name: str, role: str) -> str:
    """`x_row` for x and row; an underscore at the end of the name is not doubled: C++ keeps such names for itself."""
    return f"{name.rstrip('_')}_{role}"


def first_free(candidates: Sequence[str], taken: Callable[[str], bool]) -> str:
    """The first candidate that is not taken; as the last resort the last one with a number."""
    for name in candidates:
        if not taken(name):
            return name
    number = 2
    while taken(derived(candidates[-1], str(number))):
        number += 1
    return derived(candidates[-1], str(number))
