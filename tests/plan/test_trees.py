"""What the stages of a kernel look like on each target."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from intent2cuda.parse import parse_kernel
from intent2cuda.plan import concrete_text, plan

if TYPE_CHECKING:
    from ..conftest import Golden

KERNELS = Path(__file__).with_name("kernels.py")
NAMES = re.findall(r"^def (\w+)", KERNELS.read_text(), re.MULTILINE)


@pytest.mark.parametrize("name", NAMES)
def test_stages(name: str, golden: Golden) -> None:
    kernel = parse_kernel(KERNELS, name).kernel
    texts = [re.sub(r"plan \w{12} of", "plan of", concrete_text(plan(kernel, target))) for target in ("cpu", "cuda")]
    golden.check(f"{name}.txt", "\n".join(texts))
