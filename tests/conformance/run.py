"""Run the conformance suite against the `intent2cuda` of this environment.

Kernels that `scope.toml` lists are not supported yet: they are left out, unless `--outside` asks for them alone. Then a
kernel all of whose cases pass is a failure, because it has to leave the list.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import os
import queue
import subprocess
import sys
import threading
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent
sys.path[0] = str(ROOT.parent)

from conformance.suite import files, named_cases

BUILD_LIMIT = 300.0  # seconds for one file's kernels
CALL_LIMIT = 30.0  # seconds for one case
CHILD_LIMIT = 4  # broken children, after which the rest of a file is given up


@dataclass(frozen=True)
class Job:
    path: Path
    target: str
    cases: list[str]


@dataclass(frozen=True)
class Result:
    case: str
    verdict: str
    seconds: float
    detail: str


def run_file(job: Job) -> list[Result]:
    """All cases of a job; one that kills or hangs its child costs only itself."""
    left: list[str] = job.cases
    results: list[Result] = []
    for attempt in range(1, CHILD_LIMIT + 1):
        if not left:
            break
        done, current, why = run_child(Job(job.path, job.target, left))
        finished = {r.case for r in done}
        left = [n for n in left if n not in finished]
        lost = [current] if current and attempt < CHILD_LIMIT else left
        results += [*done, *(Result(n, "crash", 0.0, why) for n in lost)]
        left = [n for n in left if n not in lost]
    return results


def run_child(job: Job) -> tuple[list[Result], str | None, str]:
    """What was finished, the case that was under way when the child ended, and why it ended."""
    command = [sys.executable, str(ROOT / "worker.py"), str(job.path), job.target]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, errors="replace")
    assert process.stdin and process.stdout and process.stderr
    messages: queue.Queue[dict[str, Any] | None] = queue.Queue()
    printed: list[str] = []

    def listen(stream: Any) -> None:
        for line in stream:
            messages.put(json.loads(line))
        messages.put(None)

    threads = [
        threading.Thread(target=listen, args=(process.stdout,)),
        threading.Thread(target=printed.extend, args=(process.stderr,)),
    ]
    for thread in threads:
        thread.start()
    with contextlib.suppress(BrokenPipeError), process.stdin:
        process.stdin.write("\n".join(job.cases))
    done: list[Result] = []
    current, why, limit = None, "", BUILD_LIMIT
    while True:
        try:
            message = messages.get(timeout=limit)
        except queue.Empty:
            why = f"no answer within {limit:.0f} s"
            process.kill()
            break
        if message is None:
            break
        if message.pop("event") == "begin":
            current = message["case"]
        else:
            done.append(Result(**message))
            current = None
        limit = CALL_LIMIT
    code = process.wait()
    for thread in threads:
        thread.join()
    return done, current, why or f"exit code {code}: {printed[-1].strip() if printed else 'nothing was printed'}"


def unsupported() -> list[str]:
    """Patterns of `area/file.kernel`."""
    with (ROOT / "scope.toml").open("rb") as file:
        return list(tomllib.load(file)["outside"])


def chosen_cases(area: str, text: str, outside: bool) -> list[tuple[Path, list[str]]]:
    """The cases on one side of the list, by file."""
    patterns = unsupported()

    def wanted(path: Path, name: str) -> bool:
        kernel = f"{path.parent.name}/{path.stem}.{name.split('[')[0].split('#')[0]}"
        return text in f"{path.stem}.{name}" and any(fnmatch(kernel, p) for p in patterns) == outside

    found = [(path, [n for n in named_cases(path) if wanted(path, n)]) for path in files(area)]
    return [(path, names) for path, names in found if names]


def supported_after_all(results: list[tuple[Job, Result]]) -> list[str]:
    """Kernels of the list that pass all of their cases on every target that was run."""
    verdicts: dict[str, set[str]] = {}
    for job, result in results:
        kernel = f"{job.path.parent.name}/{job.path.stem}.{result.case.split('[')[0].split('#')[0]}"
        verdicts.setdefault(kernel, set()).add(result.verdict)
    return [kernel for kernel, found in verdicts.items() if found <= {"pass", "skip"}]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--targets", default="reference,cpu,cuda-sim", help="names, separated by commas")
    parser.add_argument("--area", default="", help="one folder of cases/")
    parser.add_argument("--case", default="", help="only cases whose file.kernel[id] contains this text")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="files at a time")
    parser.add_argument("--outside", action="store_true", help="the kernels of scope.toml instead of all others")
    parser.add_argument("--list", action="store_true", help="print the names of the cases and stop")
    options = parser.parse_args()
    if importlib.util.find_spec("intent2cuda") is None:
        print("intent2cuda is not installed in this environment", file=sys.stderr)
        return 2

    work = chosen_cases(options.area, options.case, options.outside)
    if options.list:
        for path, names in work:
            print(*(f"{path.parent.name:12} {path.stem}.{name}" for name in names), sep="\n")
        return 0
    jobs = [Job(path, target, names) for target in options.targets.split(",") for path, names in work]
    seen: list[tuple[Job, Result]] = []
    print(f"{'area':12} {'case':48} {'target':10} {'verdict':8} seconds")
    with ThreadPoolExecutor(options.jobs) as pool:
        for job, results in zip(jobs, pool.map(run_file, jobs), strict=True):
            for r in results:
                seen.append((job, r))
                name = f"{job.path.stem}.{r.case}"
                row = f"{job.path.parent.name:12} {name:48} {job.target:10} {r.verdict:8} {r.seconds:7.3f}  {r.detail}"
                print(row.rstrip(), flush=True)
    passed, skipped = (sum(r.verdict == verdict for _, r in seen) for verdict in ("pass", "skip"))
    failed = len(seen) - passed - skipped
    if options.outside:
        supported = supported_after_all(seen)
        print(*(f"{kernel} has to leave scope.toml" for kernel in supported), sep="\n")
        return 1 if supported else 0
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
