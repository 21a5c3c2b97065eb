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

from wirespeed.checks.model import CheckContext, InapplicableError, Outcome, failure, success
from wirespeed.results.findings import Fix
from wirespeed.settings import Gpu, Host, Place

subject = Gpu
needs = ("gpu.links",)
failures = ("GPU-02", "GPU-05")


def check(context: CheckContext) -> Outcome:
    """Fewer working links than planned fail."""
    intended = context.get_intended_value("gpu.links")
    found = context.get_found_value("gpu.links", _find_listed_gpu(context))
    expected = f"at least {intended} links"
    if found >= intended:
        return success(expected, f"{found} links")
    fix = Fix("search the kernel log for errors of the links; reset the GPUs, or power the host off and on")
    return failure("links to other GPUs are missing", expected, f"{found} links", fix)


def _find_listed_gpu(context: CheckContext) -> Place:
    """The GPU with the planned address: the vendor's tool gives the index of a missing GPU to the next one."""
    host = context.facts.devices.get(context.place.device)
    addresses = {gpu.pcie: name for name, gpu in host.gpus.items() if gpu.pcie} if isinstance(host, Host) else {}
    address = context.get_intended_value("gpu.pcie")
    if not addresses:
        return context.place
    if address not in addresses:
        raise InapplicableError("the vendor's tool does not list the GPU (gpu.presence)")
    return Place(context.place.device).child("gpu", addresses[address])
