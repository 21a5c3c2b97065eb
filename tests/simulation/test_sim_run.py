"""``wirespeed sim run``: what it prints, writes and refuses, and how it leaves."""

from __future__ import annotations

import json
import os
import pty
import re
import resource
import signal
import struct
import subprocess
import termios
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from small_scenarios import ENVIRONMENT, INCAST, command, many_to_one, wirespeed, write_scenario

from needs import needs
from wirespeed.cli.exit import Exit
from wirespeed.results.json import plain
from wirespeed.simulation import digest, run

LONG = many_to_one(16, 1 << 30)
"""Minutes of work."""
TABLES = ["flows.parquet", "pauses.parquet", "ports.parquet", "queue_pairs.parquet", "queues.parquet"]
CONTEXT = ["limits.parquet", "links.parquet", "paths.parquet"]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def summary(printed: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(printed)
    assert (document["kind"], document["schema"]) == ("simulation-summary", 1)
    return document


def tables(folder: Path) -> dict[str, Any]:
    return {path.stem: pq.read_table(path) for path in folder.glob("*.parquet") if path.name not in CONTEXT}


def test_the_summary_as_a_table(tmp_path: Path) -> None:
    completed = wirespeed(write_scenario(tmp_path, INCAST), "--preset", "hpcc", "--seed", "3")
    assert (completed.returncode, completed.stderr) == (Exit.PASSED, "")
    lines = completed.stdout.splitlines()
    assert lines[0] == "incast  preset hpcc, seed 3"
    rows = dict(line.strip().split("  ", 1) for line in lines[1:])
    assert [name.strip() for name in rows] == [
        *("congestion", "flows", "completion time", "simulated time", "frames", "PFC", "ECN", "most congested"),
        *("loss", "tables SHA-256", "run time", "set-up time", "memory"),
    ]
    assert rows["flows"].strip() == "2 of 2 completed"
    assert rows["frames"].strip().startswith("2,048 data and ACK, ")
    assert re.fullmatch(r"min [\d.]+   mean [\d.]+   p50 [\d.]+   p99 [\d.]+   max [\d.]+ µs", rows["completion time"])
    assert re.fullmatch(r"[\d.]+ (µs|ms|s) for [\d,]+ events, \d+\.\d\d million frames/s", rows["run time"].strip())
    assert re.fullmatch(r"\d+ MB peak, \d+ MB for this run", rows["memory"].strip())
    assert re.fullmatch(
        r"[0-9a-f]{12}… \(equal tables have an equal SHA-256; --series changes it\)", rows["tables SHA-256"].strip()
    )


def test_the_summary_as_json_is_that_of_the_library(tmp_path: Path) -> None:
    scenario = write_scenario(tmp_path, INCAST)
    completed = wirespeed(scenario, "--preset", "hpcc", "--format", "json")
    printed = summary(completed.stdout)
    library = run(scenario, "hpcc", 1).summary
    measured = {"setup_s", "run_s", "hops_per_s", "peak_rss_bytes", "rss_growth_bytes"}
    for field in set(library.__slots__) - measured - {"congestion", "fct_us", "deadlocks", "assumed", "faults"}:
        assert printed[field] == getattr(library, field), field
    assert printed["congestion"] == list(library.congestion)
    assert printed["deadlocks"] == list(library.deadlocks)
    assert printed["faults"] == list(library.faults)
    assert library.fct_us
    assert printed["fct_us"] == plain(library.fct_us)
    assert all(printed[field] >= 0 for field in measured)


def test_what_is_written(tmp_path: Path) -> None:
    target = tmp_path / "out"
    scenario = write_scenario(tmp_path, INCAST)
    series = ("--series", "port:3:2,flow:0", "--series", "flow:1", "--interval", "2us")
    completed = wirespeed(scenario, "-o", target, *series, "--pcap", "3:2, 0", "--pcap", "1:3", "--format", "json")
    assert (completed.returncode, completed.stderr) == (Exit.PASSED, "")
    captures = ["3_2.pcap", "0.pcap", "1_3.pcap"]
    assert names(target) == sorted([*TABLES, *CONTEXT, *captures, "series.parquet", "summary.json"])
    document = summary((target / "summary.json").read_text())
    assert document.pop("files") == sorted([*TABLES, *CONTEXT, *captures, "series.parquet"])
    assert document == summary(completed.stdout)
    read = tables(target)
    assert digest(read) == document["tables_sha256"]
    assert set(read["series"]["id"].to_pylist()) == {0, 2, 5}
    sizes = [(target / name).stat().st_size >> 20 for name in captures]
    assert sizes == [2, 1, 1]


def test_two_runs_write_the_same_tables(tmp_path: Path) -> None:
    """In this process, and in a separate one."""
    scenario = write_scenario(tmp_path, many_to_one(4))
    assert wirespeed(scenario, "-o", tmp_path / "a").returncode == Exit.PASSED
    subprocess.run(command(scenario, "-o", tmp_path / "b"), env=ENVIRONMENT, capture_output=True, check=True)
    for table in TABLES:
        assert (tmp_path / "a" / table).read_bytes() == (tmp_path / "b" / table).read_bytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--series port:3:2", "--series: needs an output folder\n  hint: add --output DIR"),
        ("--pcap 3:2", "--pcap: needs an output folder\n  hint: add --output DIR"),
        (
            "--interval 10",
            "--interval: found '10'; expected a time with its unit (ns, us, ms or s), such as 10us",
        ),
        (
            "--until soon",
            "--until: found 'soon'; expected a time with its unit (ns, us, ms or s), such as 10us",
        ),
        ("-o out --series flow:2", "--series: found 'flow:2'; expected a flow of the scenario, flow:0 to flow:1"),
        ("-o out --series flow:0,port:9", "--series: found '9'; expected a node of the scenario, 0 to 3"),
        ("-o out --pcap 0,3", "--pcap: found '3'; expected a port of node 3: 3:0, 3:1, 3:2"),
        (
            "-o out --pcap ../3:2",
            "--pcap: found '../3:2'; expected a port: NODE, NODE:PEER or NODE:PEER.NUMBER, such as 16:0",
        ),
        (
            "-o .",
            ".: found a folder that is not empty; expected a new or an empty folder\n"
            "  hint: --force replaces an earlier result and does not change other files",
        ),
        ("-o scenario.json", "scenario.json: found a file; expected a new or an empty folder"),
        ("-o scenario.json/out", "scenario.json/out: not a directory\n  hint: no folder FOLDER/scenario.json"),
        ("-o /proc/1/out", "/proc/1/out: no such file or directory\n  hint: did you mean 'mounts'?"),
    ],
)
def test_refusals(arguments: str, message: str, tmp_path: Path) -> None:
    write_scenario(tmp_path, INCAST)
    completed = wirespeed("scenario.json", *arguments.split(), cwd=tmp_path)
    expected = message.replace("FOLDER", str(tmp_path))
    assert (completed.returncode, completed.stdout, completed.stderr) == (Exit.REFUSED, "", f"error: {expected}\n")
    assert names(tmp_path) == ["scenario.json"]


def test_a_missing_scenario_is_refused(tmp_path: Path) -> None:
    completed = wirespeed("none.json", "-o", "out", cwd=tmp_path)
    assert (completed.returncode, completed.stdout) == (Exit.REFUSED, "")
    hint = f"relative paths start at {tmp_path}"
    assert completed.stderr == f"error: none.json: no such file or directory\n  hint: {hint}\n"
    assert names(tmp_path) == []


def test_a_folder_one_may_not_write_to_is_met_before_the_run(tmp_path: Path) -> None:
    started = time.monotonic()
    completed = wirespeed(write_scenario(tmp_path, LONG), "-o", "/proc/out")
    assert time.monotonic() - started < 20
    assert (completed.returncode, completed.stdout) == (Exit.REFUSED, "")
    assert completed.stderr.startswith("error: /proc/out: ")


def interrupt(process: subprocess.Popen[str], target: Path) -> tuple[str, str]:
    """Ctrl-C during the run."""
    deadline = time.monotonic() + 30
    while not (target.is_dir() and list(target.glob(".unfinished-*"))):
        assert time.monotonic() < deadline, "the run does not start"
        time.sleep(0.01)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    return process.communicate(timeout=30)


def test_ctrl_c_keeps_what_happened(tmp_path: Path) -> None:
    target = tmp_path / "out"
    arguments = command(
        write_scenario(tmp_path, LONG), "-o", target, "--pcap", "17:16", "--threads", "1", "--format", "json"
    )
    with subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT
    ) as process:
        stdout, stderr = interrupt(process, target)
    assert process.returncode == Exit.INTERRUPTED
    assert stderr == f"interrupted: partial result in {target}\n"
    document = summary(stdout)
    assert document["complete"] is False
    assert document["hops"] > 1000
    assert (document["flows"], document["completed"], document["failed"]) == (16, 0, 0)
    assert names(target) == sorted(["17_16.pcap", *TABLES, *CONTEXT, "summary.json"])
    assert summary((target / "summary.json").read_text())["complete"] is False
    assert digest(tables(target)) == document["tables_sha256"]
    assert set(tables(target)["flows"]["status"].to_pylist()) == {"unfinished"}


def test_progress_is_shown_on_a_terminal(tmp_path: Path) -> None:
    terminal, stderr = pty.openpty()
    termios.tcsetwinsize(stderr, (24, 120))
    arguments = command(write_scenario(tmp_path, LONG), "-o", tmp_path / "out")
    environment = {**ENVIRONMENT, "TERM": "xterm"}
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=stderr, text=True, env=environment) as process:
        interrupt(process, tmp_path / "out")
    os.close(stderr)
    progress = os.read(terminal, 1 << 16).decode()
    os.close(terminal)
    assert re.search(r" [1-9]\d?% 0 of 16 flows, [\d.]+ (us|ms) simulated, \d+\.\d\d million frames/s", progress)


def test_a_full_disk_is_reported_and_leaves_nothing(tmp_path: Path) -> None:
    needs("unshare", root=True)
    disk = tmp_path / "disk"
    disk.mkdir()
    arguments = command(write_scenario(tmp_path, INCAST), "-o", disk)
    script = f'mount -t tmpfs -o size=16k tmpfs {disk}; "$@"; code=$?; ls -A {disk} >&2; exit $code'
    completed = subprocess.run(
        ["unshare", "--mount", "sh", "-c", script, "sh", *arguments],
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        check=False,
    )
    assert completed.returncode == Exit.REFUSED
    assert completed.stdout.startswith("incast  preset roce")  # the summary is not lost
    assert completed.stderr == f"error: {disk}: no space left on device\n"


def test_a_file_that_may_not_grow_is_reported(tmp_path: Path) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (64 << 10, 64 << 10))

    target = tmp_path / "out"
    completed = subprocess.run(
        command(write_scenario(tmp_path, INCAST), "-o", target, "--pcap", "3:2"),
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        check=False,
        preexec_fn=limit,
    )
    assert (completed.returncode, completed.stdout) == (Exit.REFUSED, "")
    assert completed.stderr == "error: writing: file too large\n"
    assert names(tmp_path) == ["scenario.json"]


def test_force_replaces(tmp_path: Path) -> None:
    scenario, target = write_scenario(tmp_path, INCAST), tmp_path / "out"
    for arguments, seed in ((["--pcap", "3:2"], 1), (["--force"], 2)):
        assert wirespeed(scenario, "-o", target, "--seed", str(seed), *arguments).returncode == Exit.PASSED
    assert names(target) == sorted([*TABLES, *CONTEXT, "summary.json"])
    assert summary((target / "summary.json").read_text())["seed"] == 2


def test_an_operation_that_failed_is_exit_code_1(tmp_path: Path) -> None:
    scenario = {
        **INCAST,
        "links": [{"a": 0, "b": 3, "loss": 1.0}, [1, 3], [2, 3]],
        "parameters": {"transport": {"ack_timeout": 4, "retry_count": 2}},
    }
    completed = wirespeed(write_scenario(tmp_path, scenario), "--format", "json")
    assert (completed.returncode, completed.stderr) == (Exit.FAILED, "")
    document = summary(completed.stdout)
    assert (document["complete"], document["flows"], document["completed"], document["failed"]) == (True, 2, 1, 1)
    assert document["losses"] > 0
    assert document["retransmissions"] > 0


def tshark(file: Path, *arguments: str) -> list[str]:
    """What it prints."""
    command = ["tshark", "-r", str(file), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


@pytest.fixture(scope="module")
def capture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The frames of a port that congestion and pauses meet."""
    folder = tmp_path_factory.mktemp("capture")
    scenario = many_to_one(8, 1 << 20, buffer_bytes=2 << 20)
    completed = wirespeed(write_scenario(folder, scenario), "--preset", "roce", "-o", folder / "out", "--pcap", "0")
    assert completed.returncode == Exit.PASSED, completed.stderr
    return folder / "out" / "0.pcap"


def test_wireshark_reads_the_capture(capture: Path) -> None:
    needs("tshark")
    assert tshark(capture, "-Y", "_ws.malformed or infiniband.mad or _ws.expert.severity >= 0x00600000") == []
    frames = tshark(capture, "-T", "fields", "-e", "frame.len", "-e", "frame.cap_len")
    assert len(frames) > 500
    assert all(line.split("\t")[0] == line.split("\t")[1] for line in frames)


@pytest.mark.parametrize(
    ("filter_", "at_least"),
    [
        ("infiniband.bth.opcode == 6 or infiniband.bth.opcode == 7 or infiniband.bth.opcode == 8", 256),
        ("infiniband.bth.opcode == 17", 256),
        ("infiniband.bth.opcode == 129", 1),
        ("macc.opcode == 0x0101", 2),
        ("infiniband.bth.opcode == 7 and ip.dsfield.ecn == 2", 128),
    ],
)
def test_what_the_capture_holds(filter_: str, at_least: int, capture: Path) -> None:
    needs("tshark")
    assert len(tshark(capture, "-Y", filter_)) >= at_least


def test_wireshark_reads_every_transport_service(tmp_path: Path) -> None:
    needs("tshark")
    scenario = {
        **INCAST,
        "flows": [{"src": 0, "dst": 2, "bytes": 3 * 4096, "service": "uc"}],
        "queue_pairs": [{"a": 0, "b": [1, 2], "service": "ud"}, {"a": 0, "b": 2}],
        "operations": [
            {"queue_pair": 0, "to": 0, "bytes": 1000, "at_ns": 10_000},
            {"queue_pair": 0, "to": 1, "bytes": 1000, "at_ns": 10_000},
            {"queue_pair": 1, "verb": "send", "bytes": 1000, "at_ns": 20_000},
            {"queue_pair": 1, "verb": "send", "bytes": 1000, "at_ns": 20_000},
        ],
        "parameters": {"transport": {"rx_depth": 1, "receive_ns": 5000, "min_rnr_timer": 1}},
    }
    completed = wirespeed(write_scenario(tmp_path, scenario), "--preset", "roce", "-o", tmp_path / "out", "--pcap", "0")
    assert completed.returncode == Exit.PASSED, completed.stderr
    capture = tmp_path / "out" / "0.pcap"
    assert tshark(capture, "-Y", "_ws.malformed") == []
    fields = ["infiniband.bth.opcode", "infiniband.bth.destqp", "infiniband.deth.srcqp", "infiniband.aeth.syndrome"]
    rows = [
        line.split("\t")
        for line in tshark(capture, "-T", "fields", *(word for field in fields for word in ("-e", field)))
    ]
    opcodes = [int(opcode) for opcode, *_ in rows]
    assert opcodes == [38, 39, 40, 100, 100, 4, 4, 17, 17, 4, 17]
    assert [(int(target_pair, 0), int(source_pair, 0)) for _, target_pair, source_pair, _ in rows[3:5]] == [
        (0x103, 0x102),
        (0x105, 0x102),
    ]
    not_ready = 0b001_00001  # RNR NAK, timer 1
    assert [int(row[3], 0) for row in rows if row[0] == "17"][1] == not_ready


@pytest.mark.slow
@pytest.mark.parametrize(("ip", "vlan"), [("ipv4", 100), ("ipv6", None), ("ipv6", 0)])
def test_wireshark_reads_tags_and_ipv6(ip: str, vlan: int | None, tmp_path: Path) -> None:
    """Length, tag, addresses, DSCP and ECN of every kind of frame: data, ACKs, CNPs and PFC of an incast."""
    needs("tshark")
    scenario = many_to_one(4, 1 << 20, buffer_bytes=2 << 20)
    if ip == "ipv6":
        for host, link in enumerate(scenario["links"]):
            addresses = [f"2001:db8::{host + 1}", None]
            scenario["links"][host] = {"a": link[0], "b": link[1], "addresses": addresses}
    scenario["parameters"] = {"framing": {"ip": ip, "vlan": vlan}}
    completed = wirespeed(write_scenario(tmp_path, scenario), "-o", tmp_path / "out", "--pcap", "0")
    assert completed.returncode == Exit.PASSED, completed.stderr
    capture = tmp_path / "out" / "0.pcap"
    # RoCEv2 has no UDP checksum over IPv6 either; its ICRC is looked at below.
    wrong = ("-o", "udp.ignore_ipv6_zero_checksum:TRUE", "-Y", "_ws.malformed or _ws.expert.severity >= 0x00600000")
    assert tshark(capture, *wrong) == []

    name, ds = ("ip", "ip.dsfield") if ip == "ipv4" else ("ipv6", "ipv6.tclass")
    fields = [
        "frame.len",
        "infiniband.bth.opcode",
        "vlan.priority",
        "vlan.id",
        f"{name}.src",
        f"{name}.dst",
        f"{ds}.dscp",
    ]
    arguments = [word for field in fields for word in ("-e", field)]
    tagged = (lambda priority: [str(priority), str(vlan)]) if vlan is not None else (lambda _: ["", ""])
    first_host, second_host = ("2001:db8::1", "2001:db8::5") if ip == "ipv6" else ("10.0.0.1", "10.0.0.9")
    header_bytes = (4 if vlan is not None else 0) + (20 if ip == "ipv6" else 0)
    expected = {
        "7": ["4154", tagged(3), first_host, second_host, "26"],
        "17": ["62", tagged(3), second_host, first_host, "26"],
        "129": ["74", tagged(7), second_host, first_host, "48"],
    }
    for opcode, (bare, tag, source, target, dscp) in expected.items():
        rows = tshark(capture, "-Y", f"infiniband.bth.opcode == {opcode}", "-T", "fields", *arguments)
        wanted = "\t".join((str(int(bare) + header_bytes), opcode, *tag, source, target, dscp))
        assert (set(rows), bool(rows)) == ({wanted}, True)
    pauses = tshark(capture, "-Y", "macc.opcode == 0x0101", "-T", "fields", "-e", "frame.len", "-e", "vlan.id")
    assert set(pauses) == {"60\t"}
    start = 14 + (4 if vlan is not None else 0)
    packets = [
        frame for frame in frames(capture.read_bytes()) if frame[start - 2 : start] in (b"\x08\x00", b"\x86\xdd")
    ]
    assert len(packets) > 500
    for frame in packets:
        assert struct.unpack("<I", frame[-4:])[0] == invariant_crc(frame[start:-4])


def test_the_receiver_sees_every_mark(tmp_path: Path) -> None:
    needs("tshark")
    scenario = write_scenario(tmp_path, many_to_one(4, 2 << 20))
    completed = wirespeed(scenario, "-o", tmp_path / "out", "--pcap", "4", "--format", "json")
    marked = tshark(tmp_path / "out" / "4.pcap", "-Y", "ip.dsfield.ecn == 3")
    assert len(marked) == summary(completed.stdout)["ecn_marks"] > 0


def test_captures_of_several_ports_have_the_same_frames(tmp_path: Path) -> None:
    needs("tshark")
    scenario = write_scenario(tmp_path, INCAST)
    completed = wirespeed(scenario, "-o", tmp_path / "out", "--pcap", "0, 3:0", "--pcap", "2")
    assert completed.returncode == Exit.PASSED, completed.stderr

    def data(port: str, source: str) -> list[str]:
        wanted = f"infiniband.bth.opcode <= 8 and ip.src == {source}"
        return tshark(tmp_path / "out" / f"{port}.pcap", "-Y", wanted, "-T", "fields", "-e", "infiniband.bth.psn")

    packets = data("0", "10.0.0.1")
    assert len(packets) == 256
    assert data("3_0", "10.0.0.1") == data("2", "10.0.0.1") == packets
    assert data("0", "10.0.0.3") == []
    assert len(data("2", "10.0.0.3")) == 256


def test_the_invariant_crc_is_right(capture: Path) -> None:
    """tshark shows it and does not check it."""
    packets = [frame for frame in frames(capture.read_bytes()) if frame[12:14] == b"\x08\x00"]
    assert len(packets) > 500
    for frame in packets:
        assert struct.unpack("<I", frame[-4:])[0] == invariant_crc(frame[14:-4])


def frames(file: bytes) -> Iterator[bytes]:
    """The frames of a pcap file, each kept whole."""
    assert struct.unpack("<I", file[:4])[0] == 0xA1B23C4D
    offset = 24
    while offset < len(file):
        _, _, captured_bytes, length = struct.unpack_from("<4I", file, offset)
        assert captured_bytes == length
        yield file[offset + 16 : offset + 16 + captured_bytes]
        offset += 16 + captured_bytes


def invariant_crc(packet: bytes) -> int:
    """IBTA volume 1, A17.3.3: CRC-32 over 64 ones and the packet, ones in the fields that switches change."""
    masked = bytearray(packet)
    if packet[0] >> 4 == 4:
        changed = (1, 8, 10, 11, 26, 27, 32)  # DSCP and ECN, TTL, checksum; UDP checksum; the reserved byte of BTH
    else:
        masked[0] |= 0x0F
        changed = (1, 2, 3, 7, 46, 47, 52)  # traffic class and flow label, hop limit; the same two
    for changing in changed:
        masked[changing] = 0xFF
    return zlib.crc32(b"\xff" * 8 + masked)
