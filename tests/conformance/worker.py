"""The child process: build the kernels of a file for one target, call them, judge each call; then those of the next.

`python worker.py` reads jobs from standard input (path, target, names of the wanted cases, checked or not) and reports
on standard output, one JSON object a line. What the product prints goes to standard error.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent
sys.path[0] = str(ROOT.parent)

import numpy as np
from numpy.typing import NDArray

import intent2cuda as intent
from conformance.case import Case
from conformance.compare import difference
from conformance.guard import HUGE, Memory, poison, single
from conformance.suite import Parameter, named_cases, parameters

Key = tuple[str, str]
Verdict = tuple[str, str]  # pass, wrong, refused, crash or skip; and what is to be said about it


def specialisation(case: Case) -> Key:
    return case.kernel, repr(sorted(case.constexprs.items()))


def build(path: Path, target: str, cases: Iterable[Case], checked: bool) -> dict[Key, Any]:
    """One artifact, or the exception instead, for each kernel and specialisation that the cases need."""
    needed = {specialisation(case): case for case in cases}
    built = _together(path, target, checked, [k for k, case in needed.items() if not case.constexprs])
    for key in needed.keys() - built.keys():
        try:
            kernel = intent.load(f"{path}:{key[0]}")
            constexprs = dict(needed[key].constexprs)
            built[key] = intent.compile(kernel, target=target, constexprs=constexprs, checked=checked)
        except Exception as error:
            built[key] = error
    return built


def _together(path: Path, target: str, checked: bool, keys: list[Key]) -> dict[Key, Any]:
    """The kernels as one project where the product offers that and none of them is at fault; otherwise nothing."""
    if len(keys) < 2:
        return {}
    try:
        kernels = [intent.load(f"{path}:{kernel}") for kernel, _ in keys]
        artifacts = intent.compile(kernels, target=target, checked=checked)
        return dict(zip(keys, artifacts, strict=True))
    except Exception:
        return {}


def run(artifact: Any, case: Case, signature: list[Parameter], target: str) -> Verdict:
    """Call the artifact on guarded copies of the inputs and judge what it did."""
    if isinstance(artifact, Exception):
        return judge(artifact, case, target)
    memory = Memory()
    values, arrays = arguments(case, signature, memory)
    before = {n: single(a).tobytes() for n, a in arrays.items() if a.nbytes <= HUGE}
    given = [arrays[p.name] if p.name in arrays else values[p.name] for p in signature if p.kind != "Constexpr"]
    try:
        with memory.fenced():
            artifact(*given)
    except Exception as error:
        written = touched(arrays, before)
        if written and isinstance(error, intent.IntentError) and not is_scarce(error):
            return "wrong", f"refused after writing {written}"
        return judge(error, case, target)
    if case.raises:
        return "wrong", f"no {case.raises}"
    if memory.damaged():
        return "wrong", "bytes outside the arrays were written"
    writable = {p.name for p in signature if p.kind != "In"} | {*case.same_array.values(), *case.expected}
    written = touched({n: a for n, a in arrays.items() if n not in writable}, before)
    if written:
        return "wrong", f"the In array {written} was written"
    for name, want in case.expected.items():
        fault = difference(arrays[name], want, case) if isinstance(want, np.ndarray) else None
        if fault:
            return "wrong", f"{name}: {fault}"
    fault = case.check({name: arrays[name] for name in case.expected}) if case.check else None
    return ("wrong", fault) if fault else ("pass", "")


def arguments(case: Case, signature: list[Parameter], memory: Memory) -> tuple[dict[str, Any], dict[str, NDArray]]:
    """The scalars and the arrays of a call by parameter name; Out arrays are poisoned."""
    given = [p.name for p in signature if p.kind not in ("Out", "Constexpr")]
    values = dict(zip(given, case.inputs, strict=True))
    arrays = memory.place({n: v for n, v in values.items() if isinstance(v, np.ndarray)})
    for name in (p.name for p in signature if p.kind == "Out"):
        if name in case.same_array:
            arrays[name] = arrays[case.same_array[name]]
            continue
        want = case.expected[name]
        arrays |= memory.place({name: want if isinstance(want, np.ndarray) else np.empty(want.shape, want.dtype)})
        poison(arrays[name])
    return values, arrays


def touched(arrays: Mapping[str, NDArray], before: Mapping[str, bytes]) -> str | None:
    """The name of an array that is not as it was, or None."""
    return next((n for n, a in arrays.items() if n in before and single(a).tobytes() != before[n]), None)


def is_scarce(error: intent.IntentError) -> bool:
    """Whether a kernel found no memory where there is none: `under.py memory`."""
    scarce = "scarce" in os.environ.get("LD_PRELOAD", "")
    return scarce and error.code == "call.internal" and "bad_alloc" in str(error)


def judge(error: Exception, case: Case, target: str) -> Verdict:
    text = f"{type(error).__name__}: {error}"
    if not isinstance(error, intent.IntentError):
        return "crash", text
    if is_scarce(error):
        return "skip", text
    if case.raises:
        named = case.raises in (c.__name__ for c in type(error).__mro__)
        return ("pass", "") if named else ("wrong", f"expected {case.raises}, got {text}")
    skipped = target in case.may_refuse or error.code == "check.unsupported"
    return ("skip" if skipped else "refused"), text


def main() -> None:
    channel = os.dup(1)
    os.dup2(2, 1)

    def say(**message: Any) -> None:
        os.write(channel, (json.dumps(message) + "\n").encode())

    for line in sys.stdin:
        job = json.loads(line)
        path, wanted = Path(job["path"]), set(job["cases"])
        chosen = {name: case for name, case in named_cases(path).items() if name in wanted}
        artifacts = build(path, job["target"], chosen.values(), job["checked"])
        signatures = parameters(path)
        for name, case in chosen.items():
            say(event="begin", case=name)
            started = time.perf_counter()
            verdict, detail = run(artifacts[specialisation(case)], case, signatures[case.kernel], job["target"])
            say(event="end", case=name, verdict=verdict, detail=detail[:400], seconds=time.perf_counter() - started)
        say(event="done")


if __name__ == "__main__":
    main()
