"""Tries each law of each operation on random data, and keeps the smallest inputs that break one."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

from hypothesis import find, settings
from hypothesis.errors import NoSuchExample, Unsatisfiable

from intent2cuda.base.diagnostics import IntentError
from intent2cuda.base.span import Span
from intent2cuda.ir.kernel import Kernel
from intent2cuda.laws import wording
from intent2cuda.laws.drawing import trials
from intent2cuda.laws.equations import Law, laws_of
from intent2cuda.laws.setting import Setting, settings_of
from intent2cuda.laws.trial import Trial, agree

SEED = 0
SHORT, LONG = 2, 5
"""The greatest extents that are drawn for a symbol, at first (where a law has no more parts) and then."""


@dataclass(frozen=True)
class Violation:
    """Inputs for which the sides of an equation differ, by the author's names."""

    inputs: Mapping[str, str]
    left: str
    right: str


@dataclass(frozen=True)
class Verdict:
    """One law of one operation. tried: on how many finite inputs. special: a violation by NaN or infinite inputs."""

    law: str
    equation: str
    tried: int
    violation: Violation | None
    special: Violation | None


@dataclass(frozen=True)
class Tested:
    """One operation with helpers of the author's, and what became of its laws."""

    construct: str
    span: Span | None
    helpers: Mapping[str, str]
    verdicts: tuple[Verdict, ...]

    @property
    def holds(self) -> bool:
        return not any(verdict.violation for verdict in self.verdicts)


def try_laws(kernel: Kernel, examples: int) -> tuple[Tested, ...]:
    """The verdicts on every operation whose helpers are the author's, each law on up to `examples` random inputs."""
    return tuple(_tested(setting, examples) for setting in settings_of(kernel))


def _tested(setting: Setting, examples: int) -> Tested:
    names = wording.helper_names(setting.op)
    verdicts = tuple(_verdict(setting, law, names, examples) for law in laws_of(setting.op))
    return Tested(wording.CONSTRUCTS[type(setting.op)], setting.op.span, names, verdicts)


def _verdict(setting: Setting, law: Law, names: Mapping[str, str], examples: int) -> Verdict:
    finite = _Search(setting, law, examples, special=False)
    broken = finite.run(names)
    special = None
    if not broken and setting.draws_floats:
        special = _Search(setting, law, examples, special=True).run(names)
    return Verdict(law.name, law.text(names), finite.tried, broken, special)


class _Search:
    """The search for a violation of one law. `tried` counts the inputs on which both sides could be computed."""

    def __init__(self, setting: Setting, law: Law, examples: int, special: bool) -> None:
        self._setting = setting
        self._law = law
        self._examples = examples
        self._special = special
        self.tried = 0

    def run(self, names: Mapping[str, str]) -> Violation | None:
        """The violation with the smallest inputs, among the smallest extents that show one."""
        for longest in (max(SHORT, self._law.parts), LONG):
            trial = self._smallest(longest, -(-self._examples // 2))
            if trial is not None:
                left, right = (wording.side_text(trial.op, self._law, side) for side in trial.sides(self._law))
                return Violation(wording.inputs_text(trial, self._law, names), left, right)
        return None

    def _smallest(self, longest: int, examples: int) -> Trial | None:
        drawn = trials(self._setting, self._law, longest, self._special)
        limits = settings(max_examples=examples, deadline=None, database=None)
        try:
            return find(drawn, self._is_broken, settings=limits, random=random.Random(SEED))
        except (NoSuchExample, Unsatisfiable):
            return None

    def _is_broken(self, trial: Trial) -> bool:
        try:
            sides = trial.sides(self._law)
        except IntentError:
            return False
        self.tried += 1
        return not agree(*sides)
