"""The Jinja environment: strict about undefined names, no logic beyond loops and ready-made booleans."""

from __future__ import annotations

from functools import cache
from typing import Any

import jinja2


@cache
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader("intent2cuda", "templates"),
        undefined=jinja2.StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def fill(template: str, **views: Any) -> str:
    """The text of a template file of `templates/`; exactly one newline at its end."""
    return _environment().get_template(template).render(**views).rstrip("\n") + "\n"
