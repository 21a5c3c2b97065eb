"""Links between GPUs

Every link of the GPU to the other GPUs of its host works.

Impact:
    Traffic between two GPUs without a link uses PCIe, at a fraction of the bandwidth: every collective over the
    GPUs of the host is as slow as that pair.

Fix:
    Search the kernel log for errors of the links, reset the GPUs, or power the host off and on. On a host whose
    NVLink has a switch, check that the fabric manager runs. A link that stays away is a case for the vendor.

Example:
    $ rocm-smi --showtopotype
           GPU0         GPU1         GPU2
    GPU0   0            XGMI         PCIE

Source:
    Broadcom 957608-AN210, 8.5; GPU data sheets in the catalogue
"""

from collections.abc import Mapping
from dataclasses import replace

from wirespeed.checks.model import CheckContext, InapplicableError, Outcome, UnreadError, failure, success
from wirespeed.results.findings import Fix
from wirespeed.settings import Gpu, Host, Place

subject = Gpu
needs = ("gpu.links", "gpu.pcie", "host.gpus")
failures = ("GPU-02", "GPU-05")


def check(context: CheckContext) -> Outcome:
    """Fewer working links than planned fail. Links to a missing GPU alone follow from that GPU (gpu.presence)."""
    intended = context.get_intended_value("gpu.links")
    found = _get_found_links(context)
    expected = f"at least {intended} links"
    if found >= intended:
        return success(expected, f"{found} links")
    fix = Fix("search the kernel log for errors of the links; reset the GPUs, or power the host off and on")
    outcome = failure("links to other GPUs are missing", expected, f"{found} links", fix)
    missing = _list_missing_gpus(context)
    if missing and intended - found <= len(missing) * _count_links_per_peer(context, intended):
        cause_place = Place(context.place.device).child("gpu", missing[0])
        return replace(outcome, causes=("gpu.presence",), cause_place=cause_place)
    return outcome


def _list_missing_gpus(context: CheckContext) -> list[str]:
    """The planned GPUs that the vendor's tool does not list."""
    listed = {gpu.pcie for gpu in (_list_gpus(context) or {}).values()}
    gpus = context.plan.hosts[context.place.device].gpus
    return [name for name, gpu in gpus.items() if gpu.pcie not in listed] if listed else []


def _count_links_per_peer(context: CheckContext, links: int) -> int:
    """The links to each other GPU; 0 where they lead to switches, which a missing GPU does not reduce."""
    peers = len(context.plan.hosts[context.place.device].gpus) - 1
    return links // peers if peers and links % peers == 0 else 0


def _get_found_links(context: CheckContext) -> int:
    """The links of the GPU with the planned address: the vendor's tool gives the index of a missing GPU to the next.

    Raises:
        InapplicableError: the vendor's tool does not list the GPU.
        UnreadError: its links were not read.
    """
    gpus = _list_gpus(context)
    if gpus is None:
        return int(context.get_found_value("gpu.links"))
    address = context.get_intended_value("gpu.pcie")
    names = {gpu.pcie: name for name, gpu in gpus.items()}
    if address not in names:
        raise InapplicableError("the vendor's tool does not list the GPU (gpu.presence)")
    place = Place(context.place.device).child("gpu", names[address])
    try:
        return int(context.get_found_value("gpu.links", place))
    except UnreadError:
        count = sum(gpu.links is not None for gpu in gpus.values())
        if count == 0:
            raise
        raise UnreadError(
            "gpu.links",
            f"the vendor's tool shows the links of {count} of {len(gpus)} GPUs; it numbers only those that it lists, so"
            " another GPU may be missing",
            advice=f"search the kernel log of {place.device} for errors of GPUs and their links, then collect"
            f" {place.device} again",
        ) from None


def _list_gpus(context: CheckContext) -> Mapping[str, Gpu] | None:
    """The GPUs that the vendor's tool lists; None if their addresses were not read."""
    try:
        gpus = context.list_members("host.gpus", Place(context.place.device))
    except UnreadError:
        host = context.facts.devices.get(context.place.device)
        listed: Mapping[str, Gpu] = host.gpus if isinstance(host, Host) else {}
        return listed if any(gpu.pcie for gpu in listed.values()) else None
    return gpus if all(gpu.pcie for gpu in gpus.values()) else None
