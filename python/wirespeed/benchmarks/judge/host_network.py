"""The bandwidth of all NICs of a host, for benchmarks that do not name the NICs they use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from wirespeed.benchmarks.endpoints.nics import NicPlace, list_used_nics, nic_speed
from wirespeed.limits import host as host_limits
from wirespeed.limits import tcp
from wirespeed.limits.algorithms import ACKS_PER_PACKET
from wirespeed.limits.bound import number
from wirespeed.limits.impact import nic_function
from wirespeed.limits.nic import nic_goodput, nic_goodput_two_way
from wirespeed.plan import Plan
from wirespeed.results.verdicts import Bound, Term
from wirespeed.units import Bandwidth


@dataclass(frozen=True, slots=True)
class Network:
    """The NICs of a host that a job uses: the limit of all, and the limit of the slowest, Gb/s in one direction.

    ``shares`` contains the rate of the slowest while one NIC, two, … of the host are in use.
    """

    host: str
    total: Term
    message_term: Term
    shares: tuple[host_limits.NicShare, ...]
    nics: tuple[NicPlace, ...]
    link: Bandwidth
    assumptions: tuple[str, ...]


def network(plan: Plan, name: str, *, bidirectional: bool, on_host: bool) -> Network | None:
    """The NICs of a host in one direction; None if the speed of one is unknown.

    ``bidirectional``: the other direction is equally loaded. ``on_host``: buffers are in host memory, so that NICs
    share the uplinks of their PCIe switches. The protocol is not known: it is RoCE or TCP, whose larger segments
    use more of the line rate.
    """
    host = plan.hosts[name]
    assumptions: list[str] = []
    used_nics = list_used_nics(host, assumptions)
    ends = [NicPlace(name, interface, nic) for interface, nic in host.nics.items() if nic in used_nics]
    maximum: dict[str, float] = {}
    in_use: list[Bound] = []
    binds: Counter[str] = Counter()
    speeds: list[Bandwidth] = []
    for nic in ends:
        bound, usual_bound, speed = _single_nic(plan, nic, bidirectional)
        if bound is None or usual_bound is None or speed is None:
            return None
        maximum[nic.nic.pcie or nic.interface] = bound.value
        in_use.append(usual_bound)
        binds[bound.bottleneck] += 1
        speeds.append(speed)
        assumptions.extend(bound.assumptions)
    if not ends:
        return None
    usual = dict(zip(maximum, (bound.value for bound in in_use), strict=True))
    shared_rate, shared_link = host_limits.compute_shared_rate(
        plan, name, maximum, bidirectional=bidirectional, to_memory=on_host
    )
    formula = f"{_format_rates(list(maximum.values()))} ({binds.most_common(1)[0][0]})"
    if shared_link is not None:
        formula = host_limits.format_shared_rate(plan, name, maximum, bidirectional=bidirectional, to_memory=on_host)
    slowest = min(in_use, key=lambda bound: bound.value)
    return Network(
        host=name,
        total=Term(f"NICs of {name}", shared_rate, "Gb/s", formula, slowest.terms[0].source),
        message_term=Term(
            f"{slowest.bottleneck} (one NIC)",
            slowest.value,
            "Gb/s",
            _format_formula(slowest),
            slowest.terms[0].source,
        ),
        shares=tuple(
            host_limits.find_slowest_share(plan, name, usual, count, bidirectional=bidirectional, to_memory=on_host)
            for count in range(1, len(usual) + 1)
        ),
        nics=tuple(ends),
        link=min(speeds),
        assumptions=tuple(dict.fromkeys(assumptions)),
    )


def _single_nic(
    plan: Plan, place: NicPlace, bidirectional: bool
) -> tuple[Bound | None, Bound | None, Bandwidth | None]:
    """The maximum of one NIC, its usual rate, and its speed."""
    function = nic_function(plan, place.host, place.nic)
    speed = nic_speed(plan, place)
    if bidirectional:
        maximum = nic_goodput_two_way(place.nic, function, speed=speed)
        usual = nic_goodput_two_way(place.nic, function, speed=speed, acks_per_packet=ACKS_PER_PACKET)
    else:
        maximum = usual = nic_goodput(place.nic, function, speed=speed)
    if maximum is None or speed is None or place.nic.link.mtu is None:
        return maximum, usual, speed
    segments = tcp.tcp(speed, place.nic.link.mtu)
    if maximum.bottleneck == maximum.terms[0].name and segments.value > maximum.value:
        other_limits = [term.value for term in maximum.terms[1:]]
        value = min([segments.value, *other_limits])
        maximum = Bound(
            value,
            maximum.unit,
            segments.name if value == segments.value else maximum.terms[1].name,
            (segments, *maximum.terms[1:]),
            maximum.assumptions,
        )
    return maximum, usual, speed


def _format_rates(rates: Sequence[float]) -> str:
    lowest, highest = number(min(rates)), number(max(rates))
    if lowest == highest:
        return f"{len(rates)} NIC{'s' if len(rates) > 1 else ''}, {lowest} Gb/s{' each' if len(rates) > 1 else ''}"
    return f"{len(rates)} NICs, {lowest} to {highest} Gb/s each"


def _format_formula(bound: Bound) -> str:
    return next(term.formula for term in bound.terms if term.name == bound.bottleneck)
