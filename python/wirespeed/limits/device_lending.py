"""The PCIe bridges between a host and the GPUs that it borrows: data to them passes the slots at both ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wirespeed.limits import pcie
from wirespeed.limits.bound import GBPS, GIGABYTES, convert
from wirespeed.limits.group import Group, Member
from wirespeed.limits.impact import gpu_function, is_bridge, nic_function
from wirespeed.limits.nic import build_slot
from wirespeed.plan import Plan

BRIDGE_TERM = "bridge to the borrowed GPUs"


@dataclass(frozen=True, slots=True)
class BridgeSlot:
    """The slot of a bridge."""

    host: str
    interface: str
    slot: pcie.Slot


@dataclass(frozen=True, slots=True)
class LentSlot:
    """The slot of a lent GPU, in its lender."""

    host: str
    gpu: str
    slot: pcie.Slot

    @property
    def device(self) -> str:
        """The GPU as text."""
        return f"{self.host}:{self.gpu}"

    @property
    def name(self) -> str:
        """The slot as text."""
        return f"PCIe slot of {self.device}"


def count_borrowed(plan: Plan, host: str) -> int:
    """Number of GPUs that a host borrows."""
    return len(plan.hosts[host].borrowed_gpus)


def list_bridge_slots(plan: Plan, host: str) -> tuple[BridgeSlot, ...]:
    """The known slots of the bridges that data between a host and its borrowed GPUs passes: its own and the lenders'.

    Empty for a host that borrows nothing.
    """
    lenders = {loan.peer for loan in plan.hosts[host].borrowed_gpus}
    if not lenders:
        return ()
    ends = [
        name
        for name, settings in plan.hosts.items()
        if name == host or any(ntb.node_id in lenders for ntb in settings.ntbs.values())
    ]
    ends.sort(key=lambda name: name != host)
    return tuple(slot for name in ends for slot in _list_slots(plan, name))


def find_borrowed_slot(plan: Plan, host: str, count: int) -> LentSlot | None:
    """The slowest slot, in the lenders, of a number of GPUs that a host borrows; of its loans, the fastest are in use.

    None if the number is 0 or larger than that of the loans, or if a slot is not known.
    """
    slots = list_lent_slots(plan, host)
    return slots[count - 1] if 0 < count <= len(slots) else None


def list_lent_slots(plan: Plan, host: str) -> tuple[LentSlot, ...]:
    """The slots, in the lenders, of all GPUs that a host borrows, the fastest first. Empty if one is not known."""
    slots = sorted(_find_lent_slots(plan, host), key=lambda end: pcie.two_way(end.slot).value, reverse=True)
    return tuple(slots) if len(slots) == count_borrowed(plan, host) else ()


def _find_lent_slots(plan: Plan, host: str) -> Iterator[LentSlot]:
    devices = {(loan.peer, loan.device) for loan in plan.hosts[host].borrowed_gpus}
    for lender, settings in plan.hosts.items():
        node_ids = {ntb.node_id for ntb in settings.ntbs.values()}
        for name, gpu in settings.gpus.items():
            if any((node_id, gpu.pcie) in devices for node_id in node_ids):
                slot = build_slot(gpu_function(plan, lender, name), [])
                if slot is not None:
                    yield LentSlot(lender, name, slot)


def group_by_bridge(plan: Plan, group: Group, owners: Sequence[bool | None]) -> Group | None:
    """The ranks of one host by the sides of the bridge: those of local GPUs, and those of borrowed ones.

    The bridge is the NIC of both sides, each direction while the other has the same load. ``owners``: whether the GPU
    of each rank is the host's own; None if not known: then the number of own ones is that with the least data over the
    bridge. None if no rank needs to use a GPU of the other side, or no slot is known.
    """
    member = group.members[0]
    if group.across_hosts or not group.uses_pcie:
        return None
    slots, local_ranks = list_bridge_slots(plan, member.name), _count_own_ranks(plan, member, owners)
    if not slots or local_ranks in (0, member.ranks):
        return None
    narrowest = min(slots, key=lambda end: pcie.two_way(end.slot).value)
    rate = (convert(pcie.two_way(narrowest.slot).value, GBPS, GIGABYTES) / 2,)
    text = f"slot of {narrowest.host}:{narrowest.interface}, {narrowest.slot.describe()}"
    sides = (local_ranks, member.ranks - local_ranks)
    is_borrowed_root = group.root < len(owners) and owners[group.root] is False
    root = local_ranks if is_borrowed_root else 0
    return Group(tuple(Member(member.name, ranks, rate, rate, text, member.links) for ranks in sides), root)


def _count_own_ranks(plan: Plan, member: Member, owners: Sequence[bool | None]) -> int:
    """How many of a host's ranks use its own GPUs; of the possible numbers the one with the fewest pairs over the
    bridge."""
    if len(owners) == member.ranks and None not in owners:
        return owners.count(True)
    settings = plan.hosts[member.name]
    lent_count = len(settings.lent_gpus)
    fewest = max(member.ranks - count_borrowed(plan, member.name), 0)
    largest = min(len(settings.gpus) - lent_count, member.ranks)
    return min(range(fewest, largest + 1), key=lambda ranks: ranks * (member.ranks - ranks), default=member.ranks)


def _list_slots(plan: Plan, host: str) -> Iterator[BridgeSlot]:
    for interface, nic in plan.hosts[host].nics.items():
        slot = build_slot(nic_function(plan, host, nic), []) if is_bridge(plan, nic) else None
        if slot is not None:
            yield BridgeSlot(host, interface, slot)
