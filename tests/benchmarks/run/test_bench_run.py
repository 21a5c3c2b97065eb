"""``wirespeed bench run`` from the shell: output, stored files and exit code, also after errors during the run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fake_perftest import install
from typer.testing import CliRunner, Result

from needs import needs
from ssh_server import first_port, server
from wirespeed.cli.app import app
from wirespeed.errors import Refusal
from wirespeed.store import Store

EXAMPLES = Path(__file__).parents[3] / "examples"
CLUSTER = EXAMPLES / "arista-leaf-spine" / "cluster.yaml"  # four hosts of one NIC, two under each leaf
PORTS = ("--port", first_port())
GPUS = EXAMPLES / "mi300x-4node" / "cluster.yaml"
LENDING = EXAMPLES / "pcie-lending" / "cluster.yaml"


def run_arguments(folder: Path, *options: str | Path) -> tuple[str, ...]:
    """The command line of a run on this machine with the stand-ins."""
    arguments = (
        "pairs",
        "-c",
        CLUSTER,
        "-o",
        folder / "out",
        "--yes",
        "--launcher",
        "local",
        "--path",
        folder / "bin",
        *options,
    )
    return tuple(map(str, arguments))


def ran(*arguments: str | Path) -> Result:
    """In this process, which is faster."""
    return CliRunner().invoke(app, ["bench", "run", *map(str, arguments), *PORTS], env={"COLUMNS": "160"})


def start_run(arguments: tuple[str, ...], **how: Any) -> subprocess.Popen[str]:
    """In a separate process, which can be ended."""
    command = [sys.executable, "-m", "wirespeed", "bench", "run", *arguments, *PORTS]
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "160"}
    return subprocess.Popen(command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how)


def summary(folder: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((folder / "summary.json").read_text())
    return document


def journal(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "journal.jsonl").read_text().splitlines()]


@pytest.mark.slow
def test_pairs_with_gpus_are_run_and_judged(tmp_path: Path) -> None:
    install(tmp_path / "bin", rate=775.0)
    result = ran(*run_arguments(tmp_path, "-w", "node[1-2]", "-c", GPUS))
    steps = summary(tmp_path / "out")["steps"]
    assert [(row["test"], row["attempt"]["grade"]) for row in steps] == [
        *[("ib_write_bw", "good")] * 8,
        *[("ib_write_lat", "skip")] * 8,
    ]
    assert steps[0]["attempt"]["detail"] == "775 Gb/s, 100 % of 776.3 (line rate × RoCEv2 framing)"
    assert steps[8]["attempt"]["detail"] == "2.2 µs"
    assert "pairs on mi300x-4node: 16 runs on 16 NICs of 2 hosts, about 32 s" in result.stderr
    assert "8 good, 8 measured\nmeasured: for information" in result.stdout
    assert result.exit_code == 0


def test_runs_of_a_campaign_are_compared_with_each_other(tmp_path: Path) -> None:
    """Between leaves with under one; what the suite does not measure is reported as unknown."""
    install(tmp_path / "bin", slow=("node4:bnxt_re0",), rate=194.0)
    arguments = ("matrix", *run_arguments(tmp_path)[1:], "--retest", "0", "--profile", "field", "-w", "node[1-2,4]")
    result = ran(*arguments)
    relations = {relation["name"]: relation for relation in summary(tmp_path / "out")["relations"]}
    assert {name: relation["judgement"] for name, relation in relations.items()} == {
        "cross-leaf": "fail",
        "one-queue-pair": "unknown",
    }
    assert relations["cross-leaf"]["of"]["ends"].endswith("node4:bnxt_re0")
    assert (
        "nothing to compare with: no comparable run queue_pairs from 2; wirespeed bench run rails measures both"
        in result.stdout
    )
    assert result.exit_code == 1


@pytest.mark.parametrize(("profile", "code"), [((), 0), (("--profile", "field"), 3)])
def test_what_has_no_baseline_is_never_good(tmp_path: Path, profile: tuple[str, ...], code: int) -> None:
    install(tmp_path / "bin", rate=194.0)
    arguments = ("matrix", *run_arguments(tmp_path)[1:], *profile, "-w", "node[1-2,3]")
    assert ran(*arguments).exit_code == code


@pytest.mark.slow
def test_each_rail_alone_and_all_at_once(tmp_path: Path) -> None:
    """With the times of a cluster in the journal, where a run takes seconds: here one may end before another begins."""
    install(tmp_path / "bin", rate=775.0)
    ran("rails", *run_arguments(tmp_path)[1:], "-w", "node[1-2]", "-c", GPUS, "--profile", "field")
    lines = journal(tmp_path / "out")
    for number, line in enumerate(lines):
        second = 59 * 60 if "-at-once." in line["step"] else 3 * number
        line |= {"started": f"2026-11-21T10:{second // 60:02}:{second % 60:02}Z", "duration_s": 2.0}
    (tmp_path / "out" / "journal.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    judge = ["bench", "judge", str(tmp_path / "out"), "-c", str(GPUS), "--profile", "field", "-f", "json"]
    result = CliRunner().invoke(app, judge)
    relations = json.loads(result.stdout)["relations"]
    assert [(relation["name"], relation["judgement"]) for relation in relations] == [
        ("rails-at-once", "pass"),
        ("one-queue-pair", "pass"),
    ]
    assert (relations[0]["of"]["count"], relations[0]["to"]["count"], relations[1]["compared"]) == (8, 8, 8)
    assert result.exit_code == 0


def test_a_slow_nic_is_measured_again_and_named(tmp_path: Path) -> None:
    install(tmp_path / "bin", slow=("node3:bnxt_re0",))
    result = ran(*run_arguments(tmp_path, "-f", "json"))
    document = json.loads(result.stdout)
    assert document == summary(tmp_path / "out")
    # The pair is measured once more; then both its NICs with others under their own leaf.
    assert [(row["step"], row["attempt"]["attempt"], row["attempt"]["grade"]) for row in document["steps"]] == [
        ("ib-write-bw.node1-bnxt-re0.node3-bnxt-re0", 2, "bad"),
        ("ib-write-bw.node2-bnxt-re0.node4-bnxt-re0", 1, "good"),
        ("ib-write-lat.node1-bnxt-re0.node3-bnxt-re0", 1, "skip"),
        ("ib-write-lat.node2-bnxt-re0.node4-bnxt-re0", 1, "skip"),
        ("narrow1.ib-write-bw.node2-bnxt-re0.node1-bnxt-re0", 1, "good"),
        ("narrow1.ib-write-bw.node4-bnxt-re0.node3-bnxt-re0", 2, "bad"),
    ]
    assert [(suspect["kind"], suspect["name"]) for suspect in document["suspects"]] == [("NIC", "node3:bnxt_re0")]
    assert "suspect: NIC node3:bnxt_re0: bad with " not in result.stdout  # it is data
    assert result.exit_code == 1


def test_a_dead_host_affects_no_result_of_others(tmp_path: Path) -> None:
    """Of an odd number of hosts too: its partner is measured with another."""
    install(tmp_path / "bin", dead=("node2",))
    result = ran(*run_arguments(tmp_path, "-w", "node[1-3]", "--retest", "0"))
    rows = {row["step"]: row["attempt"] for row in summary(tmp_path / "out")["steps"]}
    assert {name: (row["status"], row["grade"]) for name, row in rows.items() if "bw" in name} == {
        "ib-write-bw.node1-bnxt-re0.node2-bnxt-re0": ("failed", "unknown"),
        "ib-write-bw.node3-bnxt-re0.node1-bnxt-re0": ("done", "good"),
        "narrow1.ib-write-bw.node3-bnxt-re0.node2-bnxt-re0": ("failed", "unknown"),
    }
    assert "suspect: NIC node2:bnxt_re0: bad with node1:bnxt_re0" in result.stdout
    assert result.exit_code == 1


def test_halves_of_a_failed_job_run_once(tmp_path: Path) -> None:
    """Times of MPI's collectives have no limit: a half that ran to its end is measured, and not bad."""
    launcher = tmp_path / "bin" / "mpirun_rsh"
    launcher.parent.mkdir()
    table = "# OSU MPI Allreduce Latency Test v7.1\\n# Size       Avg Latency(us)\\n4                       12.40\\n"
    failure = 'case "$2 $*" in "512 "*osu_allreduce*) echo "[cli_0]: aborting job"; exit 1;; esac'
    launcher.write_text(f"#!/bin/sh\n{failure}\nprintf '{table}'\n")
    launcher.chmod(0o755)
    arguments = ("mpi", "-c", EXAMPLES / "bluebonnet-64node" / "cluster.yaml", "-w", "node[01-04]", "--retest", "0")
    options = ("-o", tmp_path / "out", "--yes", "--launcher", "local", "--path", launcher.parent)
    result = CliRunner().invoke(app, ["bench", "run", *map(str, (*arguments, *options))], env={"COLUMNS": "160"})
    narrowed = [entry["step"] for entry in journal(tmp_path / "out") if entry["step"].startswith("narrow")]
    assert sorted(narrowed) == [
        "narrow1.osu-allreduce.node01.node02",
        "narrow1.osu-allreduce.node03.node04",
    ]
    rows = [line.split() for line in result.stdout.splitlines() if line.startswith("osu_allreduce")]
    assert [(row[1], row[2]) for row in rows] == [
        ("node[01-04]", "failed"),
        ("node[01-02]", "measured"),
        ("node[03-04]", "measured"),
    ]
    assert "suspect: group node[01-04]: the whole group is bad, its parts are not" in result.stdout
    assert "osu_init  node[01-04]: measured" in result.stderr


def test_what_was_measured_is_stored(tmp_path: Path) -> None:
    install(tmp_path / "bin", slow=("node3:bnxt_re0",))
    result = ran(*run_arguments(tmp_path, "--store", tmp_path / "store.db", "--label", "first", "--retest", "0"))
    assert "first: 6 runs stored in " in result.stderr
    repeated_result = CliRunner().invoke(
        app, ["bench", "parse", str(tmp_path / "out"), "--store", str(tmp_path / "store.db"), "--label", "first"]
    )
    assert "6 logs skipped" in repeated_result.stderr
    with Store(str(tmp_path / "store.db")) as store:
        stored_rows = store.find("first")
    assert (stored_rows.cluster, stored_rows.runs, stored_rows.finished) == ("arista-leaf-spine", 6, True)


def test_a_missing_program_is_reported(tmp_path: Path) -> None:
    install(tmp_path / "bin")
    (tmp_path / "bin" / "numactl").write_text("#!/bin/sh\nexec no-such-ib_write_bw\n")
    result = ran(*run_arguments(tmp_path))
    assert {row["attempt"]["status"] for row in summary(tmp_path / "out")["steps"]} == {"missing"}
    assert "4 program not found" in result.stdout
    assert result.exit_code == 3


@pytest.mark.slow
def test_nothing_is_lost_when_it_is_killed(tmp_path: Path) -> None:
    install(tmp_path / "bin", seconds=0.3)
    target, arguments = tmp_path / "out", run_arguments(tmp_path, "--parallel", "1", "--retest", "0")
    process = start_run(arguments)
    before = _wait_for(target / "journal.jsonl", 2)
    process.kill()
    process.communicate()
    _wait_until(
        lambda: _count_processes(tmp_path) == 0
    )  # programs of the killed run would occupy ports of the next one
    with pytest.raises(Refusal, match="--resume continues it"):
        raise ran(*arguments).exception or AssertionError
    result = ran(*arguments, "--resume")
    after = journal(target)
    assert after[:2] == before
    assert sorted(line["step"] for line in after) == sorted(step["step"] for step in summary(target)["steps"])
    assert summary(target)["complete"] is True
    assert "runs done earlier" in result.stderr
    repeated_result = ran(*arguments, "--resume")
    assert journal(target) == after
    assert (repeated_result.exit_code, repeated_result.stdout) == (result.exit_code, result.stdout)


@pytest.mark.slow
def test_ctrl_c_ends_it_and_leaves_no_server(tmp_path: Path) -> None:
    install(tmp_path / "bin", seconds=60)
    process = start_run(run_arguments(tmp_path))
    _wait_until(lambda: _count_processes(tmp_path) == 4)  # two servers and two clients
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert f"interrupted: --resume continues the run in {tmp_path / 'out'}" in stderr
    assert "4 not run" in stdout
    assert not (tmp_path / "out" / "journal.jsonl").exists()
    _wait_until(lambda: _count_processes(tmp_path) == 0)


def _count_processes(folder: Path) -> int:
    """How many of the stand-ins run."""
    pattern = f"^{sys.executable} -S {folder}"
    process = subprocess.run(["pgrep", "-fc", pattern], capture_output=True, text=True, check=False)
    return int(process.stdout)


def _wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _wait_for(file: Path, lines: int) -> list[dict[str, Any]]:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if file.exists() and file.read_bytes().count(b"\n") >= lines:
            return [json.loads(line) for line in file.read_bytes().split(b"\n")[:lines]]
        time.sleep(0.01)
    raise AssertionError("nothing was noted")


@pytest.mark.slow
def test_a_full_disk_keeps_what_was_noted(tmp_path: Path) -> None:
    needs("unshare", root=True)
    install(tmp_path / "bin")
    (tmp_path / "out").mkdir()
    command = [sys.executable, "-m", "wirespeed", "bench", "run", *run_arguments(tmp_path, "--parallel", "1"), *PORTS]
    first = [*command, "-o", str(tmp_path / "out" / "run")]
    # The disk holds the campaign and the first logs; 4 KiB is its smallest piece.
    script = f'mount -t tmpfs -o size=24k tmpfs {tmp_path}/out && "$@"; code=$?; cat {tmp_path}/out/run/journal.jsonl'
    process = subprocess.run(
        ["unshare", "--mount", "sh", "-c", f"{script}; exit $code", "sh", *first],
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 2
    assert "no space left on device" in process.stderr
    lines = [json.loads(line) for line in process.stdout.splitlines() if line.startswith("{")]
    assert 0 < len(lines) < 4
    assert {line["status"] for line in lines} == {"done"}


def test_a_cluster_over_a_real_ssh(tmp_path: Path) -> None:
    needs("sshd", "ssh", "ssh-keygen")
    install(tmp_path / "bin")
    with server(tmp_path) as ssh_server:
        configuration = tmp_path / "config"
        configuration.write_text(
            f"Host node1 node2\n HostName 127.0.0.1\n Port {ssh_server.port}\n IdentityFile {tmp_path}/user\n"
            f" StrictHostKeyChecking no\n UserKnownHostsFile {tmp_path}/known\n LogLevel ERROR\n"
            "Host node3\n HostName 127.0.0.1\n Port 1\n"
        )
        result = ran(
            *("pairs", "-c", CLUSTER, "-o", tmp_path / "out", "--yes", "--path", tmp_path / "bin", "-w", "node[1-3]"),
            *("--ssh-option", "-F", "--ssh-option", configuration),
        )
    rows = {row["step"]: row["attempt"] for row in summary(tmp_path / "out")["steps"]}
    assert {name: (row["status"], row["grade"]) for name, row in rows.items() if "bw" in name} == {
        "ib-write-bw.node1-bnxt-re0.node2-bnxt-re0": ("done", "good"),
        "ib-write-bw.node3-bnxt-re0.node1-bnxt-re0": ("unreachable", "unknown"),
        "narrow1.ib-write-bw.node2-bnxt-re0.node3-bnxt-re0": ("unreachable", "unknown"),
    }
    assert "suspect: NIC node3:bnxt_re0: " in result.stdout
    assert result.exit_code == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("pair", "-c", CLUSTER),
            "bench run: found the suite 'pair'; expected one of collectives, gpcnet, gpu-copies, lent-gpus, loopback, "
            "matrix, mesh, mpi, nic-only, one-process, pairs, pairs-gpu, ping, quick, rails, rc-ud, tcp, ucx, udp\n"
            "  hint: did you mean 'pairs'?",
        ),
        (
            ("pairs", "-c", CLUSTER, "--dry-run", "--iperf3", "-Z"),
            "bench run: found --iperf3 with the suite pairs, which does not run iperf3; expected the suite tcp",
        ),
        (
            ("tcp", "-c", CLUSTER, "--dry-run", "--iperf3", "-Z -R"),
            "--iperf3: found the option -R; expected one of -P, -l, -i, -w, -C, -M, -Z, -N; what changes protocol, "
            "direction, duration or output would change what the suite measures",
        ),
        (
            ("tcp", "-c", CLUSTER, "--dry-run", "--iperf3", "-l 2M"),
            "--iperf3: found -l 2M; expected -l: bytes of each write, 1M at most",
        ),
        (
            ("tcp", "-c", CLUSTER, "--dry-run", "--iperf3", "--window=1G"),
            "--iperf3: found --window 1G; expected --window: socket buffer, 512M at most",
        ),
        (
            ("tcp", "-c", CLUSTER, "--dry-run", "--iperf3", "-i 0.05"),
            "--iperf3: found -i 0.05; expected -i: seconds between reports, 0 or 0.1 to 60",
        ),
        (
            ("tcp", "-c", CLUSTER, "--dry-run", "--iperf3", "-P 8 --parallel 4"),
            "--iperf3: found --parallel twice; expected each option once",
        ),
        (
            ("tcp", "-c", CLUSTER, "--dry-run", "--iperf3", "-P 129"),
            "--iperf3: found -P 129; expected -P: streams, 1 to 128",
        ),
        (
            ("tcp", "-c", CLUSTER, "--dry-run", "--iperf3", "--zero-copy"),
            "--iperf3: found the option --zero-copy; expected one of -P, -l, -i, -w, -C, -M, -Z, -N; what "
            "changes protocol, direction, duration or output would change what the suite measures"
            "\n  hint: did you mean '--zerocopy'?",
        ),
        (
            ("tcp", "-c", CLUSTER, "--dry-run", "--iperf3", "-Z1 -l"),
            "--iperf3: found -Z 1; expected -Z alone",
        ),
        (
            ("pairs",),
            "bench run: the suite pairs needs a cluster file\n  hint: add --cluster CLUSTER.yaml",
        ),
        (
            ("pairs", "-c", CLUSTER),
            "bench run: --output is missing\n  hint: add --output DIR for logs and journal, or --dry-run",
        ),
        (
            ("pairs", "-c", GPUS, "-w", "node[1-2],nod3", "--dry-run"),
            "--hosts: no host named 'nod3' in mi300x-4node\n  hint: did you mean 'node3'?",
        ),
        (
            ("pairs", "-c", GPUS, "-w", "node[3-6]", "--dry-run"),
            "--hosts: mi300x-4node has no hosts node[5-6]\n  hint: its hosts are node[1-4]",
        ),
        (
            ("mpi", "-c", GPUS, "--seconds", "600", "--dry-run"),
            "bench run: --seconds, which changes no command of the suite mpi\n"
            "  hint: leave it out; --dry-run prints the commands",
        ),
        (
            ("tcp", "-c", CLUSTER, "--messages", "77", "--dry-run"),
            "bench run: --messages, which changes no command of the suite tcp\n"
            "  hint: leave it out; --dry-run prints the commands",
        ),
        (
            ("collectives", "-c", GPUS, "--no-bind", "--dry-run"),
            "bench run: --no-bind, which changes no command of the suite collectives\n"
            "  hint: leave it out; --dry-run prints the commands",
        ),
        (
            ("pairs", "-c", GPUS, "--launcher", "slurm", "--user", "root", "--dry-run"),
            "bench run: found --user with --launcher slurm, which does not use ssh; expected --launcher ssh",
        ),
        (
            ("pairs", "-c", GPUS, "--resume", "--dry-run"),
            "bench run: --resume with --dry-run, which runs nothing\n  hint: use one of them",
        ),
        (
            ("pairs", "-c", GPUS, "-w", "node1", "--dry-run"),
            "mi300x-4node: found only node1 for the suite pairs; expected at least two hosts with NICs in one network",
        ),
        (
            ("pairs", "-c", LENDING, "--dry-run"),
            "pcie-lending: nothing for the suite pairs to run: no host has an RDMA NIC; expected two RDMA NICs that "
            "reach each other\n  hint: these suites run without RDMA: collectives, gpu-copies, lent-gpus, one-process, "
            "ping, tcp, udp",
        ),
        (
            ("lent-gpus", "-c", CLUSTER, "--dry-run"),
            "arista-leaf-spine: no host borrows GPUs\n  hint: describe the loans under lending: in the cluster file",
        ),
        (
            ("collectives", "-c", CLUSTER, "--dry-run"),
            "arista-leaf-spine: found node1 without GPUs; expected hosts with GPUs\n  hint: the suite mpi needs none",
        ),
        (
            ("pairs", "-c", CLUSTER, "--launcher", "slurm"),
            "--launcher slurm: not inside a Slurm allocation (SLURM_JOB_ID is not set)\n"
            "  hint: `salloc --exclusive --no-kill --nodelist=NODES wirespeed bench run …`",
        ),
    ],
)
def test_what_cannot_be_run_is_refused(arguments: tuple[str, ...], message: str) -> None:
    result = ran(*arguments)
    assert isinstance(result.exception, Refusal)
    assert str(result.exception) == message


@pytest.mark.parametrize(
    ("hosts", "limit", "command"),
    [
        ("node[01-02]", 1_000, "1,501 bytes for osu_init on 2 hosts"),
        ("node[01-64]", 1_800, "2,184 bytes for osu_init on 64 hosts"),
    ],
)
def test_a_command_that_ssh_cannot_pass_on_is_refused(
    monkeypatch: pytest.MonkeyPatch, hosts: str, limit: int, command: str
) -> None:
    """The real limit takes a cluster of thousands of hosts."""
    monkeypatch.setattr("wirespeed.benchmarks.run.campaign.LONGEST_COMMAND", limit)
    result = ran("mpi", "-c", EXAMPLES / "bluebonnet-64node" / "cluster.yaml", "-w", hosts, "--dry-run")
    assert str(result.exception) == (
        f"bluebonnet-64node: found a command of {command}; expected at most {limit:,} bytes, the longest argument of "
        "ssh that Linux accepts\n  hint: choose fewer hosts with -w"
    )


@pytest.mark.parametrize(
    ("parallel", "text"),
    [
        ("4", "about 19 s in total, some runs at the same time\n"),
        ("1", "about 38 s in total, at most 1 run at a time (--parallel)\n"),
    ],
)
def test_what_makes_it_long_is_reported(parallel: str, text: str) -> None:
    result = ran("pairs", "-c", CLUSTER, "--dry-run", "--parallel", parallel)
    assert result.stdout.splitlines(keepends=True)[0].endswith(text)


def test_without_a_terminal_it_does_not_start_by_itself(tmp_path: Path) -> None:
    result = ran("pairs", "-c", CLUSTER, "-o", tmp_path / "out", "--launcher", "local")
    assert isinstance(result.exception, Refusal)
    assert result.exception.problems[0].hint == "--yes confirms it"
    assert not (tmp_path / "out" / "journal.jsonl").exists()
