"""A product of one layer as text: what it is, where it comes from, its content, and a digest that seals all of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from intent2cuda.base.codec import Plain, canonical, digest
from intent2cuda.base.diagnostics import Diagnostic, IntentError
from intent2cuda.base.records import RecordError, parsed

VERSION = "0.0.0"
"""The only version there is: texts of any other one are refused, and made again from the source."""


@dataclass(frozen=True)
class Envelope:
    """`schema` names the layer. `producer`: who made it; `parents`: name and digest of what it was made from.

    `content_digest` is that of the decisions alone: names that people read, places and origins take no part in it.
    """

    schema: str
    producer: str
    parents: tuple[tuple[str, str], ...]
    features: tuple[str, ...]
    content_digest: str
    content: Plain

    @property
    def digest(self) -> str:
        """The digest of the whole: the content and where it comes from."""
        return digest(self.schema, canonical(self._record()))

    @property
    def text(self) -> str:
        return canonical({**self._record(), "digest": self.digest}) + "\n"

    def _record(self) -> dict[str, Plain]:
        return {
            "schema": self.schema,
            "version": VERSION,
            "producer": self.producer,
            "parents": [list(parent) for parent in self.parents],
            "features": list(self.features),
            "content_digest": self.content_digest,
            "content": self.content,
        }


def opened(text: str, schema: str) -> Envelope:
    """The envelope that a text holds.

    Raises: IntentError when it is of another layer or version, is no such text, or was changed.
    """
    layer = schema.rpartition(".")[2]
    try:
        record = parsed(text)
        if not isinstance(record, Mapping):
            raise RecordError("the text holds no record")
        if record.get("schema") != schema:
            raise _refused(f"{layer}.schema.name", f"this is {record.get('schema')}, not {schema}")
        if record.get("version") != VERSION:
            raise _refused(f"{layer}.schema.version", f"version {record.get('version')} is not {VERSION}")
        found = _envelope(record)
    except (RecordError, KeyError, TypeError) as error:
        raise _refused(f"{layer}.schema.text", f"this is no text of {schema}: {error}") from error
    if record.get("digest") != found.digest:
        raise _refused(f"{layer}.schema.digest", f"the text of {schema} was changed after it was sealed")
    return found


def _envelope(record: Mapping[str, Plain]) -> Envelope:
    parents = cast(list[list[str]], record["parents"])
    return Envelope(
        schema=cast(str, record["schema"]),
        producer=cast(str, record["producer"]),
        parents=tuple((name, parent) for name, parent in parents),
        features=tuple(cast(list[str], record["features"])),
        content_digest=cast(str, record["content_digest"]),
        content=record["content"],
    )


def _refused(code: str, message: str) -> IntentError:
    return IntentError([Diagnostic(code, message, help="make it again from the source")])
