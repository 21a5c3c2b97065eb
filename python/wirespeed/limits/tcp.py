"""Line rate times TCP and UDP framing, for iperf3."""

from __future__ import annotations

from wirespeed.limits.bound import GBPS, number
from wirespeed.results.verdicts import Term
from wirespeed.units import Bandwidth

ETHERNET = 38
"""Bytes around an IP packet: header 14, FCS 4, preamble and gap 20 (IEEE 802.3 clauses 3 and 4)."""
TCP_HEADER = 20  # RFC 9293
TIMESTAMPS = 12  # RFC 7323, with padding; Linux sends them unless net.ipv4.tcp_timestamps is 0
UDP_HEADER = 8  # RFC 768
SOURCE = "IEEE 802.3 clauses 3 and 4; RFC 791, 8200, 9293, 7323, 768"


def tcp(speed: Bandwidth, mtu: int, *, ipv6: bool = False, timestamps: bool = False) -> Term:
    """Payload of full TCP segments in one direction, Gb/s.

    Without options the result is the physical limit. Linux sends timestamps by default.

    Raises:
        ValueError: no payload fits the MTU.
    """
    payload = mtu - _get_ip_header(ipv6) - TCP_HEADER - (TIMESTAMPS if timestamps else 0)
    options = "with timestamps" if timestamps else "no options"
    return _framing_term("line rate × TCP framing", speed, mtu, payload, options)


def udp(speed: Bandwidth, mtu: int, size: int | None = None, *, ipv6: bool = False) -> Term:
    """Payload of UDP datagrams of ``size`` bytes, or of the largest that fit the MTU, in one direction, Gb/s.

    A larger datagram travels in fragments; all but the first carry no UDP header, which is taken for all of them.

    Raises:
        ValueError: no payload fits the MTU.
    """
    headers = _get_ip_header(ipv6) + UDP_HEADER
    largest = mtu - headers
    if size is not None and size > largest:
        return _framing_term("line rate × UDP framing", speed, mtu, mtu - _get_ip_header(ipv6), "fragments")
    payload = largest if size is None else size
    return _framing_term("line rate × UDP framing", speed, payload + headers, payload, "one datagram a packet")


def describe_core_rate(rate: Bandwidth) -> str:
    """The assumption behind the rate of one core: no core was published to be faster, but none was shown to be busy."""
    return f"{rate} a core is a published rate of single streams, not a proven limit: a core may be faster"


def _get_ip_header(ipv6: bool) -> int:
    return 40 if ipv6 else 20


def _framing_term(name: str, speed: Bandwidth, packet: int, payload: int, note: str) -> Term:
    if payload <= 0:
        raise ValueError(f"{payload} bytes of payload: expected an MTU larger than its headers")
    value = speed.gb_per_s * payload / (packet + ETHERNET)
    formula = f"{number(speed.gb_per_s)} Gb/s × {payload} B payload / {packet + ETHERNET} B on the wire ({note})"
    return Term(name, value, GBPS, formula, SOURCE)
