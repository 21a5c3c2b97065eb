"""Rows of the tables that `wirespeed plan` prints: part by part, device and port apart as in a cabling file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wirespeed.plan import Cable, Plan
    from wirespeed.settings import Host, Nic, Switch, TrafficClass
    from wirespeed.units import Bandwidth

Rows = list[dict[str, Any]]


def _list_hosts(plan: Plan) -> Rows:
    return [
        {
            "device": name,
            "port": interface,
            "rail": nic.rail,
            "rdma device": nic.rdma_device,
            "pcie": nic.pcie,
            "gpu": nic.gpu,
            "mtu": nic.link.mtu,
            "bond": nic.bond.mode or nic.controller or None,
            "jobs": _is_used_by_jobs(host, nic),
            "model": nic.model,
        }
        for name, host in plan.hosts.items()
        for interface, nic in host.nics.items()
    ]


def _is_used_by_jobs(host: Host, nic: Nic) -> bool | None:
    """Whether jobs use the NIC. None if the plan contains no jobs."""
    devices = host.launch.rdma_devices
    return None if devices is None else nic.rdma_device in devices


def _list_addresses(plan: Plan) -> Rows:
    peers = {(end.device, end.port): cable.other_end(end.device) for cable, end in _list_ends(plan.cables)}

    def row(device: str, port: str, address: str, **values: object) -> dict[str, Any]:
        peer = peers.get((device, port))
        columns: dict[str, Any] = {"device": device, "port": port, "address": address}
        columns |= {"peer_device": peer.device if peer else None, "peer_port": peer.port if peer else None}
        return columns | {
            name: values.get(name.replace(" ", "_"))
            for name in ("gateway", "routing table", "rule priority", "main route", "main metric", "as number")
        }

    rows = [
        row(name, interface, ", ".join(nic.addresses or ()), **_describe_route(host, interface))
        for name, host in plan.hosts.items()
        for interface, nic in host.nics.items()
    ]
    for name, switch in plan.switches.items():
        if switch.loopbacks or switch.bgp.asn is not None:
            rows.append(row(name, "loopback", ", ".join(switch.loopbacks or ()), as_number=switch.bgp.asn))
        rows += [row(name, port, address) for port, address in _list_interfaces(switch)]
    return rows


def _list_ends(cables: Sequence[Cable]) -> Iterator[tuple[Cable, Any]]:
    for cable in cables:
        yield cable, cable.a
        yield cable, cable.b


def _describe_route(host: Host, interface: str) -> dict[str, object]:
    """Gateway, routing table and rule of a NIC, and its route in the main table: for packets without a source."""
    from wirespeed.plan.routing import MAIN_TABLE
    from wirespeed.settings import split_route_name

    described: dict[str, object] = {}
    for name, route in host.routes.items():
        table, destination = split_route_name(name)
        if route.device != interface:
            continue
        if table == str(MAIN_TABLE):
            described |= {"main_route": destination, "main_metric": route.metric}
            continue
        described["routing_table"] = table
        priorities = (rule.priority for rule in host.rules.values() if str(rule.table) == table)
        described["rule_priority"] = next(priorities, None)
        if destination in ("default", "::/0"):
            described["gateway"] = route.gateway
    return described


def _list_interfaces(switch: Switch) -> Iterator[tuple[str, str]]:
    """Routed interfaces of a switch and their addresses: VLANs, then ports."""
    for number, vlan in switch.vlans.items():
        if vlan.addresses:
            yield f"vlan{number}", ", ".join(vlan.addresses)
    for name, port in switch.ports.items():
        if port.addresses:
            yield name, ", ".join(port.addresses)
        elif port.unnumbered:
            yield name, "unnumbered"


def _list_cables(plan: Plan) -> Rows:
    from wirespeed.plan.cable_plan import format_tier, numbers

    return [
        {
            "a_device": cable.a.device,
            "a_port": cable.a.port,
            "b_device": cable.b.device,
            "b_port": cable.b.port,
            "length": str(cable.length) if cable.length is not None else None,
            "speed": str(cable.speed),
            "rail": cable.rail,
            "cable": cable.cable,
            "tier": format_tier(plan, cable),
            "number": number,
        }
        for cable, number in numbers(plan).items()
    ]


def _list_labels(plan: Plan) -> Rows:
    from wirespeed.plan.cable_plan import labels

    return [
        {
            "number": label.number,
            "device": label.near.device,
            "port": label.near.port,
            **dict(zip(("line1", "line2", "line3"), label.lines, strict=True)),
        }
        for label in labels(plan)
    ]


def _list_bill(plan: Plan) -> Rows:
    from wirespeed.plan.cable_plan import bill

    return [
        {
            "cable": row.cable,
            "speed": str(row.speed),
            "length": None if row.length is None else str(row.length),
            "tier": row.tier,
            "count": row.count,
            "total length": None if row.total is None else str(row.total),
        }
        for row in bill(plan)
    ]


def _list_fabric(plan: Plan) -> dict[str, Rows]:
    from wirespeed.limits.bisection import bisection, tiers
    from wirespeed.limits.paths import limit_by_slots
    from wirespeed.plan.tiers import host_networks

    tier_rows, cut = tiers(plan), bisection(plan)
    values = [value for tier in tier_rows for value in (tier.down, tier.up)] + ([cut.bandwidth] if cut else [])
    tables = {
        "fabric": [
            {
                "tier": tier.role,
                "switches": tier.switches,
                "worst switch": tier.worst,
                "downlink bandwidth": _format_bandwidth(tier.down, values),
                "uplink bandwidth": _format_bandwidth(tier.up, values) if tier.up else None,
                "oversubscription": None
                if tier.oversubscription is None
                else _format_ratio(float(tier.oversubscription)),
            }
            for tier in tier_rows
        ]
    }
    if cut is None:
        return tables | {"bisection": []}
    row: dict[str, Any] = {
        "bisection bandwidth": _format_bandwidth(cut.bandwidth, values),
        "of full bisection": f"{100 * cut.bandwidth / cut.full:.4g} %" if cut.full else None,
        "method": "exact" if cut.exact else "upper bound",
    }
    networks = host_networks(list(plan.hosts), list(plan.switches), plan.cables)
    if len(networks) > 1:
        row |= {"separate networks": len(networks)}
    slots = limit_by_slots(plan)
    if slots is not None:
        slots_carry = f"{slots.value:.1f} Gb/s"
        bottleneck = "PCIe slots" if slots.value < cut.bandwidth.gb_per_s else "cables"
        row |= {"cable bandwidth": row["bisection bandwidth"], "cable method": row["method"]}
        row |= {"slots carry": slots_carry, "slot": slots.slot, "bottleneck": bottleneck}
        if bottleneck != "cables":
            share = f"{100 * slots.value / cut.full.gb_per_s:.4g} %" if cut.full else None
            row |= {"bisection bandwidth": slots_carry, "of full bisection": share, "method": "upper bound"}
    return tables | {"bisection": [row]}


def _format_bandwidth(value: Bandwidth, table: Iterable[Bandwidth]) -> str:
    """A value in the unit of its table: Tb/s if all are whole, else Gb/s."""
    unit = "Tb/s" if all(entry % entry.units["Tb/s"] == 0 for entry in table) else "Gb/s"
    return f"{value.in_unit(unit):.10g} {unit}"


def _format_ratio(oversubscription: float) -> str:
    """``2:1``; ``1:8`` where there is more bandwidth up than down."""
    if oversubscription < 1:
        return f"1:{1 / oversubscription:.3g} (not oversubscribed)" if oversubscription else "0:1 (not oversubscribed)"
    return f"{oversubscription:.3g}:1"


def _list_classes(plan: Plan) -> Rows:
    from wirespeed.plan import class_numbers

    return [
        {
            "class": row.name,
            "dscp": _format_ranges(row.dscp),
            "sent dscp": plan.classes[row.name].nic_dscp,
            "priority": int(row.priority),
            "nic tc": row.nic_traffic_class,
            "nic cos queue": row.nic_cos_queue,
            "switch tc": row.switch_traffic_class,
            "switch queue": row.switch_queue,
            "priority group": row.priority_group,
            "lossless": plan.classes[row.name].lossless,
            "scheduling": _format_scheduling(plan.classes[row.name]),
            "nic": row.nic,
            "switch": row.switch,
        }
        for row in class_numbers(plan)
    ]


def _format_scheduling(traffic_class: TrafficClass) -> str:
    if not traffic_class.strict:
        return f"DWRR {traffic_class.share} %"
    return "strict priority" + (f", {traffic_class.share} %" if traffic_class.share is not None else "")


def _list_computed_values(plan: Plan) -> Rows:
    return [
        {
            "name": entry.name,
            "value": entry.value,
            "formula": entry.formula,
            "source": entry.source,
            "compared": entry.compared,
        }
        for entry in plan.computed
    ]


PARTS: Mapping[str, Callable[[Plan], dict[str, Rows]]] = {
    "hosts": lambda plan: {"hosts": _list_hosts(plan)},
    "addresses": lambda plan: {"addresses": _list_addresses(plan)},
    "cables": lambda plan: {"cables": _list_cables(plan)},
    "classes": lambda plan: {"classes": _list_classes(plan)},
    "fabric": _list_fabric,
    "bom": lambda plan: {"bom": _list_bill(plan)},
    "computed": lambda plan: {"computed": _list_computed_values(plan)},
    "labels": lambda plan: {"labels": _list_labels(plan)},
    "limits": lambda plan: {"limits": _list_limits(plan)},
}
"""Tables of each part, by the name of its option."""


def _list_limits(plan: Plan) -> Rows:
    """One row for all paths of the same kind with the same limit: the first path, and the number of paths."""
    from wirespeed.cluster.ranges import format_names
    from wirespeed.limits.paths import list_path_limits

    groups: dict[tuple[object, ...], list[Any]] = {}
    for limit in list_path_limits(plan):
        kind = "NIC" if limit.source in plan.hosts[limit.host].nics else limit.source.rstrip("0123456789")
        term = next(term for term in limit.bound.terms if term.name == limit.bound.bottleneck)
        key = (
            kind,
            limit.target.rstrip("0123456789"),
            limit.method,
            round(limit.bound.value, 3),
            term.formula,
            limit.bound.assumptions,
        )
        groups.setdefault(key, []).append((limit, term))
    rows: Rows = []
    for members in groups.values():
        limit, term = members[0]
        rows.append(
            {
                "hosts": format_names(list(dict.fromkeys(member.host for member, _ in members))),
                "from": limit.source,
                "to": limit.target,
                "method": limit.method,
                "paths": len(members),
                "limit": round(limit.bound.value, 2),
                "unit": limit.bound.unit,
                "limited by": term.name,
                "formula": term.formula,
                "source": term.source,
                "assumptions": "; ".join(limit.bound.assumptions) or None,
            }
        )
    return rows


def _format_ranges(numbers: Sequence[int]) -> str:
    """``0-25,27`` for sorted numbers."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in spans)
