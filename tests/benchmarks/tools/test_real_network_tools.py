"""iperf3 and perftest themselves, run here: what they print is read whole, in every form they print it."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Iterator

import pytest

from needs import needs
from wirespeed.benchmarks import is_interval, parse
from wirespeed.results.benchmarks import Metric, Run, RunStatus

LOOPBACK = "127.0.0.1"


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """The port of an iperf3 server on loopback."""
    needs("iperf3")
    with socket.socket() as free:
        free.bind((LOOPBACK, 0))
        number = int(free.getsockname()[1])
    server = subprocess.Popen(
        ["iperf3", "--server", "--bind", LOOPBACK, "--port", str(number), "--forceflush"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    while "listening" not in server.stdout.readline():
        pass
    yield number
    server.terminate()
    server.communicate(timeout=20)


def run_tool(*command: str) -> str:
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return ran.stdout + ran.stderr


def iperf3(port: int, *options: str) -> tuple[Run, ...]:
    """The runs in what a client prints that moves enough for the server to have counted some of it by the end.

    A run of a millisecond ends before the server's first interval; iperf3 then reports that nothing was received. A
    server that has not ended the run before refuses the next.
    """
    for _ in range(50):
        text = run_tool("iperf3", "--client", LOOPBACK, "--port", str(port), "--bytes", "256M", *options)
        if "server is busy running a test" not in text:
            break
        time.sleep(0.1)
    return parse(text)


@pytest.mark.parametrize(
    ("options", "test", "labels"),
    [
        ((), "TCP", {"SUM sender", "SUM receiver"}),
        (("--parallel", "3"), "TCP", {"SUM sender", "SUM receiver"}),
        (("--reverse", "--title", "rail 1"), "TCP", {"SUM sender", "SUM receiver"}),
        (("--bidir",), "TCP", {"SUM sender", "SUM receiver", "SUM reverse sender", "SUM reverse receiver"}),
        (("--zerocopy", "--format", "M"), "TCP", {"SUM sender", "SUM receiver"}),
        (("--udp", "--bitrate", "0"), "UDP", {"SUM"}),
    ],
)
def test_iperf3_agrees_in_text_and_in_json(port: int, options: tuple[str, ...], test: str, labels: set[str]) -> None:
    (text,) = iperf3(port, *options)
    (json,) = iperf3(port, *options, "--json")
    for run in (text, json):
        assert (run.tool, run.test, run.status, run.error) == ("iperf3", test, RunStatus.COMPLETE, None)
        assert all(
            measurement.value > 0
            for measurement in run.measurements
            if measurement.metric is Metric.BITRATE and measurement.label in labels
        )
        assert (run.parameters.server_port, run.parameters.remote_address) == (port, LOOPBACK)
    of_whole = {measurement.label for measurement in json.measurements if not is_interval(measurement.label)}
    assert labels <= of_whole
    assert text.parameters.streams == json.parameters.streams * (1 + ("--bidir" in options))
    assert text.parameters.title == json.parameters.title


def test_the_servers_output_is_a_run_of_its_own(port: int) -> None:
    for options in ((), ("--json",)):
        client, server = iperf3(port, "--get-server-output", *options)
        assert (client.parameters.side, server.parameters.side) == ("client", "server")
        assert (client.status, server.status) == (RunStatus.COMPLETE, RunStatus.COMPLETE)


def test_a_server_that_nobody_started(port: int) -> None:
    with socket.socket() as listener:  # bound, so that no other program listens there meanwhile
        listener.bind((LOOPBACK, 0))
        (run,) = iperf3(int(listener.getsockname()[1]))
    assert (run.status, run.failures) == (RunStatus.FAILED, ("APP-06", "OS-06", "OS-14"))
    assert run.error is not None
    assert run.error.endswith("Connection refused")


@pytest.mark.parametrize("tool", ["ib_write_bw", "ib_send_lat", "raw_ethernet_bw"])
def test_perftest_refuses_what_it_cannot_do(tool: str) -> None:
    needs(tool)
    (run,) = parse(f"$ {tool} -n 2\n" + run_tool(tool, "-n", "2"))
    assert (run.tool, run.test, run.status, run.failures) == ("perftest", tool, RunStatus.FAILED, ())
    assert run.error is not None
