"""TCP and UDP beside RoCE in a capture, as Wireshark reads them."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from small_scenarios import INCAST, wirespeed, write_scenario

from needs import needs
from wirespeed.cli.exit import Exit

CHECKED = ("-o", "tcp.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE")
READ = (
    *("frame.len", "frame.cap_len"),
    *("tcp.srcport", "tcp.dstport", "tcp.len", "tcp.seq", "tcp.nxtseq", "tcp.ack", "tcp.checksum.status"),
    *("udp.dstport", "udp.length", "udp.checksum.status"),
)
WRONG = "_ws.malformed or tcp.checksum.status == 0 or udp.checksum.status == 0 or ip.checksum.status == 0"


def tshark(file: Path, *arguments: str) -> list[str]:
    command = ["tshark", "-r", str(file), *CHECKED, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def fields(file: Path, filter_: str, *names: str) -> list[list[str]]:
    arguments = [word for name in names for word in ("-e", name)]
    return [line.split("\t") for line in tshark(file, "-Y", filter_, "-T", "fields", *arguments)]


def read(file: Path, filter_: str, *names: str) -> list[dict[str, str]]:
    """Fields by their names; one that a frame does not have is empty."""
    return [dict(zip(names, row, strict=True)) for row in fields(file, filter_, *names)]


def mixed_scenario(**options: Any) -> dict[str, Any]:
    """Host 0 writes to host 2, and sends it messages of several lengths by TCP and UDP; host 2 sends TCP back."""
    sizes = [100_000, 1, 1448, 50_000, 30_001]
    return {
        **INCAST,
        "flows": [
            {"src": 0, "dst": 2, "bytes": 300_000},
            {"src": 0, "dst": 2, "bytes": 20_001, "service": "udp", "priority": 1},
        ],
        "queue_pairs": [{"a": 0, "b": 2, "service": "tcp", "priority": 0}],
        "operations": [
            *({"queue_pair": 0, "bytes": size, "at_ns": 2_000 * number} for number, size in enumerate(sizes)),
            *({"queue_pair": 0, "side": "b", "bytes": size, "at_ns": 1_000} for size in (70_000, 5)),
        ],
        **options,
    }


@pytest.fixture
def capture(tmp_path: Path) -> Callable[[dict[str, Any]], list[Path]]:
    """Of a scenario, at both ends."""
    needs("tshark")

    def run_capture(scenario: dict[str, Any]) -> list[Path]:
        target = tmp_path / "out"
        result = wirespeed(write_scenario(tmp_path, scenario), "-o", target, "--pcap", "0,2")
        assert result.returncode == Exit.PASSED, result.stderr
        return [target / "0.pcap", target / "2.pcap"]

    return run_capture


@pytest.mark.slow
@pytest.mark.parametrize("framing", [{}, {"ip": "ipv6", "vlan": 7}])
def test_a_clean_run_has_no_tcp_errors(
    capture: Callable[[dict[str, Any]], list[Path]], framing: dict[str, object]
) -> None:
    for file in capture(mixed_scenario(parameters={"framing": framing})):
        assert tshark(file, "-Y", f"{WRONG} or tcp.analysis.flags") == []
        rows = read(file, "tcp or udp.dstport == 5201", *READ)
        assert all(row["frame.len"] == row["frame.cap_len"] for row in rows)
        forth = [row for row in rows if row["tcp.dstport"] == "5201"]
        assert sum(int(row["tcp.len"]) for row in forth) == 100_000 + 1 + 1448 + 50_000 + 30_001
        assert forth[-1]["tcp.nxtseq"] == str(1 + sum(int(row["tcp.len"]) for row in forth))
        assert {row["tcp.checksum.status"] for row in forth} == {"1"}
        replies = [row for row in rows if row["tcp.srcport"] == "5201"]
        assert sum(int(row["tcp.len"]) for row in replies) == 70_005
        assert replies[-1]["tcp.ack"] == forth[-1]["tcp.nxtseq"]
        datagrams = [row for row in rows if row["udp.dstport"] == "5201"]
        assert sum(int(row["udp.length"]) - 8 for row in datagrams) == 20_001
        assert {row["udp.checksum.status"] for row in datagrams} == {"1"}


def test_every_message_ends_with_a_push(capture: Callable[[dict[str, Any]], list[Path]]) -> None:
    """Those of 100,000, 1, 1,448, 50,000 and 30,001 bytes: the stream's bytes after which it was pushed."""
    (file, _) = capture(mixed_scenario())
    ends = [1 + end for end in (100_000, 100_001, 101_449, 151_449, 181_450)]
    pushed = fields(file, "tcp.dstport == 5201 and tcp.flags.push == 1", "tcp.seq", "tcp.len")
    assert [int(start) + int(length) for start, length in pushed] == ends


@pytest.mark.slow
def test_what_is_lost_is_seen_again(capture: Callable[[dict[str, Any]], list[Path]]) -> None:
    links = [{"a": 0, "b": 3, "loss": 0.02}, [1, 3], [2, 3]]
    parameters = {"sockets": {"least_rto_ns": 1_000_000}, "transport": {"ack_timeout": 6}}
    sender, receiver = capture(
        mixed_scenario(links=links, parameters=parameters, operations=[{"queue_pair": 0, "bytes": 400_000}])
    )
    second_result = tshark(sender, "-Y", "tcp.analysis.retransmission or tcp.analysis.fast_retransmission")
    assert second_result
    assert tshark(receiver, "-Y", "tcp.analysis.lost_segment")
    assert tshark(receiver, "-Y", "tcp.analysis.duplicate_ack")
    for file in (sender, receiver):
        assert tshark(file, "-Y", WRONG) == []
    next_sequences = {int(row[0]) for row in fields(receiver, "tcp.dstport == 5201", "tcp.nxtseq")}
    assert max(next_sequences) == 400_001
