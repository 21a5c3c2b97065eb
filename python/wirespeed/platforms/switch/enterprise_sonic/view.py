"""Values for the Enterprise SONiC templates: shared policies, and the bindings of each port."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from wirespeed.errors import Problem
from wirespeed.platforms.switch.enterprise_sonic.commands import (
    DEFAULT_MTU,
    FAMILY_KEYWORDS,
    FEC_KEYWORDS,
    KBYTE,
    MAPS,
    PART_NAME,
    ip_word,
    map_lines,
    wred_lines,
)
from wirespeed.platforms.switch.enterprise_sonic.policies import MAP_PATHS, Policies, find_scheduler
from wirespeed.platforms.switch.indented_config import natural
from wirespeed.platforms.switch.policies import find_invalid_texts, has_thresholds, sort_ports
from wirespeed.platforms.switch.watchdog import SONIC_POLLS, check_milliseconds
from wirespeed.settings import BgpPeer, Device, Port, Switch
from wirespeed.settings.qos import WatchdogAction

EXAMPLE_VERSION = "4.4.0-Enterprise_Premium"
"""Version in simulated output if the settings contain none."""

_PIR = range(400_000_001)  # kb/s; dellemc.enterprise_sonic, sonic_qos_scheduler: 0 to 400000000000 b/s


@dataclass(frozen=True, slots=True)
class Bound:
    """Policies bound to an interface."""

    wred: tuple[tuple[int, str], ...]
    scheduler: str | None
    maps: tuple[tuple[str, str], ...]  # kind and name
    pfc: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Family:
    """An address family of the BGP speaker."""

    name: str
    networks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PeerSay:
    """A BGP session."""

    name: str
    peer: BgpPeer
    families: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PortSay:
    """An interface."""

    name: str
    port: Port
    bound: Bound


def view(name: str, device: Device) -> Mapping[str, Any]:
    """Computed values for the templates; ``problems`` lists settings that the system cannot configure."""
    if not isinstance(device, Switch):
        raise TypeError("a switch platform renders a Switch")
    policies = Policies(device)
    bound: dict[tuple[int, int], Bound] = {}  # ports share their settings
    ports: list[PortSay] = []
    for port_name, port in sort_ports(device.ports):
        key = policies.key(port)
        if key not in bound:
            bound[key] = _build_bound(port, policies)
        ports.append(PortSay(port_name, port, bound[key]))
    peers = [PeerSay(key, peer, _list_families(peer)) for key, peer in sorted(device.peers.items(), key=_by_name)]
    return {
        "problems": list(_find_problems(name, device)),
        "peers": peers,
        "families": _speaker_families(device, peers),
        "loopbacks": device.loopbacks or (),
        "ip_word": ip_word,
        "wred": [(policy, wred_lines(ecn)) for policy, ecn in policies.wred()],
        "schedulers": list(policies.schedulers()),
        "maps": [
            (MAPS[path][0], policy, map_lines(path, mapping))
            for path in MAP_PATHS
            for policy, mapping in policies.maps(path)
        ],
        "breakouts": list(breakouts(device)),
        "ports": ports,
        "neighbours": [port_view for port_view in ports if port_view.port.neighbour.device is not None],
        "vlans": sorted(device.vlans.items(), key=lambda entry: int(entry[0])),
        "poll": None if device.watchdog_poll is None else device.watchdog_poll.milliseconds,
        "version": device.os_version or EXAMPLE_VERSION,
        "fec_keywords": FEC_KEYWORDS,
        "default_mtu": DEFAULT_MTU,
    }


def breakouts(switch: Switch) -> Iterator[tuple[str, str]]:
    """Each split port of the front panel with its breakout: ``1/1``, ``4x100G``."""
    read_values: dict[str, str] = {}
    for port_name, port in sort_ports(switch.ports):
        panel = PART_NAME.fullmatch(port_name)
        if port.breakout is not None and panel is not None and port.link.speed is not None:
            read_values.setdefault(panel[1], f"{port.breakout}x{port.link.speed.whole('Gb/s')}G")
    yield from read_values.items()


def _by_name(entry: tuple[str, object]) -> tuple[tuple[int, int, str], ...]:
    return natural(entry[0])


def _list_families(peer: BgpPeer) -> tuple[str, ...]:
    return tuple(name for name, active in (("ipv4", peer.ipv4), ("ipv6", peer.ipv6)) if active)


def _speaker_families(switch: Switch, peers: Iterable[PeerSay]) -> list[Family]:
    networks = switch.bgp.networks or ()
    read_values = (
        Family(name, tuple(network for network in networks if ip_word(network) == word))
        for name, word in FAMILY_KEYWORDS
    )
    return [value for value in read_values if value.networks or any(value.name in peer.families for peer in peers)]


def _build_bound(port: Port, policies: Policies) -> Bound:
    ignored_path = "port.qos.dscp_tc" if port.qos.trust == "dot1p" else None
    paths = [path for path in policies.bound(port) if path != ignored_path]
    return Bound(
        wred=tuple(
            (int(number), policies.wred_name(queue.ecn))
            for number, queue in sorted(port.queues.items(), key=lambda entry: int(entry[0]))
            if has_thresholds(queue.ecn)
        ),
        scheduler=None if find_scheduler(port) is None else policies.scheduler_name(port),
        maps=tuple((MAPS[path][0], policies.map_name(path, port)) for path in paths),
        pfc=tuple(sorted(map(int, port.qos.pfc or ()))),
    )


def _find_problems(name: str, switch: Switch) -> Iterator[Problem]:
    yield from find_invalid_texts(name, switch, forbidden='"')
    yield from check_milliseconds(f"{name}: switch.watchdog_poll", switch.watchdog_poll, SONIC_POLLS)
    for key, peer in switch.peers.items():
        if peer.description and (not peer.description.isprintable() or '"' in peer.description):
            yield Problem(f"{name} {key}: peer.description", repr(peer.description), 'printable text without "')
    for port_name, port in sort_ports(switch.ports):
        location = f"{name} {port_name}"
        if port.link.pause_send or port.link.pause_receive:
            yield Problem(f"{location}: global pause", "on", "off", "Enterprise SONiC has PFC only")
        if (port.breakout is not None) != (PART_NAME.fullmatch(port_name) is not None):
            yield Problem(f"{location}: port.breakout", f"a port split into {port.breakout or 1}", "a name as Eth1/1/1")
        if port.breakout is not None and port.link.speed is None:
            yield Problem(f"{location}: port.link.speed", "none of a split port", "one: it follows from the split")
        if port.qos.trust == "dscp" and port.qos.dscp_tc is None:
            yield Problem(f"{location}: port.qos.trust", "dscp without a map", "a map of DSCP to traffic classes")
        if port.qos.watchdog.action is WatchdogAction.ERRDISABLE:
            yield Problem(f"{location}: port.qos.watchdog.action", "errdisable", "drop, forward or alert")
        for number, queue in port.queues.items():
            if queue.shape is not None and (queue.shape % 1000 or queue.shape.whole("kb/s") not in _PIR):
                expected = "0 to 400 Gb/s in steps of 1 kb/s"
                yield Problem(f"{location} queue {number}: queue.shape", str(queue.shape), expected)
            if has_thresholds(queue.ecn) and min(queue.ecn.minimum or 0, queue.ecn.maximum or 0) < KBYTE:
                yield Problem(f"{location} queue {number}: queue.ecn.minimum", str(queue.ecn.minimum), "1 kB or more")
