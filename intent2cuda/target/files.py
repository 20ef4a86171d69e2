"""Profiles as TOML files: each says every field and no other; `extends` takes what it leaves out from another one."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from importlib.resources import files
from types import UnionType
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

from intent2cuda.base.codec import Plain

T = TypeVar("T")
Table = Mapping[str, Any]


class ProfileError(ValueError):
    """A profile file does not say what its kind has to say."""


@cache
def named(folder: str) -> tuple[str, ...]:
    """The names of the files of a folder that stand for something by themselves, sorted."""
    found = (file.name for file in (files("intent2cuda.target") / folder).iterdir())
    names = (name.removesuffix(".toml") for name in found if name.endswith(".toml"))
    return tuple(sorted(name for name in names if not name.startswith("_")))


def record(kinds: Mapping[str, type[T]], folder: str, name: str) -> T:
    """The record in a file; its `kind` says which of the kinds it is.

    Raises: ProfileError when a field is missing, unknown, or of another type.
    """
    table = dict(_table(folder, name))
    kind = kinds.get(table.pop("kind", ""))
    if kind is None:
        raise ProfileError(f"{name}: kind is none of {', '.join(kinds)}")
    return cast(T, made(kind, {"name": name, **table}, name))


def made(kind: Any, value: Any, where: str) -> Any:
    """The value as what a field of this type holds."""
    if is_dataclass(kind) and isinstance(kind, type):
        return _dataclass(kind, value, where)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(value)
    if get_origin(kind) is tuple and isinstance(value, Sequence) and not isinstance(value, str):
        items = cast(Sequence[Any], value)
        return tuple(made(get_args(kind)[0], item, f"{where}[{place}]") for place, item in enumerate(items))
    if isinstance(kind, UnionType) and value is not None:
        return made(next(k for k in get_args(kind) if k is not type(None)), value, where)
    if isinstance(kind, type) and type(value) is kind:
        return value
    raise ProfileError(f"{where}: {value!r} is no {getattr(kind, '__name__', kind)}")


def plain(item: Any) -> Plain:
    """A record as mappings and lists, as it would stand in a file."""
    if isinstance(item, Enum):
        return cast(str, item.value)
    if is_dataclass(item) and not isinstance(item, type):
        return {f.name: plain(getattr(item, f.name)) for f in fields(item)}
    if isinstance(item, tuple):
        return [plain(part) for part in cast(tuple[Any, ...], item)]
    return cast(Plain, item)


def _dataclass(kind: type, value: Any, where: str) -> Any:
    hints = get_type_hints(kind)
    known = [f.name for f in fields(kind)]
    if not isinstance(value, Mapping):
        raise ProfileError(f"{where}: {value!r} is no table")
    given = cast(Table, value)
    if missing := [name for name in known if name not in given]:
        raise ProfileError(f"{where} does not say {', '.join(missing)}")
    if unknown := [name for name in given if name not in known]:
        raise ProfileError(f"{where} says {', '.join(unknown)}, which a {kind.__name__} does not have")
    return kind(**{name: made(hints[name], given[name], f"{where}.{name}") for name in known})


def _table(folder: str, name: str) -> Table:
    text = (files("intent2cuda.target") / folder / f"{name}.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)
    base = table.pop("extends", None)
    return table if base is None else _merged(_table(folder, base), table)


def _merged(base: Table, own: Table) -> Table:
    """The base with what the file itself says; tables are merged, everything else is replaced."""
    tables = [key for key, value in own.items() if key in base and isinstance(value, dict)]
    both = {key: _merged(base[key], own[key]) for key in tables}
    return {**base, **own, **both}
