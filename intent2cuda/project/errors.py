"""What goes wrong outside the compiler: tools and the build cache."""

from __future__ import annotations

from intent2cuda.base.diagnostics import Diagnostic, IntentError


class ToolchainError(IntentError, RuntimeError):
    """A tool is missing (`toolchain.missing`), failed (`toolchain.failed`) or took too long (`toolchain.timeout`)."""

    def __init__(self, code: str, message: str, help: str = "") -> None:
        super().__init__([Diagnostic(code, message, help=help)])


class ProjectError(IntentError):
    """Files on disk stand in the way: edited by hand (`project.edited`), or the build cache is not safe."""

    def __init__(self, code: str, message: str, help: str = "") -> None:
        super().__init__([Diagnostic(code, message, help=help)])
