"""An emitted project under review: its manifest, its texts and its lineage, each checked before it is believed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from intent2cuda.base.diagnostics import Diagnostic, IntentError
from intent2cuda.base.files import LINEAGE, MANIFEST
from intent2cuda.base.records import RecordError, parsed
from intent2cuda.review.lineage import Lineage, read_lineage


@dataclass(frozen=True)
class Emitted:
    """`where` is how people call it. `read` gives the text of a file; None when it is not there."""

    where: str
    read: Callable[[str], str | None]

    @cached_property
    def manifest(self) -> Mapping[str, Any]:
        """The manifest.

        Raises: IntentError when there is none that can be read.
        """
        text = self.read(MANIFEST)
        try:
            record = parsed(text) if text is not None else None
        except RecordError:
            record = None
        if not isinstance(record, Mapping) or not isinstance(record.get("files"), Mapping):
            raise refusal(
                "trace.unmatched", f"{self.where} holds no {MANIFEST} that can be read", "emit a project there"
            )
        return cast(Mapping[str, Any], record)

    @cached_property
    def lineage(self) -> Lineage:
        """The lineage.

        Raises: IntentError when it was taken away, or was changed.
        """
        text = self.read(LINEAGE)
        if text is None:
            message = f"{self.where} has no {LINEAGE}: its lineage is detached"
            raise refusal("trace.detached", message, "emit it again, or put the file back")
        return read_lineage(text)

    def text(self, path: str) -> str:
        """The text of an emitted file as it was emitted.

        Raises: IntentError when it is not one of the project, is not there, or was edited.
        """
        recorded = self.manifest["files"].get(path)
        text = self.read(path)
        if recorded is None or text is None:
            raise refusal(
                "trace.unmatched", f"{path} is no file of {self.where}", "name a file that its manifest lists"
            )
        if _sha256(text) != recorded:
            message = f"{path} is not as it was emitted: its lines are not those of the lineage"
            raise refusal("trace.stale", message, "put it back, or emit the project again")
        return text

    def source(self, name: str, text: str) -> int:
        """The number of one of the author's files among the sources of the lineage.

        Raises: IntentError when the project was made from another text, or without the file.
        """
        sources = cast(Mapping[str, str], self.manifest["sources"])
        numbers = {origin: number for number, origin in enumerate(self.lineage.sources)}
        alike = [origin for origin, recorded in sources.items() if recorded == _sha256(text) and origin in numbers]
        named = [origin for origin in numbers if origin.rpartition("/")[2] == Path(name).name]
        if alike:
            return numbers[next((origin for origin in alike if origin in named), alike[0])]
        if named:
            message = f"{self.where} was emitted from another text of {named[0]}"
            raise refusal("trace.stale", message, "emit the project again")
        raise refusal("trace.unmatched", f"{self.where} was not made from {name}", "name one of its sources")


def in_folder(folder: Path) -> Emitted:
    """The project in a folder."""

    def read(path: str) -> str | None:
        try:
            return (folder / path).read_bytes().decode()
        except (OSError, UnicodeDecodeError):
            return None

    return Emitted(str(folder), read)


def of_files(name: str, files: Mapping[str, str]) -> Emitted:
    """A project that is not written anywhere."""
    return Emitted(name, files.get)


def folder_of(path: Path) -> Path | None:
    """The folder of the project that an emitted file lies in; None when it lies in none."""
    return next((folder for folder in path.absolute().parents if (folder / MANIFEST).is_file()), None)


def refusal(code: str, message: str, help: str) -> IntentError:
    return IntentError([Diagnostic(code, message, help=help)])


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
