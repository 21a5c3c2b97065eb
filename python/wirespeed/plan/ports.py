"""Use of every switch port: the port at the other end, and the address or VLAN."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from wirespeed.catalogue import Catalogue
from wirespeed.cluster import Cluster
from wirespeed.errors import Problem, did_you_mean, format_choices
from wirespeed.plan.addresses import NicAddress
from wirespeed.plan.bgp import Routing
from wirespeed.plan.fabric import Box, HostCable
from wirespeed.plan.model import Cable, End
from wirespeed.plan.pattern import Bundle
from wirespeed.plan.problems import Problems
from wirespeed.plan.switch import PortUse, SwitchKind
from wirespeed.units import Bandwidth


def port_uses(
    cluster: Cluster,
    boxes: Mapping[str, Box],
    cables: Sequence[HostCable],
    fabric_cables: Sequence[Cable],
    addresses: Mapping[tuple[str, str], NicAddress],
    fabric: Mapping[End, str],
    routing: Mapping[str, Routing],
    catalogue: Catalogue,
) -> dict[str, list[PortUse]]:
    """Uses by switch, in front-panel order."""
    uses: dict[str, list[PortUse]] = {name: [] for name in boxes}
    is_routed = cluster.addresses.scheme.shape == "link"
    for cable in cables:
        address = addresses[cable.host, cable.host_port.interface]
        uses[cable.switch].append(
            PortUse(
                port=cable.port,
                peer=cable.host,
                peer_port=cable.host_port.interface,
                speed=cable.cable.speed,
                address=address.gateway_with_prefix if is_routed else None,
                vlan=address.vlan,
                length=cable.cable.length,
                training=_uses_link_training(cable.cable.cable, catalogue),
            )
        )
    for link in fabric_cables:
        for end, peer_end in ((link.a, link.b), (link.b, link.a)):
            uses[end.device].append(
                PortUse(
                    port=end.port,
                    peer=peer_end.device,
                    peer_port=peer_end.port,
                    speed=link.speed,
                    address=fabric.get(end),
                    unnumbered=routing[end.device].unnumbered,
                    length=link.length,
                    training=_uses_link_training(link.cable, catalogue),
                )
            )
    for name, box in boxes.items():
        order = {port: index for index, port in enumerate(box.ports)}
        uses[name].sort(key=lambda use: order[use.port])
    return uses


def _uses_link_training(cable: str | None, catalogue: Catalogue) -> bool | None:
    return catalogue.cables[cable].training if cable in catalogue.cables and cable else None


def list_vlans(
    boxes: Mapping[str, Box], cables: Sequence[HostCable], addresses: Mapping[tuple[str, str], NicAddress]
) -> dict[str, dict[int, tuple[str, int]]]:
    """By switch and VLAN number: the address of its routed interface, and its rail."""
    vlans: dict[str, dict[int, tuple[str, int]]] = {name: {} for name in boxes}
    for cable in cables:
        address = addresses[cable.host, cable.host_port.interface]
        if address.vlan is not None:
            vlans[cable.switch][address.vlan] = (address.gateway_with_prefix, cable.host_port.rail)
    return vlans


def check_cables(cluster: Cluster, catalogue: Catalogue, problems: Problems) -> None:
    """Refuse unknown cable models, and warn of lengths above the longest of the model."""
    parts = [(("cabling",), cluster.cabling.cable, cluster.cabling.length)]
    paths: list[tuple[tuple[str | int, ...], str | None, object]] = [*parts]
    paths += [(("links", index), link.cable, link.length) for index, (link, _, _) in enumerate(cluster.links)]
    if cluster.fabric is not None:
        tiers = {"leaf_spine": cluster.fabric.leaf_spine, "spine_core": cluster.fabric.spine_core}
        paths += [(("fabric", name), tier.cable, tier.length) for name, tier in tiers.items() if tier is not None]
    locate = cluster.origin.locate
    kinds = [(locate(*path, "cable"), locate(*path, "length"), name, length) for path, name, length in paths]
    rows = {(row.cable, row.length): row.location for row in reversed(cluster.rows)}
    rows.pop((cluster.cabling.cable, cluster.cabling.length), None)
    kinds += [(location, location, name, length) for (name, length), location in reversed(rows.items())]
    unknown = {name: location for location, _, name, _ in reversed(kinds) if name and name not in catalogue.cables}
    for name, location in reversed(unknown.items()):
        _refuse_cable(location, name, sorted(catalogue.cables), problems)
    for _, location, model_name, length in kinds:
        model = catalogue.cables.get(model_name or "")
        if model is not None and model.max_length and isinstance(length, int) and length > model.max_length.value:
            expected = f"at most {model.max_length.value}, the longest {model_name}"
            problems.warned.setdefault(Problem(location, f"{length} of {model_name}", expected))


def _refuse_cable(location: str, name: str, models: list[str], problems: Problems) -> None:
    """Refuse an unknown cable model; a model of another speed is no suggestion."""
    similar = did_you_mean(name, [model for model in models if re.findall(r"\d+", model) == re.findall(r"\d+", name)])
    problems.refusals.setdefault(Problem(location, f"the cable {name!r}", format_choices(models), similar or _NO_MODEL))


_NO_MODEL = (
    "leave `cable` out if the catalogue lacks the model in use; then its length is not checked, and --bom has no model"
)


def check_cable_speeds(
    cluster: Cluster,
    host_cables: Sequence[HostCable],
    bundles: Sequence[Bundle],
    fabric_cables: Sequence[Cable],
    catalogue: Catalogue,
    problems: Problems,
) -> None:
    """Warn of cables whose speed is not that of their links; the catalogue has no cable that splits."""
    locate = cluster.origin.locate
    speeds = {(cable.a.device, cable.b.device): cable.speed for cable in fabric_cables}
    cables = [cable.cable for cable in host_cables] + [cable for cable in fabric_cables if cluster.rows]
    rows = {End(*row.a): row.location for row in cluster.rows} | {End(*row.b): row.location for row in cluster.rows}
    first = {(cable.cable, cable.speed): cable.a for cable in reversed(cables)}
    links = [
        *((rows.get(end) or locate("cabling", "cable"), *kind) for kind, end in reversed(first.items())),
        *((locate(*bundle.path, "cable"), bundle.part.cable, speeds[bundle.a, bundle.b]) for bundle in bundles),
    ]
    for location, name, speed in dict.fromkeys(links):
        model = catalogue.cables.get(name or "")
        if model is not None and model.speed.value != speed:
            expected = f"a cable of {speed}" + _name_breakout(model.speed.value, speed)
            found = f"{name}, a cable of {model.speed.value}, for links of {speed}"
            problems.warned.setdefault(Problem(location, found, expected, _NO_MODEL))


def check_lanes(boxes: Mapping[str, Box], uses: Mapping[str, Sequence[PortUse]], problems: Problems) -> None:
    """Warn of links below the speed of ports whose lanes the image fixes: each lane slows down, none is left out."""
    warned: set[tuple[object, Bandwidth]] = set()
    for name, box in boxes.items():
        for speed in dict.fromkeys(use.speed for use in uses[name]):
            lanes = box.fixed_lanes
            if lanes is None or speed >= box.speed or (box.spec.path, speed) in warned:
                continue
            warned.add((box.spec.path, speed))
            parts = box.model.speed.value // speed
            splits = box.model.breakouts.value if box.model.breakouts else []
            unsplit = box.model.systems_without_breakout
            image = " with an image that splits ports" if unsplit and box.system_name in unsplit.value else ""
            action = f"write `breakout: {parts}`{image}, or use NICs with {lanes} lanes"
            problems.warn(
                box.spec.path,
                f"links of {speed} on ports of {lanes} lanes: {lanes} × {Bandwidth(speed // lanes)}",
                "the same number of lanes at both ends: the image of the switch always uses all lanes of a port",
                action if parts in splits else f"use NICs with {lanes} lanes",
            )


def _name_breakout(cable: Bandwidth, link: Bandwidth) -> str:
    parts, remainder = divmod(cable, link)
    return f", or one that splits {cable} into {parts} × {link}" if parts > 1 and not remainder else ""


def check_mtus(
    cluster: Cluster,
    cables: Sequence[HostCable],
    kinds: Mapping[str, SwitchKind],
    boxes: Mapping[str, Box],
    problems: Problems,
) -> None:
    """Refuse a switch port whose MTU is below that of its host."""
    for cable in cables:
        box = boxes[cable.switch]
        part = box.spec.part.ports.get(cable.port)
        mtu = kinds[cable.switch].port_mtu(cable.port)
        if mtu < cable.host_port.mtu:
            path = (*box.spec.path, "ports", cable.port, "mtu") if part and part.mtu else (*box.spec.path, "mtu")
            port = f"{cable.switch} {cable.port}" if part and part.mtu else cable.switch
            problems.refuse(
                path, f"an MTU of {mtu} bytes on {port}", f"at least {cable.host_port.mtu}, the MTU of its hosts"
            )
