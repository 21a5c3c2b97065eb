"""Lines of an EOS configuration as the input of Arista's AVD, and the lines that AVD writes for it.

`RULES` states which key of AVD's schema a line sets. AVD checks the keys and values, and its templates write lines;
a line that they do not write is one that Arista's generator does not know in this place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from pyavd import get_device_config, validate_structured_config

Path = tuple[str, ...]
"""Keys of AVD's schema; `name=value` chooses the entry of a list."""
Line = tuple[tuple[str, ...], str]
"""The lines that open its blocks, and the line."""

RULES: list[tuple[str, str, Callable[[re.Match[str]], Iterable[tuple[str, Any]]]]] = [
    ("", r"hostname (.+)", lambda m: [("hostname", m[1])]),
    ("", r"(no )?lldp run", lambda m: [("lldp run", not m[1])]),
    ("", r"priority-flow-control all off", lambda m: [("priority_flow_control all_off", True)]),
    ("", r"qos map dscp (.+)", lambda m: [("qos map dscp []", m[1])]),
    ("", r"qos map traffic-class (.+)", lambda m: [("qos map traffic_class []", m[1])]),
    (
        "",
        r"priority-flow-control pause watchdog default (timeout|polling-interval|recovery-time) (\S+)",
        lambda m: [(f"priority_flow_control watchdog {m[1].replace('-', '_')}", m[2])],
    ),
    (
        "",
        r"priority-flow-control pause watchdog action (\S+)",
        lambda m: [("priority_flow_control watchdog action", m[1])],
    ),
    (
        "",
        r"priority-flow-control pause watchdog override action drop",
        lambda m: [("priority_flow_control watchdog override_action_drop", True)],
    ),
    ("", r"ip routing", lambda m: [("ip_routing", True)]),
    ("", r"no ip routing", lambda m: [("ip_routing", False)]),
    ("", r"ip routing ipv6 interfaces", lambda m: [("ip_routing_ipv6_interfaces", True)]),
    ("", r"ipv6 unicast-routing", lambda m: [("ipv6_unicast_routing", True)]),
    ("qos profile (.+)", r"qos trust (\S+)", lambda m: [("trust", m[1])]),
    ("qos profile (.+)", r"no qos trust", lambda m: [("trust", "disabled")]),
    ("qos profile (.+)", r"(no )?priority-flow-control( on)?", lambda m: [("priority_flow_control enabled", not m[1])]),
    (
        "qos profile (.+)",
        r"priority-flow-control priority (\d+) no-drop",
        lambda m: [(f"priority_flow_control priorities priority={m[1]} no_drop", True)],
    ),
    (
        "qos profile (.+)",
        r"priority-flow-control pause watchdog",
        lambda m: [("priority_flow_control watchdog enabled", True)],
    ),
    (
        "qos profile (.+)",
        r"priority-flow-control pause watchdog port action (\S+)",
        lambda m: [("priority_flow_control watchdog enabled", True), ("priority_flow_control watchdog action", m[1])],
    ),
    (
        "qos profile (.+)",
        r"priority-flow-control pause watchdog port timer"
        r" timeout (\S+) polling-interval (\S+) recovery-time (\S+)( forced)?",
        lambda m: [
            ("priority_flow_control watchdog enabled", True),
            ("priority_flow_control watchdog timer timeout", m[1]),
            ("priority_flow_control watchdog timer polling_interval", m[2]),
            ("priority_flow_control watchdog timer recovery_time", m[3]),
            ("priority_flow_control watchdog timer forced", bool(m[4])),
        ],
    ),
    ("(uc-)?tx-queue (.+)", r"(no priority|priority strict)", lambda m: [("priority", m[1])]),
    ("(uc-)?tx-queue (.+)", r"bandwidth percent (\d+)", lambda m: [("bandwidth_percent", int(m[1]))]),
    (
        "(uc-)?tx-queue (.+)",
        r"bandwidth guaranteed percent (\d+)",
        lambda m: [("bandwidth_guaranteed_percent", int(m[1]))],
    ),
    ("(uc-)?tx-queue (.+)", r"shape rate (.+)", lambda m: [("shape rate", m[1])]),
    ("(uc-)?tx-queue (.+)", r"random-detect ecn count", lambda m: [("random_detect ecn count", True)]),
    (
        "(uc-)?tx-queue (.+)",
        r"random-detect ecn minimum-threshold (\d+) (\w+) maximum-threshold (\d+) \2"
        r"(?: max-mark-probability (\d+)(?: weight (\d+))?)?",
        lambda m: [
            ("random_detect ecn threshold units", m[2]),
            ("random_detect ecn threshold min", int(m[1])),
            ("random_detect ecn threshold max", int(m[3])),
            *([("random_detect ecn threshold max_probability", int(m[4]))] if m[4] else []),
            *([("random_detect ecn threshold weight", int(m[5]))] if m[5] else []),
        ],
    ),
    (r"vlan (\d+)", r"name (.+)", lambda m: [("name", m[1])]),
    ("interface (.+)", r"description (.+)", lambda m: [("description", m[1])]),
    ("interface (.+)", r"mtu (\d+)", lambda m: [("mtu", int(m[1]))]),
    ("interface (.+)", r"speed (\S+)", lambda m: [("speed", m[1])]),
    (
        "interface (.+)",
        r"error-correction encoding (reed-solomon|fire-code)",
        lambda m: [(f"error_correction_encoding {m[1].replace('-', '_')}", True)],
    ),
    (
        "interface (.+)",
        r"no error-correction encoding",
        lambda m: [("error_correction_encoding enabled", False)],
    ),
    ("interface (.+)", r"(no )?switchport", lambda m: [("switchport enabled", not m[1])]),
    (
        "interface (.+)",
        r"switchport access vlan (\d+)",
        lambda m: [("switchport enabled", True), ("switchport access_vlan", int(m[1]))],
    ),
    ("interface (.+)", r"flowcontrol receive (on|off)", lambda m: [("flowcontrol received", m[1])]),
    ("interface (.+)", r"ip address (\S+)", lambda m: [("ip_address", m[1])]),
    ("interface (.+)", r"ip address (\S+) secondary", lambda m: [("ip_address_secondaries []", m[1])]),
    ("interface (.+)", r"ipv6 enable", lambda m: [("ipv6_enable", True)]),
    ("interface (.+)", r"ipv6 address (\S+)", lambda m: [("ipv6_address", m[1])]),
    ("interface (.+)", r"service-profile (\S+)", lambda m: [("service_profile", m[1])]),
    ("interface (.+)", r"(no )?shutdown", lambda m: [("shutdown", not m[1])]),
    (r"router bgp (\d+)", r"router-id (\S+)", lambda m: [("router_id", m[1])]),
    (r"router bgp (\d+)", r"maximum-paths (\d+)", lambda m: [("maximum_paths paths", int(m[1]))]),
    (r"router bgp (\d+)", r"no bgp default ipv4-unicast", lambda m: [("bgp default ipv4_unicast", False)]),
    (r"router bgp (\d+)", r"neighbor (\S+) peer group", lambda m: [(f"peer_groups name={m[1]}", {})]),
    (
        r"router bgp (\d+)",
        r"(no )?neighbor (\S+) bfd",
        lambda m: [(f"{_list_neighbors(m[2])} bfd", not m[1])],
    ),
    (
        r"router bgp (\d+)",
        r"neighbor (\S+) (remote-as|description) (.+)",
        lambda m: [(f"{_list_neighbors(m[1])} {m[2].replace('-', '_')}", m[3])],
    ),
    (
        r"router bgp (\d+)",
        r"neighbor interface (\S+) peer-group (\S+) remote-as (\S+)",
        lambda m: [
            (f"neighbor_interfaces name={m[1]} peer_group", m[2]),
            (f"neighbor_interfaces name={m[1]} remote_as", m[3]),
        ],
    ),
    (
        "address-family (ipv[46])",
        r"(no )?neighbor (\S+) activate",
        lambda m: [(f"{_list_neighbors(m[2])} activate", not m[1])],
    ),
    (
        "address-family (ipv[46])",
        r"neighbor (\S+) next-hop address-family ipv6 originate",
        lambda m: [
            (f"{_list_neighbors(m[1])} next_hop address_family_ipv6 enabled", True),
            (f"{_list_neighbors(m[1])} next_hop address_family_ipv6 originate", True),
        ],
    ),
    ("address-family (ipv[46])", r"network (\S+)", lambda m: [(f"networks prefix={m[1]}", {})]),
]
"""The block that contains a line, the line, and the keys below the block's own with their values."""


def list_lines(text: str) -> list[Line]:
    """The lines of a configuration with the blocks they are in, without comments."""
    lines: list[Line] = []
    blocks: list[str] = []
    for line in text.split("\n"):
        words = line.strip()
        if not words or words.startswith("!") or words == "end":
            continue
        del blocks[(len(line) - len(line.lstrip())) // 3 :]
        lines.append((tuple(blocks), words))
        blocks.append(words)
    return lines


def find_unknown_lines(text: str) -> list[Line]:
    """The lines of a configuration that AVD does not write, given what they configure.

    Raises:
        AssertionError: AVD's schema refuses a value; the message names it.
    """
    lines = list_lines(text)
    configuration: dict[str, Any] = {}
    for blocks, line in lines:
        for path, value in _find_values(blocks, line):
            _set(configuration, path, value)
    result = validate_structured_config(configuration)
    assert result.validated_data is not None, [
        (error.path, error.message) for error in result.validation_result.violations
    ]
    written_lines = set(list_lines(get_device_config(result.validated_data)))
    return [line for line in lines if line not in written_lines]


def _find_values(blocks: tuple[str, ...], line: str) -> list[tuple[Path, Any]]:
    prefix: Path = ()
    for block in blocks:
        keys = _find_block(block)
        if keys is None:
            return []
        prefix += keys
    opened = _find_block(line)
    if opened is not None:
        return [((*prefix, *opened), {})]
    block = blocks[-1] if blocks else ""
    for pattern, text, make in RULES:
        match = re.fullmatch(text, line)
        if match and re.fullmatch(pattern, block):
            return [((*prefix, *path.split(" ")), value) for path, value in make(match)]
    return []


def _find_block(line: str) -> Path | None:
    """The keys of the block that a line opens; None: it opens none."""
    patterns = {
        r"qos profile (\S+)": "qos_profiles name={0}",
        r"tx-queue (\d+)": "tx_queues id={0}",
        r"uc-tx-queue (\d+)": "uc_tx_queues id={0}",
        r"vlan (\d+)": "vlans id={0}",
        r"interface (Ethernet\S+)": "ethernet_interfaces name={0}",
        r"interface (Loopback\d+)": "loopback_interfaces name={0}",
        r"interface (Vlan\d+)": "vlan_interfaces name={0}",
        r"address-family (ipv[46])": "address_family_{0}",
    }
    for pattern, keys in patterns.items():
        if match := re.fullmatch(pattern, line):
            return tuple(keys.format(match[1]).split(" "))
    return ("router_bgp", f"as={line.split()[-1]}") if re.fullmatch(r"router bgp \d+", line) else None


def _list_neighbors(name: str) -> str:
    """The list that contains a neighbor: addresses and peer groups have their own."""
    return f"neighbors ip_address={name}" if re.fullmatch(r"[0-9.]+|[0-9a-f:]+", name) else f"peer_groups name={name}"


def _set(node: Any, path: Path, value: Any) -> None:
    key, *further_keys = path
    if further_keys and further_keys[0] == "[]":
        node.setdefault(key, []).append(value)
        return
    if further_keys and "=" in further_keys[0] and key != "router_bgp":
        name, text = further_keys[0].split("=", 1)
        entries = node.setdefault(key, [])
        number = int(text) if name in ("id", "priority") else text
        entry = next((entry for entry in entries if entry[name] == number), None)
        if entry is None:
            entry = {name: number}
            entries.append(entry)
        if len(further_keys) > 1:
            _set(entry, tuple(further_keys[1:]), value)
        return
    if key == "router_bgp":
        bgp = node.setdefault(key, {"as": further_keys[0].split("=")[1]})
        if len(further_keys) > 1:
            _set(bgp, tuple(further_keys[1:]), value)
        return
    if further_keys:
        _set(node.setdefault(key, {}), tuple(further_keys), value)
    elif value == {}:
        node.setdefault(key, {})
    else:
        node[key] = value
