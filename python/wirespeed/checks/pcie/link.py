"""PCIe link of a bridge or GPU

The upstream link of each PCIe switch and the link of each GPU have at least the planned rate and width. NICs have
separate checks (nic.pcie-width, nic.pcie-speed).

Impact:
    All devices below a PCIe switch share its upstream link; all traffic of a GPU crosses its link.

Fix:
    Reseat card, riser or cable. Check the BIOS for a bifurcation or speed setting. An idle GPU may lower its speed
    automatically: collect again under load.

Example:
    $ lspci -s 18:00.0 -vvv | grep LnkSta:
    LnkSta: Speed 32GT/s, Width x8 (downgraded)

Source:
    Broadcom 957608-AN210, 2.6 item 13
"""

from dataclasses import replace

from wirespeed.checks.compare import compare
from wirespeed.checks.impact import gpu_link
from wirespeed.checks.model import CheckContext, Outcome
from wirespeed.checks.slots import name_slot
from wirespeed.results.findings import Fix, Status
from wirespeed.settings import PcieFunction, list_bridges

subject = PcieFunction
needs = ("pcie.link.width", "pcie.link.speed")
failures = ("PCI-03",)

_LOWEST_RATE = 2500
"""MT/s of PCIe Gen1, to which a GPU without work lowers its link: nvidia-smi(1), pcie.link.gen.current."""


def _has_no_other_check(context: CheckContext) -> bool:
    """A link has two ends; the downstream end is checked for both."""
    nics = {nic.pcie for nic in context.plan.hosts[context.place.device].nics.values()}
    return context.entity.role in ("switch-upstream", "endpoint", None) and context.place.name not in nics


_compare_link = name_slot(
    compare(
        *needs,
        wrong="a PCIe link is slower than planned",
        fix="reseat the card, riser or cable; check the slot in the BIOS",
        by_hand=True,
        applies=_has_no_other_check,
        impact=gpu_link,
    ),
    place=lambda context: context.place,
)


def check(context: CheckContext) -> Outcome:
    """A slower link is named by the NICs and GPUs behind it."""
    outcome = _compare_link(context)
    if outcome.status is Status.FAIL and _is_idle_gpu(context):
        outcome = replace(
            outcome,
            status=Status.WARN,
            summary="the PCIe link of a GPU has its lowest rate, as without work",
            impact=None,
            fix=(Fix("collect again while a program runs on the GPU"),),
        )
    devices = _list_devices_behind(context)
    if outcome.status is Status.PASS or not devices:
        return outcome
    return replace(outcome, found=f"{outcome.found}; behind this link: {', '.join(devices)}")


def _is_idle_gpu(context: CheckContext) -> bool:
    """Whether only the rate of a GPU's own link is low, and the lowest there is."""
    gpus = {gpu.pcie for gpu in context.plan.hosts[context.place.device].gpus.values()}
    return (
        context.place.name in gpus
        and context.get_found_value("pcie.link.speed") == _LOWEST_RATE
        and context.get_found_value("pcie.link.width") >= context.get_intended_value("pcie.link.width")
    )


def _list_devices_behind(context: CheckContext) -> list[str]:
    """The planned NICs and GPUs at this function or below it."""
    host = context.plan.hosts[context.place.device]
    addresses = {name: nic.pcie for name, nic in host.nics.items()}
    addresses |= {name: gpu.pcie for name, gpu in host.gpus.items()}
    return [
        name
        for name, address in addresses.items()
        if address is not None and context.place.name in (address, *list_bridges(host.pcie, address))
    ]
