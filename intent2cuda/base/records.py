"""Frozen records as canonical text and back: a closed set of types, no floats, and nothing is imported or run to read.

A record is written `{"Name": {"field": ...}}`, a member of an enumeration `{"Name": "value"}`, a tuple as a list.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from types import ModuleType
from typing import Any, Protocol, cast

from intent2cuda.base.codec import Plain, canonical


class RecordError(ValueError):
    """A text is no text of these records, or an item has none."""


class Links(Protocol):
    """How records point at things that are not written with them."""

    def name(self, item: Any) -> tuple[str, str] | None:
        """The tag and the name of such a thing; None for anything else."""
        ...

    def find(self, tag: str, name: str) -> Any:
        """The thing with a name. Raises KeyError when there is none."""
        ...


class NoLinks:
    """Records that are complete in themselves."""

    def name(self, item: Any) -> tuple[str, str] | None:
        return None

    def find(self, tag: str, name: str) -> Any:
        raise KeyError(tag)


class Records:
    """The types that a text may hold: frozen dataclasses and enumerations, each known by its name."""

    def __init__(self, types: Sequence[type], links: Links | None = None) -> None:
        self._types = {each.__name__: each for each in types}
        self._fields = {each: tuple(f.name for f in fields(each)) for each in types if is_dataclass(each)}
        self._links = links or NoLinks()
        assert len(self._types) == len(types), "two types have one name"

    def text(self, item: Any) -> str:
        """The canonical text of an item.

        Raises: RecordError for a type that is not one of these.
        """
        return canonical(self.plain(item))

    def read(self, text: str) -> Any:
        """The item that a text stands for.

        Raises: RecordError when it is no text of these records.
        """
        return self.item(parsed(text))

    def plain(self, item: Any) -> Plain:
        return self._plain(item, {})

    def _plain(self, item: Any, known: dict[int, Plain]) -> Plain:
        """`known`: what parts that were met before are as plain data, by identity; expressions recur often."""
        if item is None or type(item) in (bool, int, str):
            return item
        found = known.get(id(item))
        if found is None:
            found = known[id(item)] = self._written(item, known)
        return found

    def _written(self, item: Any, known: dict[int, Plain]) -> Plain:
        if isinstance(item, tuple):
            return [self._plain(part, known) for part in cast(tuple[Any, ...], item)]
        if (link := self._links.name(item)) is not None:
            return {link[0]: link[1]}
        kind: type = item.__class__
        if self._types.get(kind.__name__) is not kind:
            raise RecordError(f"{kind.__name__} has no text here")
        if isinstance(item, Enum):
            return {kind.__name__: self._plain(item.value, known)}
        return {kind.__name__: {name: self._plain(getattr(item, name), known) for name in self._fields[kind]}}

    def item(self, plain: Plain) -> Any:
        if isinstance(plain, Mapping):
            return self._tagged(plain)
        if isinstance(plain, Sequence) and not isinstance(plain, str):
            return tuple(self.item(part) for part in plain)
        return plain

    def _tagged(self, plain: Mapping[str, Plain]) -> Any:
        if len(plain) != 1:
            raise RecordError(f"a record has one tag, not {len(plain)}: {', '.join(sorted(plain))}")
        ((tag, content),) = plain.items()
        kind = self._types.get(tag)
        if kind is None:
            return self._linked(tag, content)
        try:
            if is_dataclass(kind) and isinstance(content, Mapping):
                return cast(Any, kind(**{name: self.item(part) for name, part in content.items()}))
            return cast(Any, kind)(self.item(content))
        except (TypeError, ValueError) as error:
            raise RecordError(f"this is no {tag}: {error}") from error

    def _linked(self, tag: str, content: Plain) -> Any:
        try:
            return self._links.find(tag, str(content))
        except KeyError as error:
            raise RecordError(f"{tag} is no record here") from error


def records_of(module: ModuleType) -> tuple[type, ...]:
    """The records and enumerations that a module defines."""
    kinds = (kind for kind in vars(module).values() if isinstance(kind, type) and kind.__module__ == module.__name__)
    return tuple(kind for kind in kinds if is_dataclass(kind) or issubclass(kind, Enum))


def parsed(text: str) -> Plain:
    """The plain data of a JSON text without floats and without repeated keys.

    Raises: RecordError for anything else.
    """

    def mapping(pairs: list[tuple[str, Plain]]) -> dict[str, Plain]:
        found = dict(pairs)
        if len(found) < len(pairs):
            raise RecordError("a key is there twice: " + ", ".join(sorted(key for key, _ in pairs)))
        return found

    def refused(number: str) -> Plain:
        raise RecordError(f"{number} is no integer")

    try:
        return cast(Plain, json.loads(text, object_pairs_hook=mapping, parse_float=refused, parse_constant=refused))
    except json.JSONDecodeError as error:
        raise RecordError(f"this is no JSON: {error}") from error
