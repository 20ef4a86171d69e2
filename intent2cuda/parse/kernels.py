"""The kernels of a file: by name, with their decorators."""

from __future__ import annotations

import libcst as cst

from intent2cuda.base.diagnostics import Diagnostic, IntentError
from intent2cuda.base.span import Span
from intent2cuda.parse import constants
from intent2cuda.parse.context import near
from intent2cuda.parse.hints import PHYSICAL_WORDS
from intent2cuda.parse.module_scope import Entry, Globals, entries
from intent2cuda.parse.sizes import MAX_NAME, is_long
from intent2cuda.parse.source import Module, identifier, refusal
from intent2cuda.parse.values import Function, HostName

_TARGET_WORDS = frozenset(
    {"target", "arch", "device", "backend", "grid", "provider", "gpu", "capability", *PHYSICAL_WORDS}
)


def kernel_names(module: Module) -> tuple[str, ...]:
    """The names of the kernels of a file, in source order."""
    globals_ = Globals(module)
    found = [
        e
        for e in entries(module)
        if isinstance(e.definition, cst.FunctionDef) and globals_.kind(module, e.definition) == "kernel"
    ]
    return tuple(dict.fromkeys(e.name for e in found))


def find_kernel(globals_: Globals, module: Module, name: str) -> Function:
    """The kernel of that name. Raises IntentError when there is none, or more than one definition of the name."""
    found = [entry for entry in entries(module) if entry.name == identifier(name)]
    definitions = [e for e in found if isinstance(e.definition, cst.FunctionDef)]
    if not definitions:
        raise _missing(module, name, found)
    node = definitions[0].definition
    assert isinstance(node, cst.FunctionDef)
    if len(found) > 1:
        second = next(entry for entry in found if entry is not definitions[0])
        raise refusal(
            "src.kernel.duplicate",
            f"`{name}` is defined twice",
            _place(module, second),
            "give each kernel a name of its own",
        )
    kind = globals_.kind(module, node)
    if kind != "kernel":
        raise _no_kernel(globals_, module, node, kind)
    _check_decorators(globals_, module, node)
    if is_long(name):
        raise refusal(
            "src.limit.name",
            f"the name of the kernel has more than {MAX_NAME} letters, those outside ASCII spelled out",
            module.span(node.name, node),
            "use a shorter name: files are named after the kernel",
        )
    if node.asynchronous is not None:
        raise refusal(
            "src.python.async", f"the kernel `{name}` is async", module.span(node.name, node), "write a plain def"
        )
    return Function(identifier(name), "kernel", node, module)


def _place(module: Module, entry: Entry) -> Span:
    node = entry.definition
    return module.span(node.name if isinstance(node, cst.FunctionDef) else entry.statement, entry.statement)


def _missing(module: Module, name: str, found: list[Entry]) -> IntentError:
    if found:
        return refusal(
            "src.kernel.form",
            f"`{name}` is not defined here with def",
            _place(module, found[-1]),
            "define it with def and @intent.kernel",
        )
    inner = _elsewhere(module, name)
    if inner is not None:
        return refusal(
            "src.kernel.missing",
            f"the kernel `{name}` does not stand at the top level of the file",
            inner,
            "define kernels at the top level",
        )
    names = kernel_names(module)
    close = near(name, names) or (names[0] if len(names) == 1 and name else "")
    help = f"did you mean `{close}`?" if close else f"the kernels are: {', '.join(names) or 'none'}"
    shown = name if len(name) <= 60 else name[:57] + "..."
    return IntentError(
        [Diagnostic("src.kernel.missing", f"{module.file.name} defines no kernel `{shown}`", None, help)]
    )


def _elsewhere(module: Module, name: str) -> Span | None:
    """A definition inside a class or a condition."""
    for statement in module.tree.body:
        blocks = [statement.body] if isinstance(statement, cst.ClassDef | cst.If | cst.With | cst.Try) else []
        if isinstance(statement, cst.If) and isinstance(statement.orelse, cst.Else):
            blocks.append(statement.orelse.body)
        for block in blocks:
            for inner in block.body:
                if isinstance(inner, cst.FunctionDef) and identifier(inner.name.value) == name:
                    return module.span(inner.name, statement)
    return None


def _no_kernel(globals_: Globals, module: Module, node: cst.FunctionDef, kind: str) -> IntentError:
    name = node.name.value
    for decorator in node.decorators if kind == "python" else ():
        value = constants.evaluate(globals_, module, decorator.decorator)
        if value is None or isinstance(value, HostName):
            span = module.span(decorator, node)
            return refusal(
                "src.kernel.decorator",
                f"the decorator of `{name}`, {span.text}, is not known here",
                span,
                "add: import intent2cuda as intent",
            )
    code = "src.kernel.undecorated" if kind == "python" else "src.kernel.missing"
    what = "a plain Python function" if kind == "python" else "a helper"
    names = kernel_names(module)
    return refusal(
        code,
        f"`{name}` is {what}, no kernel",
        module.span(node.name, node),
        f"the kernels are: {', '.join(names)}" if kind == "fn" and names else "decorate it with @intent.kernel",
    )


def _check_decorators(globals_: Globals, module: Module, node: cst.FunctionDef) -> None:
    for decorator in node.decorators:
        expression = decorator.decorator
        called = expression.func if isinstance(expression, cst.Call) else expression
        if constants.evaluate(globals_, module, called) != HostName("intent.kernel"):
            raise refusal(
                "src.kernel.decorator",
                "a kernel has no other decorator than @intent.kernel",
                module.span(decorator, node),
                "remove it",
            )
        for arg in expression.args if isinstance(expression, cst.Call) else ():
            word = identifier(arg.keyword.value) if arg.keyword is not None else ""
            what = f"`{word}`" if word else "argument"
            code = "src.target_in_source" if word in _TARGET_WORDS else "src.kernel.decorator"
            raise refusal(
                code,
                f"@intent.kernel takes no {what}: the target is chosen by the compile call",
                module.span(arg, node),
                "leave it out, and pass target= to intent.compile",
            )
