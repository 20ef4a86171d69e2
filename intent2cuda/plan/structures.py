"""The stage trees that a kernel can have. The portable layers see all of them; the gate binds one."""

from __future__ import annotations

from functools import cached_property

from intent2cuda.base.codec import canonical, digest
from intent2cuda.ir.kernel import Kernel
from intent2cuda.plan.contractions import with_virtual_products
from intent2cuda.plan.identity import Identities
from intent2cuda.plan.plain import plain
from intent2cuda.plan.staging import Draft, Policy, draft
from intent2cuda.plan.writing_out import Open, Sizes, WrittenOut, with_sizes, written_out

CANDIDATES: tuple[tuple[str, str, Policy], ...] = (
    ("fused, kept", "expensive values are stored by the first sweep", Policy(keep=True, side_by_side=True)),
    ("fused, recomputed", "every sweep computes what it reads", Policy(keep=False, side_by_side=True)),
    ("fused, column by column", "each column is reduced by itself", Policy(keep=False, side_by_side=False)),
    ("statement by statement", "each statement is a nest of its own", Policy(keep=True, side_by_side=True, fuse=False)),
)
"""Name, description and policy of each structure, the ones that are preferred where nothing else decides first."""


class Drafts:
    """The stages of a kernel under each policy, made once."""

    def __init__(self, kernel: Kernel, author: Identities) -> None:
        self.kernel = with_virtual_products(kernel)
        self.identities = Identities(self.kernel, author)
        self._made: dict[Policy, Draft] = {}
        self._fingerprints: dict[Policy, str] = {}

    def of(self, policy: Policy) -> Draft:
        if policy not in self._made:
            self._made[policy] = draft(self.kernel, policy)
        return self._made[policy]

    def policy(self, structure: str) -> Policy:
        """The first policy that gives this structure."""
        return next(policy for _, _, policy in CANDIDATES if self.fingerprint(policy) == structure)

    def fingerprint(self, policy: Policy) -> str:
        """A digest of the stages under a policy: equal where two policies give the same stages."""
        if policy not in self._fingerprints:
            text = canonical(plain(self.of(policy).stages, self.identities))
            self._fingerprints[policy] = digest("intent.structure/0", text)
        return self._fingerprints[policy]


class Structures:
    """A kernel as the author wrote it, and its stage trees: in symbols for the portable layers, bound for the gate."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.author = Identities(kernel)
        self._bound: dict[tuple[int, ...], Drafts] = {}

    @cached_property
    def out(self) -> WrittenOut:
        """The kernel in operations that have stages; how many members its segments and blocks have is open."""
        return written_out(self.kernel)

    @cached_property
    def open(self) -> Drafts:
        return Drafts(self.out.kernel, self.author)

    def bound(self, sizes: Sizes) -> Drafts:
        """With numbers in the place of what is open; the open ones where nothing is."""
        if not self.out.left:
            return self.open
        key = tuple(sizes.get(each, 0) for each in Open)
        if key not in self._bound:
            self._bound[key] = Drafts(with_sizes(self.kernel, sizes), self.author)
        return self._bound[key]
