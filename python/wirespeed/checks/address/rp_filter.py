"""Reverse-path filter of the interface

The kernel does not filter strictly on the interface. The larger of the value for all interfaces and its own acts.

Why it hurts:
    Strict filtering drops a packet that came in by another interface than a reply would leave by. With several
    rails that is ordinary traffic between rails: pings work one way, connections time out.

How to fix:
    Set rp_filter of the interface to 2 (loose), and that of all to 0 or 2. Setting all alone does not help while
    the interface says 1.

Example:
    $ sysctl net.ipv4.conf.enp29s0np0.rp_filter
    net.ipv4.conf.enp29s0np0.rp_filter = 1

Source:
    Linux Documentation/networking/ip-sysctl.rst, rp_filter; RFC 3704
"""

from wirespeed.checks.kernel import effective, sysctl
from wirespeed.checks.model import Here, NoIntentError, Outcome, failed, passed, planned
from wirespeed.settings import Nic, Place

over = Nic
needs = ("sysctl.value",)
failures = ("OS-05",)

_STRICT = 1
_LOOSE = "2"


def check(here: Here) -> Outcome:
    """A host with one rail has no traffic between rails, and an interface without one is none."""
    here.intended("nic.rail")
    if sum(nic.rail is not None for nic in here.plan.hosts[here.place.device].nics.values()) < 2:
        raise NoIntentError("the host has one rail")
    found = effective(here, "rp_filter")
    if found != _STRICT:
        return passed("0 or 2 in effect", f"{found} in effect")
    device, interface = here.place.device, here.place.name
    names = ("all", interface) if _value(here, "all") == _STRICT else (interface,)
    fixes = [
        here.change("filter loosely, or not at all", "sysctl.value", _planned(here, place), place)
        for place in (sysctl(device, f"net.ipv4.conf.{name}.rp_filter") for name in names)
    ]
    return failed("strict reverse-path filter on a rail", "0 or 2 in effect", "1 (strict) in effect", *fixes)


def _planned(here: Here, place: Place) -> str:
    thing = planned(here.plan, place)
    return _LOOSE if thing is None or thing.value is None else str(thing.value)


def _value(here: Here, name: str) -> int:
    return int(here.found("sysctl.value", sysctl(here.place.device, f"net.ipv4.conf.{name}.rp_filter")))
