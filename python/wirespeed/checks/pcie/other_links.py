"""PCIe link of another device

PCIe devices that are not between planned NICs and GPUs, such as drives and on-board controllers, use all lanes and the
rate that the device and the port above it have in common. A slot with fewer lanes than its card is no problem.

Impact:
    A drive or controller with half its lanes has half its throughput. A link that trained down often has a damaged
    contact or cable, and corrected errors.

Fix:
    Reseat card, riser or cable. A device without work may lower its rate automatically: collect again under load.

Example:
    $ lspci -s c1:00.0 -vv | grep -E 'LnkCap:|LnkSta:'
    LnkCap: Port #0, Speed 16GT/s, Width x4, ASPM not supported
    LnkSta: Speed 16GT/s, Width x2 (downgraded)

Source:
    Broadcom 957608-AN210, appendix D.2; pciutils, ls-caps.c, cap_express_link
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress

from wirespeed.checks.model import CheckContext, NoIntentError, Outcome, UnreadError, success, warning
from wirespeed.checks.slots import find_slot
from wirespeed.results.findings import Fix
from wirespeed.settings import Host, PcieFunction, PcieLink, list_bridges

subject = Host
needs = ("host.pcie", "pcie.link.width", "pcie.link.speed", "pcie.link.capable_width", "pcie.link.capable_speed")
failures = ("PCI-03",)

_EXPECTED = "rate and lanes that device and port have in common"
_MAXIMUM = 6  # devices in one finding


def check(context: CheckContext) -> Outcome:
    """One finding for each host, with the devices.

    Raises:
        NoIntentError: the plan contains no PCIe function of the host.
        UnreadError: the functions, or the links of any, were not read.
    """
    if not context.plan.hosts[context.place.device].pcie:
        raise NoIntentError("not planned: host.pcie")
    functions = context.list_members("host.pcie")
    host = context.facts.devices[context.place.device]
    if context.facts.list_gaps(context.place, needs[1]) and not any(
        function.link.width is not None for function in functions.values()
    ):
        raise context.build_unread_error(context.place, needs[1])
    slow = dict(_list_slow_links(context, host)) if isinstance(host, Host) else {}
    if not slow:
        return success(_EXPECTED, "no slower link")
    for address in list(slow)[:_MAXIMUM]:
        for path in needs[1:]:
            with suppress(UnreadError):
                context.get_found_value(path, context.place.child("pcie", address))  # the evidence
    texts = list(slow.values())[:_MAXIMUM]
    texts += [f"{len(slow) - _MAXIMUM} more"] if len(slow) > _MAXIMUM else []
    return warning(
        "a PCIe link is slower than both of its ends",
        _EXPECTED,
        "; ".join(texts),
        Fix("reseat the card, riser or cable; a device without work may lower its rate: collect again under load"),
        reason="no NIC or GPU of the plan uses this link",
    )


def _list_slow_links(context: CheckContext, host: Host) -> Iterator[tuple[str, str]]:
    """Address and description of each such device, by its first function."""
    excluded = _list_checked_functions(context, host)
    devices: set[str] = set()
    for address, function in host.pcie.items():
        above = host.pcie.get(function.parent or "")
        device = address.rpartition(".")[0]
        if address in excluded or device in devices or above is None:
            continue
        devices.add(device)
        if text := _describe_slow_link(function.link, above.link):
            slot = find_slot(context, address)
            name = f"{address} {function.description or 'PCIe device'}{f' in {slot}' if slot else ''}"
            yield address, f"{name}: {text}"


def _list_checked_functions(context: CheckContext, host: Host) -> set[str]:
    """The functions of NICs and GPUs and of planned links, and the bridges above them."""
    planned: Mapping[str, PcieFunction] = context.plan.hosts[context.place.device].pcie
    checked = {address for address, function in planned.items() if function.link.width is not None}
    checked |= {nic.pcie for nic in host.nics.values() if nic.pcie is not None}
    checked |= {gpu.pcie for gpu in host.gpus.values() if gpu.pcie is not None}
    return checked | {bridge for address in checked for bridge in list_bridges(host.pcie, address)}


def _describe_slow_link(link: PcieLink, above: PcieLink) -> str:
    """What is below the capability of both ends; empty if nothing is, an end was not read, or the link is down."""
    if not link.width:
        return ""
    rates = (link.speed, link.capable_speed, above.capable_speed)
    lanes = (link.width, link.capable_width, above.capable_width)
    parts = []
    if rates[0] and rates[1] and rates[2] and rates[0] < min(rates[1], rates[2]):
        parts.append(f"{rates[0] / 1000:g} of {min(rates[1], rates[2]) / 1000:g} GT/s")
    if lanes[0] and lanes[1] and lanes[2] and lanes[0] < min(lanes[1], lanes[2]):
        parts.append(f"{lanes[0]} of {min(lanes[1], lanes[2])} lanes")
    return ", ".join(parts)
