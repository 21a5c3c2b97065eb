"""The example with a leaf of community SONiC: as planned all passes, and different settings of the switch are found."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from wirespeed.catalogue import load
from wirespeed.checks import run
from wirespeed.cli.app import app
from wirespeed.cluster import read
from wirespeed.collect import read_facts
from wirespeed.collect.simulated_bundle import write_planned_bundle
from wirespeed.plan import build
from wirespeed.units import Length, Size

EXAMPLE = Path(__file__).parents[2] / "examples" / "mi300x-4node" / "cluster.yaml"
DATABASE = "leaf1/config-db.out"
STATUS = "leaf1/interface-status.out"
FEC = "leaf1/fec-status.out"
LLDP = "leaf1/lldp-table.out"
BUFFERS = "leaf1/buffer-tables.out"

SHORTER = (
    r'(?s)\A\{(.*?"BUFFER_PG_TABLE:Ethernet0:3".*?)pg_lossless_400000_3m_profile',
    r'{"BUFFER_PROFILE_TABLE:pg_lossless_400000_1m_profile": {"type": "hash", "value": {"xoff": "257024"}},'
    r"\1pg_lossless_400000_1m_profile",
)
"""A profile in effect for a shorter cable than the configured one."""

_PROFILE = '"BUFFER_PROFILE_TABLE:{name}": {{"type": "hash", "value": {{"xoff": "{xoff}"}}}},'


def profile(name: str, xoff: int) -> tuple[str, str]:
    """Pattern and replacement that give one port's group in effect this profile with this headroom."""
    row = _PROFILE.format(name=name, xoff=xoff)
    return r'(?s)\A\{(.*?"BUFFER_PG_TABLE:Ethernet0:3".*?)pg_lossless_400000_3m_profile', "{" + row + r"\1" + name


def neighbour(device: str, port: str) -> tuple[str, str]:
    """Pattern and replacement that put a second neighbour of a port above its own."""
    row = f"{'Ethernet0':<14}{device:<26}{port:<22}O"
    return r"(?m)^(Ethernet0 )", row + r"\n\1"


# file, pattern, replacement; then status, check and number of places
ROWS: dict[str, tuple[str, str, str, list[tuple[str, str, int]]]] = {
    "the image's own map": (DATABASE, '"26": "3"', '"26": "1"', [("fail", "qos.roce-queue", 32)]),
    "PFC on for 3 and 4, of which 3 is watched": (
        DATABASE,
        '"pfc_enable": "3"',
        '"pfc_enable": "3,4"',
        [("fail", "qos.pfc", 1), ("fail", "qos.watchdog", 1)],
    ),
    "PFC on for 4 in place of 3, which is watched": (
        DATABASE,
        '"pfc_enable": "3"',
        '"pfc_enable": "4"',
        [("fail", "qos.pfc", 1), ("fail", "qos.watchdog", 1)],
    ),
    "a map that is not defined": (
        DATABASE,
        '"dscp_to_tc_map": "ROCE"',
        '"dscp_to_tc_map": "AZURE"',
        [("fail", "qos.cnp-queue", 1), ("fail", "qos.roce-queue", 1)],
    ),
    "no ECN on the queue": (
        DATABASE, r'("Ethernet0\|3": \{\s*"scheduler": "ROCE-DWRR-50"),\s*"wred_profile": "ROCE"', r"\1",
        [("fail", "qos.ecn", 1)],
    ),
    "a port without watchdog": (
        DATABASE, r'(?s)("PFC_WD": \{\s*)"Ethernet0": \{[^}]*\},', r"\1", [("fail", "qos.watchdog", 1)],
    ),
    "a group with a lossy profile": (
        BUFFERS, r'(?s)("BUFFER_PG_TABLE:Ethernet0:3": \{[^}]*"profile": )"[^"]*"', r'\1"ingress_lossy_profile"',
        [("fail", "qos.lossless-groups", 1)],
    ),
    "a group without a profile": (
        BUFFERS, r'(?s)"BUFFER_PG_TABLE:Ethernet0:3": \{[^}]*\}\s*\},', "", [("fail", "qos.lossless-groups", 1)],
    ),
    "no group with a profile": (BUFFERS, r"(?s).+", "{}\n", [("fail", "qos.lossless-groups", 32)]),
    "profiles that were not collected": (
        BUFFERS, r"(?s).+", "", [("unknown", "qos.headroom", 32), ("unknown", "qos.lossless-groups", 32)],
    ),
    "headroom for a shorter cable": (BUFFERS, *SHORTER, [("fail", "port.cable-length", 1)]),
    "a shorter cable configured than in effect": (
        DATABASE, '"Ethernet0": "3m"', '"Ethernet0": "1m"', [("fail", "port.cable-length", 1)],
    ),
    "a longer cable configured than in effect": (
        DATABASE, '"Ethernet0": "3m"', '"Ethernet0": "300m"', [("warn", "port.cable-length", 1)],
    ),
    "no cable length": (DATABASE, '"Ethernet0": "3m",', "", [("fail", "port.cable-length", 1)]),
    "headroom that is far too small": (
        BUFFERS, *profile("pg_lossless_400000_3m_mtu9000_profile", 1024), [("warn", "qos.headroom", 1)],
    ),
    "headroom of a profile with any name": (BUFFERS, *profile("mine", 1024), [("warn", "qos.headroom", 1)]),
    "enough headroom of a profile with any name": (BUFFERS, *profile("mine", 257024), []),
    "headroom for a slower link": (
        BUFFERS, *profile("pg_lossless_100000_3m_profile", 257024), [("fail", "qos.headroom", 1)],
    ),
    "headroom for a faster link": (
        BUFFERS, *profile("pg_lossless_800000_3m_profile", 257024), [("warn", "qos.headroom", 1)],
    ),
    "headroom for a slower link and a shorter cable": (
        BUFFERS,
        *profile("pg_lossless_100000_1m_profile", 1024),
        [("fail", "port.cable-length", 1), ("fail", "qos.headroom", 1)],
    ),
    "headroom that is no number": (
        BUFFERS,
        r'(?s)("BUFFER_PROFILE_TABLE:pg_lossless_400000_3m_profile".*?"xoff": )"[0-9]+"',
        r'\1"many"',
        [("unknown", "qos.headroom", 32)],
    ),
    "no lossless pool": (
        DATABASE, r'(?s)"BUFFER_POOL": \{.*?\}\s*\},', "", [("fail", "qos.lossless-buffers", 1)],
    ),
    "FEC auto in place of rs, which is in use": (
        DATABASE, r'("Ethernet0": \{[^}]*"fec": )"rs"', r'\1"auto"', [],
    ),
    "another FEC in use": (FEC, r"( Ethernet0 +)rs", r"\1fc", [("fail", "port.fec", 1)]),
    "a neighbour of a NIC's firmware, too": (LLDP, *neighbour("fw-9c:63:c0:00:00:01", "9c:63:c0:00:00:01"), []),
    "a neighbour of another planned port, too": (
        LLDP, *neighbour("node2", "enp29s0np0"), [("warn", "port.cabling", 1)],
    ),
    "a port that is down": (STATUS, r"( Ethernet0 .*)  up( +up )", r"\1down\2", [("fail", "port.up", 1)]),
}  # fmt: skip


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cluster file; its bundle as planned stands beside it."""
    folder = tmp_path_factory.mktemp("sonic")
    text, count = re.subn(r"model: dell-z9664f, os: dell-sonic", "model: nvidia-sn5600, os: sonic", EXAMPLE.read_text())
    assert count == 1
    path = folder / "cluster.yaml"
    path.write_text(text)
    write_planned_bundle(build(read(path), load()), folder / "bundle")
    return path


def bad(cluster: Path) -> list[dict[str, Any]]:
    """What neither passes nor is skipped."""
    command = ["check", str(cluster), str(cluster.parent / "bundle"), "--format", "json"]
    document = json.loads(CliRunner().invoke(app, command).stdout)
    return [finding for finding in document["findings"] if finding["status"] not in ("pass", "skip")]


def test_as_planned_all_passes(cluster: Path) -> None:
    assert bad(cluster) == []


def bad_after(cluster: Path, file: str, pattern: str, new: str) -> list[dict[str, Any]]:
    """What neither passes nor is skipped after one edit of an output."""
    path = cluster.parent / "bundle" / file
    before = path.read_text(encoding="utf-8")
    after, count = re.subn(pattern, new, before, count=1)
    assert count == 1
    path.write_text(after, encoding="utf-8")
    try:
        return bad(cluster)
    finally:
        path.write_text(before, encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("name", ROWS)
def test_a_fault_gives_its_finding_and_no_other(name: str, cluster: Path) -> None:
    file, pattern, new, expected = ROWS[name]
    found = bad_after(cluster, file, pattern, new)
    reported = [(value["status"], value["check"]) for value in found]
    assert [(*pair, reported.count(pair)) for pair in dict.fromkeys(reported)] == expected


@pytest.mark.parametrize(("edits", "fix"), [
    ([(BUFFERS, *SHORTER)], []),
    ([(BUFFERS, *SHORTER), (DATABASE, '"Ethernet0": "3m"', '"Ethernet0": "1m"')],
     ["sudo config interface cable-length Ethernet0 3m", "sudo config save -y"]),
])  # fmt: skip
def test_a_cable_length_is_set_only_where_it_is_not(
    cluster: Path, edits: list[tuple[str, str, str]], fix: list[str]
) -> None:
    """Else the switch has no profile for it, which its merge script explains."""
    folder = cluster.parent / "bundle"
    recorded_texts = {file: (folder / file).read_text(encoding="utf-8") for file, _, _ in edits}
    for file, pattern, new in edits[1:]:
        (folder / file).write_text(re.sub(pattern, new, recorded_texts[file], count=1), encoding="utf-8")
    try:
        (finding,) = bad_after(cluster, *edits[0])
    finally:
        for file, text in recorded_texts.items():
            (folder / file).write_text(text, encoding="utf-8")
    assert [command for advice in finding["fix"] for command in advice["commands"]] == fix


STATIC = (
    r'(?s)\A\{(.*?"BUFFER_PG_TABLE:Ethernet0:3".*?)pg_lossless_400000_3m_profile',
    r'{"BUFFER_PROFILE_TABLE:mine": {"type": "hash", "value": {"xoff": "90232"}},\1mine',
)
"""A profile in effect whose name contains no cable length."""


@pytest.mark.slow
@pytest.mark.parametrize(("new", "text"), [
    ('"Ethernet0": "3m",', None),
    ('"Ethernet0": "1m",', "1 m"),
    ("", "none configured"),
])  # fmt: skip
def test_the_configured_cable_length_counts_with_a_static_profile(cluster: Path, new: str, text: str | None) -> None:
    path = cluster.parent / "bundle" / BUFFERS
    recorded_text = path.read_text(encoding="utf-8")
    path.write_text(re.sub(*STATIC, recorded_text, count=1), encoding="utf-8")
    try:
        findings = bad_after(cluster, DATABASE, '"Ethernet0": "3m",', new)
    finally:
        path.write_text(recorded_text, encoding="utf-8")
    assert [finding["found"] for finding in findings] == ([] if text is None else [text])


TRADITIONAL: dict[str, tuple[str, str, str, list[tuple[str, str, int]]]] = {
    "as planned": (DATABASE, r"\A", "", []),
    "rows of the dynamic model, which the buffer manager hands on": (
        BUFFERS, '"profile": "[^"]*"', '"profile": "NULL"', [("fail", "qos.lossless-groups", 32)],
    ),
    "no rows": (BUFFERS, r"(?s)\A.*\Z", "{}\n", [("fail", "qos.lossless-groups", 32)]),
    "rows that were not collected": (
        BUFFERS, r"(?s)\A.*\Z", "", [("unknown", "qos.headroom", 32), ("unknown", "qos.lossless-groups", 32)],
    ),
    "too little headroom configured": (DATABASE, r'"xoff": "[0-9]+"', '"xoff": "1024"', [("warn", "qos.headroom", 32)]),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("case", TRADITIONAL)
def test_a_switch_with_the_traditional_buffer_model(case: str, cluster: Path, tmp_path: Path) -> None:
    """Its chip is none of NVIDIA's, and its image has a profile for cables of 5 m."""
    file, pattern, new, expected = TRADITIONAL[case]
    assert check_traditional("tomahawk5", cluster, tmp_path, file, pattern, new) == expected


@pytest.mark.slow
@pytest.mark.parametrize(("xoff", "expected"), [("178562", []), ("178561", [("fail", "qos.headroom", 32)])])
def test_less_headroom_than_all_vendors_reserve_on_a_chip_fails(
    xoff: str, expected: list[tuple[str, str, int]], cluster: Path, tmp_path: Path
) -> None:
    """xoff of 400000 and 5m in pg_profile_lookup.ini of Dell's Z9332F: less than the computed headroom."""
    result = check_traditional("tomahawk3", cluster, tmp_path, BUFFERS, r'"xoff": "[0-9]+"', f'"xoff": "{xoff}"')
    assert result == expected


def check_traditional(
    chip: str, cluster: Path, folder: Path, file: str, pattern: str, new: str
) -> list[tuple[str, str, int]]:
    """What neither passes nor is skipped on a leaf with this chip after all edits of an output, with its number."""
    plan = build(read(cluster), load())
    leaf = plan.switches["leaf1"]
    values: dict[str, Any] = {
        "cable_length": Length.from_unit(5, "m"),
        "headroom": Size(228_854),
    }  # with the cells of these chips
    ports = {name: replace(port, **values) for name, port in leaf.ports.items()}
    plan = replace(plan, switches={"leaf1": replace(leaf, chip=chip, ports=ports)})
    write_planned_bundle(plan, folder / "bundle")
    path = folder / "bundle" / file
    path.write_text(re.sub(pattern, new, path.read_text(encoding="utf-8")), encoding="utf-8")
    findings = [value for value in run(plan, read_facts(folder / "bundle")) if value.device == "leaf1"]
    bad_checks = [(str(value.status), value.check) for value in findings if value.status not in ("pass", "skip")]
    return [(*pair, bad_checks.count(pair)) for pair in dict.fromkeys(bad_checks)]


def test_without_pool_and_profiles_the_pool_is_the_cause(cluster: Path) -> None:
    """sonic-swss, buffermgr.cpp: without the pool no profile is made; `config qos reload` adds it from the image."""
    path = cluster.parent / "bundle" / BUFFERS
    recorded_text = path.read_text(encoding="utf-8")
    path.write_text("{}\n", encoding="utf-8")
    try:
        findings = bad_after(cluster, DATABASE, r'(?s)"BUFFER_P(G|OOL)": \{.*?\}\s*\},\s*"CABLE', '"CABLE')
    finally:
        path.write_text(recorded_text, encoding="utf-8")
    by_check = {finding["check"]: finding for finding in findings}
    assert [*by_check] == ["qos.lossless-buffers", "qos.lossless-groups"]
    (fix,) = by_check["qos.lossless-buffers"]["fix"]
    assert fix["commands"] == ["sudo config qos reload", "sudo config save -y"]
    assert by_check["qos.lossless-groups"]["cause"] == "qos.lossless-buffers"


def test_an_undefined_map_is_named_with_its_line_and_set_by_the_fix(cluster: Path) -> None:
    """PORT_QOS_MAP is a leafref to the map: sonic-buildimage, sonic-port-qos-map.yang."""
    text = (cluster.parent / "bundle" / DATABASE).read_text(encoding="utf-8")
    line = text[: text.index('"dscp_to_tc_map"')].count("\n") + 1
    findings = bad_after(cluster, DATABASE, '"dscp_to_tc_map": "ROCE"', '"dscp_to_tc_map": "AZURE"')
    finding = next(finding for finding in findings if finding["check"] == "qos.roce-queue")
    assert finding["found"] == (
        "DSCP 26 reaches no queue, but PFC priority 3 pauses queue 3; "
        "the port uses DSCP_TO_TC_MAP|AZURE, which the configuration does not define"
    )
    assert f"leaf1: config-db ({DATABASE}:{line})" in finding["evidence"]
    (fix,) = finding["fix"]
    assert fix["commands"][0].startswith("sonic-db-cli CONFIG_DB HSET 'DSCP_TO_TC_MAP|ROCE' 0 0 1 0 ")
    assert fix["commands"][1] == "sonic-db-cli CONFIG_DB HSET 'PORT_QOS_MAP|Ethernet0' dscp_to_tc_map ROCE"


FIX_PFC = "fix qos.pfc of this port first: the watchdog is on for the planned priorities"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("field", "new", "state", "fix"),
    [
        ("pfc_enable", "4", "watchdog on for priority 3, PFC for priority 4", FIX_PFC),
        ("pfc_enable", "3,4", "watchdog on for priority 3, PFC for priorities 3, 4", FIX_PFC),
        ("pfcwd_sw_enable", "4", "watchdog on for priority 4, PFC for priority 3", "set the PFC watchdog"),
        ("pfcwd_sw_enable", "", "watchdog off", "set the PFC watchdog"),
    ],
)
def test_a_watchdog_of_other_priorities_than_pfc(cluster: Path, field: str, new: str, state: str, fix: str) -> None:
    findings = bad_after(cluster, DATABASE, f'"{field}": "3"', f'"{field}": "{new}"')
    finding = next(finding for finding in findings if finding["check"] == "qos.watchdog")
    assert (finding["found"], [advice["sentence"] for advice in finding["fix"]]) == (state, [fix])
    has_start = any("pfcwd start" in command for advice in finding["fix"] for command in advice["commands"])
    assert has_start is (fix != FIX_PFC)


def test_a_neighbour_may_announce_the_alias_of_its_port(tmp_path: Path) -> None:
    """SONiC does: sonic-buildimage, dockers/docker-lldp/lldpmgrd, portidsubtype local. The form of an alias is etp1."""
    path = tmp_path / "cluster.yaml"
    path.write_text("""
version: 1
name: two-tiers
hosts:
  node[1-2]: {model: dell-r740-xeon-5218, os: ubuntu-22.04, nics: 1 x broadcom-bcm957508-p2100g}
switches:
  leaf1: {model: nvidia-sn5600, os: sonic, role: leaf}
  spine1: {model: nvidia-sn5600, os: sonic, role: spine}
fabric: {leaf_spine: {uplinks: 1, cable: fibre-400g, length: 10 m}}
cabling: {pattern: by-host, length: 3 m}
addresses: {scheme: link-31, pool: 10.1.0.0/24, fabric: 10.2.0.0/24, loopbacks: 10.255.0.0/24}
routing: {underlay: bgp-numbered}
""")
    plan = build(read(path), load())
    write_planned_bundle(plan, tmp_path / "bundle")
    assert bad(path) == []
    [leaf_port, spine_port] = next(
        (cable.other_end("spine1").port, cable.other_end("leaf1").port)
        for cable in plan.cables
        if {cable.a.device, cable.b.device} == {"leaf1", "spine1"}
    )
    file, row = "leaf1/lldp-table.out", rf"(?m)^({leaf_port} +spine1 +){spine_port}"
    assert bad_after(path, file, row, r"\1etp1     ") == []
    [finding] = bad_after(path, file, row, r"\1etp9     ")
    assert (finding["status"], finding["check"], finding["found"]) == ("fail", "port.cabling", "spine1:etp9")
    (tmp_path / "bundle" / "spine1" / "config-db.out").write_text("")
    unread = [finding for finding in bad_after(path, file, row, r"\1etp1     ") if finding["check"] == "port.cabling"]
    assert [(finding["status"], finding["place"]) for finding in unread] == [("unknown", f"port {leaf_port}")]
