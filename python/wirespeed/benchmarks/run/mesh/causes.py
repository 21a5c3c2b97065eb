"""Causes of the bad pairs of a mesh: the fewest NICs, rails, leaves, hosts or paths that explain them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from wirespeed.benchmarks.endpoints.fabric import Fabric
from wirespeed.benchmarks.peers.causes import Cause as Found
from wirespeed.benchmarks.peers.causes import Ends, Rule, candidates, explain
from wirespeed.plan import Plan
from wirespeed.results.campaign import Grade
from wirespeed.results.mesh import Cause, Cell
from wirespeed.results.peers import Kind, Member

_RULE = Rule(minimum=0.5, z=0.0, nearly_all=0.9)
"""A pair is either good or bad, so a link that is up for one pair of five is not down."""
_MAX_NAMED_PAIRS = 3  # maximum number of single pairs that are listed one by one


@dataclass(frozen=True, slots=True)
class _Sign:
    """A symptom of bad pairs: its description, the checks that examine it, and the failures that cause it."""

    symptom: str
    checks: tuple[str, ...]
    failures: tuple[str, ...]


_LARGE = _Sign(
    "packets of the planned size are lost and small ones come back: an MTU on the path is too small",
    ("link.mtu", "port.mtu", "port.vlan-mtu"),
    ("SW-01", "OS-07"),
)
_DEAD = _Sign(
    "no reply to large or small packets: a link is down, or an address or a route is missing",
    ("link.up", "port.up", "address.nic", "address.route", "address.rule"),
    ("CAB-01", "RT-10", "OS-05"),
)
_NETWORK_SIGN = _Sign(
    "no reply to large or small packets between these only: a device between them does not forward",
    ("port.up", "fabric.bgp-session", "fabric.bgp-networks"),
    ("RT-10", "RT-05"),
)
_PACKET_LOSS = _Sign(
    "pings of the planned size fail", ("link.mtu", "port.mtu", "link.up", "port.up"), ("CAB-02", "SW-01")
)
_OTHER_ROUTE = _Sign(
    "the kernel uses another route than planned: a rule or a route is missing, or another one takes precedence",
    ("address.rule", "address.route"),
    ("OS-05",),
)
_NOWHERE = _Sign(
    "the kernel has no route: the link is down, or the address, its rule or its route is missing",
    ("link.up", "address.nic", "address.rule", "address.route"),
    ("OS-05", "RT-10", "CAB-01"),
)
_LEAVES = _Sign(
    "packets from its address leave through another NIC: a rule or a route is not as planned",
    ("address.rule", "address.route"),
    ("OS-05",),
)
_ARRIVES = _Sign(
    "packets to its address arrive at another NIC: other hosts have that NIC's MAC address for it",
    ("address.neighbour", "address.arp"),
    ("OS-04",),
)
_RDMA = _Sign(
    "RDMA fails where pings succeed: the GID, the RDMA port, its MTU or a filter",
    ("address.gid", "launch.gid-index", "nic.rdma-port", "nic.rdma-mtu", "host.firewall"),
    ("NIC-05", "OS-06", "OS-07"),
)
_RDMA_TOO = _Sign("RDMA fails, and so do pings", (), ())


def causes(plan: Plan, fabric: Fabric, cells: Mapping[tuple[str, str], Cell]) -> tuple[Cause, ...]:
    """For each aspect the causes that explain its bad pairs; those with most pairs first."""
    aspects = dict.fromkeys(aspect for cell in cells.values() for aspect in cell.grades)
    cells_by_ends: dict[Ends, Cell] = dict(cells.items())
    if not any(Grade.BAD in cell.grades.values() for cell in cells.values()):
        return ()
    members = {
        endpoint.name: Member(
            endpoint.name, endpoint.host, endpoint.device or endpoint.interface, endpoint.rail, endpoint.leaf
        )
        for endpoint in fabric.endpoints
    }
    ports = map_nics_to_ports(plan, fabric)
    return tuple(cause for aspect in aspects for cause in _find_causes(aspect, cells_by_ends, members, ports))


def describe_bypass(nic: str, port: str | None, sends: bool, bad: int, symptom: str) -> Cause:
    """The cause that counters of a NIC show: pings are answered, but do not use this NIC."""
    sign = _LEAVES if sends else _ARRIVES
    direction = "as sender" if sends else "as receiver"
    return Cause(
        "carried", f"NIC {nic} {direction}", port, bad, bad, f"{symptom}: {sign.symptom}", sign.checks, sign.failures
    )


def _find_causes(
    aspect: str, cells: Mapping[Ends, Cell], members: Mapping[str, Member], ports: Mapping[str, str]
) -> list[Cause]:
    measured = {ends: cell for ends, cell in cells.items() if cell.grades[aspect] in (Grade.GOOD, Grade.BAD)}
    fractions = {ends: 0.0 if cell.grades[aspect] is Grade.BAD else 1.0 for ends, cell in measured.items()}
    if 0.0 not in fractions.values():
        return []
    # An exchange that fails does not show which end failed; a ping that fails in one direction only does.
    explanations = explain(
        fractions, dict.fromkeys(fractions, 0.0), candidates(members, measured, aspect == "rdma"), _RULE
    )
    return _merge_causes(
        [_build_cause(aspect, cause, measured, ports) for cause, _ in explanations],
        {cause.label: cause.kind for cause, _ in explanations},
    )


def _merge_causes(causes_of_aspect: list[Cause], kinds: Mapping[str, Kind]) -> list[Cause]:
    """Many pairs with one symptom and nothing else in common become one cause."""
    single_pairs = [cause for cause in causes_of_aspect if kinds.get(cause.name) in (Kind.PAIR, Kind.PATH)]
    similar_causes: dict[str, list[Cause]] = {}
    for cause in single_pairs:
        similar_causes.setdefault(cause.symptom, []).append(cause)
    merged = [
        cause
        for cause in causes_of_aspect
        if cause not in single_pairs or len(similar_causes[cause.symptom]) <= _MAX_NAMED_PAIRS
    ]
    for group in similar_causes.values():
        if len(group) > _MAX_NAMED_PAIRS:
            first, bad, total = group[0], sum(cause.bad for cause in group), sum(cause.pairs for cause in group)
            merged.append(replace(first, name=f"{first.name} and {len(group) - 1} like it", bad=bad, pairs=total))
    return merged


def _build_cause(aspect: str, explanation: Found, measured: Mapping[Ends, Cell], ports: Mapping[str, str]) -> Cause:
    cells_of_cause = [measured[ends] for ends in sorted(explanation.cells, key=str) if ends in measured]
    bad = [cell for cell in cells_of_cause if cell.grades[aspect] is Grade.BAD]
    sign = _find_sign(aspect, explanation.kind, bad)
    return Cause(
        aspect=aspect,
        name=" or ".join((explanation.label, *explanation.other_causes)),
        port=ports.get(explanation.name) if explanation.kind is Kind.NIC else None,
        bad=len(bad),
        pairs=len(cells_of_cause),
        symptom=sign.symptom,
        checks=sign.checks,
        failures=sign.failures,
    )


def _find_sign(aspect: str, kind: Kind, bad: list[Cell]) -> _Sign:
    if aspect == "route":
        return (
            _NOWHERE
            if all("found none" in text for cell in bad for text in cell.details if _is_route(text))
            else _OTHER_ROUTE
        )
    if aspect == "rdma":
        return _RDMA_TOO if all(cell.grades.get("ping") is Grade.BAD for cell in bad) else _RDMA
    small = {cell.small for cell in bad}
    if small == {True}:
        return _LARGE
    if small == {False}:
        return _NETWORK_SIGN if kind in (Kind.LEAVES, Kind.PAIR, Kind.PATH) else _DEAD
    return _PACKET_LOSS


def _is_route(text: str) -> bool:
    return text.startswith("route: ")


def map_nics_to_ports(plan: Plan, fabric: Fabric) -> dict[str, str]:
    """Map each NIC to the port that it is cabled to."""
    interface = {(endpoint.host, endpoint.interface): endpoint.name for endpoint in fabric.endpoints}
    port_by_nic = {}
    for cable in plan.cables:
        for near, far in ((cable.a, cable.b), (cable.b, cable.a)):
            name = interface.get((near.device, near.port))
            if name is not None:
                port_by_nic[name] = f"{far.device}:{far.port}"
    return port_by_nic
