"""ARP settings of the interface

The interface answers ARP requests for its own addresses only, and announces the address of its subnet. The larger
of two values takes effect: the one for all interfaces and the one of the interface.

Impact:
    By default Linux answers ARP requests on any interface for any address of the host. Peers then learn one MAC address
    for several rails, and all their traffic goes to one NIC.

Fix:
    Set arp_ignore and arp_announce as planned, now and in /etc/sysctl.d.

Example:
    $ sysctl net.ipv4.conf.all.arp_ignore
    net.ipv4.conf.all.arp_ignore = 0

Source:
    Broadcom 957608-AN210, 2.4; Linux Documentation/networking/ip-sysctl.rst, arp_ignore and arp_announce
"""

from collections.abc import Mapping, Sequence

from wirespeed.checks.kernel import find_effective, find_sysctl
from wirespeed.checks.model import CheckContext, NoIntentError, Outcome, failure, find_planned_entity, success
from wirespeed.settings import Nic

subject = Nic
needs = ("sysctl.value",)
failures = ("OS-04",)

_PARAMETERS = ("arp_ignore", "arp_announce")
_LARGEST_MODE = 2
_NO_REPLY = 8


def check(context: CheckContext) -> Outcome:
    """1 and 2 separate rails; 1 is enough for both where each rail has a subnet, as here.

    The values of Broadcom 957608-AN210, 2.4 (arp_announce 1, arp_ignore 2), are as good as the rendered ones. Of the
    larger values arp_ignore 3 replies for every global address of the host, and 8 for none.
    """
    intended = {
        name: min(value, 1) for name in _PARAMETERS if (value := _find_planned_value(context, name)) is not None
    }
    if not intended:
        raise NoIntentError("not planned: arp_ignore and arp_announce")
    found = {name: _find_effective(context, name, value) for name, value in intended.items()}
    wrong = [name for name, value in intended.items() if not value <= found[name] <= _LARGEST_MODE]
    expected = "; ".join(f"{name} {value} or {_LARGEST_MODE}" for name, value in intended.items())
    effective_values = "; ".join(f"{name} {value}" for name, value in found.items())
    if not wrong:
        return success(expected, effective_values)
    fixes = [
        context.build_change(
            f"set {name}",
            "sysctl.value",
            _find_planned_value(context, name),
            find_sysctl(context.place.device, f"net.ipv4.conf.all.{name}"),
        )
        for name in wrong
    ]
    return failure(_summarize(found, wrong), expected, effective_values, *fixes)


def _summarize(parameters: Mapping[str, int], wrong: Sequence[str]) -> str:
    if parameters.get("arp_ignore") == _NO_REPLY:
        return "the interface answers no ARP request"
    verb = "answers ARP for" if "arp_ignore" in wrong else "announces"
    return f"the interface {verb} addresses of other interfaces"


def _find_effective(context: CheckContext, parameter: str, minimum: int) -> int:
    """The value in effect, or the one for all interfaces if that is sufficient: the larger takes effect."""
    every = int(
        context.get_found_value("sysctl.value", find_sysctl(context.place.device, f"net.ipv4.conf.all.{parameter}"))
    )
    return every if every >= minimum else find_effective(context, parameter)


def _find_planned_value(context: CheckContext, parameter: str) -> int | None:
    values = [
        entity.value
        for name in ("all", context.place.name)
        if (
            entity := find_planned_entity(
                context.plan, find_sysctl(context.place.device, f"net.ipv4.conf.{name}.{parameter}")
            )
        )
        is not None
    ]
    return max((int(value) for value in values if value is not None), default=None)
