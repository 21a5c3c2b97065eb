"""GPUs of a run that its host borrows, by a bundle, and the PCIe slots that copies from and to them pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from wirespeed.benchmarks.judge.collective_names import count_gpus
from wirespeed.benchmarks.judge.limits import REFUTED
from wirespeed.limits import pcie
from wirespeed.limits.bound import GIGABYTES, convert, in_unit, tightest
from wirespeed.limits.device_lending import BRIDGE_TERM, list_bridge_slots, list_lent_slots
from wirespeed.plan import Plan
from wirespeed.results.benchmarks import PAIR_ARROW, Metric, Run
from wirespeed.results.verdicts import Bound, Term
from wirespeed.units import BITS_PER_SECOND

NAMED_BY_COPIES = (
    "neither log nor bundle shows in which slot of the lender the borrowed GPU is; copies between the host and every "
    "GPU (nvbandwidth) show it"
)
"""What decides between the slots of borrowed GPUs: a GPU is not in a slot that is slower than a copy."""


NAMED_BY_BUNDLE = (
    "the tool lists more GPUs than the host has, so some are borrowed; a bundle of the host (--bundle) contains the "
    "PCIe addresses of its local GPUs"
)


def assume_borrowed(host: str) -> str:
    """The assumption on GPUs that are not in the bundle, such as one collected while nothing was borrowed."""
    return f"GPUs that the bundle of {host} does not list are borrowed: its own ones have other PCIe addresses"


@dataclass(frozen=True, slots=True)
class SlotLimit:
    """What the slots on the path of a copy carry, and what they carry if its borrowed GPUs are in the slowest slots.

    ``slowest`` is None if it is known in which slots the GPUs are. ``devices`` are these GPUs in the lenders.
    """

    fastest: Bound
    slowest: Bound | None = None
    devices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BorrowedGpus:
    """The borrowed GPUs of a run, by label; terms in GB/s, in one direction or both added.

    ``slots`` are those in the lenders where each GPU can be, the fastest first, and ``slowest_of`` is the term of the
    slowest of a number of them. ``possible`` are all of them where a run uses borrowed GPUs and no bundle shows which.
    """

    slots: Mapping[str, tuple[LentTerm, ...]] = field(default_factory=dict)
    possible: tuple[LentTerm, ...] = ()
    slowest_of: Mapping[int, Term] = field(default_factory=dict)
    bridges: tuple[Term, ...] = ()

    def find_slots(self, own_slot: Bound | None, gpus: Sequence[str]) -> SlotLimit | None:
        """The slots that a copy between two GPUs, or between one and the host, passes; None where one is not known.

        ``own_slot``: that of the host's own GPUs.
        """
        lent_slots = [self.slots[gpu] for gpu in gpus if gpu in self.slots]
        if not lent_slots:
            return SlotLimit(own_slot) if own_slot is not None else None
        path_terms = [self.slowest_of[len(lent_slots)]] if len(lent_slots) in self.slowest_of else []
        if len(lent_slots) == 1:  # between two, from GPU to GPU below the processor of the lender
            path_terms += self.bridges
        if len(lent_slots) < len(gpus):
            if own_slot is None:
                return None
            path_terms += own_slot.terms
        assumptions = own_slot.assumptions if own_slot is not None else ()
        fastest, slowest = (
            tightest([*(slots[position].term for slots in lent_slots), *path_terms], assumptions)
            for position in (0, -1)
        )
        devices = tuple(slots[-1].device for slots in lent_slots if slots[-1].term.value < fastest.value)
        return SlotLimit(fastest, slowest if slowest.value < fastest.value else None, devices)

    def list_possible_slots(self) -> list[tuple[str, Bound]]:
        """The limits if a GPU of a copy is a borrowed one, where it is not known, each with the GPU in the lender."""
        return [(slot.device, tightest([slot.term, *self.bridges])) for slot in self.possible]


@dataclass(frozen=True, slots=True)
class LentTerm:
    """The limit of the slot of a lent GPU, in its lender."""

    device: str
    term: Term


def find_borrowed_gpus(
    plan: Plan,
    host: str,
    run: Run,
    addresses: Sequence[str],
    own_gpus: Mapping[str, bool],
    assumptions: list[str],
    *,
    bidirectional: bool,
) -> BorrowedGpus:
    """The borrowed GPUs of a run with these PCIe addresses, of which ``own_gpus`` contains all the host's own ones.

    None are known without a bundle, or where more of them are not the host's own than it borrows. Without a bundle some
    are borrowed if the tool lists more GPUs than the host has.
    """
    labels = [
        f"GPU{index}" for index, address in enumerate(addresses) if own_gpus and own_gpus.get(address) is not True
    ]
    pcie_limit = pcie.two_way if bidirectional else pcie.one_way
    slots = [LentTerm(end.device, _convert(pcie_limit(end.slot, end.name))) for end in list_lent_slots(plan, host)]
    bridges = tuple(_convert(pcie_limit(end.slot, BRIDGE_TERM)) for end in list_bridge_slots(plan, host))
    if not own_gpus and count_gpus(run) > len(plan.hosts[host].gpus):
        return BorrowedGpus(possible=tuple(slots), bridges=bridges)
    if not labels or len(labels) > len(slots):
        return BorrowedGpus()
    if not own_gpus.keys() >= set(addresses):
        assumptions.append(assume_borrowed(host))
    return BorrowedGpus(
        _match_slots(slots, {label: _find_highest_rate(run, label) for label in labels}),
        slowest_of={count: slot.term for count, slot in enumerate(slots, 1)},
        bridges=bridges,
    )


def _match_slots(slots: Sequence[LentTerm], rates: Mapping[str, float]) -> dict[str, tuple[LentTerm, ...]]:
    """The slots where each GPU can be: none that is slower than a copy from or to it, or that another GPU must be in.

    ``slots``: the fastest first. ``rates``: the highest of each GPU. All slots, where no order of the GPUs fits.
    """

    def fits(label: str, position: int) -> bool:
        further_rates = sorted((rate for name, rate in rates.items() if name != label), reverse=True)
        free_slots = [slot for index, slot in enumerate(slots) if index != position]
        pairs = [(rates[label], slots[position]), *zip(further_rates, free_slots, strict=False)]
        return all(rate <= REFUTED * slot.term.value for rate, slot in pairs)

    return {
        label: tuple(slot for position, slot in enumerate(slots) if fits(label, position)) or tuple(slots)
        for label in rates
    }


def _find_highest_rate(run: Run, label: str) -> float:
    """The highest rate in GB/s between a GPU and another device."""
    ends = ((row, (row.label or "").split(PAIR_ARROW)) for row in run.measurements if row.metric is Metric.BW_AVG)
    return max(
        (
            convert(float(row.value), row.unit, GIGABYTES)
            for row, devices in ends
            if len(set(devices)) == 2 and label in devices and row.unit in BITS_PER_SECOND
        ),
        default=0.0,
    )


def _convert(term: Term) -> Term:
    return in_unit(tightest([term]), GIGABYTES).terms[0]
