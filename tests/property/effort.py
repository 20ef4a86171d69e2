"""How many examples the property tests try: few in every run, more where the environment asks for it."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

EFFORT = int(os.environ.get("INTENT2CUDA_TEST_EFFORT", "1"))
"""How many times as many examples as usual."""


def examples(count: int) -> settings:
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large]
    return settings(deadline=None, max_examples=count * EFFORT, suppress_health_check=checks)
