"""Layer 6: machine programs to text. Recursion is Python, files are Jinja templates that look like the file they make."""
