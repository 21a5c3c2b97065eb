"""The links between the GPUs of a host, by the catalogue."""

from __future__ import annotations

from wirespeed.limits import pcie
from wirespeed.limits.bound import GBPS, GIGABYTES, convert
from wirespeed.limits.device_lending import find_borrowed_slot
from wirespeed.limits.group import PCIE, Links
from wirespeed.limits.host import socket_term
from wirespeed.limits.impact import gpu_function
from wirespeed.limits.nic import build_slot
from wirespeed.plan import Plan


def find_gpu_links(plan: Plan, host: str) -> Links | None:
    """The links between the GPUs of a host; None if their models differ, or the model has no links."""
    names = {gpu.model for gpu in plan.hosts[host].gpus.values()}
    model = plan.hardware.gpus.get(next(iter(names)) or "") if len(names) == 1 else None
    if model is None or model.links is None:
        return None
    links = model.links
    usable = convert(float(links.usable.value), "b/s", GIGABYTES) if links.usable else None
    source = f"{links.peak.source}; {links.usable.source}" if links.usable else links.peak.source
    peak = convert(float(links.peak.value), "b/s", GIGABYTES)
    share = links.reduction.value if links.reduction else None
    return Links(links.name, links.per_gpu.value, links.full_mesh, peak, usable, source, share)


def find_pcie_links(plan: Plan, host: str, *, borrowed: int = 0, uses_own: bool = True) -> Links | None:
    """GPUs that reach each other over their PCIe slots: each direction while the other has the same load.

    The slowest slot counts for all, and between sockets their link, which each ring passes once in each direction.
    ``borrowed``: the number of borrowed GPUs that take part, whose slots are in their lenders; not ``uses_own``: no
    GPU of the host itself takes part. The bridge to borrowed GPUs is a cut beside it
    (`wirespeed.limits.device_lending`). None: a slot is not known.
    """
    lent_slot = find_borrowed_slot(plan, host, borrowed)
    lent_terms = [pcie.two_way(lent_slot.slot, lent_slot.name)] if lent_slot is not None else []
    gpus = plan.hosts[host].gpus if uses_own or lent_slot is None else {}
    slots = [build_slot(gpu_function(plan, host, gpu), []) for gpu in gpus]
    if None in slots or not (slots or lent_terms):
        return None
    terms = [*(pcie.two_way(slot, "PCIe slot of the GPU") for slot in slots if slot is not None), *lent_terms]
    addresses = [settings.pcie for settings in gpus.values()]
    sockets = [socket_term(plan, host, addresses[0], address, bidirectional=True) for address in addresses[1:]]
    tightest = min([*terms, *(term for term in sockets if term is not None)], key=lambda term: term.value)
    one_way = convert(tightest.value, GBPS, GIGABYTES) / 2
    return Links(PCIE, 1, False, one_way, one_way, f"{tightest.name}: {tightest.formula}; {tightest.source}")


def list_slot_rates(plan: Plan, host: str, *, bidirectional: bool) -> tuple[float, ...]:
    """Bandwidths of the PCIe slots of a host's GPUs in one direction, GB/s, the fastest first.

    ``bidirectional``: the other direction has the same load. What a GPU exchanges with other hosts passes its slot,
    unless other GPUs of the job forward it. Empty: a slot is not known.
    """
    slots = [build_slot(gpu_function(plan, host, gpu), []) for gpu in plan.hosts[host].gpus]
    if None in slots:
        return ()
    rates = [
        pcie.two_way(slot).value / 2 if bidirectional else pcie.one_way(slot).value
        for slot in slots
        if slot is not None
    ]
    return tuple(sorted((convert(rate, GBPS, GIGABYTES) for rate in rates), reverse=True))
