"""The real tools on this machine: iperf3, ucx_perftest, and a ping-pong and an all-reduce through mpirun."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from needs import needs
from ssh_server import first_port
from wirespeed.benchmarks import read
from wirespeed.cli.app import app
from wirespeed.results.benchmarks import Metric, RunStatus

pytestmark = pytest.mark.slow

PROGRAMS = Path(__file__).parents[2] / "mpi"


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Our own MPI programs that print tables as OSU's do, under OSU's names."""
    needs("mpicc", "mpirun")
    folder = tmp_path_factory.mktemp("programs")
    for source in PROGRAMS.glob("*.c"):
        subprocess.run(["mpicc", "-O1", "-o", folder / source.stem, source], check=True)
    return folder


def test_every_tool_runs_and_is_read(programs: Path, tmp_path: Path) -> None:
    needs("iperf3", "ucx_perftest", "mpirun")
    target = tmp_path / "out"
    arguments = ["bench", "run", "loopback", "-o", str(target), "--seconds", "1", "--path", str(programs), "-f", "json"]
    arguments += ["--port", first_port()]
    result = CliRunner().invoke(app, arguments)
    rows = {row["test"]: row["attempt"] for row in json.loads(result.stdout)["steps"]}
    assert {test: (attempt["status"], attempt["grade"]) for test, attempt in rows.items()} == dict.fromkeys(
        ["iperf3", "ucx_perftest am_lat", "ucx_perftest am_bw", "osu_latency", "osu_allreduce"], ("done", "skip")
    )
    assert result.exit_code == 0
    runs_by_test = {test: read((target / attempt["log"]).read_text()).runs for test, attempt in rows.items()}
    assert {test: run.status for test, (run,) in runs_by_test.items()} == dict.fromkeys(
        runs_by_test, RunStatus.COMPLETE
    )
    metrics = {test: {measurement.metric for measurement in run.measurements} for test, (run,) in runs_by_test.items()}
    assert Metric.BITRATE in metrics["iperf3"]
    assert Metric.LATENCY_AVG in metrics["osu_latency"] & metrics["osu_allreduce"]
    sizes = [measurement.size_bytes for measurement in runs_by_test["osu_latency"][0].measurements]
    assert (sizes[0], sizes[-1]) == (1, 4 << 20)


def test_a_program_that_is_not_there_fails_alone(tmp_path: Path) -> None:
    needs("iperf3", "ucx_perftest", "mpirun")
    arguments = [
        "bench",
        "run",
        "loopback",
        "-o",
        str(tmp_path),
        "--seconds",
        "1",
        "-f",
        "json",
        "--port",
        first_port(),
    ]
    result = CliRunner().invoke(app, arguments)
    rows = {row["test"]: row["attempt"] for row in json.loads(result.stdout)["steps"]}
    assert rows["iperf3"]["status"] == "done"
    absent = rows["osu_latency"]
    assert (absent["status"], absent["attempt"]) == ("missing", 1)
    arguments = "localhost: osu_latency not found in PATH; name its folder with --path"
    assert absent["detail"] == arguments
    assert result.exit_code == 3
    parsed = CliRunner().invoke(app, ["bench", "parse", str(tmp_path), "-f", "json"])
    runs = [run for run in json.loads(parsed.stdout)["runs"] if run["status"] == "failed"]
    assert next((run["tool"], run["error"], run["failures"]) for run in runs) == (
        "osu_latency",
        arguments,
        ["APP-10", "MPI-02"],
    )
    assert len(runs) == 2
