"""The text of small kernels: as people read it, and as a compiler takes it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from intent2cuda.machine.glossary import CONDITION, PAIRS, RESULT_NAMES, ROLES, SUFFIXES
from intent2cuda.machine.names import identifier

ROOT = Path(__file__).parents[2]
RUNTIME = ROOT / "runtime_cpp" / "include"
CASES = Path(__file__).parent / "cases"

AXES = set("ijkl")
"""Loop variables for axes that neither a loop nor an extent of the author names."""

STRICT = ("-fsyntax-only", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror", "-Wno-unknown-pragmas")
FORBIDDEN = re.compile(r"\bgoto\b|using namespace|^\s*#define|#pragma GCC|\b(tmp|var|val|alu|buf|ctr|idx|_)_?\d+\b")


def kernel_text(files: dict[str, str]) -> str:
    (path,) = (p for p in files if p.startswith("src/") and not p.endswith("_c.cpp"))
    return files[path]


def test_text(case: str, target: str, emitted, golden) -> None:
    golden.check(f"{case}.{target}.txt", kernel_text(emitted(case, target)))


def test_compiles(case: str, target: str, emitted, tmp_path: Path) -> None:
    files = emitted(case, target)
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    source = next(p for p in files if p.startswith("src/") and not p.endswith("_c.cpp"))
    target_flags = ("-std=c++17", "-fopenmp") if target == "cpu" else ("-std=c++20", "-DINTENT_SIMULATED")
    command = ["g++", *STRICT, *target_flags, "-x", "c++", f"-I{RUNTIME}", f"-I{tmp_path / 'include'}", source]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_reads_well(case: str, target: str, emitted) -> None:
    lines = kernel_text(emitted(case, target)).splitlines()
    assert [line for line in lines if len(line) > 100] == []
    assert [line for line in lines if FORBIDDEN.search(line)] == []
    assert [line for line in lines if re.search(r"\b[a-z]\w*_[2-9]\b", line.split("//")[0])] == []
    assert [line for line in lines if line.rstrip().endswith("\\")] == []


def test_names_are_the_authors_or_of_the_glossary(case: str, target: str, emitted) -> None:
    text = kernel_text(emitted(case, target))
    body = "\n".join(line.split("//")[0] for line in text.splitlines())
    declared = set(
        re.findall(
            r"(?:auto|bool|float|double|index_t|int\d+_t|f16|size_t|dim3)\*? (?:const )?(\w+)(?: =|;|[,)] )", body
        )
    )
    source = (CASES / f"{case}.py").read_text(encoding="utf-8")
    author = {identifier(word) for word in re.findall(r"\w+", source)}
    added = ROLES | SUFFIXES | set(RESULT_NAMES.values()) | {CONDITION, *PAIRS.values()}
    known = {word.lower().rstrip("_") for word in author} | AXES | added
    strange = [name for name in sorted(declared) if not is_made_of(name.lower().rstrip("_0"), known)]
    assert strange == []


def is_made_of(name: str, words: set[str]) -> bool:
    """Whether a name is one of the words or several of them, joined."""
    if name in words:
        return True
    cuts = (i for i, c in enumerate(name) if c == "_")
    return any(name[:i] in words and is_made_of(name[i + 1 :], words) for i in cuts)


def test_statements_are_quoted_once(case: str, target: str, emitted) -> None:
    text = kernel_text(emitted(case, target))
    quoted = re.findall(rf"// {case}\.py:(\d+)  ", text)
    assert len(quoted) == len(set(quoted))
    source = (CASES / f"{case}.py").read_text(encoding="utf-8").splitlines()
    stores = {str(number) for number, line in enumerate(source, 1) if re.match(r"\s+\w+\[.*\] = ", line)}
    assert stores <= set(quoted)


def test_text_does_not_depend_on_the_hash_seed() -> None:
    script = (
        "from intent2cuda.emit.project import source_text; from intent2cuda.lower import lower\n"
        "from intent2cuda.parse import parse_kernel; from intent2cuda.plan.planner import plan\n"
        f"kernel = parse_kernel({str(CASES / 'attention.py')!r}, 'attention', {{}}).kernel\n"
        "print(source_text('p', lower(plan(kernel, 'cuda').concrete)))"
    )
    texts = [
        subprocess.run(
            [sys.executable, "-P", "-c", script],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
        ).stdout
        for seed in ("0", "1", "2")
    ]
    assert len(set(texts)) == 1
