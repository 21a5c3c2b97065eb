"""PCIe Access Control Services (ACS)

ACS is off on every function that traffic between a NIC and a GPU, or between two GPUs, crosses: ports of PCIe switches,
root ports of a pair without a common switch. On all other bridges above NICs and GPUs, and on the NICs and GPUs
themselves, enabled ACS gives a warning.

Impact:
    If request redirection is on, packets between GPU and NIC do not take the direct path through the PCIe switch: they
    go up to the root complex and back. GPU traffic between hosts is slow or hangs, while traffic from host memory is
    normal.

Fix:
    Clear the ACS control register of the bridge now, and at every boot by a service; or disable ACS in the BIOS. Keep
    ACS on where devices are passed through to virtual machines: they need the isolation.

Example:
    $ lspci -s 14:00.0 -vvv
    ACSCtl: SrcValid- TransBlk- ReqRedir+ CmpltRedir- UpstreamFwd- EgressCtrl- DirectTrans-

Source:
    Broadcom 957608-AN210, 2.3, 2.6 item 4 and appendices C and D; PCI Express Base Specification 5.0, 6.12; Linux
    6.18, drivers/pci/p2pdma.c, calc_map_type_and_dist
"""

from dataclasses import replace

from wirespeed.checks.compare import compare
from wirespeed.checks.model import CheckContext, ElsewhereError, Outcome
from wirespeed.plan.peer_paths import list_crossed_functions
from wirespeed.results.findings import Status
from wirespeed.settings import PcieFunction, Place

subject = PcieFunction
needs = ("pcie.acs", "pcie.acs_capable", "host.pcie")
failures = ("PCI-01",)

_REASONS = {
    "endpoint": "it redirects between functions of this device only, but the kernel's peer-to-peer DMA counts it",
    None: "planned pairs of NIC and GPU exchange data below this bridge; traffic of other pairs crosses it",
}
_REDIRECTING = frozenset({"ReqRedir", "CmpltRedir", "EgressCtrl"})
"""Source: Linux 6.18, drivers/pci/p2pdma.c, pci_bridge_has_acs_redir."""
_compare = compare(
    "pcie.acs",
    wrong="ACS redirects traffic between GPU and NIC",
    labels={frozenset(): "no ACS bit set (ReqRedir-, CmpltRedir-, …)"},
    fix="disable ACS on this bridge",
    consequence="takes effect at once; the next boot enables ACS again unless the boot service is enabled",
)


def check(context: CheckContext) -> Outcome:
    """The plan intends ACS to be off. Functions other than downstream ports count if they have the capability."""
    role = context.entity.role
    is_port = role in ("switch-downstream", None)
    if not is_port and not context.facts.value(context.place, "pcie.acs_capable"):
        raise ElsewhereError
    outcome = _compare(context)
    if outcome.status is Status.FAIL and not _REDIRECTING & (context.facts.value(context.place, "pcie.acs") or set()):
        outcome = replace(outcome, summary="ACS is on, although it redirects no traffic between GPU and NIC")
    if outcome.status is not Status.FAIL or is_port or (role != "endpoint" and _is_crossed(context)):
        return outcome
    reason = _REASONS.get(role, _REASONS[None])
    return replace(outcome, status=Status.WARN, summary="ACS is on", warning_reasons=(reason,))


def _is_crossed(context: CheckContext) -> bool:
    """Whether planned traffic crosses the function in the tree that was found."""
    host = Place(context.place.device)
    functions = context.list_members("host.pcie", host)
    return context.place.name in list_crossed_functions(functions, context.plan.hosts[host.device])
