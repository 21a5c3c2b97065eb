"""A simulation's summary in a terminal."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from wirespeed.report.simulation.terminal import rate, summary
from wirespeed.results.congested_ports import CongestedPort
from wirespeed.results.simulation_types import CompletionTimes, Fault, Source, Summary

WHOLE = Summary(
    name="16 to 1",
    preset="hpcc",
    seed=7,
    complete=True,
    hops=1_048_576,
    pfc_frames=28,
    cnp_frames=1,
    events=1_300_000,
    setup_s=0.000_02,
    run_s=0.125,
    hops_per_s=8_388_608.0,
    peak_rss_bytes=64_200_000,
    rss_growth_bytes=None,
    flows=1024,
    completed=1024,
    fct_us=CompletionTimes(mean=5785.085, p50=6022.2, p99=6469.2, max=6469.2, min=403.28),
    pfc_pauses=14,
    pfc_resumes=1,
    ecn_marks=8962,
    cnps=8962,
    drops=0,
    unroutable=0,
    port_down_drops=0,
    losses=0,
    retransmissions=0,
    watchdog_stuck=0,
    watchdog_recovered=0,
    watchdog_drops=0,
    trims=0,
    failed=0,
    unfinished=0,
    congestion=("dcqcn",),
    end_us=6470.25,
    tables_sha256="ab" * 32,
)

FAULT = Fault("link-down", "spine1", (6,), (), 200.0, 1500.0)


def print_summary(run: Summary, width: int = 80) -> str:
    stream = io.StringIO()
    summary(run, Console(file=stream, width=width, highlight=False, color_system=None))
    return stream.getvalue()


def test_a_screenful() -> None:
    assert print_summary(WHOLE) == (
        "16 to 1  preset hpcc, seed 7\n"
        "  congestion       dcqcn\n"
        "  flows            1,024 of 1,024 completed\n"
        "  completion time  min 403.3   mean 5,785   p50 6,022   p99 6,469   max 6,469 µs\n"
        "  simulated time   6,470 µs\n"
        "  frames           1,048,576 data and ACK, 28 PFC, 1 CNP (a frame counts once on each link of its path)\n"
        "  PFC              14 pauses, 1 resume\n"
        "  ECN              8,962 packets marked, 8,962 CNPs received\n"
        "  loss             0 drops, 0 lost on faulty links, 0 retransmissions\n"
        "  tables SHA-256   abababababab… (equal tables have an equal SHA-256; --series changes it)\n"
        "  run time         125.0 ms for 1,300,000 events, 8.39 million frames/s\n"
        "  set-up time      20 µs\n"
        "  memory           64 MB peak, unknown for this run\n"
    )


def test_congested_ports_are_named_by_device_and_port() -> None:
    stream = io.StringIO()
    ports = [
        CongestedPort("leaf1:Eth1/1", "node1:eth0", 10_066_329, 5791, 0, 0.0),
        CongestedPort("leaf1:Eth1/2", "node2:eth0", 512_000, 1, 2, 12.5),
        CongestedPort("spine1:Eth1/7", "leaf1:Eth1/49", 20_132_659, 0, 0, 1_247.0),
    ]
    summary(WHOLE, Console(file=stream, width=80, highlight=False, color_system=None), ports)
    lines = stream.getvalue().splitlines()
    assert lines[8:11] == [
        "  most congested   leaf1:Eth1/1 → node1:eth0: max queue 9.60 MiB, 5,791 packets marked",
        "                   leaf1:Eth1/2 → node2:eth0: max queue 0.4883 MiB, 1 packet marked, paused 12.5 µs, 2 drops",
        "  held by pauses   spine1:Eth1/7 → leaf1:Eth1/49: max queue 19.20 MiB, 0 packets marked, paused 1,247 µs",
    ]


def test_congested_ports_that_are_not_listed_are_counted() -> None:
    stream = io.StringIO()
    ports = [CongestedPort(f"leaf1:Eth1/{port}", "node1:eth0", 2_097_152 // port, 1, 0, 0.0) for port in range(1, 6)]
    summary(WHOLE, Console(file=stream, width=80, highlight=False, color_system=None), ports)
    assert stream.getvalue().splitlines()[10:12] == [
        "                   leaf1:Eth1/3 → node1:eth0: max queue 0.6667 MiB, 1 packet marked",
        "                   2 more ports: max queue 0.4 MiB to 0.5 MiB",
    ]


def test_nothing_is_wrapped_or_cut() -> None:
    assert print_summary(WHOLE, width=20) == print_summary(WHOLE)


@pytest.mark.parametrize(
    ("run", "line"),
    [
        (replace(WHOLE, complete=False), "16 to 1  preset hpcc, seed 7  interrupted"),
        (replace(WHOLE, name="a\x1b[31m\nb"), "a\\x1b[31m b  preset hpcc, seed 7"),
        (replace(WHOLE, first_pause_us=270.4), "  PFC              14 pauses, 1 resume, first pause at 270.4 µs"),
        (
            replace(WHOLE, completed=1020, unfinished=4),
            "  flows            1,020 of 1,024 completed, 4 in progress when the run was stopped",
        ),
        (replace(WHOLE, completed=1020, failed=4), "  flows            1,020 of 1,024 completed, 4 failed"),
        (
            replace(WHOLE, drops=1, losses=2, retransmissions=1),
            "  loss             1 drop (1 buffer full), 2 lost on faulty links, 1 retransmission",
        ),
        (
            replace(WHOLE, drops=7, unroutable=7),
            "  loss             7 drops (7 no route), 0 lost on faulty links, 0 retransmissions",
        ),
        (
            replace(WHOLE, drops=12, unroutable=7, port_down_drops=3),
            "  loss             12 drops (7 no route, 3 port down, 2 buffer full), 0 lost on faulty links, "
            "0 retransmissions",
        ),
        (
            replace(WHOLE, watchdog_stuck=2, watchdog_recovered=1, watchdog_drops=1234),
            "  PFC watchdog     2 queues stuck, 1 recovered, 1,234 frames dropped",
        ),
        (
            replace(WHOLE, deadlocks=("priority 3: switch 2:3 → switch 3:2 → switch 2:3",)),
            "  deadlock         priority 3: switch 2:3 → switch 3:2 → switch 2:3",
        ),
        (
            replace(WHOLE, faults=(FAULT, replace(FAULT, start_us=0.0, until_us=None, setting="a = []"))),
            "  fault            1: link-down at spine1, from 200.0 µs to 1,500 µs\n"
            "                   2: link-down at spine1: a = []",
        ),
        (
            replace(WHOLE, faults=(replace(FAULT, start_us=0.0, until_us=None),) * 1022),
            "                   20: link-down at spine1\n                   1,002 more",
        ),
        (
            replace(WHOLE, faults=(replace(FAULT, start_us=0.0),)),
            "  fault            1: link-down at spine1, from the beginning to 1,500 µs",
        ),
        (replace(WHOLE, run_s=0.0, events=0), "  run time         0 µs for 0 events, 0 frames/s"),
        (replace(WHOLE, run_s=75.5), "  run time         75.50 s for 1,300,000 events, 0.01 million frames/s"),
    ],
)
def test_lines(run: Summary, line: str) -> None:
    assert f"\n{line}\n" in f"\n{print_summary(run)}"


def test_a_name_of_several_lines_is_printed_once() -> None:
    source, assumptions = (
        Source("p", "c.yaml", "0" * 64, "0.1.0", "t.yaml", "0" * 64, "0" * 64),
        ("one thing", "another"),
    )
    circles = ("priority 3: switch 2:3 → switch 3:2", "priority 4: switch 2:4 → switch 4:2")
    lines = print_summary(replace(WHOLE, source=source, assumed=assumptions, deadlocks=circles)).splitlines()
    assert lines[10:12] == [
        "  deadlock         priority 3: switch 2:3 → switch 3:2",
        "                   priority 4: switch 2:4 → switch 4:2",
    ]
    assert lines[13:15] == ["  assumed          one thing", "                   another"]


def test_no_flow_completed() -> None:
    assert "completion time" not in print_summary(replace(WHOLE, fct_us=None, completed=0))


def test_rate() -> None:
    assert rate(1_048_576, 0.125) == "8.39 million frames/s"


def test_ack_timeouts_are_counted_where_tables_are_there() -> None:
    stream = io.StringIO()
    summary(replace(WHOLE, retransmissions=3), Console(file=stream, width=80, color_system=None), (), 2)
    assert "loss             0 drops, 0 lost on faulty links, 3 retransmissions, 2 ACK timeouts\n" in stream.getvalue()
