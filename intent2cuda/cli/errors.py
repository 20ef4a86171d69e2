"""What is wrong with a command line itself."""

from __future__ import annotations

from intent2cuda.base.diagnostics import Diagnostic, IntentError


class UsageError(IntentError):
    """Arguments that do not fit together (`cli.usage`)."""

    def __init__(self, message: str, help: str) -> None:
        super().__init__([Diagnostic("cli.usage", message, help=help)])


class FileError(IntentError):
    """A file or folder that cannot be read or written (`cli.file`)."""

    def __init__(self, error: OSError) -> None:
        reason = error.strerror or type(error).__name__
        named = f"{error.filename}: " if error.filename is not None else ""
        super().__init__([Diagnostic("cli.file", f"{named}{reason}", help="check the path and its permissions")])
