"""The public function of a kernel: what must hold, which instance runs, and the launch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from intent2cuda.base.intexpr import IntExpr, Symbol
from intent2cuda.ir.conditions import equality, stretch, stretched
from intent2cuda.ir.kernel import walk
from intent2cuda.ir.ops import Broadcast, RequireEqual
from intent2cuda.ir.value import Value
from intent2cuda.lower.blocks import Blocks
from intent2cuda.lower.extents import Extents
from intent2cuda.lower.integers import Integers
from intent2cuda.lower.interface import own_names
from intent2cuda.lower.open_sizes import OpenSizes
from intent2cuda.lower.shortest import shortest
from intent2cuda.machine.expressions import Binary, Call, Cast, Expression, Integer, Method, Name, Text
from intent2cuda.machine.names import derived, identifier
from intent2cuda.machine.origin import of_ops
from intent2cuda.machine.statements import Declare, Evaluate, If, Remark, Statement
from intent2cuda.machine.types import IndexT, Named
from intent2cuda.machine.walk import mentioned
from intent2cuda.plan.concrete import ConcretePlan, HostCheck, OneOrEqual, UnitAxis
from intent2cuda.plan.identity import Identities
from intent2cuda.types.value_type import ViewType

_OVERLAP = {"disjoint": "intent::require_disjoint", "same_or_disjoint": "intent::require_disjoint_or_same"}


class Launcher:
    """Writes the body of the launcher. `names` are the C++ names of the parameters."""

    def __init__(
        self,
        plan: ConcretePlan,
        names: Mapping[Value, str],
        extents: Extents,
        identities: Identities,
        sizes: OpenSizes,
    ) -> None:
        self._plan = plan
        self._identities = identities
        self._names = names
        self._extents = extents
        self._sizes = sizes
        self.blocks = Blocks((*names.values(), *own_names(plan.kernel)))
        self._dims: list[str] = []
        self._serials = {value.serial: name for value, name in names.items()}

    def checks(self) -> None:
        """Everything that must hold, in the order of the parameters; then what the plan adds."""
        strides: dict[str, Expression] = {}
        for value in self._names:
            if isinstance(value.type, ViewType):
                self._shape(value, value.type)
                self._strides(value, value.type, strides)
        for check in self._plan.checks:
            self._plan_check(check)
        for rule in self._plan.overlaps:
            views = Name(self._names[rule.written]), Name(self._names[rule.other])
            self.append(Evaluate(Call(_OVERLAP[rule.rule], (*views, Text(self._sentence(rule.sentence))))))

    def workspace(self, function: str) -> None:
        """That there is a workspace when `function` asks for one."""
        sentence = f"workspace must be device memory aligned to 256 bytes, as much as {function} says"
        needed = Call(function, tuple(map(Name, self._names.values())))
        self._require("workspace", (Name("workspace"), needed, Text(self._sentence(sentence))))

    def dispatch(self, unit_axes: Sequence[UnitAxis], call: Callable[[str], Statement]) -> None:
        """The call of the kernel: of its dense instance when every line it assumes to be dense is."""
        if not unit_axes:
            self.append(call(""))
            return
        tests = [Call("intent::unit_stride", (Name(self._names[u.view]), Integer(u.axis))) for u in unit_axes]
        condition: Expression = tests[0]
        for test in tests[1:]:
            condition = Binary("&&", condition, test)
        self.append(If(condition, (call("<true>"),), (call("<false>"),)))

    def touch_unused(self, remark: str) -> None:
        """Parameters that nothing here reads are said to be unused, first of all. `remark` begins the sentence."""
        statements = self.blocks.open[0].statements
        used = mentioned(tuple(statements))
        unused = [name for name in self._names.values() if name not in used]
        statements[:0] = [Evaluate(Cast(Named("void"), Name(name))) for name in unused]
        if unused:
            statements.insert(0, Remark(f"{remark} {', '.join(unused)}"))

    def append(self, statement: Statement) -> None:
        self.blocks.append(statement)

    def text(self, expression: IntExpr) -> Expression:
        """An expression of extents and scalar parameters; extents are declared at the top, in signature order."""
        natural = self.blocks.symbols
        written = shortest(self.blocks, expression)
        return Integers(self._symbol, lambda s: s.serial == 0 or s in natural, self._sizes.inside).text(written)

    def let(self, names: Sequence[str], extent: IntExpr, note: str) -> None:
        """A variable for an extent, which stands for it in what is written later."""
        value, name = self.text(extent), self.blocks.name(names)
        self.append(Declare(IndexT(), name, value, note=note))
        symbol = Symbol(name, -1)
        self.blocks.bind(symbol, Name(name), natural=True)
        self.blocks.current.integers.append((extent, symbol))

    def _symbol(self, symbol: Symbol) -> Expression:
        if symbol.serial > 0:
            return Name(self._serials[symbol.serial])
        if symbol not in self.blocks.symbols:
            name = self.blocks.name((identifier(symbol.name), derived(identifier(symbol.name), "extent")))
            order = list(self._extents.origin)
            place = sum(order.index(known) < order.index(symbol.name) for known in self._dims)
            self._dims.append(symbol.name)
            self.blocks.open[0].statements.insert(place, Declare(IndexT(), name, self._extents.of(symbol.name)))
            self.blocks.bind(symbol, Name(name), True)
        return self.blocks.symbols[symbol].expression

    def _sentence(self, sentence: str) -> str:
        prefix = f"{self._plan.kernel.name}: "
        return sentence if sentence.startswith(prefix) else prefix + sentence

    def _shape(self, view: Value, view_type: ViewType) -> None:
        """Nothing is asked of a view whose extents all are what the symbols are read from."""
        symbols = [extent.as_symbol for extent in view_type.shape]
        if all(s is not None and self._extents.origin[s.name] == (view, axis) for axis, s in enumerate(symbols)):
            return
        sentence = f"{view.name} must be [{', '.join(str(e) for e in view_type.shape)}]"
        view_name, text = Name(self._names[view]), Text(self._sentence(sentence))
        self._require("extents", (view_name, text, *map(self.text, view_type.shape)))

    def _strides(self, view: Value, view_type: ViewType, known: dict[str, Expression]) -> None:
        for axis, stride in enumerate(view_type.strides or ()):
            here = Method(Name(self._names[view]), "stride", (Integer(axis),))
            if stride is None:
                continue
            if isinstance(stride, str) and stride not in known:
                known[stride] = here
                continue
            wanted = Integer(stride) if isinstance(stride, int) else known[stride]
            sentence = f"{view.name} must have stride {stride} along axis {axis}"
            self._require("stride", (here, wanted, Text(self._sentence(sentence))))

    def _plan_check(self, check: HostCheck | OneOrEqual) -> None:
        kernel = self._plan.kernel
        match check:
            case HostCheck(kind="capacity"):
                self._require("capacity", self._compared(check.lhs, check.rhs, check.sentence))
            case HostCheck():
                ops = (op for op in walk(kernel.body) if isinstance(op, RequireEqual))
                made = [op for op in ops if (op.lhs, op.rhs) == (check.lhs, check.rhs)]
                text = equality(kernel, next(op for op in made if op.text == check.sentence))
                verified = tuple(self._identities.op(op) for op in made)
                self._require("equal", self._compared(check.lhs, check.rhs, text), verified)
            case OneOrEqual():
                guards = ((op, a) for op in walk(kernel.body) if isinstance(op, Broadcast) for a in op.guarded)
                op, axis = next(each for each in guards if stretched(*each) == (check.extent, check.to))
                self._require("one_or_equal", self._compared(check.extent, check.to, stretch(kernel, op, axis)))

    def _compared(self, lhs: IntExpr, rhs: IntExpr, sentence: str) -> tuple[Expression, ...]:
        return self.text(lhs), self.text(rhs), Text(self._sentence(sentence))

    def _require(self, what: str, arguments: tuple[Expression, ...], ops: tuple[str, ...] = ()) -> None:
        """`ops`: the operations that a condition verifies."""
        self.append(of_ops(Evaluate(Call(f"intent::require_{what}", arguments)), ops))
