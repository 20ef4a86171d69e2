"""The verifier of concrete plans finds what is broken on purpose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from intent2cuda.plan.gate import policy_of
from intent2cuda.plan.stage import BoundAxis, Effect, Fold, Keep, Level, Points, Stage, Sync
from intent2cuda.plan.verify import findings
from intent2cuda.target.profile import profile

from .support import planned

Change = Callable[[Points], Stage]


def verify(name: str, target: str, change: Callable[[tuple[Stage, ...]], Sequence[Stage]]) -> tuple[str, ...]:
    made = planned(name, target)
    draft = made.drafts.of(policy_of(profile(target)))
    assert findings(made.concrete, draft) == ()
    return findings(replace(made.concrete, stages=tuple(change(made.concrete.stages))), draft)


def in_nest(change: Callable[[tuple[Stage, ...]], Sequence[Stage]]) -> Callable[[tuple[Stage, ...]], Sequence[Stage]]:
    """Applies a change to the body of the first nest."""

    def apply(stages: tuple[Stage, ...]) -> Sequence[Stage]:
        return [replace(s, body=tuple(change(s.body))) if isinstance(s, Points) else s for s in stages]

    return apply


def without(kind: type) -> Callable[[tuple[Stage, ...]], Sequence[Stage]]:
    return lambda stages: [stage for stage in stages if not isinstance(stage, kind)]


def at_level(level: Level) -> Callable[[tuple[Stage, ...]], Sequence[Stage]]:
    def apply(stages: tuple[Stage, ...]) -> Sequence[Stage]:
        return [
            replace(s, axes=tuple(BoundAxis(b.axis, level, "") for b in s.axes)) if isinstance(s, Points) else s
            for s in stages
        ]

    return apply


@pytest.mark.req("P45")
def test_a_store_that_is_missing_or_repeated_is_found() -> None:
    assert any("runs 0 times" in f for f in verify("saxpy", "cpu", in_nest(lambda body: ())))
    assert any("runs 2 times" in f for f in verify("saxpy", "cpu", in_nest(lambda body: (*body, *body))))


def test_stores_out_of_order_are_found() -> None:
    swapped = verify("odd_even_sort", "cpu", lambda stages: [_reversed_stores(s) for s in stages])
    assert "stores are not in program order" in swapped


def _reversed_stores(stage: Stage) -> Stage:
    if isinstance(stage, Points):
        effects = [s for s in stage.body if isinstance(s, Effect)]
        return replace(stage, body=(*(s for s in stage.body if not isinstance(s, Effect)), *reversed(effects)))
    body = getattr(stage, "body", None)
    return replace(stage, body=tuple(map(_reversed_stores, body))) if body else stage  # type: ignore[type-var]


def test_reading_what_no_stage_defines_is_found() -> None:
    assert any("which no stage before it defines" in f for f in verify("softmax_rows", "cpu", in_nest(lambda b: b[1:])))


def test_reading_a_buffer_before_it_is_written_is_found() -> None:
    def no_keeps(body: tuple[Stage, ...]) -> Sequence[Stage]:
        return [replace(s, keeps=()) if isinstance(s, Fold) else s for s in body]

    assert any("reads weight before it is written" in f for f in verify("softmax_rows", "cpu", in_nest(no_keeps)))


def test_a_carry_without_first_value_is_found() -> None:
    def empty(body: tuple[Stage, ...]) -> Sequence[Stage]:
        return [s for s in body if not (isinstance(s, Points) and isinstance(s.body[0], Keep))]

    def no_start(body: tuple[Stage, ...]) -> Sequence[Stage]:
        return [replace(s, start=()) if hasattr(s, "start") else s for s in empty(body)]  # type: ignore[type-var]

    assert any("starts empty" in f for f in verify("sort_rows", "cpu", in_nest(no_start)))


def test_a_coordinate_that_no_loop_binds_is_found() -> None:
    def unwrapped(stages: tuple[Stage, ...]) -> Sequence[Stage]:
        return [s for nest in stages if isinstance(nest, Points) for s in nest.body]

    assert any("is not bound" in f for f in verify("saxpy", "cpu", unwrapped))


@pytest.mark.req("P55")
@pytest.mark.parametrize("name", ["passes", "reverse_row", "two_layers"])
def test_a_missing_barrier_is_found(name: str) -> None:
    found = verify(name, "sm_80", in_nest(without(Sync)))
    assert any("barriers are missing" in f for f in found)


def test_a_barrier_inside_one_threads_work_is_found() -> None:
    found = verify("saxpy", "sm_80", in_nest(lambda body: (Sync("no reason"), *body)))
    assert "a barrier stands inside one thread's work" in found


def test_shared_loops_inside_each_other_are_found() -> None:
    assert any("stands inside" in f for f in verify("softmax_rows", "cpu", in_nest(at_level(Level.TEAM))))
