"""Layer 8: the whole way of a kernel, as a list of pure steps."""

from intent2cuda.pipeline.back import emit_project, plan_kernel
from intent2cuda.pipeline.front import Front, front
from intent2cuda.pipeline.names import project_name

__all__ = ["Front", "emit_project", "front", "plan_kernel", "project_name"]
