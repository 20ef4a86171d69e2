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
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent
sys.path[0] = str(ROOT.parent)

from conformance.scope import is_outside
from conformance.suite import files, named_cases

BUILD_LIMIT = 300.0  # seconds for one file's kernels
CALL_LIMIT = 30.0  # seconds for one case
CHILD_LIMIT = 4  # broken children, after which the rest of a file is given up


@dataclass(frozen=True)
class Job:
    path: Path
    target: str
    cases: list[str]
    checked: bool = False


@dataclass(frozen=True)
class Result:
    case: str
    verdict: str
    seconds: float
    detail: str


class Child:
    """A process that works on one job after the other, until one of them breaks it."""

    def __init__(self) -> None:
        pipe = subprocess.PIPE
        command = [sys.executable, str(ROOT / "worker.py")]
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, errors="replace")
        self.messages: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self.printed: list[str] = []
        self.threads = [threading.Thread(target=target) for target in (self._listen, self._keep)]
        for thread in self.threads:
            thread.start()

    def _listen(self) -> None:
        for line in self.process.stdout or ():
            self.messages.put(json.loads(line))
        self.messages.put(None)

    def _keep(self) -> None:
        self.printed.extend(self.process.stderr or ())

    def work(self, job: Job) -> tuple[list[Result], str | None, str]:
        """What was finished, the case that was under way when the child ended, and why it ended."""
        assert self.process.stdin
        wanted = {"path": str(job.path), "target": job.target, "cases": job.cases, "checked": job.checked}
        with contextlib.suppress(BrokenPipeError):
            print(json.dumps(wanted), file=self.process.stdin, flush=True)
        done: list[Result] = []
        current, limit = None, BUILD_LIMIT
        while True:
            try:
                message = self.messages.get(timeout=limit)
            except queue.Empty:
                self.process.kill()
                self.end()
                return done, current, f"no answer within {limit:.0f} s"
            if message is None:
                return done, current, f"exit code {self.end()}: {cause(self.printed)}"
            match message.pop("event"):
                case "begin":
                    current = message["case"]
                case "end":
                    done.append(Result(**message))
                    current = None
                case _:
                    return done, None, ""
            limit = CALL_LIMIT

    def end(self) -> int:
        """The child's exit code; it has no more jobs."""
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close() if self.process.stdin else None
        code = self.process.wait()
        for thread in self.threads:
            thread.join()
        return code


class Children:
    """The children of a pool of threads, one of each thread's own."""

    def __init__(self) -> None:
        self.living: dict[int, Child] = {}

    def run_file(self, job: Job) -> list[Result]:
        """All cases of a job; one that kills or hangs its child costs only itself."""
        left: list[str] = job.cases
        results: list[Result] = []
        for attempt in range(1, CHILD_LIMIT + 1):
            done, current, why = self._own().work(replace(job, cases=left))
            finished = {r.case for r in done}
            left = [n for n in left if n not in finished]
            results += done
            if not why:
                break
            del self.living[threading.get_ident()]
            lost = [current] if current and attempt < CHILD_LIMIT else left
            results += [Result(n, "crash", 0.0, why) for n in lost]
            left = [n for n in left if n not in lost]
            if not left:
                break
        return results

    def _own(self) -> Child:
        own = threading.get_ident()
        if own not in self.living:
            self.living[own] = Child()
        return self.living[own]

    def end(self) -> None:
        for child in self.living.values():
            child.end()


def cause(printed: list[str]) -> str:
    """What a broken child said last; before that, what a sanitizer found."""
    found = [line for line in printed if "runtime error:" in line or line.startswith("SUMMARY:")]
    return ((found or printed)[-1] if printed else "nothing was printed").strip()


def row(job: Job, result: Result) -> str:
    """One line of the report; of a long explanation its first line."""
    name, why = f"{job.path.stem}.{result.case}", "".join(result.detail.splitlines()[:1])
    place = f"{job.path.parent.name:12} {name:48} {job.target:10}"
    return f"{place} {result.verdict:8} {result.seconds:7.3f}  {why}".rstrip()


def kernel_name(path: Path, case: str) -> str:
    """The kernel of a case, as scope.toml names it."""
    return f"{path.parent.name}/{path.stem}.{case.split('[')[0].split('#')[0]}"


def jobs_of(options: argparse.Namespace) -> list[Job]:
    """The chosen cases of each file for each target: those in scope, or the others."""
    jobs: list[Job] = []
    cases = {path: list(named_cases(path)) for area in options.area.split(",") for path in files(area)}
    kernels = dict.fromkeys(kernel_name(path, name) for path, every in cases.items() for name in every)
    sample = set(list(kernels)[:: options.every])
    for target in options.targets.split(","):
        for path, every in cases.items():
            sampled = [name for name in every if kernel_name(path, name) in sample]
            named = [name for name in sampled if options.case in f"{path.stem}.{name}"]
            chosen = [n for n in named if is_outside(kernel_name(path, n), "kernels", target) == options.outside]
            if chosen:
                jobs.append(Job(path, target, chosen, options.checked))
    return jobs


def supported_after_all(results: list[tuple[Job, Result]]) -> list[str]:
    """Kernels of the list that pass all of their cases, with the target."""
    verdicts: dict[str, set[str]] = {}
    for job, result in results:
        kernel = f"{job.target} {kernel_name(job.path, result.case)}"
        verdicts.setdefault(kernel, set()).add(result.verdict)
    return [kernel for kernel, found in verdicts.items() if found <= {"pass", "skip"}]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--targets", default="reference,cpu,cuda-sim", help="names, separated by commas")
    parser.add_argument("--area", default="", help="folders of cases/, separated by commas")
    parser.add_argument("--case", default="", help="only cases whose file.kernel[id] contains this text")
    parser.add_argument("--every", type=int, default=1, help="every Nth kernel alone, with all of its cases")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="files at a time")
    parser.add_argument("--outside", action="store_true", help="the kernels of scope.toml instead of all others")
    parser.add_argument("--checked", action="store_true", help="checked builds; what these do not cover is skipped")
    parser.add_argument("--list", action="store_true", help="print the names of the cases and stop")
    options = parser.parse_args()
    if importlib.util.find_spec("intent2cuda") is None:
        print("intent2cuda is not installed in this environment", file=sys.stderr)
        return 2

    jobs = jobs_of(options)
    if options.list:
        for job in jobs:
            print(*(f"{job.path.parent.name:12} {job.path.stem}.{name}  {job.target}" for name in job.cases), sep="\n")
        return 0
    seen: list[tuple[Job, Result]] = []
    print(f"{'area':12} {'case':48} {'target':10} {'verdict':8} seconds")
    children = Children()
    with ThreadPoolExecutor(options.jobs) as pool:
        for job, results in zip(jobs, pool.map(children.run_file, jobs), strict=True):
            for r in results:
                seen.append((job, r))
                print(row(job, r), flush=True)
    children.end()
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
