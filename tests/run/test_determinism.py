"""Emitted text is one and the same: in any folder, under any hash seed, with any cache, in any process.

A child process emits a list of kernels and prints the SHA-256 of every file; what two children print is compared.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "tests" / "conformance" / "cases"
EXAMPLES = sorted(ROOT.glob("examples/*/kernel.py"))
CONFORMANCE = [
    CASES / name
    for name in (
        "contract/fused_add.py",
        "contract/matmul.py",
        "contract/vectors.py",
        "control/carries.py",
        "control/merge.py",
        "control/while_loop.py",
        "domains/bounds.py",
        "domains/step.py",
        "domains/subregion.py",
        "helpers/imported.py",
        "indexing/composition.py",
        "indexing/gather.py",
        "parallel/points.py",
        "parallel/whole_tensors.py",
        "pointwise/choose.py",
        "pointwise/exponentials.py",
        "reduce/any_all.py",
        "reduce/arg_max.py",
        "reduce/axes.py",
        "shapes/broadcast.py",
        "shapes/permute.py",
    )
]

EMITTER = """
import hashlib, json, sys
from intent2cuda import pipeline
from intent2cuda.base.diagnostics import IntentError

found = {}
for path in sys.argv[1:]:
    for name in pipeline.kernel_names(path):
        for target in ("cpu", "cuda"):
            try:
                front = pipeline.front(path, name)
                files = pipeline.emit_project([front], target, pipeline.project_name(path, [name])).files
                sums = {p: hashlib.sha256(t.encode()).hexdigest() for p, t in files.items()}
            except IntentError as error:
                sums = str(error)
            found[f"{path.rpartition('/')[2]}:{name} {target}"] = sums
print(json.dumps(found))
"""


def emitted(paths: list[Path], seed: int | str = 0, cwd: Path = ROOT) -> dict[str, object]:
    """What a new process emits of every kernel of the files."""
    environment = os.environ | {"PYTHONHASHSEED": str(seed)}
    words = [sys.executable, "-P", "-c", EMITTER, *map(str, paths)]
    done = subprocess.run(words, cwd=cwd, env=environment, capture_output=True, text=True, check=False, timeout=570)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def copies(paths: list[Path], folder: Path) -> list[Path]:
    """The files of the repository, copied below another root, beside what they import."""
    (folder / "pyproject.toml").write_text("")
    for path in paths:
        shutil.copytree(path.parent, folder / path.parent.relative_to(ROOT), dirs_exist_ok=True)
    return [folder / path.relative_to(ROOT) for path in paths]


@pytest.fixture(scope="module")
def here() -> dict[str, object]:
    """The files of all kernels, emitted in the repository under the first seed."""
    return emitted([*EXAMPLES, *CONFORMANCE], 1)


def test_every_kernel_is_emitted(here: dict[str, object]) -> None:
    assert len(here) > 2 * 40
    assert not {name: files for name, files in here.items() if isinstance(files, str)}


def test_another_hash_seed_in_another_folder(here: dict[str, object], tmp_path: Path) -> None:
    (tmp_path / "a place").mkdir()
    paths = copies([*EXAMPLES[::2], *CONFORMANCE[::2]], tmp_path / "a place")
    own = emitted(paths, 2, cwd=tmp_path)
    assert len(own) > 40 and own == {key: here[key] for key in own}


def test_a_third_hash_seed_from_the_folder_of_the_kernel(here: dict[str, object]) -> None:
    for path in EXAMPLES[::4]:
        own = emitted([Path(path.name)], 31337, cwd=path.parent)
        names = {key.partition(" ")[0].partition(":")[2] for key in own}
        assert own == {key: here[key] for key in own} and names


def test_two_processes_at_once(tmp_path: Path) -> None:
    """Neither sees anything of the other."""
    source = EXAMPLES[3]
    words = [sys.executable, "-P", "-m", "intent2cuda", "emit", str(source), "-o"]
    both = [subprocess.Popen([*words, str(tmp_path / f"out{i}")], stdout=subprocess.DEVNULL) for i in range(2)]
    assert [process.wait(timeout=120) for process in both] == [0, 0]
    trees = [
        {p.relative_to(o): p.read_bytes() for p in o.rglob("*") if p.is_file()} for o in sorted(tmp_path.iterdir())
    ]
    assert trees[0] == trees[1] and len(trees[0]) > 10


@pytest.mark.parametrize("target", ["cpu", "cuda-sim"])
def test_cold_and_warm_cache(tmp_path: Path, target: str) -> None:
    """`compile` recalls a project from the cache: the files are those that `emit` makes anew."""
    script = (
        "import json, sys, intent2cuda as intent\n"
        "kernel = intent.load(sys.argv[1] + ':softmax')\n"
        "artifact = intent.compile(kernel, target=sys.argv[2])\n"
        "print(json.dumps([dict(artifact.files), intent.emit(kernel, target=sys.argv[2])]))\n"
    )
    environment = os.environ | {"INTENT2CUDA_CACHE_DIR": str(tmp_path)}
    words = [sys.executable, "-P", "-c", script, str(EXAMPLES[3]), target]
    texts = [
        subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout for _ in range(2)
    ]
    assert texts[0] == texts[1]
    compiled, emitted_now = json.loads(texts[0])
    assert compiled == emitted_now
