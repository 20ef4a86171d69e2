"""Digests of kernels and stable ids of ops. Neither depends on names of locals, places, or serial numbers."""

from __future__ import annotations

from intent2cuda.base.codec import canonical, digest, short
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.notation import READER_FIELDS, Kind, Names, mnemonic, operation_text, slots, type_text
from intent2cuda.ir.op import Op, Region, operands, results
from intent2cuda.ir.printer import canonical_text
from intent2cuda.types.value_type import BufferType, ViewType

SCHEMA = "intent2cuda.kir.1"
OP_SCHEMA = "intent2cuda.kir.op.1"


def kernel_digest(kernel: Kernel) -> str:
    """The content digest of a kernel, in full."""
    return digest(SCHEMA, canonical_text(kernel))


def op_ids(kernel: Kernel) -> dict[Op, str]:
    """An id for each op, such as `load@3f09c1a2b4d5`.

    It is formed from the kernel's name, the path of regions, the kind, the attributes, the ids of the operands, and
    which one of the accesses of a resource in its region the op is; equal twins are counted. Edits elsewhere keep it.
    """
    ids = _Ids(kernel.name)
    for parameter in kernel.parameters:
        ids.names.add(parameter, f"%{parameter.name}")
    ids.region(kernel.body, "")
    return ids.found


class _Ids:
    def __init__(self, kernel_name: str) -> None:
        self.kernel_name = kernel_name
        self.names = Names.empty()
        self.found: dict[Op, str] = {}
        self.twins: dict[str, int] = {}

    def region(self, region: Region, path: str) -> None:
        for position, argument in enumerate(region.args):
            self.names.add(argument, f"%{path}.{position}")
        accesses: dict[str, int] = {}
        for op in region.ops:
            self.op(op, path, accesses)

    def op(self, op: Op, path: str, accesses: dict[str, int]) -> None:
        parts = [self.kernel_name, path, operation_text(op, self.names, READER_FIELDS)]
        for resource in (v for v in operands(op) if isinstance(v.type, ViewType | BufferType)):
            name = self.names.of(resource)
            accesses[name] = accesses.get(name, 0) + 1
            parts.append(f"{name} {accesses[name]}")
        parts += [type_text(value.type, self.names) for value in results(op)]
        key = canonical(parts)
        self.twins[key] = twin = self.twins.get(key, 0) + 1
        parts.append(str(twin))
        identity = f"{mnemonic(op)}@{short(digest(OP_SCHEMA, canonical(parts)))}"
        self.found[op] = identity
        for position, value in enumerate(results(op)):
            self.names.add(value, f"%{identity}.{position}")
        for slot in slots(type(op)):
            if slot.kind is Kind.REGION:
                self.region(getattr(op, slot.name), f"{identity}.{slot.name}")
