"""Reverse-path filter of the interface

The kernel does not use strict reverse-path filtering on the interface. The larger of two values takes effect: the one
for all interfaces and the one of the interface.

Impact:
    Strict filtering drops a packet if the reply to it would leave through another interface. With several rails this
    affects ordinary traffic between rails: pings work in one direction, connections time out.

Fix:
    Set rp_filter of the interface to 2 (loose), and that of `all` to 0 or 2. `all` alone has no effect while the
    interface has 1.

Example:
    $ sysctl net.ipv4.conf.enp29s0np0.rp_filter
    net.ipv4.conf.enp29s0np0.rp_filter = 1

Source:
    Linux Documentation/networking/ip-sysctl.rst, rp_filter; RFC 3704
"""

from wirespeed.checks.kernel import find_effective, find_sysctl
from wirespeed.checks.model import CheckContext, NoIntentError, Outcome, failure, find_planned_entity, success
from wirespeed.settings import Nic, Place

subject = Nic
needs = ("sysctl.value",)
failures = ("OS-05",)

_STRICT = 1
_LOOSE = "2"


def check(context: CheckContext) -> Outcome:
    """A host with one rail has no traffic between rails; an interface without a rail carries none."""
    context.get_intended_value("nic.rail")
    if sum(nic.rail is not None for nic in context.plan.hosts[context.place.device].nics.values()) < 2:
        raise NoIntentError("the host has one rail")
    found = find_effective(context, "rp_filter")
    if found != _STRICT:
        return success("0 or 2 in effect", f"{found} in effect")
    device, interface = context.place.device, context.place.name
    sentences = {interface: "set rp_filter of the interface to loose (2) or off (0)"}
    if _read_value(context, "all") == _STRICT:
        sentences = {"all": "set rp_filter of `all` to loose (2) or off (0)", interface: f"then {sentences[interface]}"}
    places = {find_sysctl(device, f"net.ipv4.conf.{name}.rp_filter"): text for name, text in sentences.items()}
    fixes = [
        context.build_change(text, "sysctl.value", _find_planned_mode(context, place), place)
        for place, text in places.items()
    ]
    return failure("strict reverse-path filter on a rail", "0 or 2 in effect", "1 (strict) in effect", *fixes)


def _find_planned_mode(context: CheckContext, place: Place) -> str:
    entity = find_planned_entity(context.plan, place)
    return _LOOSE if entity is None or entity.value is None else str(entity.value)


def _read_value(context: CheckContext, name: str) -> int:
    return int(
        context.get_found_value("sysctl.value", find_sysctl(context.place.device, f"net.ipv4.conf.{name}.rp_filter"))
    )
