"""Layer 6: machine programs to text. What recurs is Python; files are Jinja templates that look like what they make."""

from intent2cuda.emit.project import ProjectFiles, emit_project, source_text

__all__ = ["ProjectFiles", "emit_project", "source_text"]
