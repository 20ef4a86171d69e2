"""What names a piece of text uses and assigns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import cast

import libcst as cst

from intent2cuda.parse.source import identifier

_SKIPPED = (
    "whitespace",
    "lpar",
    "rpar",
    "leading_lines",
    "header",
    "footer",
    "trailing",
    "semicolon",
    "comma",
    "asname",
    "lbracket",
    "rbracket",
    "equal",
    "colon",
    "operator",
)


@cache
def _fields(kind: type[cst.CSTNode]) -> tuple[str, ...]:
    return tuple(name for name in kind.__dataclass_fields__ if not name.startswith(_SKIPPED))


def children(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    for name in _fields(type(node)):
        found = getattr(node, name)
        if isinstance(found, cst.CSTNode):
            yield found
        elif isinstance(found, list | tuple):
            yield from (item for item in cast(Sequence[object], found) if isinstance(item, cst.CSTNode))


def nodes(roots: Sequence[cst.CSTNode]) -> Iterator[cst.CSTNode]:
    """Every node below the roots, those included, in no order that matters."""
    stack = list(roots)
    while stack:
        node = stack.pop()
        yield node
        stack.extend(children(node))


def name_counts(roots: Sequence[cst.CSTNode]) -> dict[str, int]:
    """How often each name stands in the text."""
    counts: dict[str, int] = {}
    for node in nodes(roots):
        if isinstance(node, cst.Name):
            name = identifier(node.value)
            counts[name] = counts.get(name, 0) + 1
    return counts


class Assignments:
    """The names that statements assign, remembered for each statement: loops and branches ask again at every level."""

    def __init__(self) -> None:
        self._found: dict[cst.CSTNode, dict[str, cst.CSTNode]] = {}
        self._branching: dict[cst.CSTNode, bool] = {}

    def of(self, roots: Sequence[cst.CSTNode]) -> dict[str, cst.CSTNode]:
        """The names, each with the first statement that assigns it in the order of the text."""
        found: dict[str, cst.CSTNode] = {}
        for root in roots:
            if root not in self._found:
                self._found[root] = self._assigned(root)
            for name, node in self._found[root].items():
                found.setdefault(name, node)
        return found

    def has_branch(self, root: cst.CSTNode) -> bool:
        """Whether an `if` statement stands in the statement."""
        if root not in self._branching:
            self._branching[root] = isinstance(root, cst.If) or any(map(self.has_branch, _statements(root)))
        return self._branching[root]

    def _assigned(self, root: cst.CSTNode) -> dict[str, cst.CSTNode]:
        own = {name: root for target in _targets(root) for name in target_names(target)}
        return own | {name: node for name, node in self.of(_statements(root)).items() if name not in own}


def _statements(node: cst.CSTNode) -> Sequence[cst.CSTNode]:
    """The parts of a statement in which statements stand; definitions keep theirs to themselves."""
    if isinstance(node, cst.FunctionDef | cst.ClassDef):
        return ()
    if isinstance(node, cst.BaseStatement | cst.BaseSuite | cst.Else):
        return tuple(children(node))
    return ()


def _targets(node: cst.CSTNode) -> Sequence[cst.CSTNode]:
    match node:
        case cst.Assign(targets=targets):
            return [target.target for target in targets]
        case cst.AnnAssign(target=target) | cst.AugAssign(target=target) | cst.For(target=target):
            return [target]
        case cst.FunctionDef(name=name) | cst.ClassDef(name=name):
            return [name]
        case cst.Import(names=aliases):
            return [alias.asname.name if alias.asname is not None else _first(alias.name) for alias in aliases]
        case cst.ImportFrom(names=aliases) if not isinstance(aliases, cst.ImportStar):
            return [alias.asname.name if alias.asname is not None else alias.name for alias in aliases]
        case _:
            return []


def _first(dotted: cst.BaseExpression) -> cst.BaseExpression:
    """The name that `import a.b.c` binds."""
    return _first(dotted.value) if isinstance(dotted, cst.Attribute) else dotted


def target_names(target: cst.CSTNode) -> Iterator[str]:
    """The plain names of an assignment target."""
    match target:
        case cst.Name(value=name):
            yield identifier(name)
        case cst.Tuple(elements=elements) | cst.List(elements=elements):
            for element in elements:
                yield from target_names(element.value)
        case _:
            return


def named_parameters(node: cst.FunctionDef) -> tuple[cst.Param, ...]:
    """The named parameters of a function in order."""
    return (*node.params.posonly_params, *node.params.params, *node.params.kwonly_params)
