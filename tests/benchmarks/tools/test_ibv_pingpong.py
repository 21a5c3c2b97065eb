"""ibv_rc_pingpong if it fails, and if a log contains more than its two lines."""

from __future__ import annotations

from wirespeed.benchmarks import parse
from wirespeed.results.benchmarks import RunStatus
from wirespeed.results.parameters import Parameters

ADDRESS = "  local address:  LID 0x0000, QPN 0x000017, PSN 0x241949, GID ::\n"
"""Of ibverbs-utils 44 with soft-RoCE, as the errors are."""


def test_a_server_that_does_not_answer() -> None:
    (run,) = parse(f"Couldn't connect to 10.0.1.1:18515\n{ADDRESS}")
    assert (run.tool, run.test, run.status) == ("ibv_pingpong", None, RunStatus.FAILED)
    assert (run.error, run.failures) == ("Couldn't connect to 10.0.1.1:18515", ("APP-06", "OS-06", "OS-14"))
    assert run.parameters == Parameters()


def test_a_packet_that_is_never_acknowledged() -> None:
    remote = ADDRESS.replace("local address: ", "remote address:")
    message = "Failed status transport retry counter exceeded (12) for wr_id 2"
    (run,) = parse(f"$ ibv_rc_pingpong -g 3 10.0.1.1\n{ADDRESS}{remote}{message}\n")
    assert (run.test, run.status, run.error) == ("ibv_rc_pingpong", RunStatus.FAILED, message)
    assert run.failures[:2] == ("NIC-05", "SW-01")


def test_the_command_line_names_the_transport() -> None:
    remote = ADDRESS.replace("local address: ", "remote address:")
    report = "2048000 bytes in 0.15 seconds = 108.99 Mbit/sec\n1000 iters in 0.15 seconds = 150.32 usec/iter\n"
    first, second = parse(
        f"ibv_ud_pingpong\n{ADDRESS}{remote}{report}/usr/bin/ibv_uc_pingpong\n{ADDRESS}{remote}{report}"
    )
    assert (first.test, second.test) == ("ibv_ud_pingpong", "ibv_uc_pingpong")
    assert [(measurement.value, measurement.unit, measurement.size_bytes) for measurement in first.measurements] == [
        (108.99, "Mb/s", 1024),
        (150.32, "us", 1024),
    ]
    assert {run.status for run in (first, second)} == {RunStatus.COMPLETE}


def test_a_rate_without_its_iterations_is_not_taken() -> None:
    (run,) = parse(f"{ADDRESS}2048000 bytes in 0.15 seconds = 108.99 Mbit/sec\n")
    assert (run.status, run.measurements) == (RunStatus.TRUNCATED, ())
