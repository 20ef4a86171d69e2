"""Commands of a plan: seven bodies, and how each is synchronised. Nothing here belongs to one target.

A body carries what its kind needs and nothing else, so a command of two kinds, or one without what it runs, cannot be
written down.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TypeAlias, assert_never


@dataclass(frozen=True)
class ImplementationRef:
    """The code that a command runs. `version` changes when that code changes its meaning or shape."""

    namespace: str
    name: str
    version: str
    abi: str
    variant: str

    def __post_init__(self) -> None:
        empty = [f.name for f in fields(self) if not getattr(self, f.name)]
        if empty:
            raise ValueError(f"an implementation needs {', '.join(empty)}")


@dataclass(frozen=True)
class Launch:
    """One kernel. `queue`: where it is issued; None on a target whose calls run where they stand."""

    implementation: ImplementationRef
    queue: str | None = None


@dataclass(frozen=True)
class CollectiveCommand:
    """One operation of several devices together."""

    implementation: ImplementationRef
    operation: str
    participants: tuple[str, ...]
    queue: str | None = None


@dataclass(frozen=True)
class Transfer:
    """A copy of all bytes of one buffer to another one."""

    source: str
    target: str
    queue: str | None = None


@dataclass(frozen=True)
class Barrier:
    """What the participants, devices or queues, were given before ends before anything later of theirs begins."""

    participants: tuple[str, ...]


@dataclass(frozen=True)
class Signal:
    tokens: tuple[str, ...]

    def __post_init__(self) -> None:
        _check(self.tokens)


@dataclass(frozen=True)
class Wait:
    tokens: tuple[str, ...]

    def __post_init__(self) -> None:
        _check(self.tokens)


@dataclass(frozen=True)
class HostCall:
    """A function of the host program."""

    implementation: ImplementationRef
    queue: str | None = None


Body: TypeAlias = Launch | CollectiveCommand | Transfer | Barrier | Signal | Wait | HostCall
BODIES: tuple[type, ...] = (Launch, CollectiveCommand, Transfer, Barrier, Signal, Wait, HostCall)


@dataclass(frozen=True)
class Unsynchronised:
    """The command neither waits nor signals."""


@dataclass(frozen=True)
class WaitFor:
    """The command begins when all tokens have been signalled."""

    waits: tuple[str, ...]

    def __post_init__(self) -> None:
        _check(self.waits)


@dataclass(frozen=True)
class SignalAfter:
    """The end of the command signals the tokens."""

    signals: tuple[str, ...]

    def __post_init__(self) -> None:
        _check(self.signals)


@dataclass(frozen=True)
class WaitAndSignal:
    waits: tuple[str, ...]
    signals: tuple[str, ...]

    def __post_init__(self) -> None:
        _check(self.waits)
        _check(self.signals)


Clause: TypeAlias = Unsynchronised | WaitFor | SignalAfter | WaitAndSignal
CLAUSES: tuple[type, ...] = (Unsynchronised, WaitFor, SignalAfter, WaitAndSignal)


@dataclass(frozen=True)
class Command:
    """One body with what it touches. `dependencies` are commands that end before it begins; `tasks` are those of the
    portable plan that it carries out.
    """

    id: str
    body: Body
    device: str
    clause: Clause = Unsynchronised()
    dependencies: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if isinstance(self.body, Signal | Wait) and not isinstance(self.clause, Unsynchronised):
            raise ValueError("a signal or a wait takes no further clause")

    @property
    def queue(self) -> str | None:
        match self.body:
            case Launch() | CollectiveCommand() | Transfer() | HostCall():
                return self.body.queue
            case Barrier() | Signal() | Wait():
                return None
            case _:
                assert_never(self.body)

    @property
    def implementation(self) -> ImplementationRef | None:
        match self.body:
            case Launch() | CollectiveCommand() | HostCall():
                return self.body.implementation
            case Transfer() | Barrier() | Signal() | Wait():
                return None
            case _:
                assert_never(self.body)

    @property
    def waits(self) -> tuple[str, ...]:
        if isinstance(self.body, Wait):
            return self.body.tokens
        return self.clause.waits if isinstance(self.clause, WaitFor | WaitAndSignal) else ()

    @property
    def signals(self) -> tuple[str, ...]:
        if isinstance(self.body, Signal):
            return self.body.tokens
        return self.clause.signals if isinstance(self.clause, SignalAfter | WaitAndSignal) else ()


def _check(tokens: tuple[str, ...]) -> None:
    if not tokens or len(set(tokens)) < len(tokens) or not all(tokens):
        raise ValueError("tokens are named, each once, at least one")
