"""GPU present

Every planned GPU is on PCIe, and the vendor's tool lists it.

Impact:
    A job with a rank for each GPU does not start, or runs with a rank less. If this check fails, every other check of
    the GPU is skipped.

Fix:
    Search the kernel log for the GPU's last messages, such as "fallen off the bus". Power the host off and on: a reboot
    does not always bring a GPU back. If lspci lists the GPU and the vendor's tool does not, reload the GPU driver and
    read its messages. If the tool lists no GPU at all, the driver is not loaded: load it. A GPU that stays away is
    replaced. NVIDIA's tool does not list a drained GPU: `nvidia-smi drain -p 0000:85:00.0 -m 0` ends that.

Example:
    $ lspci | grep -c "Processing accelerators"
    7

Source:
    Broadcom 957608-AN210, section 7; rocm_smi.py; nvidia-smi(1), exit codes 6 and 9
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from wirespeed.checks.model import CheckContext, Outcome, UnreadError, failure, success
from wirespeed.results.findings import Fix
from wirespeed.settings import Gpu, Host, Place

subject = Gpu
needs = ("host.pcie", "host.gpus")
failures = ("GPU-02",)
presence = True
_DRIVER = ("software.gpu-driver",)
"""The cause if the vendor's tool lists no GPU at all: the driver is not loaded (957608-AN210, section 7)."""


def check(context: CheckContext) -> Outcome:
    """The plan intends that the GPU exists."""
    fix = Fix("search the kernel log for the GPU; power the host off and on; replace the GPU if it stays away")
    planned = context.get_intended_value("gpu.pcie")
    if not context.is_present():
        return failure("the GPU is missing", f"present at {planned}{_name_neighbours(context)}", "absent", fix)
    listed = _list_gpus(context, planned)
    functions = _list_functions(context)
    expected = "listed by lspci and by the vendor's tool"
    addresses = {gpu.pcie for gpu in listed.values() if gpu.pcie is not None}
    if planned not in addresses:
        every_planned = {gpu.pcie for gpu in context.plan.hosts[context.place.device].gpus.values()}
        count = f"the vendor's tool lists {len(addresses & every_planned)} of {len(every_planned)} GPUs"
        fix = Fix(
            "end its draining if it was drained; else reload the GPU driver and read its messages in the kernel log;"
            " power the host off and on, and replace the GPU, if it stays away"
        )
        if not addresses:
            fix = Fix("load the GPU driver and read its messages in the kernel log")
        outcome = failure("the GPU driver does not list the GPU", expected, f"{planned} in lspci alone; {count}", fix)
        return outcome if addresses else replace(outcome, causes=_DRIVER, cause_place=Place(context.place.device))
    if functions is not None and planned not in functions:
        return failure(
            "lspci does not list the GPU", expected, f"{planned} in the output of {_name_tool(context)} alone", fix
        )
    return success("present", planned)


def _name_neighbours(context: CheckContext) -> str:
    """The NIC ports that the GPU is planned for, which help to find its slot."""
    nics = context.plan.hosts[context.place.device].nics
    names = [f"{name}, rail {nic.rail}" for name, nic in nics.items() if nic.gpu == context.place.name]
    return f" (GPU of {'; '.join(names)})" if names else ""


def _name_tool(context: CheckContext) -> str:
    """The command that lists the GPU."""
    readings = context.facts.readings.get((context.place, "gpu.pcie"), ())
    return readings[0].source.command if readings else "the vendor's tool"


def _list_gpus(context: CheckContext, planned: str) -> Mapping[str, Gpu]:
    """The GPUs that the vendor's tool lists. A list with an error for a lost GPU still shows the others.

    Raises:
        UnreadError: the list was not read completely, and its part does not show the planned GPU.
    """
    try:
        return context.list_members("host.gpus", Place(context.place.device))
    except UnreadError:
        host = context.facts.devices.get(context.place.device)
        listed: Mapping[str, Gpu] = host.gpus if isinstance(host, Host) else {}
        if planned not in {gpu.pcie for gpu in listed.values()}:
            raise
        return listed


def _list_functions(context: CheckContext) -> Mapping[str, Any] | None:
    """The PCIe functions of the host; None if lspci was not read completely."""
    try:
        return context.list_members("host.pcie", Place(context.place.device))
    except UnreadError:
        return None
