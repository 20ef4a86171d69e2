"""The text form of a kernel. `reader.read` reads it back; printing what was read gives the same text.

kernel row_mean(
  %x: In f32[M, N],
  %y: Out f32[M]
) {
  %0: index = dim M
  ...
  %total: f32[M] = reduce.add %square axes=(1)
  store %y[:], %total
}
"""

from __future__ import annotations

from collections.abc import Iterator

from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.notation import READER_FIELDS, Kind, Names, operation_text, plain_text, slots, type_text
from intent2cuda.ir.op import Op, Region, regions, results
from intent2cuda.ir.value import Value


def text(kernel: Kernel, places: bool = False) -> str:
    """The kernel as text. With `places`, each op of the author's has its file and line as a comment."""
    printer = _Printer(author_names(kernel), places)
    head = f"kernel {kernel.name}("
    parameters = [f"  {printer.declared(parameter)}" for parameter in kernel.parameters]
    tail = ")"
    if kernel.constexprs:
        tail += f" constexprs={plain_text(kernel.constexprs, printer.names)}"
    if kernel.doc:
        tail += f" doc={plain_text(kernel.doc, printer.names)}"
    rows = [head, ",\n".join(parameters), f"{tail} {{", *printer.body(kernel.body, 1), "}"]
    return "\n".join(row for row in rows if row) + "\n"


def canonical_text(kernel: Kernel) -> str:
    """The kernel as text without what only readers see: names of locals, places, spellings, documentation.

    Names of parameters and of the extents in their types are the interface and stay.
    """
    names = Names.empty()
    for value in kernel.parameters:
        names.add(value, f"%{value.name}")
    for ordinal, value in enumerate(definitions(kernel.body)):
        names.add(value, f"%{ordinal}")
    printer = _Printer(names, False, READER_FIELDS)
    rows = [f"kernel {kernel.name}", *(printer.declared(p) for p in kernel.parameters)]
    return "\n".join([*rows, plain_text(kernel.constexprs, names), *printer.body(kernel.body, 1)]) + "\n"


def definitions(region: Region) -> Iterator[Value]:
    """Every value that a region defines, in the order of the text: results of an op stand before its regions."""
    yield from region.args
    for op in region.ops:
        yield from results(op)
        for inner in regions(op):
            yield from definitions(inner)


def author_names(kernel: Kernel) -> Names:
    """`%name` for the first value of a name, `%name.2` for the second, `%0`, `%1` for values without one."""
    names, used, anonymous = Names.empty(), dict[str, int](), 0
    for value in (*kernel.parameters, *definitions(kernel.body)):
        if value.name:
            used[value.name] = occurrence = used.get(value.name, 0) + 1
            names.add(value, f"%{value.name}" if occurrence == 1 else f"%{value.name}.{occurrence}")
        else:
            names.add(value, f"%{anonymous}")
            anonymous += 1
    return names


class _Printer:
    def __init__(self, names: Names, places: bool, leave_out: tuple[str, ...] = ()) -> None:
        self.names = names
        self.places = places
        self.leave_out = leave_out

    def declared(self, value: Value) -> str:
        return f"{self.names.of(value)}: {type_text(value.type, self.names)}"

    def body(self, region: Region, depth: int) -> Iterator[str]:
        for op in region.ops:
            yield from self.op(op, depth)

    def op(self, op: Op, depth: int) -> Iterator[str]:
        indent = "  " * depth
        declared = ", ".join(self.declared(value) for value in results(op))
        row = indent + (f"{declared} = " if declared else "") + operation_text(op, self.names, self.leave_out)
        place = f"  // {op.span.file.name}:{op.span.line}" if self.places and op.span else ""
        for slot in slots(type(op)):
            if slot.kind is Kind.REGION:
                region: Region = getattr(op, slot.name)
                arguments = f"({', '.join(self.declared(a) for a in region.args)})" if region.args else ""
                yield f"{row} {slot.name}{arguments} {{{place}"
                yield from self.body(region, depth + 1)
                row, place = indent + "}", ""
        yield row + place
