"""Layer 8: the whole way of a kernel, as a list of pure steps."""

from intent2cuda.pipeline.back import emit_project, machine_text, plan_kernel
from intent2cuda.pipeline.front import Front, constexpr_names, front, kernel_names, relations_text
from intent2cuda.pipeline.names import check_project_name, named_after_folder, project_name
from intent2cuda.pipeline.snapshots import kernel_snapshot, snapshots

__all__ = [
    "Front",
    "check_project_name",
    "constexpr_names",
    "emit_project",
    "front",
    "kernel_names",
    "kernel_snapshot",
    "machine_text",
    "named_after_folder",
    "plan_kernel",
    "project_name",
    "relations_text",
    "snapshots",
]
