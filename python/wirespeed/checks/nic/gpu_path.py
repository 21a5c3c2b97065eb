"""PCIe path between the NIC and its GPU

The NIC and the GPU that it serves are below one PCIe switch, if they are planned so. NICs of different planned switches
do not share an uplink.

Impact:
    Otherwise traffic between them crosses the root complex, and between sockets their link: GPUDirect RDMA is slower
    or not used, and NICs share uplinks that are not planned for it.

Fix:
    Compare the slots with the plan: move the card to a slot of the GPU's switch, or write the interfaces in rail order
    so that each serves the GPU beside it. If the server has fewer switches than planned, correct the plan.

Example:
    $ lspci -PP | grep -e Ethernet -e accelerators
    18:01.1/19:00.0/1a:03.0/23:00.0 Ethernet controller: ...
    18:01.1/19:00.0/1a:04.0/29:00.0/2a:00.0/2b:00.0 Processing accelerators: ...

Source:
    Broadcom 957608-AN210, section 1.3; AMD Instinct cluster networking documentation, "Mapping NIC to GPU NUMA node"
"""

from collections.abc import Mapping

from wirespeed.checks.model import (
    CheckContext,
    InapplicableError,
    NoIntentError,
    Outcome,
    UnreadError,
    failure,
    success,
)
from wirespeed.checks.nics import pcie_function
from wirespeed.checks.wording import format_list
from wirespeed.limits import pcie
from wirespeed.limits.nic import build_slot, catalogue_speed
from wirespeed.plan.locate import share_switch
from wirespeed.results.findings import Fix
from wirespeed.settings import Nic, PcieFunction, Place, find_common_bridge, is_address, list_bridges

subject = Nic
needs = ("host.pcie",)
failures = ("PCI-13",)


def check(context: CheckContext) -> Outcome:
    """The plan has a PCIe switch above the NIC and its GPU."""
    gpu = context.get_intended_value("nic.gpu")
    host = context.plan.hosts[context.place.device]
    nic_address, gpu_address = pcie_function(context).name, host.gpus[gpu].pcie
    switches = [function.switch for name in (nic_address, gpu_address) if (function := host.pcie.get(name or ""))]
    if not is_address(gpu_address) or len(switches) < 2:
        raise InapplicableError(f"{gpu} was not found")
    if switches[0] is None or switches[0] != switches[1]:
        raise NoIntentError(f"not planned: a PCIe switch above the NIC and {gpu}")
    functions = context.list_members("host.pcie", Place(context.place.device))
    if gpu_address not in functions:
        raise InapplicableError(f"lspci does not list {gpu} (gpu.presence)")
    if nic_address not in functions:
        device = context.place.device
        raise UnreadError(
            "host.pcie",
            f"lspci does not list {nic_address}, the device of the interface",
            advice=f"read the output of lspci on {device}, and collect {device} again: its outputs disagree",
        )
    expected = f"{gpu} below one PCIe switch with the NIC"
    paths = f"NIC {_format_path(functions, nic_address)}; {gpu} {_format_path(functions, gpu_address)}"
    if share_switch(functions, nic_address, gpu_address):
        return _check_uplink(context, functions, nic_address) or success(expected, paths)
    near_gpus = [name for name, settings in host.gpus.items() if share_switch(functions, nic_address, settings.pcie)]
    fix = Fix(
        f"move the card to a slot below the PCIe switch of {gpu}, or write the interfaces in the order of the GPUs"
    )
    return failure(
        "the NIC and its GPU are below different PCIe switches",
        expected,
        f"{paths}; below one switch with the NIC: {', '.join(near_gpus) or 'no GPU'}",
        fix,
    )


def _check_uplink(context: CheckContext, functions: Mapping[str, PcieFunction], address: str) -> Outcome | None:
    """A failure if the NIC shares an uplink with a NIC that the plan has below another switch; None otherwise.

    Both are with their GPUs: a NIC that is below a wrong switch has its own failure.

    Traffic with memory of the host crosses the uplink, and so does traffic with the GPUs of other switches.
    """
    host = context.plan.hosts[context.place.device]
    planned = host.pcie[address].switch
    neighbours = {
        name: nic
        for name, nic in host.nics.items()
        if nic.pcie is not None
        and (function := host.pcie.get(nic.pcie)) is not None
        and not _share_planned_switch(planned, function.switch)
        and share_switch(functions, address, nic.pcie)
        and share_switch(
            functions, nic.pcie, host.gpus[nic.gpu].pcie if nic.gpu is not None and nic.gpu in host.gpus else None
        )
    }
    if not neighbours:
        return None
    neighbour = next(iter(neighbours.values()))
    common = find_common_bridge(functions, address, neighbour.pcie)
    shared = [name for name in (common, *list_bridges(functions, common)) if name is not None]
    uplink = next((name for name in shared if functions[name].role == "switch-upstream"), shared[0])
    speeds = [catalogue_speed(context.plan, nic) for nic in (context.entity, *neighbours.values())]
    rate = sum(float(speed.gb_per_s) for speed in speeds if speed is not None)
    slot = build_slot(functions.get(uplink), [])
    capacity = "" if slot is None else f", which carries {pcie.one_way(slot).value:.0f} Gb/s per direction"
    return failure(
        "the NIC shares a PCIe uplink with a NIC of another planned switch",
        f"no uplink in common with {format_list(neighbours)}",
        f"uplink {uplink.removeprefix('0000:')} with {format_list(neighbours)}{capacity}; these NICs: {rate:.0f} Gb/s",
        Fix("move the card to a slot below its planned PCIe switch, or correct the PCIe switches of the plan"),
    )


def _share_planned_switch(first: str | None, second: str | None) -> bool:
    """Whether two planned positions may have an uplink in common: an unknown one, or those below one first switch."""
    return first is None or second is None or first.partition("/")[0] == second.partition("/")[0]


def _format_path(functions: Mapping[str, PcieFunction], address: str) -> str:
    """The bridges above a function and itself, from the root port, as ``lspci -PP`` prints them."""
    names = (*reversed(list_bridges(functions, address)), address)
    return "/".join(name.removeprefix("0000:") for name in names)
