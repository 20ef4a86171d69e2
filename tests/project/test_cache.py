"""The build cache: what counts as an entry, what happens to damaged ones, who goes first when it is full."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from intent2cuda import ProjectError
from intent2cuda.project import settings
from intent2cuda.project.build import build_library
from intent2cuda.project.cache import FORMAT, Cache, open_cache
from intent2cuda.project.emitted import EmittedProject
from intent2cuda.project.staging import sweep


def publish(cache: Cache, key: str, text: str = "content", size: int = 0) -> Path:
    with cache.staging() as staged:
        (staged / "src").mkdir()
        (staged / "src" / "a.txt").write_text(text)
        (staged / "library.so").write_bytes(b"x" * size)
        return cache.publish(staged, key)


def test_an_entry_is_found_again(cache: Cache) -> None:
    assert cache.lookup("ab1") is None
    entry = publish(cache, "ab1")
    assert cache.lookup("ab1") == entry
    assert (entry / "src" / "a.txt").read_text() == "content"
    assert entry.stat().st_mode & 0o777 == 0o700


def _truncate(entry: Path) -> None:
    (entry / "src" / "a.txt").write_text("con")


def _edit(entry: Path) -> None:
    (entry / "src" / "a.txt").write_text("c0ntent")


def _remove(entry: Path) -> None:
    (entry / "library.so").unlink()


def _add(entry: Path) -> None:
    (entry / "foreign.so").write_text("code of somebody else")


def _truncate_manifest(entry: Path) -> None:
    text = (entry / "entry.json").read_text()
    (entry / "entry.json").write_text(text[: len(text) // 2])


def _replace_manifest(entry: Path) -> None:
    (entry / "entry.json").write_text("[]")


def _remove_manifest(entry: Path) -> None:
    (entry / "entry.json").unlink()


DAMAGES = [_truncate, _edit, _remove, _add, _truncate_manifest, _replace_manifest, _remove_manifest]


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_entries_are_absent_and_replaced(cache: Cache, damage: Callable[[Path], None]) -> None:
    entry = publish(cache, "ab1")
    damage(entry)
    assert cache.lookup("ab1") is None
    assert publish(cache, "ab1") == entry
    assert cache.lookup("ab1") == entry
    assert sorted(p.name for p in entry.iterdir()) == ["entry.json", "library.so", "src"]


def test_an_entry_under_a_foreign_name_is_absent(cache: Cache) -> None:
    entry = publish(cache, "ab1")
    entry.rename(entry.with_name("ab2"))
    assert cache.lookup("ab2") is None


def test_a_damaged_library_is_built_again(saxpy: Callable[..., EmittedProject], cache: Cache) -> None:
    first = build_library(saxpy(), cache=cache)
    good = first.product.read_bytes()
    replacement = first.directory / "new"
    replacement.write_bytes(good[: len(good) // 2])
    replacement.rename(first.product)
    again = build_library(saxpy(), cache=cache)
    assert not again.from_cache
    assert again.product.read_bytes() == good


def test_the_first_of_two_equal_entries_stays(cache: Cache) -> None:
    first = publish(cache, "ab1")
    inode = first.stat().st_ino
    assert publish(cache, "ab1").stat().st_ino == inode


def test_nothing_is_left_of_a_failed_build(cache: Cache) -> None:
    with pytest.raises(ValueError, match="broken off"), cache.staging() as staged:
        (staged / "half").write_text("ha")
        raise ValueError("broken off")
    assert list((cache.folder / "staging").iterdir()) == []


def test_a_killed_process_leaves_no_entry(cache: Cache) -> None:
    child = f"""
import os, signal
from pathlib import Path
from intent2cuda.project.cache import Cache
with Cache(Path({str(cache.folder)!r}), 1 << 30).staging() as staged:
    (staged / "half").write_text("ha")
    os.kill(os.getpid(), signal.SIGKILL)
"""
    assert subprocess.run([sys.executable, "-P", "-c", child], check=False).returncode == -9
    assert cache.lookup("ab1") is None and not cache.entries()
    (abandoned,) = (cache.folder / "staging").iterdir()
    publish(cache, "ab1")
    assert not abandoned.exists()


def test_a_folder_that_a_process_builds_in_stays_however_old(cache: Cache) -> None:
    child = f"""
import sys
from pathlib import Path
from intent2cuda.project.cache import Cache
with Cache(Path({str(cache.folder)!r}), 1 << 30).staging() as staged:
    print(staged, flush=True)
    sys.stdin.read()
"""
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", child], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None and process.stdout is not None
    building = Path(process.stdout.readline().strip())
    yesterday = time.time() - 86400
    os.utime(building, (yesterday, yesterday))
    publish(cache, "ab1")
    assert building.is_dir()
    process.communicate()
    assert process.returncode == 0 and not building.exists()


def test_a_sweep_between_making_and_locking_a_folder(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    make, made = tempfile.mkdtemp, list[str]()

    def swept_once(**options: Path) -> str:
        made.append(make(**options))
        if len(made) == 1:
            sweep(options["dir"])
        return made[-1]

    monkeypatch.setattr("intent2cuda.project.staging.tempfile.mkdtemp", swept_once)
    with cache.staging() as staged:
        assert len(made) == 2 and staged == Path(made[1]) and staged.is_dir()


def test_the_longest_unused_entries_go_first(tmp_path: Path) -> None:
    cache = Cache(tmp_path, 25_000)
    for age, key in ((30, "aa1"), (20, "ab2"), (10, "ac3")):
        entry = publish(cache, key, size=10_000 if key != "ac3" else 1000)
        then = time.time() - age
        os.utime(entry, (then, then))
    assert cache.lookup("aa1") is not None  # used again: now the youngest
    publish(cache, "ad4", size=10_000)
    assert cache.lookup("ab2") is None
    assert cache.lookup("aa1") is not None and cache.lookup("ac3") is not None and cache.lookup("ad4") is not None


def test_an_entry_larger_than_the_cache_is_still_returned(tmp_path: Path) -> None:
    cache = Cache(tmp_path, 100)
    assert publish(cache, "aa1", size=1000).is_dir()


def test_places(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(settings.CACHE_DIRECTORY, str(tmp_path / "chosen"))
    monkeypatch.setenv(settings.CACHE_MEGABYTES, "3")
    assert open_cache() == Cache(tmp_path / "chosen" / FORMAT, 3 << 20)
    assert (tmp_path / "chosen" / FORMAT).stat().st_mode & 0o777 == 0o700
    monkeypatch.delenv(settings.CACHE_DIRECTORY)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert open_cache().folder == tmp_path / "xdg" / "intent2cuda" / FORMAT


@pytest.mark.parametrize("word", ["off", "0", "none", "OFF"])
def test_off(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, word: str) -> None:
    monkeypatch.setenv(settings.CACHE_DIRECTORY, word)
    monkeypatch.chdir(tmp_path)
    folder = open_cache().folder
    assert folder.is_dir() and not folder.is_relative_to(Path.home() / ".cache")
    assert list(tmp_path.iterdir()) == []


def test_a_temporary_cache_is_gone_afterwards() -> None:
    child = "from intent2cuda.project.cache import open_cache; print(open_cache().folder)"
    environment = {**os.environ, settings.CACHE_DIRECTORY: "off"}
    answer = subprocess.run(
        [sys.executable, "-P", "-c", child], env=environment, capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() and not Path(answer.stdout.strip()).exists()


def test_a_folder_that_others_may_write_to(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(settings.CACHE_DIRECTORY, str(tmp_path))
    (tmp_path / FORMAT).mkdir()
    (tmp_path / FORMAT).chmod(0o777)
    with pytest.raises(ProjectError, match="others may write to the cache folder") as caught:
        open_cache()
    assert caught.value.code == "cache.unsafe"
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(settings.CACHE_DIRECTORY, str(tmp_path / "file"))
    with pytest.raises(ProjectError, match="cannot be used"):
        open_cache()
