"""A step publishes what it made only when everything about it holds."""

from __future__ import annotations

import pytest

from intent2cuda.base.diagnostics import Diagnostic, InternalError
from intent2cuda.base.report import Assurance, Report, report, step

FINE = Report(Assurance.STRUCTURAL)


def wrong(code: str) -> Report:
    return report(Assurance.CONSERVATION, [Diagnostic(code, "it is odd", subject="s1")] * 2)


@pytest.mark.req("S7")
def test_a_report_names_its_level_and_every_finding_once() -> None:
    assert str(FINE) == "verified (structural)" and FINE.holds
    assert str(wrong("a.b")) == "[a.b] s1: it is odd" and wrong("a.b").codes == ("a.b",)
    assert {level.value for level in Assurance} == {"structural", "conservation", "cross-consumer", "empirical"}


@pytest.mark.req("S4")
@pytest.mark.parametrize("failing", ["before", "after", "between"])
def test_a_step_that_fails_publishes_nothing(failing: str) -> None:
    published: list[int] = []
    checks = {"before": lambda _: FINE, "after": lambda _: FINE, "between": lambda *_: FINE}
    checks[failing] = lambda *_: wrong(f"odd.{failing}")
    with pytest.raises(InternalError, match=f"odd.{failing}"):
        published.append(step(3, lambda n: n + 1, **checks))
    assert published == []


@pytest.mark.req("S6")
def test_a_permissive_maker_does_not_pass_the_relation() -> None:
    """The relation looks at both sides by itself; whatever `make` says does not count."""

    def doubled(source: int, made: int) -> Report:
        return FINE if made == 2 * source else wrong("odd.double")

    assert step(3, lambda n: 6, before=lambda _: FINE, after=lambda _: FINE, between=doubled) == 6
    with pytest.raises(InternalError, match=r"odd\.double"):
        step(3, lambda n: 7, before=lambda _: FINE, after=lambda _: FINE, between=doubled)
