"""GPUs of a run that its host borrows, by a bundle, and the PCIe slots that copies from and to them pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wirespeed.limits import pcie
from wirespeed.limits.bound import GIGABYTES, in_unit, tightest
from wirespeed.limits.device_lending import BRIDGE_TERM, find_borrowed_slot, list_bridge_slots
from wirespeed.plan import Plan
from wirespeed.results.verdicts import Bound, Term


def assume_borrowed(host: str) -> str:
    """The assumption on GPUs that are not in the bundle, such as one collected while nothing was borrowed."""
    return f"GPUs that the bundle of {host} does not list are borrowed: its own ones have other PCIe addresses"


@dataclass(frozen=True, slots=True)
class BorrowedGpus:
    """The borrowed GPUs of a run, by label; terms in GB/s, in one direction or both added.

    ``slots``: the term of the slots in the lenders, by the number of borrowed GPUs that copy; missing: not known.
    """

    labels: frozenset[str] = frozenset()
    slots: Mapping[int, Term] | None = None
    bridges: tuple[Term, ...] = ()

    def find_slots(self, own_slot: Bound | None, gpus: Sequence[str]) -> Bound | None:
        """The slots that a copy between two GPUs, or between one and the host, passes; None where one is not known.

        ``own_slot``: that of the host's own GPUs.
        """
        count = len(self.labels.intersection(gpus))
        if not count:
            return own_slot
        lent_term = (self.slots or {}).get(count)
        if lent_term is None:
            return None
        if count == 2:  # from GPU to GPU below the processor of the lender
            return tightest([lent_term], own_slot.assumptions if own_slot else ())
        if len(gpus) == 1:
            return tightest([lent_term, *self.bridges], own_slot.assumptions if own_slot else ())
        return tightest([*own_slot.terms, lent_term, *self.bridges], own_slot.assumptions) if own_slot else None


def find_borrowed_gpus(
    plan: Plan,
    host: str,
    addresses: Sequence[str],
    own_gpus: Mapping[str, bool],
    assumptions: list[str],
    *,
    bidirectional: bool,
) -> BorrowedGpus:
    """The borrowed GPUs of a run with these PCIe addresses, of which ``own_gpus`` contains all the host's own ones.

    None are known without a bundle, or where more of them are not the host's own than it borrows.
    """
    labels = frozenset(
        f"GPU{index}" for index, address in enumerate(addresses) if own_gpus and own_gpus.get(address) is not True
    )
    pcie_limit = pcie.two_way if bidirectional else pcie.one_way
    slots = {count: find_borrowed_slot(plan, host, count) for count in (1, 2)}
    if not labels or find_borrowed_slot(plan, host, len(labels)) is None:
        return BorrowedGpus()
    if not own_gpus.keys() >= set(addresses):
        assumptions.append(assume_borrowed(host))
    return BorrowedGpus(
        labels,
        {count: _convert(pcie_limit(end.slot, end.name)) for count, end in slots.items() if end is not None},
        tuple(_convert(pcie_limit(end.slot, BRIDGE_TERM)) for end in list_bridge_slots(plan, host)),
    )


def _convert(term: Term) -> Term:
    return in_unit(tightest([term]), GIGABYTES).terms[0]
