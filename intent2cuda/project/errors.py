"""What goes wrong outside the compiler: tools and the build cache."""

from __future__ import annotations

from intent2cuda.base.diagnostics import Diagnostic, IntentError


class ToolchainError(IntentError, RuntimeError):
    """A tool is missing (`toolchain.missing`), failed (`toolchain.failed`) or took too long (`toolchain.timeout`)."""

    def __init__(self, code: str, message: str, help: str = "") -> None:
        super().__init__([Diagnostic(code, message, help=help)])


class ArtifactError(IntentError, RuntimeError):
    """An emitted project that is not loaded: incomplete, changed, or made for a machine that can do more than this one.

    `requirement` is the field of `requires` in the manifest that this machine does not meet, where that is the reason.
    """

    def __init__(self, code: str, message: str, help: str = "emit the project again", requirement: str = "") -> None:
        super().__init__([Diagnostic(code, message, help=help)])
        self.requirement = requirement


class ProjectError(IntentError):
    """A folder that cannot be used: another project or edits are in it, it cannot be written, or is not safe."""

    def __init__(self, code: str, message: str, help: str = "") -> None:
        super().__init__([Diagnostic(code, message, help=help)])
