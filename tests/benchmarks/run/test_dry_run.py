"""What --dry-run prints for clusters of the examples: every command, as one would paste it."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from wirespeed.benchmarks.suites import suites
from wirespeed.cli.app import app
from wirespeed.errors import Refusal

EXAMPLES = Path(__file__).parents[3] / "examples"
GOLDEN = Path(__file__).parent / "dry_run_golden"
CASES = (
    ("pairs", "arista-leaf-spine", ""),
    ("rc-ud", "bluebonnet-64node", "node[01-03]"),
    ("tcp", "esnet-400g", ""),
    ("udp", "esnet-400g", ""),
    ("ucx", "arista-leaf-spine", "node[1-2]"),
    ("mesh", "esnet-400g", ""),
    ("ping", "esnet-400g", ""),
    ("matrix", "arista-leaf-spine", ""),
    ("pairs-gpu", "mi300x-4node", "node[1-3]"),
    ("collectives", "mi300x-4node", ""),
    ("nic-only", "mi300x-4node", "node[1-2]"),
    ("quick", "mi300x-4node", "node[1-2]"),
    ("mpi", "bluebonnet-64node", "node[01-03]"),
    ("mpi", "arista-leaf-spine", ""),
    ("gpcnet", "bluebonnet-64node", "node[01-10]"),
    ("gpcnet", "arista-leaf-spine", ""),
    ("rails", "mi300x-4node", "node[1-3]"),
    ("tcp", "pcie-lending", ""),
    ("ping", "pcie-lending", ""),
    ("collectives", "pcie-lending", ""),
    ("lent-gpus", "pcie-lending", ""),
    ("one-process", "pcie-lending", ""),
    ("one-process", "mi300x-4node", "node1"),
    ("gpu-copies", "pcie-lending", ""),
    ("gpu-copies", "mi300x-4node", "node[1-2]"),
    ("loopback", "", ""),
)


def dry(suite: str, example: str, hosts: str, *options: str, **environment: str) -> str:
    arguments = ["bench", "run", suite, "--dry-run", *options]
    arguments += ["-c", str(EXAMPLES / example / "cluster.yaml")] if example else []
    arguments += ["-w", hosts] if hosts else []
    result = CliRunner().invoke(app, arguments, env=environment, catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


@pytest.mark.parametrize(("suite", "example", "hosts"), CASES)
def test_the_commands_of_a_suite(suite: str, example: str, hosts: str) -> None:
    text = dry(suite, example, hosts)
    file = GOLDEN / f"{suite}.{example or 'here'}.txt"
    if os.environ.get("WIRESPEED_ACCEPT") == "1":
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    assert text == file.read_text()


@pytest.mark.parametrize("host", ["abel1", "abel2"])
def test_collectives_of_one_host_use_no_network(host: str) -> None:
    """GPUs of one host exchange data without an interface: such a run would be judged as one over eth0."""
    programs = ("broadcast_perf", "all_reduce_perf", "alltoall_perf", "all_gather_perf")
    text = dry("collectives", "pcie-lending", host)
    titles = [line for line in text.splitlines() if " GPUs: " in line]
    assert titles == [f"# {program} on 2 GPUs: {host}, about 23 s" for program in programs]
    assert "NCCL_SOCKET_IFNAME" not in text
    assert all(
        f"# nothing is measured over {nic}: the run has one host with GPUs on it" in text for nic in ("dis0", "eth0")
    )


@pytest.mark.parametrize(
    ("nvhpc", "mpirun"),
    [(", nvhpc: 21.9", "/opt/nvidia/hpc_sdk/Linux_x86_64/21.9/comm_libs/mpi/bin/mpirun"), ("", "mpirun")],
)
def test_mpirun_of_the_planned_sdk_has_its_path(tmp_path: Path, nvhpc: str, mpirun: str) -> None:
    """ssh starts no login shell, whose modules would add the SDK to PATH."""
    text = (EXAMPLES / "pcie-lending" / "cluster.yaml").read_text().replace(", nvhpc: 21.9", nvhpc)
    file = tmp_path / "cluster.yaml"
    file.write_text(text)
    for suite in ("collectives", "lent-gpus"):
        result = CliRunner().invoke(app, ["bench", "run", suite, "--dry-run", "-c", str(file)], catch_exceptions=False)
        jobs = [line for line in result.stdout.splitlines() if " -np " in line]
        assert jobs and all(f"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 {mpirun} -np " in line for line in jobs)


@pytest.mark.parametrize(("gpu_memory", "jobs"), [("true", 5), ("false", 0)])
def test_messages_from_gpu_memory_are_measured_where_planned(tmp_path: Path, gpu_memory: str, jobs: int) -> None:
    """OSU micro-benchmarks, README: -d cuda, and the buffers of pairs as D D."""
    text = (EXAMPLES / "mi300x-4node" / "cluster.yaml").read_text()
    file = tmp_path / "cluster.yaml"
    file.write_text(f"{text}launch: {{library: mvapich2, gpu_memory: {gpu_memory}}}\n")
    arguments = ["bench", "run", "mpi", "--dry-run", "-c", str(file), "-w", "node[1-2]"]
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    commands = re.findall(r"osu_\w+ -d rocm.*(?=')", result.stdout)
    pairs = [f"{program} -d rocm D D" for program in ("osu_latency", "osu_bw", "osu_bibw")]
    assert commands == [*pairs, "osu_allreduce -d rocm", "osu_alltoall -d rocm"][:jobs]


def test_options_of_iperf3_are_added() -> None:
    text = dry("tcp", "esnet-400g", "", "--iperf3", "-i 10 -P8 --zerocopy --length=1m", "--seconds", "20")
    clients = [line.split("-p 186")[1] for line in text.splitlines() if "iperf3 -c" in line]
    assert {line.partition(" ")[2] for line in clients} == {"-P 8 -i 10 -Z -l 1m -t 20 --json'"}


def test_processes_of_iperf3_have_a_port_each() -> None:
    text = dry("tcp", "esnet-400g", "", "--processes", "4", "--iperf3", "-P 2", "--seconds", "20")
    commands = [shlex.split(shlex.split(line, comments=True)[-1]) for line in text.splitlines() if "iperf3-" in line]
    started = [words[words.index("sh") + 3 :] for words in commands]
    ports = [int(words[2]) for words in started if words[0] == "iperf3-clients"]
    assert ports == [int(words[2]) for words in started if words[0] == "iperf3-servers"]
    assert ports == [18600, 18604, 18608, 18612]
    assert {words[1] for words in started} == {"4"}
    assert {" ".join(words[4:]) for words in started if words[0] == "iperf3-clients"} >= {
        "-c 10.10.2.2 -B 10.10.2.1 -P 2 -t 20 --json",
        "-c 10.10.3.1 -B 10.10.3.2 -P 2 -t 20 --json",
    }


def test_every_suite_has_its_commands_shown() -> None:
    assert {suite for suite, _, _ in CASES} == set(suites())


@pytest.mark.parametrize(("suite", "example", "hosts"), CASES)
def test_every_line_is_a_command_or_a_comment(suite: str, example: str, hosts: str) -> None:
    for line in dry(suite, example, hosts, "--user", "o'neil; reboot").splitlines():
        words = shlex.split(line, comments=True)
        assert not words or words[0] == ("ssh" if example else words[0])
        assert not words or not example or words[words.index("-l") + 1] == "o'neil; reboot"


def test_in_an_allocation_of_slurm_its_own_launcher_is_used() -> None:
    text = dry("quick", "mi300x-4node", "node[1-2]", "--launcher", "slurm", SLURM_JOB_ID="1")
    assert "\nsrun --quiet --overlap --nodes=1 --ntasks=1 --nodelist=node1 --cpu-bind=none numactl " in text
    assert " srun --overlap --nodes=2 --ntasks=16 --ntasks-per-node=8 --nodelist=node1,node2 --gpus-per-node=8 " in text
    assert "mpirun" not in text


@pytest.mark.parametrize(("ranks", "started", "gpus"), [(1, 1, 8), (4, 4, 2), (8, 8, 1), (64, 8, 1)])
@pytest.mark.parametrize("suite", ["collectives", "nic-only", "quick"])
def test_planned_ranks_share_the_gpus_of_a_host(
    suite: str, ranks: int, started: int, gpus: int, tmp_path: Path
) -> None:
    """957608-AN210, 8.7.2.1.2: four processes on four hosts, slots=1 and -g 8."""
    file = tmp_path / "cluster.yaml"
    file.write_text((EXAMPLES / "mi300x-4node" / "cluster.yaml").read_text() + f"\nlaunch: {{ranks: {ranks}}}\n")
    result = CliRunner().invoke(app, ["bench", "run", suite, "--dry-run", "-c", str(file)], catch_exceptions=False)
    jobs = [line for line in result.stdout.splitlines() if " mpirun " in line]
    assert jobs
    assert all(f" --map-by ppr:{started}:node " in line and line.endswith(f" -f 2 -g {gpus}'") for line in jobs)


def test_ranks_that_cannot_share_the_gpus_evenly_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "cluster.yaml"
    file.write_text((EXAMPLES / "mi300x-4node" / "cluster.yaml").read_text() + "\nlaunch: {ranks: 3}\n")
    result = CliRunner().invoke(app, ["bench", "run", "collectives", "--dry-run", "-c", str(file)])
    assert isinstance(result.exception, Refusal)
    assert str(result.exception) == (
        "mi300x-4node: found 3 ranks on the 8 GPUs of node1; expected a number of ranks that divides the number "
        "of GPUs\n  hint: change launch: {ranks: …}, or leave it out for one rank per GPU"
    )


@pytest.mark.slow
def test_a_thousand_hosts_are_planned() -> None:
    text = dry("quick", "scale-1024", "")
    assert text.startswith("# quick on scale-1024: 4,224 runs on 8,192 NICs of 1,024 hosts, about ")
