"""Receivers' credit in a capture, as Wireshark reads it: datagrams to Ultra Ethernet's port beside RoCEv2."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from small_scenarios import many_to_one, wirespeed, write_scenario

from needs import needs
from wirespeed.cli.exit import Exit

CHECKED = ("-o", "udp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE")
CREDIT, REQUEST = 7, 8


def tshark(file: Path, filter_: str, *names: str) -> list[list[str]]:
    arguments = ["tshark", "-r", str(file), *CHECKED, "-Y", filter_, "-T", "fields"]
    arguments += [word for name in names for word in ("-e", name)]
    lines = subprocess.run(arguments, capture_output=True, text=True, check=True).stdout.splitlines()
    return [line.split("\t") for line in lines]


@pytest.mark.slow
@pytest.mark.parametrize("framing", [{}, {"ip": "ipv6", "vlan": 7}])
def test_credit_is_sent_in_valid_datagrams(tmp_path: Path, framing: dict[str, object]) -> None:
    """Three hosts write three times each, so that they have to ask; the receiver's port sees all that is packets."""
    needs("tshark")
    flows = [{"src": host, "dst": 3, "bytes": 400_000, "start_ns": 300_000 * n} for n in range(3) for host in range(3)]
    queue_pairs = [{"a": host, "b": 3} for host in range(3)]
    operations = [{"queue_pair": flow["src"], "bytes": flow["bytes"], "at_ns": flow["start_ns"]} for flow in flows]
    scenario = many_to_one(3, parameters={"congestion": {"algorithm": "rccc"}, "framing": framing})
    scenario = {**scenario, "flows": [], "queue_pairs": queue_pairs, "operations": operations}
    result = wirespeed(write_scenario(tmp_path, scenario), "-o", tmp_path / "out", "--pcap", "3")
    assert result.returncode == Exit.PASSED, result.stderr
    file = tmp_path / "out" / "3.pcap"

    assert tshark(file, "_ws.malformed or ip.checksum.status == 0", "frame.number") == []
    rows = tshark(file, "udp.dstport == 4793", "udp.length", "udp.checksum.status", "frame.len", "data.data")
    assert {(length, status) for length, status, *_ in rows} == {("24", "1")}, "all of them valid"
    frame_bytes = 60 if not framing else 14 + 4 + 40 + 24
    assert {int(length) for _, _, length, *_ in rows} == {frame_bytes}

    packets = [bytes.fromhex(data)[:16] for *_, data in rows]
    assert {entry[0] >> 3 for entry in packets} == {11}, "control packets"
    kinds = [int.from_bytes(entry[:2]) >> 7 & 0xF for entry in packets]
    assert set(kinds) == {CREDIT, REQUEST}
    table = pq.read_table(tmp_path / "out" / "credits.parquet").to_pylist()
    for row in table:
        sender = row["queue_pair"]
        contexts = (sender + 1, (sender ^ 1) + 1)
        of_credit = [
            entry
            for entry, kind in zip(packets, kinds, strict=True)
            if kind == CREDIT and ends(entry) == contexts[::-1]
        ]
        granted = [int.from_bytes(entry[12:15]) for entry in of_credit]
        assert granted == sorted(granted) and granted[-1] == row["granted_bytes"] // 256
        entries = [
            entry for entry, kind in zip(packets, kinds, strict=True) if kind == REQUEST and ends(entry) == contexts
        ]
        assert len(entries) == row["requests"] > 0
        assert max(int.from_bytes(entry[13:16]) for entry in entries) <= -(-row["asked_bytes"] // 256)
        assert {entry[12] for entry in entries} == {sender}, "its congestion control context"


def ends(packet: bytes) -> tuple[int, int]:
    """Packet delivery contexts of a control packet: source, destination."""
    return int.from_bytes(packet[8:10]), int.from_bytes(packet[10:12])
