"""Sealed texts of layers: changes are found, and no layer takes the text of another."""

from __future__ import annotations

from dataclasses import replace

import pytest

from intent2cuda.base.diagnostics import IntentError
from intent2cuda.base.envelope import Envelope, opened

CONTENT = {"tasks": ["t1"], "n": 3}
ENVELOPE = Envelope("intent.portable", "planner 1", (("kir", "ab12"),), ("segments",), "cd34", CONTENT)


def refusal(text: str, schema: str = "intent.portable") -> str:
    with pytest.raises(IntentError) as refused:
        opened(text, schema)
    return refused.value.code


@pytest.mark.req("S1", "S2")
def test_a_sealed_text_is_opened_as_it_was() -> None:
    assert opened(ENVELOPE.text, "intent.portable") == ENVELOPE
    assert '"version":"0.0.0"' in ENVELOPE.text


@pytest.mark.req("S2")
def test_every_changed_byte_is_found() -> None:
    codes = set[str]()
    for place in range(0, len(ENVELOPE.text) - 1, 3):
        byte = "x" if ENVELOPE.text[place] != "x" else "y"
        codes.add(refusal(ENVELOPE.text[:place] + byte + ENVELOPE.text[place + 1 :]))
    assert "portable.schema.digest" in codes
    assert codes <= {f"portable.schema.{what}" for what in ("digest", "name", "version", "text")}


@pytest.mark.req("S2")
def test_digests_of_schemas_are_apart() -> None:
    assert replace(ENVELOPE, schema="intent.concrete").digest != ENVELOPE.digest


@pytest.mark.req("P1", "P96")
def test_other_layers_and_versions_are_refused() -> None:
    assert refusal(replace(ENVELOPE, schema="intent.concrete").text) == "portable.schema.name"
    assert refusal(ENVELOPE.text.replace("0.0.0", "0.0.1")) == "portable.schema.version"
    assert refusal("[]") == "portable.schema.text"
