"""The tools that can run anywhere, run now on loopback: what they print today is read whole."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.needs import find, needs

from wirespeed.benchmarks import read
from wirespeed.results.benchmarks import Metric, Run, RunStatus

TCP = {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "lo", "OMPI_MCA_btl": "tcp,self", "OMPI_MCA_btl_tcp_if_include": "lo"}
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def run(*command: str, folder: Path | None = None) -> str:
    """What a command prints, both streams together."""
    process = subprocess.run(
        [find(command[0]) or command[0], *command[1:]],
        env={**os.environ, **TCP, **AS_ROOT},
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
        check=False,
    )
    return process.stdout


@contextmanager
def serving(*command: str, port: int) -> Iterator[None]:
    """A server that listens on a port of this machine for as long as the block runs."""
    path = find(command[0]) or command[0]
    process = subprocess.Popen([path, *command[1:]], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(200):
            if process.poll() is not None:
                pytest.fail(f"{command[0]} ended with {process.returncode}")
            with socket.socket() as client:
                if client.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield
    finally:
        process.kill()
        process.wait()


def free_port() -> int:
    """A port without a listener."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def read_run(text: str) -> Run:
    """The one run in a log, of which nothing was left out."""
    reading = read(text)
    assert not [
        notice for notice in reading.notices if not re.search("ends unless|proves that the run ended", str(notice))
    ], text
    (single_run,) = reading.runs
    return single_run


def values(single_run: Run, metric: Metric, label: str | None = None) -> Sequence[float]:
    """The values of a metric with a label."""
    return [
        measurement.value
        for measurement in single_run.measurements
        if measurement.metric is metric and measurement.label == label
    ]


@pytest.mark.parametrize("output", [(), ("-f",), ("-v",), ("-f", "-v")], ids=["table", "final", "csv", "final-csv"])
def test_ucx_perftest(output: tuple[str, ...]) -> None:
    needs("ucx_perftest")
    single_run = read_run(run("ucx_perftest", "-l", "-t", "tag_bw", "-s", "65536", "-n", "200", "-w", "10", *output))
    assert (single_run.tool, single_run.test, single_run.status) == ("ucx_perftest", "tag_bw", RunStatus.COMPLETE)
    (rate,), (bandwidth,) = values(single_run, Metric.MSG_RATE), values(single_run, Metric.BW_AVG)
    assert bandwidth == pytest.approx(rate * 65536 / 2**20, rel=0.01)  # MB/s are 2^20 bytes
    assert {measurement.size_bytes for measurement in single_run.measurements} == {65536}


def test_qperf() -> None:
    needs("qperf")
    port = free_port()
    with serving("qperf", "-lp", str(port), port=port):
        text = run("qperf", "127.0.0.1", "-lp", str(port), "-t", "1", "-m", "64K", "-v", "tcp_bw", "tcp_lat")
    runs = read(text).runs
    assert [(parsed_run.test, parsed_run.status) for parsed_run in runs] == [
        ("tcp_bw", RunStatus.COMPLETE),
        ("tcp_lat", RunStatus.COMPLETE),
    ]
    assert values(runs[0], Metric.BW_AVG)
    assert values(runs[1], Metric.LATENCY_AVG)


def test_sockperf() -> None:
    needs("sockperf")
    port = free_port()
    with serving("sockperf", "server", "--tcp", "-i", "127.0.0.1", "-p", str(port), port=port):
        latency = read_run(run("sockperf", "ping-pong", "--tcp", "-i", "127.0.0.1", "-p", str(port), "-t", "1"))
        rate = read_run(
            run("sockperf", "throughput", "--tcp", "-i", "127.0.0.1", "-p", str(port), "-t", "1", "-m", "1400")
        )
    assert latency.status is RunStatus.COMPLETE
    assert values(latency, Metric.LATENCY_MIN) <= values(latency, Metric.LATENCY_P50)
    assert (rate.test, rate.status) == ("throughput", RunStatus.COMPLETE)
    assert values(rate, Metric.BW_AVG)[0] == pytest.approx(values(rate, Metric.MSG_RATE)[0] * 1400 / 2**20, rel=0.01)


def test_netpipe(tmp_path: Path) -> None:
    needs("mpirun", "NPopenmpi")
    text = run(
        *("mpirun", "-np", "2", "--oversubscribe", find("NPopenmpi") or "", "-u", "48", "-n", "20", "-o", "np.out"),
        folder=tmp_path,
    )
    single_run = read_run(text)
    sizes = [measurement.size_bytes for measurement in single_run.measurements if measurement.metric is Metric.BW_AVG]
    assert (single_run.tool, sizes[:3], sizes[-1]) == ("netpipe", [1, 2, 3], 51)
    file_run = read_run((tmp_path / "np.out").read_text())
    assert [
        measurement.size_bytes for measurement in file_run.measurements if measurement.metric is Metric.BW_AVG
    ] == sizes
    assert values(file_run, Metric.BW_AVG) == pytest.approx(values(single_run, Metric.BW_AVG), abs=0.006)
