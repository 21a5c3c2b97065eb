"""What starts jobs, run for real: by sh and bash with stand-ins that print what they were given, and by Open MPI."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from needs import needs
from platforms.launches import CORES, LAUNCHES
from wirespeed.catalogue import load
from wirespeed.cluster import read
from wirespeed.errors import Refusal
from wirespeed.facts import Source
from wirespeed.plan import build
from wirespeed.platforms import Output, Outputs, platform
from wirespeed.platforms.launcher.library_variables import library_variables
from wirespeed.platforms.templates import fill_template
from wirespeed.settings import Host, Launch

ROOT = Path(__file__).resolve().parents[3]
PATH = {"PATH": "/usr/bin:/bin"}
NASTY = "a b; $(touch x) `touch y` 'q' \"d\" \\ $HOME, *"
STAND_IN = '#!/bin/sh\nfor one in "$0" "$@"; do printf "[%s]\\n" "${one##*/}"; done\nenv | sort\n'


@cache
def host() -> Host:
    """A planned host."""
    plan = build(read(ROOT / "examples" / "mi300x-4node" / "cluster.yaml"), load())
    return plan.hosts["node1"]


def script(launcher: str, name: str, launch: Launch) -> str:
    """The text of a launcher's file."""
    platform_entry = platform("launcher", launcher)
    template = next(file.template for file in platform_entry.files if file.path.endswith(f"/{name}"))
    return fill_template(platform_entry, template, "node1", replace(host(), launch=launch))


def run_script(
    folder: Path, text: str, program: str, *arguments: str, **environment: str
) -> tuple[list[str], dict[str, str]]:
    """The arguments and the environment that a script starts its program with."""
    tools = folder / "bin"
    tools.mkdir()
    (tools / program).write_text(STAND_IN)
    (tools / program).chmod(0o755)
    file = folder / "script"
    file.write_text(text)
    shell = text.splitlines()[0].removeprefix("#!")
    assert subprocess.run(["bash", "-n", file], check=False).returncode == 0
    path = {"PATH": f"{tools}:/usr/bin:/bin", "HOME": str(folder)}
    process = subprocess.run(
        [shell, file, *arguments], capture_output=True, text=True, env=path | environment, cwd=folder, check=True
    )
    assert {entry.name for entry in folder.iterdir()} == {"bin", "script"}  # nothing in a value was run
    lines = process.stdout.splitlines()
    arguments_read = [line[1:-1] for line in lines if line.startswith("[")]
    return arguments_read[1:], dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("["))


SCRIPTS = [
    ("openmpi", "wirespeed-mpirun", "mpirun", LAUNCHES["openmpi"][0]),
    ("openmpi", "wirespeed-mpirun", "mpirun", LAUNCHES["nccl"][0]),
    ("mvapich2", "wirespeed-mpirun-rsh", "mpirun_rsh", LAUNCHES["mvapich2"][0]),
    ("mvapich2", "wirespeed-mpiexec", "mpiexec", LAUNCHES["mvapich2"][1]),
    ("mvapich3", "wirespeed-mpiexec", "mpiexec", LAUNCHES["mvapich3"][0]),
    ("slurm", "wirespeed-sbatch", "srun", LAUNCHES["slurm"][0]),
    ("slurm", "wirespeed-sbatch", "srun", replace(LAUNCHES["mvapich2"][0], launcher="slurm")),
]


PERFTEST = ("openmpi", "wirespeed-perftest", "ib_write_bw", LAUNCHES["openmpi"][0])


@pytest.mark.parametrize(("launcher", "name", "program", "launch"), SCRIPTS)
def test_a_program_gets_every_variable_and_every_argument_as_they_are(
    tmp_path: Path, launcher: str, name: str, program: str, launch: Launch
) -> None:
    text = script(launcher, name, replace(launch, environment={"MINE": NASTY}))
    arguments, environment = run_script(tmp_path, text, program, "./osu bw", "-m", NASTY, OMP_NUM_THREADS="9")
    assert arguments[-3:] == ["osu bw", "-m", NASTY]
    assert environment["MINE"] == NASTY
    assert environment["OMP_NUM_THREADS"] == "9"  # the caller's own
    if program == "mpirun":
        assert {"MINE", "OMP_NUM_THREADS"} <= set(arguments)  # after -x
    if program == "mpirun_rsh":
        assert f"MINE={NASTY}" in arguments
    if program == "mpiexec":
        assert arguments[arguments.index("MINE") + 1] == NASTY


@pytest.mark.parametrize(("launcher", "name", "program", "launch"), SCRIPTS)
def test_without_a_program_nothing_is_started(
    tmp_path: Path, launcher: str, name: str, program: str, launch: Launch
) -> None:
    file = tmp_path / "script"
    file.write_text(script(launcher, name, launch))
    process = subprocess.run(["/bin/bash", file], capture_output=True, text=True, env={"PATH": "/nowhere"}, check=False)
    assert process.returncode == 2
    assert process.stderr.startswith("usage: ")


@pytest.mark.parametrize("option", ["-h", "--help"])
@pytest.mark.parametrize(("launcher", "name", "program", "launch"), [*SCRIPTS, PERFTEST])
def test_help_is_the_usage_and_starts_nothing(
    tmp_path: Path, launcher: str, name: str, program: str, launch: Launch, option: str
) -> None:
    """mpirun would take --help for the name of the program."""
    file = tmp_path / "script"
    file.write_text(script(launcher, name, launch))
    process = subprocess.run(
        ["/bin/bash", file, option], capture_output=True, text=True, env={"PATH": "/nowhere"}, check=False
    )
    assert (process.returncode, process.stderr) == (0, "")
    assert process.stdout.startswith("usage: ") and f"{name} " in process.stdout


def test_slurm_is_given_masks_where_the_library_binds_nothing(tmp_path: Path) -> None:
    arguments, _ = run_script(tmp_path, script("slurm", "wirespeed-sbatch", LAUNCHES["slurm"][0]), "srun", "./a.out")
    assert arguments == [
        "--mpi=pmix",
        "--export=ALL",
        "--cpu-bind=mask_cpu:0xf,0x170,0x10000000000000000,0xa0000000000000000",
        "a.out",
    ]


def test_slurm_binds_nothing_where_the_library_does(tmp_path: Path) -> None:
    launch = replace(LAUNCHES["mvapich2"][0], launcher="slurm")
    arguments, environment = run_script(tmp_path, script("slurm", "wirespeed-sbatch", launch), "srun", "./a.out")
    assert arguments == ["--mpi=pmi2", "--export=ALL", "--cpu-bind=none", "a.out"]
    assert environment["MV2_CPU_MAPPING"] == "0-3:4-6,8:64:65,67"


@pytest.mark.parametrize(
    ("ranks", "first", "example"),
    [
        (8, "every GPU of the cluster: 4 hosts, 8 ranks on each.", "./all_reduce_perf -b 8 -e 16G -f 2 -g 1"),
        (
            1,
            "every GPU of the cluster: 4 hosts, 1 rank on each, 8 GPUs for each rank.",
            "./all_reduce_perf -b 8 -e 16G -f 2 -g 8",
        ),
        (3, "every host of the cluster: 4 hosts, 3 ranks on each.", "./osu_alltoall"),
    ],
)
def test_the_manual_of_mpirun_names_the_gpus_of_a_rank(ranks: int, first: str, example: str) -> None:
    lines = script("openmpi", "wirespeed-mpirun", replace(host().launch, ranks_per_host=ranks)).splitlines()
    assert (lines[1], lines[4]) == (f"# Starts a program on {first}", f"# wirespeed-mpirun {example}")


TRANSPORTS = [("rc", "0", "0"), ("ud", "0", "1"), ("hybrid", "1", "0")]


@pytest.mark.parametrize(("transport", "hybrid", "only_ud"), TRANSPORTS)
def test_transports_of_mvapich(tmp_path: Path, transport: str, hybrid: str, only_ud: str) -> None:
    launch = replace(LAUNCHES["mvapich2"][0], transport=transport)
    _, environment = run_script(tmp_path, script("mvapich2", "wirespeed-mpirun-rsh", launch), "mpirun_rsh", "./a.out")
    assert (environment["MV2_USE_UD_HYBRID"], environment["MV2_USE_ONLY_UD"]) == (hybrid, only_ud)
    assert {name: environment[name] for name in sorted(environment) if "SGL" in name or "COALESCE" in name} == {
        "MV2_COALESCE_THRESHOLD": "4",
        "MV2_USE_COALESCE": "1",
        "MV2_USE_EAGER_SGL": "1",
        "MV2_USE_EAGER_SGL_LIMIT": "1k",
    }


@pytest.mark.parametrize("rank", range(len(CORES)))
def test_a_rank_runs_on_its_cores(tmp_path: Path, rank: int) -> None:
    text = script("openmpi", "wirespeed-bind", LAUNCHES["openmpi"][0])
    cores = ("0-3", "4-6,8", "64", "65,67")[rank]
    arguments, _ = run_script(tmp_path, text, "numactl", "./a.out", "-x", OMPI_COMM_WORLD_LOCAL_RANK=str(rank))
    assert arguments == [f"--physcpubind={cores}", "--localalloc", "--", "a.out", "-x"]


def test_a_rank_that_has_no_cores_is_not_started(tmp_path: Path) -> None:
    file = tmp_path / "wirespeed-bind"
    file.write_text(script("openmpi", "wirespeed-bind", LAUNCHES["openmpi"][0]))
    process = subprocess.run(["sh", file, "true"], capture_output=True, text=True, env={"PATH": "/bin"}, check=False)
    assert (process.returncode, process.stderr) == (2, "wirespeed-bind: no cores for local rank ''\n")


def test_open_mpi_passes_on_what_the_file_configures(tmp_path: Path) -> None:
    needs("mpirun")
    launch = replace(
        LAUNCHES["openmpi"][0],
        hosts=("localhost",),
        ranks_per_host=2,
        cores=None,
        threads=1,
        environment={"MINE": NASTY},
    )
    hosts = tmp_path / "hosts"
    hosts.write_text(script("openmpi", "hostfile", launch))
    file = tmp_path / "wirespeed-mpirun"
    file.write_text(script("openmpi", "wirespeed-mpirun", launch).replace("/etc/wirespeed/hostfile", str(hosts)))
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "TMPDIR": str(tmp_path)} | root
    print_command = 'printf "%s %s %s\\n" "$OMPI_COMM_WORLD_LOCAL_RANK" "$UCX_IB_TRAFFIC_CLASS" "$MINE"'
    process = subprocess.run(
        ["sh", file, shutil.which("sh") or "sh", "-c", print_command],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert sorted(process.stdout.splitlines()) == [f"0 104 {NASTY}", f"1 104 {NASTY}"], process.stderr


@pytest.mark.parametrize(
    ("launcher", "command", "environment", "setting", "value"),
    [
        ("nccl", "nccl-job", {"NCCL_IB_TC": "96", "OTHER": "x NCCL_IB_TC=0"}, "dscp", 24),
        ("mvapich2", "mvapich2-job", {"MV2_CPU_MAPPING": "0-3:4-7"}, "cores", ((0, 1, 2, 3), (4, 5, 6, 7))),
    ],
)
def test_the_environment_of_a_running_job_is_read(
    launcher: str, command: str, environment: dict[str, str], setting: str, value: object
) -> None:
    platform_entry = platform("launcher", launcher)
    run = next(command_.run for command_ in platform_entry.commands if command_.id == command)
    with subprocess.Popen(["sleep", "60"], env={"PATH": "/usr/bin:/bin"} | environment) as job:
        try:
            text = subprocess.run(run, capture_output=True, text=True, check=False, env={"LC_ALL": "C"} | PATH).stdout
        finally:
            job.kill()
    job_lines = "".join(line for line in text.splitlines(keepends=True) if line.startswith(f"/proc/{job.pid}/"))
    outputs = Outputs("node1", {command: Output(command, job_lines, Source("node1", command, "job.out"))})
    assert [
        observation.value
        for observation in platform_entry.parse(outputs)
        if observation.path == f"host.launch.{setting}"
    ] == [value]


UNSAID = [
    (
        "nccl",
        LAUNCHES["nccl"][1],
        {"fine_grained_memory": True},
        "fine_grained_memory = True; expected a setting that nccl has",
    ),
    ("nccl", LAUNCHES["nccl"][0], {"transport": "ud"}, "transport = ud; expected a setting that rccl has"),
    ("openmpi", LAUNCHES["openmpi"][0], {"eager_sgl": True}, "eager_sgl = True; expected a setting that openmpi has"),
    ("mvapich2", LAUNCHES["mvapich2"][0], {"channels": 4}, "channels = 4; expected a setting that mvapich2 has"),
    (
        "mvapich2",
        LAUNCHES["mvapich2"][0],
        {"transport": "rc-verbs"},
        "transport = rc-verbs; expected rc, ud, hybrid: MVAPICH has no other variant of them",
    ),
    (
        "mvapich2",
        LAUNCHES["mvapich2"][0],
        {"gpu_direct": "PXB"},
        r"gpu_direct = PXB; expected LOC \(off\) or SYS \(on\): MVAPICH2-GDR has no distance of GPU and NIC",
    ),
    (
        "mvapich3",
        LAUNCHES["mvapich3"][0],
        {"gpu_memory": "cuda"},
        "gpu_memory = cuda; expected a setting that mvapich3 has",
    ),
    (
        "openmpi",
        LAUNCHES["openmpi"][0],
        {"rc_connections": 32},
        "rc_connections = 32; expected a setting that openmpi has",
    ),
]


@pytest.mark.parametrize(("launcher", "launch", "options", "message"), UNSAID)
def test_what_a_library_cannot_configure_is_refused(
    launcher: str, launch: Launch, options: dict[str, object], message: str
) -> None:
    with pytest.raises(Refusal, match=f"^node1: launch: found {message}$"):
        script(launcher, platform("launcher", launcher).files[0].path.rpartition("/")[2], replace(launch, **options))  # type: ignore[arg-type]


def test_ud_begins_at_the_rank_that_is_configured() -> None:
    """UCX takes RC while the job has at most UCX_RC_MAX_NUM_EPS ranks."""
    variables = dict(library_variables(Launch(library="openmpi", transport="hybrid", hybrid_from=2048)))
    assert (variables["UCX_TLS"], variables["UCX_RC_MAX_NUM_EPS"]) == ("self,sm,rc,ud", "2047")


@pytest.mark.parametrize(
    ("launcher", "name", "program", "launch", "host_file", "option"),
    [
        ("openmpi", "wirespeed-mpirun", "mpirun", LAUNCHES["openmpi"][0], "hostfile", "--host"),
        ("mvapich2", "wirespeed-mpiexec", "mpiexec", LAUNCHES["mvapich2"][1], "mvapich2-hosts", "-hosts"),
    ],
)
def test_a_program_runs_on_some_of_the_hosts(
    tmp_path: Path, launcher: str, name: str, program: str, launch: Launch, host_file: str, option: str
) -> None:
    """Arista and Broadcom's table 6 runs osu_mbw_mr on 4 of 16 nodes with 16 ranks each."""
    launch = replace(launch, hosts=tuple(f"node{number}" for number in range(1, 17)), ranks_per_host=16, cores=None)
    text = script(launcher, name, launch)
    hosts = tmp_path.with_name(f"{tmp_path.name}-hosts")
    hosts.write_text(script(launcher, host_file, launch))
    text = text.replace(f"/etc/wirespeed/{host_file}", str(hosts))
    arguments, _ = run_script(tmp_path, text, program, "-w", "node1,node2,node3,node16", "./osu_mbw_mr", "-w", "x")
    assert arguments[1] == "64"
    assert arguments[arguments.index(option) + 1] == "node1:16,node2:16,node3:16,node16:16"
    assert arguments[-3:] == ["osu_mbw_mr", "-w", "x"]
    unknown = subprocess.run(
        ["sh", tmp_path / "script", "-w", "node1,node17", "./a.out"],
        capture_output=True,
        text=True,
        env=PATH,
        check=False,
    )
    assert (unknown.returncode, unknown.stderr) == (2, f"{name}: node17 is not in {hosts}\n")


def test_mpirun_rsh_gets_a_host_for_each_rank(tmp_path: Path) -> None:
    """mpirun_rsh -np N HOST HOST … VARIABLE=VALUE PROGRAM, as in the MVAPICH2 user guide."""
    name = "wirespeed-mpirun-rsh"
    launch = LAUNCHES["mvapich2"][0]
    launch = replace(launch, hosts=tuple(f"node{number}" for number in range(1, 5)), ranks_per_host=2, cores=None)
    hosts = tmp_path.with_name(f"{tmp_path.name}-hosts")
    hosts.write_text(script("mvapich2", "mvapich2-hosts", launch))
    text = script("mvapich2", name, launch).replace("/etc/wirespeed/mvapich2-hosts", str(hosts))
    arguments, _ = run_script(tmp_path, text, "mpirun_rsh", "-w", "node1,node4", "./osu_mbw_mr", "-w", "x y")
    assert arguments[:6] == ["-np", "4", "node1", "node1", "node4", "node4"]
    assert "=" in arguments[6]
    assert arguments[-3:] == ["osu_mbw_mr", "-w", "x y"]
    shutil.rmtree(tmp_path / "bin")
    arguments, _ = run_script(tmp_path, text, "mpirun_rsh", "./osu_mbw_mr")
    assert arguments[:4] == ["-np", "8", "-hostfile", hosts.name]
    unknown = subprocess.run(
        ["sh", tmp_path / "script", "-w", "node1,node17", "./a.out"],
        capture_output=True,
        text=True,
        env=PATH,
        check=False,
    )
    assert (unknown.returncode, unknown.stderr) == (2, f"{name}: node17 is not in {hosts}\n")
