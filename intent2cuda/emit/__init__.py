"""Layer 6: machine programs to text. Recursion is Python, files are Jinja templates that look like the file they make."""

from intent2cuda.emit.project import ProjectFiles, emit_project, source_text

__all__ = ["ProjectFiles", "emit_project", "source_text"]
