"""From the author's file to verified Kernel IR."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from intent2cuda import analysis, rewrite
from intent2cuda.analysis.relation_text import relations_text as text_of_relations
from intent2cuda.base.diagnostics import Diagnostic, IntentError, Severity
from intent2cuda.base.span import SourceFile
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.verify import verify
from intent2cuda.parse import kernel_names as names_of
from intent2cuda.parse import load_source, parse_kernel, parse_signature
from intent2cuda.parse.limits import with_deep_stack
from intent2cuda.pipeline.names import origin, source_origin


@dataclass(frozen=True)
class Front:
    """A verified kernel, what is to be said about it, every file read for it.

    `origin`: its file in emitted text. `origins`: the same for each of the sources. `given`: the names of the
    Constexpr parameters that a caller bound; the others have their defaults. `checked`: the kernel inspects what is
    not proved.
    """

    kernel: Kernel
    diagnostics: tuple[Diagnostic, ...]
    sources: tuple[SourceFile, ...]
    origin: str
    origins: tuple[str, ...]
    given: tuple[str, ...]
    checked: bool = False

    @property
    def obligations(self) -> tuple[Diagnostic, ...]:
        """What could be neither proved nor refuted and the author answers for."""
        return tuple(d for d in self.diagnostics if _is_obligation(d))


def front(
    path: str | Path,
    name: str,
    constexprs: Mapping[str, object] | None = None,
    *,
    strict: bool = False,
    checked: bool = False,
) -> Front:
    """Parses, types and verifies one kernel of a file.

    With `strict`, obligations that could be neither proved nor refuted are errors; with `checked` the kernel inspects
    them while it runs.

    Raises:
        IntentError: with all findings of the stage that refused the program.
    """
    parsed = parse_kernel(path, name, constexprs)
    findings = (*parsed.notes, *with_deep_stack(lambda: analysis.check(parsed.kernel)))
    refused = [d for d in findings if d.severity is Severity.ERROR or (strict and _is_obligation(d))]
    if refused:
        raise IntentError(refused)
    return Front(
        kernel=with_deep_stack(lambda: rewrite.run(_inspecting(parsed.kernel) if checked else parsed.kernel)),
        diagnostics=findings,
        sources=parsed.sources,
        origin=origin(path),
        origins=tuple(source_origin(source, path) for source in parsed.sources),
        given=tuple(sorted(constexprs or ())),
        checked=checked,
    )


def _inspecting(kernel: Kernel) -> Kernel:
    return verify(rewrite.checked(kernel), "inspecting what is not proved")


def _is_obligation(diagnostic: Diagnostic) -> bool:
    return diagnostic.code.endswith(".unproved")


def relations_text(front: Front) -> str:
    """What each named integer and predicate of the kernel is, and what each access touches."""
    return with_deep_stack(lambda: text_of_relations(front.kernel))


def kernel_names(path: str | Path) -> tuple[str, ...]:
    """The kernels of a file, in order.

    Raises:
        IntentError: the file cannot be read as Python, or holds no kernel.
    """
    module = load_source(path)
    names = names_of(module)
    if not names:
        message = f"{module.file.name} defines no kernel"
        raise IntentError([Diagnostic("src.kernel.missing", message, help="decorate a function with @intent.kernel")])
    return names


def constexpr_names(path: str | Path, name: str) -> tuple[str, ...]:
    """The compile-time parameters of a kernel."""
    return tuple(p.name for p in parse_signature(path, name) if p.is_constexpr)
