"""Kernel parameters in effect."""

from __future__ import annotations

from wirespeed.checks.model import CheckContext
from wirespeed.settings import Place


def find_sysctl(device: str, key: str) -> Place:
    """The place of a kernel parameter."""
    return Place(device).child("sysctl", key)


def find_effective(context: CheckContext, parameter: str) -> int:
    """The effective value of an IPv4 parameter on the NIC's interface: the larger of ``all`` and the interface.

    Source: Linux Documentation/networking/ip-sysctl.rst, arp_announce, arp_ignore and rp_filter.

    Raises:
        UnreadError: one of the two was not read.
    """
    device, interface = context.place.device, context.place.name
    values = [
        context.get_found_value("sysctl.value", find_sysctl(device, f"net.ipv4.conf.{name}.{parameter}"))
        for name in ("all", interface)
    ]
    return max(int(value) for value in values)
