"""Values for the NX-OS templates: policies, features, times as multiples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wirespeed.platforms.switch.indented_config import natural, ranges
from wirespeed.platforms.switch.interface_commands import address_lines
from wirespeed.platforms.switch.nxos.policies import INPUT, NETWORK, build_policies
from wirespeed.platforms.switch.nxos.problems import problems
from wirespeed.platforms.switch.nxos.values import (
    DEFAULT_MTU,
    DEFAULT_POLL,
    DEFAULT_RESTORE,
    DEFAULT_SHUTDOWN,
    FEC_KEYWORDS,
)
from wirespeed.platforms.switch.policies import sort_ports
from wirespeed.settings import Device, Switch, WatchdogAction
from wirespeed.units import Duration

EXAMPLE_VERSION = "10.4(3)"
"""Version in simulated output if the settings contain none."""


def view(name: str, device: Device) -> Mapping[str, Any]:
    """Computed values for the templates; ``problems`` lists settings that NX-OS cannot express."""
    if not isinstance(device, Switch):
        raise TypeError("a switch platform renders a Switch")
    watchdogs = [port.qos.watchdog for _, port in sort_ports(device.ports)]
    return {
        "problems": list(problems(name, device)),
        "policies": build_policies(device),
        "network_policy": NETWORK,
        "input_policy": INPUT,
        "ports": sort_ports(device.ports),
        "vlans": sorted(device.vlans.items(), key=lambda entry: int(entry[0])),
        "vlan_list": ranges({1, *map(int, device.vlans)}),
        "features": _format_features(device),
        "watched": any(watchdog.enabled for watchdog in watchdogs),
        "poll": None if device.watchdog_poll is None else device.watchdog_poll.milliseconds,
        "shutdown": _build_multiple(
            next((watchdog.detect for watchdog in watchdogs if watchdog.detect), None), device.watchdog_poll
        ),
        "restore": _build_multiple(
            next((watchdog.restore for watchdog in watchdogs if watchdog.restore), None), device.watchdog_poll
        ),
        "defaults": {"poll": DEFAULT_POLL, "shutdown": DEFAULT_SHUTDOWN, "restore": DEFAULT_RESTORE},
        "only_reports": WatchdogAction.ALERT,
        "loopbacks": device.loopbacks or (),
        "networks": _build_networks(device),
        "peers": sorted(device.peers.items(), key=lambda entry: natural(entry[0])),
        "neighbours": [(port, entry) for port, entry in sort_ports(device.ports) if entry.neighbour.device is not None],
        "hardware": _format_hardware(device.model),
        "version": device.os_version or EXAMPLE_VERSION,
        "default_mtu": DEFAULT_MTU,
        "class_mtu": device.class_mtu,
        "fec_keywords": FEC_KEYWORDS,
        "address_lines": address_lines,
    }


def _build_multiple(value: Duration | None, poll: Duration | None) -> int | None:
    return value // poll if value and poll else None


def _format_features(switch: Switch) -> list[str]:
    options = {
        "bfd": any(peer.bfd for peer in switch.peers.values()),
        "bgp": switch.bgp.asn is not None,
        "interface-vlan": bool(switch.vlans),
        "lldp": switch.lldp is True,
    }
    return [feature for feature, is_needed in options.items() if is_needed]


def _build_networks(switch: Switch) -> list[tuple[str, tuple[str, ...]]]:
    """Address families of the speaker, with the announced prefixes of each."""
    announced_networks = switch.bgp.networks or ()
    networks_of_family: dict[str, tuple[str, ...]] = {
        "ipv4": tuple(network for network in announced_networks if ":" not in network),
        "ipv6": tuple(network for network in announced_networks if ":" in network),
    }
    speaker_settings = {
        "ipv4": any(peer.ipv4 for peer in switch.peers.values()),
        "ipv6": any(peer.ipv6 for peer in switch.peers.values()),
    }
    return [
        (family, networks)
        for family, networks in networks_of_family.items()
        if networks or speaker_settings[family] or family == "ipv4"
    ]


def _format_hardware(model: str | None) -> str:
    """``C9364D-GX2A`` of the catalogue's ``cisco-n9k-c9364d-gx2a``."""
    return (model or "cisco-n9k-c9364d-gx2a").removeprefix("cisco-n9k-").upper()
