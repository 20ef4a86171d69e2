"""Names of modules: what the top level of a file defines, evaluated as text, and what it imports from the project."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import libcst as cst

from intent2cuda.base.span import SourceFile
from intent2cuda.parse import constants, enums
from intent2cuda.parse.source import Module, identifier, load_source
from intent2cuda.parse.surface import language_attribute
from intent2cuda.parse.values import (
    FileModule,
    Folder,
    Function,
    HostName,
    Literal,
    Package,
    Unresolved,
    Val,
)

PACKAGES: Mapping[str, str] = {
    "intent": "intent",
    "intent2cuda": "intent",
    "intent.language": "language",
    "intent2cuda.language": "language",
}

_MATH: Mapping[str, float] = {"pi": math.pi, "e": math.e, "tau": math.tau, "inf": math.inf, "nan": math.nan}

_ANCESTORS = 12


@dataclass(frozen=True)
class Import:
    """A name that an import statement binds: `attribute` of the dotted `module`, or the module itself."""

    module: str
    level: int = 0
    attribute: str = ""


Definition = cst.FunctionDef | cst.ClassDef | cst.BaseExpression | Import


@dataclass(frozen=True)
class Entry:
    """A top-level definition of a name and the statement it stands in."""

    name: str
    definition: Definition
    statement: cst.CSTNode


def entries(module: Module) -> Iterator[Entry]:
    """Every top-level definition in source order. Conditional ones are not among them."""
    for statement in module.tree.body:
        if isinstance(statement, cst.FunctionDef | cst.ClassDef):
            yield Entry(identifier(statement.name.value), statement, statement)
        elif isinstance(statement, cst.SimpleStatementLine):
            for small in statement.body:
                yield from (Entry(name, found, statement) for name, found in _small(small))


def _small(node: cst.BaseSmallStatement) -> Iterator[tuple[str, Definition]]:
    match node:
        case cst.Assign(targets=targets, value=value):
            for target in targets:
                yield from _assigned(target.target, value)
        case cst.AnnAssign(target=cst.Name(value=name), value=value) if value is not None:
            yield identifier(name), value
        case cst.Import(names=aliases):
            for alias in aliases:
                dotted = _dotted(alias.name)
                if alias.asname is not None and isinstance(alias.asname.name, cst.Name):
                    yield identifier(alias.asname.name.value), Import(dotted)
                else:
                    yield dotted.split(".")[0], Import(dotted.split(".")[0])
        case cst.ImportFrom(module=source, names=aliases, relative=dots) if not isinstance(aliases, cst.ImportStar):
            base = _dotted(source) if source is not None else ""
            for alias in aliases:
                name = _dotted(alias.name)
                shown = alias.asname.name if alias.asname is not None else alias.name
                if isinstance(shown, cst.Name):
                    yield identifier(shown.value), Import(base, len(dots), name)
        case _:
            return


def _assigned(target: cst.BaseExpression, value: cst.BaseExpression) -> Iterator[tuple[str, cst.BaseExpression]]:
    """The names of an assignment's target; those of a tuple stand for the members of the value."""
    match target:
        case cst.Name(value=name):
            yield identifier(name), value
        case cst.Tuple(elements=elements) | cst.List(elements=elements) if all(
            isinstance(element, cst.Element) for element in elements
        ):
            for position, element in enumerate(elements):
                index = cst.SubscriptElement(cst.Index(cst.Integer(str(position))))
                yield from _assigned(element.value, cst.Subscript(value, [index]))
        case _:
            return


def star_imports(module: Module) -> Iterator[Import]:
    for statement in module.tree.body:
        for small in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
            if isinstance(small, cst.ImportFrom) and isinstance(small.names, cst.ImportStar):
                yield Import(_dotted(small.module) if small.module is not None else "", len(small.relative))


def _dotted(node: cst.BaseExpression) -> str:
    match node:
        case cst.Name(value=name):
            return identifier(name)
        case cst.Attribute(value=base, attr=cst.Name(value=name)):
            return f"{_dotted(base)}.{identifier(name)}"
        case _:
            return ""


class Globals:
    """The modules of one reading. `sources` are the files that were read, in order."""

    def __init__(self, main: Module) -> None:
        self._modules: dict[Path, Module] = {main.path.resolve(): main}
        self._tables: dict[Module, dict[str, Entry]] = {}
        self._values: dict[tuple[Module, str], Val | None] = {}

    @property
    def sources(self) -> tuple[SourceFile, ...]:
        return tuple(module.file for module in self._modules.values())

    def table(self, module: Module) -> dict[str, Entry]:
        found = self._tables.get(module)
        if found is None:
            found = self._tables[module] = {entry.name: entry for entry in entries(module)}
        return found

    def names(self, module: Module) -> tuple[str, ...]:
        return tuple(self.table(module))

    def lookup(self, module: Module, name: str) -> Val | None:
        """The value of a top-level name, or None. A name that depends on itself has none."""
        key = (module, name)
        if key not in self._values:
            self._values[key] = None
            self._values[key] = self._evaluate(module, name)
        return self._values[key]

    def attribute(self, value: Val, name: str) -> Val | None:
        """An attribute of a module or package, or None."""
        match value:
            case Package(name="intent"):
                return Package("language") if name == "language" else HostName(f"intent.{name}")
            case Package():
                return language_attribute(name)
            case FileModule(module=module):
                return self._of_module(module, name)
            case Folder(path=path):
                return self._child(path, name)
            case HostName(path="math") if name in _MATH:
                return Literal(_MATH[name])
            case HostName(path=path):
                return HostName(f"{path}.{name}")
            case _:
                return None

    def _of_module(self, module: Module, name: str) -> Val | None:
        """A name of a file; a package also has its files as names."""
        found = self.lookup(module, name)
        if found is None and module.path.name == "__init__.py":
            return self._child(module.path.parent, name)
        return found

    def _evaluate(self, module: Module, name: str) -> Val | None:
        entry = self.table(module).get(name)
        if entry is None:
            return next((v for i in star_imports(module) if (v := self._star(module, i, name)) is not None), None)
        match entry.definition:
            case Import() as found:
                return self._imported(module, found)
            case cst.FunctionDef() as node:
                return Function(name, self.kind(module, node), node, module)
            case cst.ClassDef() as node:
                return enums.enum_type(self, module, node)
            case cst.Lambda():
                return Function(name, "lambda", None, module)
            case _ as node:
                return constants.module_value(self, module, name, node)

    def kind(self, module: Module, node: cst.FunctionDef) -> str:
        """What the decorators make of a function: `kernel`, `fn`, or `python`."""
        for decorator in node.decorators:
            expression = decorator.decorator
            called = expression.func if isinstance(expression, cst.Call) else expression
            match constants.evaluate(self, module, called):
                case HostName(path="intent.kernel"):
                    return "kernel"
                case HostName(path="intent.fn"):
                    return "fn"
                case _:
                    continue
        return "python"

    def _star(self, module: Module, found: Import, name: str) -> Val | None:
        if name.startswith("_"):
            return None
        source = self._imported(module, found)
        return self.attribute(source, name) if isinstance(source, Package | FileModule) else None

    def _imported(self, module: Module, found: Import) -> Val | None:
        if not found.level and found.module in PACKAGES:
            package = Package(PACKAGES[found.module])
            return self.attribute(package, found.attribute) if found.attribute else package
        source = self._project(module, found)
        named = f"`{'.' * found.level}{found.module}`"
        if source is None and found.level:
            return Unresolved(f"{named} is no file of the project")
        if source is None:
            dotted = f"{found.module}.{found.attribute}" if found.attribute else found.module
            return self.attribute(HostName(found.module), found.attribute) if found.attribute else HostName(dotted)
        if not found.attribute:
            return source
        value = self.attribute(source, found.attribute)
        return value if value is not None else Unresolved(f"{named} defines no `{found.attribute}`")

    def _project(self, module: Module, found: Import) -> FileModule | Folder | None:
        """The file or folder of the project that an import names: relative to the file, or to a folder above it."""
        if not found.level and found.module.split(".")[0] in sys.stdlib_module_names:
            return None
        folder = module.path.resolve().parent
        parts = found.module.split(".") if found.module else []
        if found.level:
            return self._descend(folder.joinpath(*[".."] * (found.level - 1)).resolve(), parts)
        for root in [folder, *folder.parents][:_ANCESTORS]:
            source = self._descend(root, parts)
            if isinstance(source, FileModule) or (source is not None and len(parts) > 1):
                return source
        return None

    def _descend(self, folder: Path, parts: list[str]) -> FileModule | Folder | None:
        found: FileModule | Folder | None = self._at(folder)
        for part in parts:
            found = self._child(folder, part)
            folder = folder / part
            if found is None:
                return None
        return found

    def _child(self, folder: Path, name: str) -> FileModule | Folder | None:
        file = folder / f"{name}.py"
        return FileModule(self._load(file)) if file.is_file() else self._at(folder / name)

    def _at(self, folder: Path) -> FileModule | Folder | None:
        if (folder / "__init__.py").is_file():
            return FileModule(self._load(folder / "__init__.py"))
        return Folder(folder) if folder.is_dir() else None

    def _load(self, path: Path) -> Module:
        key = path.resolve()
        if key not in self._modules:
            self._modules[key] = load_source(path, self._shown(key))
        return self._modules[key]

    def _shown(self, path: Path) -> str:
        """The name of an imported file as seen from the kernel's own, which is the first of the modules."""
        own, main = next(iter(self._modules.items()))
        above = next(k for k, parent in enumerate(own.parents) if path.is_relative_to(parent))
        shown = PurePosixPath(main.file.name)
        rest = path.relative_to(own.parents[above])
        return str(PurePosixPath(*shown.parts[: max(0, len(shown.parts) - 1 - above)], *rest.parts))
