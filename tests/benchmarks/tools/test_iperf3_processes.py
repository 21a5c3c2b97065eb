"""Reports of several iperf3 between the same addresses at the same time are one run, and others are not."""

from __future__ import annotations

import copy
import json
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from needs import needs
from wirespeed.benchmarks import parse
from wirespeed.benchmarks.steps.iperf3_processes import start_clients, start_servers
from wirespeed.results.benchmarks import Metric, RunStatus

LOOPBACK = "127.0.0.1"


def report(port: int, rate: float = 1e10, **changes: Any) -> dict[str, Any]:
    """A client's report as iperf3 3.12 prints it with --json, without its intervals."""
    settings = {"start": 1764400000, "version": "iperf 3.12", "to": "10.0.0.2", "duration": 10, "load": 90.0, **changes}
    total = {"start": 0, "end": 10, "seconds": 10, "bytes": int(rate), "bits_per_second": rate}
    streams = {"protocol": "TCP", "num_streams": 2, "duration": settings["duration"], "omit": 0, "reverse": 0}
    connection = {"socket": 5, "local_host": "10.0.0.1", "local_port": 1, "remote_host": settings["to"]}
    return {
        "start": {
            "connected": [{**connection, "remote_port": port}],
            "version": settings["version"],
            "timestamp": {"time": "", "timesecs": settings["start"]},
            "connecting_to": {"host": settings["to"], "port": port},
            "cookie": f"cookie{port}",
            "test_start": streams,
        },
        "intervals": [],
        "end": {
            "streams": [],
            "sum_sent": {**total, "retransmits": 3},
            "sum_received": total,
            "cpu_utilization_percent": {"host_total": settings["load"], "remote_total": 50.0},
        },
    }


def read(*reports: dict[str, Any]) -> list[tuple[int | None, dict[tuple[Metric, str | None], float]]]:
    """Of each run the number of its processes, and its rows."""
    runs = parse("\n".join(json.dumps(document, indent="\t") for document in reports))
    return [
        (run.parameters.processes, {(row.metric, row.label): row.value for row in run.measurements}) for run in runs
    ]


def test_sums_are_of_all_processes_and_their_rows_remain() -> None:
    ((processes, rows),) = read(report(5201), report(5202, 2e10, start=1764400001, load=99.0))
    assert processes == 2
    assert rows[Metric.BITRATE, "SUM receiver"] == 3e10
    assert rows[Metric.RETRANSMITS, "SUM sender"] == 6
    assert (rows[Metric.CPU_USED, "local"], rows[Metric.CPU_USED, "remote"]) == (189, 100)
    assert rows[Metric.BITRATE, "process 5202 SUM receiver"] == 2e10
    assert rows[Metric.CPU_USED, "process 5201 local"] == 90


@pytest.mark.parametrize(
    "second",
    [
        report(5202, start=1764400010),  # one after the other
        report(5201),  # one server at a time
        report(5202, to="10.0.0.3"),
        report(5202, duration=20),
        report(5202, version="iperf 3.16"),
    ],
)
def test_reports_that_are_not_of_one_test_stay_apart(second: dict[str, Any]) -> None:
    assert [processes for processes, _ in read(report(5201), second)] == [None, None]


def test_a_report_without_its_time_stays_apart() -> None:
    first, second = copy.deepcopy(report(5201)), report(5202)
    del first["start"]["timestamp"]
    assert [processes for processes, _ in read(first, second)] == [None, None]


def test_a_process_that_fails_is_a_run_of_its_own() -> None:
    failed = {**report(5203), "intervals": [], "end": {}, "error": "unable to connect to server: Connection refused"}
    runs = parse("\n".join(json.dumps(document) for document in (report(5201), report(5202), failed)))
    assert [(run.status, run.parameters.processes) for run in runs] == [
        (RunStatus.COMPLETE, 2),
        (RunStatus.FAILED, None),
    ]


def test_the_scripts_start_real_processes() -> None:
    needs("iperf3")
    with socket.socket() as free:
        free.bind((LOOPBACK, 0))
        port = int(free.getsockname()[1]) // 10 * 10
    server = ("iperf3", "-s", "-1", "-B", LOOPBACK)
    servers = subprocess.Popen(start_servers(3, port, server), stdout=subprocess.DEVNULL)
    while f":{port:04X} 00000000:0000 0A" not in Path("/proc/net/tcp").read_text():
        time.sleep(0.05)
    client = ("iperf3", "-c", LOOPBACK, "-B", LOOPBACK, "-P", "2", "-t", "1", "--json")
    clients = subprocess.run(start_clients(3, port, client), capture_output=True, text=True, timeout=60, check=True)
    servers.wait(timeout=20)
    (run,) = parse(clients.stdout)
    assert (run.status, run.parameters.processes, run.parameters.streams) == (RunStatus.COMPLETE, 3, 6)
    rates = {row.label: row.value for row in run.measurements if row.metric is Metric.BITRATE}
    parts = [rates[f"process {port + index} SUM receiver"] for index in range(3)]
    assert rates["SUM receiver"] == pytest.approx(sum(parts), rel=0.01)


def test_clients_fail_if_one_of_them_does() -> None:
    ran = subprocess.run(start_clients(2, 7, ("sh", "-c", '[ "$1" = 7 ]; exit $?', "-p")), check=False)
    assert ran.returncode != 0
