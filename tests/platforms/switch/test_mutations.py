"""Whatever line of a configuration is changed or taken away: what is read follows it, and nothing else changes.

Every line of a running configuration is edited, one at a time. A number in it becomes another: then what the line configures
is read as something else or not at all, never as before. The line is removed, with its block: then its setting has the value
of the default, or is unknown. No setting of other lines becomes a value that they do not contain. Lines of which nothing is
read are listed here with the reason, as is what stays or follows from several lines.
"""

# ruff: noqa: E501  (rules are read line by line)

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import pytest

from platforms.round_trip import answers, build_facts
from platforms.switch import test_cumulus, test_enterprise_sonic, test_eos_bgp, test_junos, test_nxos, test_sonic
from platforms.switch.devices import link, qos, routed_switch, vlan_switch
from wirespeed.facts import COMPLETE
from wirespeed.platforms import Output, Outputs, platform
from wirespeed.settings import Place, Switch

Key = tuple[Place, str]
EOS_PORTS = ["Ethernet1/1", "Ethernet2/1"]
EOS = replace(
    routed_switch(EOS_PORTS, qos(), link(pause_send=False, pause_receive=False)),
    loopbacks=test_eos_bgp.BASE.loopbacks,
    bgp=test_eos_bgp.BASE.bgp,
    peers=test_eos_bgp.NUMBERED.peers,
)


def limit_ports(switch: Switch) -> Switch:
    """With its first two ports and what else it has: every kind of line is there, and few are there twice."""
    return replace(switch, ports=dict(list(switch.ports.items())[:2]))


@dataclass(frozen=True)
class Case:
    """A switch, and the command that shows its configuration."""

    system: str
    command: str
    switch: Switch


CASES = {
    "eos routed": Case("eos", "running-config", EOS),
    "eos switched": Case("eos", "running-config", limit_ports(vlan_switch(EOS_PORTS, qos(), link()))),
    "eos unnumbered": Case("eos", "running-config", limit_ports(test_eos_bgp.UNNUMBERED)),
    "nxos routed": Case("nxos", "running-config", limit_ports(test_nxos.CASES["nxos-odd-port"])),
    "nxos switched": Case("nxos", "running-config", limit_ports(test_nxos.CASES["nxos-switched"])),
    "nxos bgp": Case("nxos", "running-config", test_nxos.BGP),
    "enterprise-sonic routed": Case("enterprise-sonic", "running-config", test_enterprise_sonic.FABRIC),
    "enterprise-sonic shaped": Case("enterprise-sonic", "running-config", limit_ports(test_enterprise_sonic.SHAPED)),
    "sonic fabric": Case("sonic", "config-db", test_sonic.FABRIC),
    "sonic switched": Case("sonic", "config-db", limit_ports(test_sonic.CASES["switched"])),
    "junos routed": Case("junos", "configuration", limit_ports(test_junos.CASES["routed"])),
    "junos switched": Case("junos", "configuration", limit_ports(test_junos.CASES["switched"])),
    "junos unnumbered": Case("junos", "configuration", test_junos.CASES["unnumbered"]),
    "cumulus routed": Case("cumulus", "config", limit_ports(test_cumulus.CASES["routed"])),
    "cumulus switched": Case("cumulus", "config", limit_ports(test_cumulus.CASES["switched"])),
    "cumulus unnumbered": Case("cumulus", "config", test_cumulus.CASES["unnumbered"]),
}


@dataclass(frozen=True)
class Edit:
    """One edit of a text: of which line, and what the text is then."""

    number: int
    line: str
    text: str


def block_end(lines: list[str], start: int) -> int:
    """The line after the block that starts here: by its braces, else by its indentation."""
    if lines[start].rstrip().endswith("{"):
        depth = 0
        for index in range(start, len(lines)):
            depth += lines[index].count("{") - lines[index].count("}")
            if depth == 0:
                return index + 1
    indent = len(lines[start]) - len(lines[start].lstrip())
    index = start + 1
    while index < len(lines) and lines[index].strip() and len(lines[index]) - len(lines[index].lstrip()) > indent:
        index += 1
    return index


def join_lines(lines: list[str]) -> str:
    """The text, without the comma that JSON does not allow after a last member."""
    text = "\n".join(lines)
    return re.sub(r",(\s*[}\]])", r"\1", text) if text.startswith("{") else text


def editable(lines: list[str]) -> Iterator[int]:
    for index, line in enumerate(lines):
        if line.strip() and not re.fullmatch(r"\s*([!#].*|[{}\]],?)", line):
            yield index


def remove_lines(text: str) -> Iterator[Edit]:
    """Each line, with what is within it, taken away."""
    lines = text.split("\n")
    for index in editable(lines):
        yield Edit(index + 1, lines[index].strip(), join_lines([*lines[:index], *lines[block_end(lines, index) :]]))


def change_numbers(text: str) -> Iterator[Edit]:
    """Numbers of each line made another: of a list the first and the last."""
    lines = text.split("\n")
    for index in editable(lines):
        matches = list(re.finditer(r"(?<![a-zA-Z])[0-9]+(?![a-zA-Z_])", lines[index]))
        for match in matches if len(matches) < 8 else (matches[0], matches[-1]):
            other_number = str(int(match[0]) - 1 if int(match[0]) else 1)
            line = lines[index][: match.start()] + other_number + lines[index][match.end() :]
            yield Edit(index + 1, line.strip(), join_lines([*lines[:index], line, *lines[index + 1 :]]))


def read(case: Case, outputs: Outputs, text: str) -> dict[Key, tuple[Any, int | None]]:
    """What is believed, with the line it was read from."""
    output: Output = replace(outputs.outputs[case.command], text=text)
    facts = build_facts(platform("switch", case.system), Outputs("leaf1", {case.command: output}))
    return {
        key: (readings[0].value, readings[0].source.line)
        for key, readings in facts.readings.items()
        if readings[0].value != COMPLETE
    }


def kinds(edits: Iterator[Edit]) -> Iterator[Edit]:
    """One edit of each kind of line: of lines that differ in numbers alone, the first."""
    kinds: set[str] = set()
    for edit in edits:
        kind = re.sub(r"[0-9]+", "#", edit.line)
        if kind not in kinds:
            kinds.add(kind)
            yield edit


@cache
def read_case(name: str) -> tuple[Outputs, str, dict[Key, tuple[Any, int | None]]]:
    """What the switch of a case answers, its configuration, and what is read from that."""
    case = CASES[name]
    outputs = answers(platform("switch", case.system), "leaf1", case.switch)
    text = outputs.outputs[case.command].text
    return outputs, text, read(case, outputs, text)


UNREAD = {  # lines of which nothing is read, by system: the reason, then what they look like
    "eos": {
        "no setting of this tool": "no aaa root|service routing .*|hostname .*|spanning-tree .*|name .*|ip address dhcp"
        "|interface Management1|random-detect ecn count|ipv6 unicast-routing|.* next-hop address-family ipv6 originate"
        "|vlan 1",
        "strict is what holds without a word": "uc-tx-queue [1-7]|priority strict",
        "as without a word": "qos trust dscp|no bgp default ipv4-unicast",
        "the port has the watchdog of the switch without it": "priority-flow-control pause watchdog",
    },
    "nxos": {
        "no setting of this tool": "version .*|vdc .*|limit-resource .*|feature (interface-vlan|bfd|bgp)|mtu 9216|vlan 1"
        "|interface mgmt0|vrf member management|name .*|ip forward|class type network-qos c-8q-nq-default",
        "as without a word": "no shutdown",
        "one of two lines that configure it": "vlan [0-9,-]+",
        "the other family has no fewer": "maximum-paths .*",
    },
    "enterprise-sonic": {
        "no setting of this tool": "hostname .*|meter-type bytes|capability extended-nexthop",
        "as without a word": "mtu 9100",
        "its lines are gone with it": "address-family ipv6 unicast",
    },
    "sonic": {
        "no setting of this tool": r'"(capability_ext_nexthop|docker_routing_config_mode|hwsku|platform'
        r'|frr_mgmt_framework_config|hostname|type|alias|index|lanes|vlanid)".*|"(DEVICE_METADATA|localhost)".*',
        "packets of RoCE are green": '"(wred_)?(red|yellow)_.*',
        "as without a word": '"mtu": "9100",?|"action": "drop",?',
        "the other family has no fewer": r'"default\|ipv4_unicast": \{',
        "older images do not have the version": '"(VERSIONS|DATABASE|VERSION)".*',
        "the loopback has no address in it": '"Ethernet256": {},?',
    },
    "junos": {
        "no setting of this tool": r"version .*|system \{|host-name .*|description \"Breakout.*|reassignment \{|prob-.*"
        r"|quality-.*|ether-type \{|ipv4;|sampling-rate .*|ecmp-fast-reroute;|type external;|extended-nexthop;|ipv6-nd;"
        r"|minimum-interval .*|multiplier .*|port-id-subtype .*|interface all;|(term (learnt|rest) \{)|from protocol bgp;"
        r"|then reject;",
        "as without a word": r"inactivity-interval 256;|poll-interval 100;|detection 2;|priority low;|class best-effort .*"
        r"|interface-mode access;|family inet6? \{",
        "the physical MTU leaves no more": "mtu 9000;",
    },
    "cumulus": {
        "no setting of this tool": "nv set (system hostname|interface \\S+ type|interface vlan[0-9]+ vlan|router bgp state"
        "|router bfd profile) .*",
        "as without a word": "nv set qos (pfc-watchdog|egress-scheduler .* mode|congestion-control .* ecn|roce mode) .*"
        "|nv set vrf default router bgp (.* )?(ipv6-unicast state disabled|(ipv4-unicast )?state enabled|multipaths .*|neighbor \\S+ type .*)",
    },
}
LOOSE = {  # lines in which a number may be another: no setting of this tool, a name, or less than another line configures
    "eos": "vlan 11|name .*|hostname .*|.* weight [0-9]+",
    "nxos": "version .*|vdc .*|limit-resource .*|name .*|vlan .*|mtu 9[0-9]+|.* weight [0-9]+ ecn|class type network-qos .*",
    "enterprise-sonic": "hostname .*|dscp .*|address-family .*",
    "sonic": r'"(platform|index|lanes|alias|VERSION|vlanid|hostname|(yellow|red)_.*)".*|"weight".*|"Ethernet[0-9]+": \{\},?'
    r'|"default\|ipv4_unicast".*',
    "junos": r"version .*|description \"Breakout.*|mtu 9[0-9]+;|prob-.*|quality-.*|sampling-.*|minimum-.*|multiplier .*"
    r"|group .*|vn.* \{|l3-interface .*|host-name .*|.*policy-statement .*",
    "cumulus": "nv set (system hostname|interface \\S+ type|interface vlan[0-9]+ vlan|router bfd profile) .*",
}
FOLLOWS = {  # the default of a removed line, or what follows from several lines: the line and the setting
    "eos": "(service-profile|no switchport|neighbor).* (queue.discipline|port.qos.(trust|pfc_queue|tc_queue)|port.vlan"
    "|port.link.mtu)|uc-tx-queue .* queue.discipline|priority strict queue.discipline|qos trust dscp port.qos.trust",
    "nxos": "no switchport port.vlan|service-policy type queuing .* queue.*|(class|match|policy-map) .* port.qos.dscp_tc"
    "|(address-family|maximum-paths) .* switch.bgp.maximum_paths|no shutdown port.link.enabled"
    "|class type network-qos .* switch.class_mtu",
    "enterprise-sonic": "(queue|weight) .* queue.weight|(address-family|maximum-paths) .* switch.bgp.maximum_paths"
    "|mtu 9100 port.link.mtu|qos-map pfc-priority-pg .* port.qos.pfc_pg|scheduler-policy .* queue[.].*",
    "sonic": r'"(Ethernet|scheduler|QUEUE).* queue.weight|"dscp_to_tc_map".* port.qos.trust'
    r'|"PORT_QOS_MAP".* port.qos.watchdog.*|"mtu".* port.link.mtu|"action".* port.qos.watchdog.action'
    r'|"default.ipv[46]_unicast".* switch.bgp.maximum_paths'
    r'|"(MAP_PFC_PRIORITY_TO_QUEUE|[A-Z_]+_MAP|ROCE.*)": \{ port.qos.undefined_maps',
    "junos": r"number-of-sub-ports 2; .*|mtu .* (port.link|vlan).mtu|(multipath|chassis|maximum-ecmp).* switch.bgp.maximum_paths"
    r"|inactivity-interval .* switch.*|(poll-interval|detection) .* (switch|port.qos).*|priority low; queue.discipline"
    r"|family inet \{ (peer.ipv4|vlan.mtu|port.link.mtu)|unit 0 \{ (port.link|vlan).mtu",
    "cumulus": "nv set (qos|interface \\S+ (type|vlan)) .* (queue|port|switch)\\..*",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_another_number_is_read_as_another(name: str) -> None:
    case = CASES[name]
    outputs, text, readings = read_case(name)
    values = {key: value for key, (value, _) in readings.items()}
    unchanged_lines = [
        edit.line
        for edit in kinds(change_numbers(text))
        if {key: value for key, (value, _) in read(case, outputs, edit.text).items()} == values
    ]
    assert [line for line in unchanged_lines if not re.fullmatch(LOOSE[case.system], line)] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_a_removed_line_removes_its_settings(name: str) -> None:
    case = CASES[name]
    outputs, text, before = read_case(name)
    lines = text.split("\n")
    wrong: list[str] = []
    for edit in kinds(remove_lines(text)):
        after = read(case, outputs, edit.text)
        block_lines = range(edit.number, block_end(lines, edit.number - 1) + 1)
        if all(after.get(key, (None,))[0] == value for key, (value, _) in before.items()) and len(after) == len(before):
            if not any(re.fullmatch(rule, edit.line) for rule in UNREAD[case.system].values()):
                wrong.append(f"{edit.line}: nothing was read of it")
            continue
        for key, (value, line) in before.items():
            new_value = after.get(key, (None,))[0]
            stays = line in block_lines and new_value == value and not is_absent(value)
            is_other = line not in block_lines and new_value != value and not is_part(new_value, value)
            if (stays or is_other) and not re.fullmatch(FOLLOWS[case.system], f"{edit.line} {key[1]}"):
                wrong.append(f"{edit.line}: {key[1]} {value} {'stays' if stays else f'becomes {new_value}'}")
    assert wrong == []


def is_absent(value: Any) -> bool:
    """Off, or none: the default of most settings without a line."""
    return value is False or value in ((), {}, frozenset(), "none")


def is_part(part_value: Any, whole_value: Any) -> bool:
    """Whether this is unknown, nothing, or what is left of several lines."""
    if part_value is None or is_absent(part_value):
        return True
    if isinstance(whole_value, Mapping):
        return isinstance(part_value, Mapping) and part_value.keys() <= whole_value.keys()
    return isinstance(whole_value, tuple | frozenset) and set(part_value) <= set(whole_value)


@pytest.mark.parametrize("name", CASES)
def test_a_text_that_was_cut_has_no_other_values(name: str) -> None:
    """Cut within a line, the whole is unknown, or what is still there is as it was."""
    case = CASES[name]
    outputs, text, readings = read_case(name)
    for length in range(7, len(text) - 1, max(len(text) // 40, 1)):
        if text[length - 1] == "\n" or text[length] == "\n":
            continue
        for key, (value, _) in read(case, outputs, text[:length]).items():
            assert readings.get(key, (None,))[0] == value, (key, text[max(length - 60, 0) : length])


@pytest.mark.parametrize("name", CASES)
def test_line_ends_of_another_system_change_nothing(name: str) -> None:
    outputs, text, readings = read_case(name)
    assert read(CASES[name], outputs, text.replace("\n", "\r\n")) == readings
