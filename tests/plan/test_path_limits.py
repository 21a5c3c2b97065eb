"""`wirespeed plan --limits SOURCE TARGET`: its output and its refusals."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from command_line import wirespeed

LENDING = str(Path(__file__).parents[2] / "examples" / "pcie-lending" / "cluster.yaml")


def test_terms_are_in_every_format():
    arguments = ("plan", LENDING, "--limits", "abel1", "abel2", "--pcie-payload", "64")
    text = wirespeed(*arguments).stdout
    assert "abel1:dis0 to abel2:dis0, PCIe bridge: 45.83 Gb/s, limited by PCIe bridge of abel1:dis0\n" in text
    assert "63.02 Gb/s × 64 B / 88 B per write (gen3 x8, MaxPayload 64) [1]\n" in text
    assert text.rstrip().splitlines()[-1].startswith("  [3] IEEE 802.3")
    rows = json.loads(wirespeed(*arguments, "--format", "json").stdout)["limits"]
    assert [row["method"] for row in rows] == [
        "PCIe bridge",
        "TCP over the PCIe bridge, 1 stream",
        "TCP, 1 stream",
    ]
    assert [term["value"] for term in rows[0]["terms"]] == [45.83, 45.83]
    table = list(csv.DictReader(io.StringIO(wirespeed(*arguments, "--format", "csv").stdout)))
    assert [row["term name"] for row in table][:2] == ["PCIe bridge of abel1:dis0", "PCIe bridge of abel2:dis0"]


def test_another_slot_changes_all_limits():
    text = wirespeed("plan", LENDING, "--limits", "--slot", "gen4 x16").stdout
    assert "dis0 to its link, PCIe bridge: 230.5 Gb/s" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("abel1", "abel2"), "SOURCE abel1: needs --limits"),
        (("--slot", "gen4 x16"), "--slot: needs --limits\n  hint: add --limits"),
        (("--limits", "abel1"), "SOURCE abel1: no TARGET; expected two places: HOST, HOST:NIC or HOST:GPU0"),
        (("--limits", "--streams", "2"), "--streams: no SOURCE and TARGET; expected two places"),
        (("--limits", "abel1", "abel1"), "TARGET abel1: found the same place as SOURCE; expected two places"),
        (("--limits", "abel1", "abel3"), "TARGET abel3: no host 'abel3'; expected HOST, HOST:NIC or HOST:GPU0"),
        (
            ("--limits", "abel1:GPU7", "abel2"),
            "SOURCE abel1:GPU7: no 'GPU7'; expected one of dis0, eth0, GPU0, GPU1",
        ),
        (("--limits", "--slot", "gen9 x16"), "--slot: found 'gen9 x16'; expected a PCIe generation"),
        (("--limits", "--pcie-payload", "100"), "--pcie-payload: found '100'; expected one of 64, 128"),
        (
            ("--limits", "abel1", "abel2", "--message-size", "8 parsec"),
            "--message-size: found '8 parsec'; expected a size",
        ),
        (("--limits", "abel1", "abel2", "--round-trip", "40"), "--round-trip: found '40'; expected a duration"),
        (("--limits", "abel1:dis0", "abel2:eth0"), "abel1:dis0 to abel2:eth0: no path with a known rate"),
    ],
)
def test_impossible_questions_are_refused(arguments, message):
    result = wirespeed("plan", LENDING, *arguments)
    assert result.returncode == 2
    assert f"error: {message}" in result.stderr


@pytest.mark.parametrize(
    ("ends", "message"),
    [
        (
            ("abel1:eth0", "abel2:bond0"),
            "SOURCE abel1:eth0: found a port of bond0; expected abel1:bond0, which sends over its ports",
        ),
        (("abel1:bond0", "abel2:eth7"), "TARGET abel2:eth7: no 'eth7'; expected one of dis0, bond0, GPU0, GPU1"),
    ],
)
def test_a_port_of_a_bond_is_no_end(ends, message):
    result = wirespeed("plan", LENDING.replace("cluster.yaml", "cluster-bond.yaml"), "--limits", *ends)
    assert result.returncode == 2
    assert result.stderr.startswith(f"error: {message}\n")


def test_the_mtu_of_an_ethernet_interface_is_configured_and_limits_tcp(tmp_path):
    cluster = tmp_path / "cluster.yaml"
    text = Path(LENDING).read_text().replace("speed: 1 Gb/s}", "speed: 1 Gb/s, mtu: 9000}")
    cluster.write_text(text)
    limits = wirespeed("plan", str(cluster), "--limits", "abel1:eth0", "abel2:eth0").stdout
    assert "1 Gb/s × 8948 B payload / 9038 B on the wire" in limits
    assert "the default: none is planned" not in limits
    wirespeed("render", str(cluster), "-o", str(tmp_path / "rendered"))
    netplan = (tmp_path / "rendered/abel1/etc/netplan/60-wirespeed.yaml").read_text()
    assert "    eth0:" in netplan.split("mtu: 9000")[0]


def test_tcp_over_a_bridge_takes_the_conditions_of_tcp():
    text = wirespeed("plan", LENDING, "--limits", "abel1:dis0", "abel2:dis0", "--streams", "4").stdout
    assert (
        "abel1:dis0 to abel2:dis0, TCP over the PCIe bridge, 4 streams: 7.19 Gb/s, limited by IP driver of dis0" in text
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--message-size", "64"), "--message-size: no path from abel1:GPU0 to abel1:GPU1 uses RDMA"),
        (("--streams", "1"), "--streams: no path from abel1:GPU0 to abel1:GPU1 uses TCP"),
        (("--round-trip", "1 ms"), "--round-trip: no path from abel1:GPU0 to abel1:GPU1 uses TCP"),
    ],
)
def test_a_condition_that_no_path_uses_is_refused(options, message):
    result = wirespeed("plan", LENDING, "--limits", "abel1:GPU0", "abel1:GPU1", *options)
    assert result.returncode == 2
    assert result.stderr == f"error: {message}\n  hint: leave {options[0]} out\n"


@pytest.mark.parametrize(
    ("ends", "path"),
    [
        (("abel1:GPU0", "abel1"), "abel1:GPU0 to abel1, PCIe: "),
        (("abel1", "abel1:GPU0"), "abel1 to abel1:GPU0, PCIe: "),
        (("abel1:GPU1", "abel1:GPU0"), "abel1:GPU1 to abel1:GPU0, peer to peer: "),
        (("abel1:GPU0", "abel1:dis0"), "abel1:GPU0 to abel1:dis0, DMA: "),
    ],
)
def test_a_path_inside_a_host_has_the_direction_and_host_of_its_ends(ends, path):
    assert wirespeed("plan", LENDING, "--limits", *ends).stdout.startswith(path)


def test_the_window_is_a_term_where_it_limits_or_the_round_trip_is_given():
    text = wirespeed("plan", LENDING, "--limits", "abel1:eth0", "abel2:eth0").stdout
    assert "TCP window" not in text.replace("TCP windows do not limit", "")
    text = wirespeed("plan", LENDING, "--limits", "abel1:eth0", "abel2:eth0", "--round-trip", "1 ms").stdout
    assert " Gb/s  TCP window / round trip = 1 × 4,194,304 B / 1,000 µs (round trip as given)" in text
