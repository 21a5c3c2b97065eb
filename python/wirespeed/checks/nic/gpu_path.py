"""PCIe path between the NIC and its GPU

The NIC and the GPU that it serves are below one PCIe switch, if they are planned so.

Impact:
    Otherwise traffic between them crosses the root complex, and between sockets their link: GPUDirect RDMA is slower
    or not used, and NICs share uplinks that are not planned for it.

Fix:
    Compare the slots with the plan: move the card to a slot of the GPU's switch, or write the interfaces in rail order
    so that each serves the GPU beside it.

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
from wirespeed.plan.locate import share_switch
from wirespeed.results.findings import Fix
from wirespeed.settings import Nic, PcieFunction, Place, is_address, list_bridges

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
        return success(expected, paths)
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


def _format_path(functions: Mapping[str, PcieFunction], address: str) -> str:
    """The bridges above a function and itself, from the root port, as ``lspci -PP`` prints them."""
    names = (*reversed(list_bridges(functions, address)), address)
    return "/".join(name.removeprefix("0000:") for name in names)
