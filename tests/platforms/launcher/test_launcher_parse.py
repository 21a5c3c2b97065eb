"""Settings read from launch files and running jobs of any origin."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirespeed.facts import Source, State
from wirespeed.platforms import Output, Outputs, platform, platforms
from wirespeed.platforms.launcher.library_variables import list_unsupported_settings
from wirespeed.settings import Host, Launch
from wirespeed.units import Size

COMMANDS = [
    (name, command.id)
    for (kind, name), platform in platforms().items()
    if kind == "launcher"
    for command in platform.commands
]


def outputs(**texts: str) -> Outputs:
    return Outputs(
        "node1",
        {
            name.replace("_", "-"): Output(name, text, Source("node1", name, f"{name}.out"))
            for name, text in texts.items()
        },
    )


def read(launcher: str, **texts: str) -> dict[str, tuple[Any, int | None]]:
    """Value and line of each launch setting, by the setting's last word; the first reading of one."""
    readings: dict[str, tuple[Any, int | None]] = {}
    for observation in platform("launcher", launcher).parse(outputs(**texts)):
        readings.setdefault(observation.path.removeprefix("host.launch."), (observation.value, observation.source.line))
    return readings


NCCL = [
    ("NCCL_IB_HCA==bnxt_re0:1,bnxt_re1:1", "rdma_devices", ("bnxt_re0", "bnxt_re1")),
    ("NCCL_IB_HCA=mlx5_0,mlx5_1", "rdma_devices", ("mlx5_0", "mlx5_1")),
    ("NCCL_IB_HCA=^mlx5_0", "rdma_devices", None),  # all but one: the file does not state which
    ("NCCL_IB_HCA=", "rdma_devices", None),
    ("NCCL_IB_GID_INDEX=3", "gid_index", 3),
    ("NCCL_IB_GID_INDEX=-1", "gid_index", -1),
    ("NCCL_IB_GID_INDEX=three", "gid_index", None),
    ("NCCL_IB_TC=104", "dscp", 26),
    ("NCCL_IB_TC=106", "dscp", 26),  # with ECT(0)
    ("NCCL_IB_TC=300", "dscp", None),
    ("NCCL_IB_SL=3", "priority", 3),
    ("NCCL_IB_SL=9", "priority", None),
    ("NCCL_SOCKET_IFNAME==eno1", "control_interface", "eno1"),
    ("NCCL_SOCKET_IFNAME=eth,eno", "control_interface", None),
    ("NCCL_SHM_DISABLE=1", "shared_memory", False),
    ("NCCL_SHM_DISABLE=yes", "shared_memory", None),
    ("NCCL_NET_GDR_LEVEL=PXB", "gpu_direct", "PXB"),
    ("NCCL_NET_GDR_LEVEL=0", "gpu_direct", "LOC"),  # NCCL, src/graph/paths.cc: levelsOldToNew
    ("NCCL_NET_GDR_LEVEL=5", "gpu_direct", None),  # the old numbers changed their meaning between releases
    ("# NCCL_IB_TC=104", "dscp", None),
]
UCX = [
    ("UCX_NET_DEVICES=bnxt_re0:1,bnxt_re1:1", "rdma_devices", ("bnxt_re0", "bnxt_re1")),
    ("UCX_IB_GID_INDEX=auto", "gid_index", None),
    ("UCX_IB_TRAFFIC_CLASS=104", "dscp", 26),
    ("UCX_TLS=self,sm,rc_v", "transport", "rc-verbs"),  # the command of MPI over Broadcom RoCE
    ("UCX_TLS=self,sm,rc_verbs,ud_v", "transport", "hybrid-verbs"),
    ("UCX_TLS=self,sm,rc_x", "transport", "rc-accelerated"),
    ("UCX_TLS=self,sm,rc_mlx5", "transport", "rc-accelerated"),
    ("UCX_TLS=self,sm,rc_x,ud_v", "transport", "self,sm,rc_x,ud_v"),
    ("UCX_TLS=self,sm,dc", "transport", "dc"),
    ("UCX_TLS=self,sm,dc_x,rc", "transport", "dc-rc"),
    ("UCX_TLS=all", "transport", "dc-hybrid"),
    ("UCX_TLS=self,sm,ib", "transport", "dc-hybrid"),
    ("UCX_TLS=^rc", "transport", "dc-ud"),
    ("UCX_TLS=^ib", "transport", "none"),
    ("UCX_TLS=tcp,self,sm", "transport", "none"),
    ("UCX_TLS=self,sm,ud:aux", "transport", "none"),
    ("UCX_TLS=self,srd", "transport", "self,srd"),
    ("UCX_TLS=\\rc_verbs,self", "transport", "rc-verbs"),
    ("UCX_TLS=", "transport", None),
    ("UCX_TLS=self,sm,rc_v,rc_x", "transport", "rc"),
    ("UCX_TLS=self,sm,rc_v,ud", "transport", "hybrid"),
    ("UCX_TLS=ud,self", "transport", "ud"),
    ("UCX_TLS=rc,ud,sm", "transport", "hybrid"),
    ("UCX_TLS=^tcp", "transport", "dc-hybrid"),
    ("UCX_TLS=tcp", "transport", "none"),
    ("UCX_RC_MAX_NUM_EPS=2047", "hybrid_from", 2048),  # RC up to 2047 ranks
    ("UCX_RC_MAX_NUM_EPS=0", "hybrid_from", 1),
    ("UCX_RC_MAX_NUM_EPS=inf", "hybrid_from", None),
    ("UCX_RC_MAX_NUM_EPS=-1", "hybrid_from", None),
]
MVAPICH2 = [
    ("MV2_IBA_HCA = mlx4_0:mlx4_1", "rdma_devices", ("mlx4_0", "mlx4_1")),
    ("MV2_DEFAULT_GID_INDEX=1", "gid_index", 1),
    ("MV2_USE_EAGER_SGL_LIMIT = 1k", "eager_sgl_limit", 1024),
    ("MV2_USE_EAGER_SGL_LIMIT = 1000", "eager_sgl_limit", 1000),
    ("MV2_USE_EAGER_SGL_LIMIT = 1x", "eager_sgl_limit", None),
    ("MV2_CPU_MAPPING=0,2-4:1:5:6", "cores", ((0, 2, 3, 4), (1,), (5,), (6,))),  # the user guide's own example
    ("MV2_CPU_MAPPING=0:", "cores", None),
    ("MV2_CPU_MAPPING=0:3-1,5", "cores", None),
    ("MV2_CPU_MAPPING=0:0-99999", "cores", None),
    ("MV2_ENABLE_AFFINITY=0\nMV2_CPU_MAPPING=0:1", "cores", ()),  # the mapping is read only with affinity
    ("MV2_SUPPORT_DPM=1\nMV2_CPU_MAPPING=0:1\nMV2_ENABLE_AFFINITY=1", "cores", ()),
    ("MV2_ENABLE_AFFINITY=0", "cores", ()),
    ("MV2_ENABLE_AFFINITY=1", "cores", None),  # a policy selects them
    ("MV2_CPU_MAPPING=0:1\nMV2_ENABLE_AFFINITY=1", "cores", ((0,), (1,))),
    ("MV2_CPU_MAPPING=0:1\nMV2_SUPPORT_DPM=0", "cores", ((0,), (1,))),
    ("MV2_USE_ONLY_UD=1", "transport", "ud"),
    ("MV2_USE_ROCE=0", "rdma", False),
    ("MV2_USE_RoCE_MODE=2", "rdma", True),
    ("MV2_USE_RoCE=on", "rdma", None),
    ("MV2_USE_UD_HYBRID=0", "transport", "rc"),
    ("MV2_USE_UD_HYBRID=1", "transport", "hybrid"),
    ("MV2_HYBRID_MAX_RC_CONN = 16", "rc_connections", 16),
    ("MV2_UD_NUM_MSG_LIMIT = 100", "rc_from_messages", 100),
    ("MV2_USE_CUDA=1", "gpu_memory", "cuda"),  # MVAPICH2-GDR user guide, section 13.1
    ("MV2_USE_ROCM=1", "gpu_memory", "rocm"),
    ("MV2_USE_CUDA=0", "gpu_memory", "none"),
    ("MV2_USE_CUDA=yes", "gpu_memory", None),
    ("MV2_USE_GPUDIRECT_RDMA=0", "gpu_direct", "LOC"),
    ("MV2_USE_GDR=1", "gpu_direct", "SYS"),
    ("MV2_USE_GPUDIRECT=0", "gpu_direct", "LOC"),  # its name in earlier releases
]
LINES = [
    *(("nccl", "rccl_conf", *row) for row in NCCL),
    *(("openmpi", "ucx_conf", *row) for row in UCX),
    *(("mvapich2", "mvapich2_conf", *row) for row in MVAPICH2),
]


@pytest.mark.parametrize(("launcher", "command", "line", "setting", "value"), LINES)
def test_a_line_of_a_file(launcher: str, command: str, line: str, setting: str, value: Any) -> None:
    read_values = read(launcher, **{command: f"# made by hand\n{line}\n"})
    assert read_values.get(setting) == (None if value is None else (value, 2))


def test_the_first_of_two_lines_counts_and_lines_without_a_setting_are_kept() -> None:
    read_values = read("nccl", rccl_conf="NCCL_IB_TC=96\nNCCL_IB_TC=104\nNCCL_DEBUG=INFO\n")
    assert (read_values["dscp"], read_values["environment"]) == ((24, 1), ({"NCCL_DEBUG": "INFO"}, None))


@pytest.mark.parametrize(
    ("text", "setting", "value"),
    [
        ("MV2_DEBUG=1", "rdma", False),  # user guide, section 11.81: not set
        ("MV2_USE_ROCE_=1", "rdma", False),  # misspelled
        ("MV2_DEBUG=1", "transport", "hybrid"),
        ("MV2_USE_ONLY_UD=0", "transport", "hybrid"),
        ("MV2_USE_UD_HYBRID=2", "transport", None),
        ("MV2_DEBUG=1", "priority", 0),
        ("MV2_DEBUG=1", "coalescing", True),
        ("MV2_USE_EAGER_SGL_LIMIT=2k", "eager_sgl", True),  # 2024 OFA workshop: enabled by default for up to 1 KB
        ("MV2_DEBUG=1", "eager_sgl_limit", Size(1024)),
        ("MV2_DEBUG=1", "gid_index", None),  # the library selects it
        ("MV2_DEBUG=1", "gpu_direct", None),  # of one build only
        ("# nothing", "rdma", None),
    ],
)
def test_a_variable_that_the_file_lacks_has_its_default(text: str, setting: str, value: Any) -> None:
    assert read("mvapich2", mvapich2_conf=f"{text}\n").get(setting) == (None if value is None else (value, None))
    assert setting not in read("mvapich3", mvapich3_scripts='[ "${MVP_X+set}" ] || export MVP_X=1\n')


def test_only_ud_wins_over_hybrid() -> None:
    assert read("mvapich2", mvapich2_conf="MV2_USE_UD_HYBRID=1\nMV2_USE_ONLY_UD=1\n")["transport"] == ("ud", 2)


_BOTH_VARIABLES = "NCCL_NET_DISABLE_INTRA=0\nRCCL_ENABLE_INTRANET=1\n"


@pytest.mark.parametrize(
    ("files", "within_host"),
    [
        ({"rccl_conf": _BOTH_VARIABLES}, [True]),
        ({"rccl_conf": "NCCL_NET_DISABLE_INTRA=0\n"}, [False]),  # RCCL's topology still has no NIC
        ({"rccl_conf": "RCCL_ENABLE_INTRANET=1\n"}, [False]),  # RCCL's default of the other parameter is 1
        ({"rccl_conf": "NCCL_NET_DISABLE_INTRA=1\nRCCL_ENABLE_INTRANET=0\n"}, [False]),
        ({"rccl_conf": "NCCL_NET_DISABLE_INTRA=0\nRCCL_ENABLE_INTRANET=yes\n"}, []),
        ({"rccl_conf": "NCCL_IB_TC=104\n"}, []),
        ({"nccl_conf": "NCCL_NET_DISABLE_INTRA=0\n"}, [True]),
        ({"nccl_job": "/proc/7/environ:NCCL_NET_DISABLE_INTRA=1\n", "rccl_conf": _BOTH_VARIABLES}, [False, True]),
        ({"nccl_job": "/proc/7/environ:NCCL_NET_DISABLE_INTRA=0\n", "rccl_conf": _BOTH_VARIABLES}, [True, True]),
        ({"nccl_job": "/proc/7/environ:NCCL_IB_TC=96\n", "rccl_conf": _BOTH_VARIABLES}, [True]),
    ],
)
def test_rccl_uses_nics_within_a_host_by_two_parameters(files: dict[str, str], within_host: list[bool]) -> None:
    observations = platform("launcher", "nccl").parse(outputs(**files))
    path = "host.launch.network_within_host"
    assert [value.value for value in observations if value.path == path] == within_host


def test_files_of_both_libraries_contain_what_they_agree_on() -> None:
    read_values = read(
        "nccl", rccl_conf="NCCL_IB_TC=104\nNCCL_IB_GID_INDEX=3\n", nccl_conf="NCCL_IB_TC=0\nNCCL_IB_GID_INDEX=3\n"
    )
    assert read_values.get("dscp") is None
    assert read_values["gid_index"] == (3, 2)


JOB = """\
/proc/4711/environ:NCCL_IB_TC=96
/proc/4711/environ:NCCL_IB_GID_INDEX=3
/proc/4712/environ:NCCL_IB_TC=96
/proc/4712/environ:NCCL_IB_GID_INDEX=1
"""


def test_a_running_job_is_believed_over_the_file() -> None:
    observations = list(platform("launcher", "nccl").parse(outputs(nccl_job=JOB, rccl_conf="NCCL_IB_TC=104\n")))
    assert [(value.value, value.state) for value in observations if value.path == "host.launch.dscp"] == [
        (24, State.RUNNING),
        (26, State.CONFIGURED),
    ]
    assert not [value for value in observations if value.path == "host.launch.gid_index"]  # its processes differ


@pytest.mark.parametrize(
    ("values", "file", "running"),
    [
        ((3, 1), "MV2_DEFAULT_GID_INDEX=3", [1]),
        ((1, 3), "MV2_DEFAULT_GID_INDEX=3", [1]),
        ((3, 3), "MV2_DEFAULT_GID_INDEX=3", [3]),
        ((3, 1), "MV2_IBA_HCA=bnxt_re0", []),
    ],
)
def test_of_processes_that_differ_the_one_against_the_file_is_reported(
    values: tuple[int, ...], file: str, running: list[int]
) -> None:
    job = "".join(f"/proc/{process}/environ:MV2_DEFAULT_GID_INDEX={value}\n" for process, value in enumerate(values, 7))
    observations = platform("launcher", "mvapich2").parse(outputs(mvapich2_job=job, mvapich2_conf=f"{file}\n"))
    assert [
        value.value for value in observations if value.path == "host.launch.gid_index" and value.state is State.RUNNING
    ] == running


@pytest.mark.parametrize(
    ("conf", "job", "setting", "expected"),
    [
        ("MV2_CPU_BINDING_POLICY=hybrid\nMV2_HYBRID_BINDING_POLICY=spread", "", "binding", "spread"),
        ("MV2_CPU_BINDING_POLICY=HYBRID\nMV2_HYBRID_BINDING_POLICY=NUMA", "", "binding", "numa"),
        ("MV2_CPU_BINDING_POLICY=scatter\nMV2_HYBRID_BINDING_POLICY=spread", "", "binding", "scatter"),
        ("MV2_CPU_BINDING_POLICY=bunch", "MV2_CPU_BINDING_POLICY=scatter", "binding", "scatter"),
        ("MV2_CPU_BINDING_POLICY=hybrid", "", "binding", None),  # its default depends on the release
        ("MV2_HYBRID_BINDING_POLICY=spread", "", "binding", None),  # without effect
        ("MV2_CPU_BINDING_POLICY=Bunch", "", "binding", None),  # ends the job
        ("MV2_CPU_BINDING_POLICY=bunch\nMV2_CPU_MAPPING=0:1", "", "binding", None),  # the mapping counts
        ("MV2_IBA_HCA=bnxt_re0", "MPICH_ASYNC_PROGRESS=1", "async_progress", True),
        ("MV2_IBA_HCA=bnxt_re0", "MPIR_CVAR_ASYNC_PROGRESS=yes", "async_progress", True),
        ("MV2_IBA_HCA=bnxt_re0", "MPICH_ASYNC_PROGRESS=0", "async_progress", None),
        ("MV2_OPTIMIZED_ASYNC_PROGRESS=1", "", "async_progress", True),
    ],
)
def test_binding_policy_and_progress_thread(conf: str, job: str, setting: str, expected: Any) -> None:
    job_text = f"/proc/7/environ:{job}\n" if job else ""
    facts = read("mvapich2", mvapich2_conf=f"{conf}\n", mvapich2_job=job_text)
    assert facts.get(setting, (None,))[0] == expected


MAPPED = "MV2_CPU_MAPPING=0:1\nMV2_USE_UD_HYBRID=0\n"


@pytest.mark.parametrize(
    ("variable", "setting", "running"),
    [
        ("MV2_ENABLE_AFFINITY=0", "cores", ()),
        ("MV2_ENABLE_AFFINITY=1", "cores", ((0,), (1,))),  # with the mapping of the file
        ("MV2_CPU_MAPPING=2:3", "cores", ((2,), (3,))),
        ("MV2_USE_ONLY_UD=0", "transport", "rc"),  # with the other variable of the file
        ("MV2_USE_ONLY_UD=1", "transport", "ud"),
        ("MV2_DEBUG=1", "cores", None),
    ],
)
def test_the_variables_of_a_job_take_precedence_over_those_of_the_file(
    variable: str, setting: str, running: Any
) -> None:
    text = f"/proc/1/environ:{variable}\n"
    observations = list(platform("launcher", "mvapich2").parse(outputs(mvapich2_job=text, mvapich2_conf=MAPPED)))
    running_values = [
        value.value for value in observations if value.path == f"host.launch.{setting}" and value.state is State.RUNNING
    ]
    assert running_values == ([] if running is None else [running])


@pytest.mark.parametrize(
    ("text", "hosts", "ranks"),
    [
        ("node1 slots=8\nnode2 slots=8\n", ("node1", "node2"), 8),
        ("node1 slots = 8 max_slots=8 # head\n\n# all\nnode2 slots=8\n", ("node1", "node2"), 8),
        ("node1 slots=8\nnode2 slots=4\n", ("node1", "node2"), 8),  # of most hosts
        ("node1\nnode2\n", ("node1", "node2"), None),
        ("", (), None),  # the file exists and names no host
        ("# no host yet\n", (), None),
        ("cat: a message\n", None, None),
    ],
)
def test_a_hostfile(text: str, hosts: tuple[str, ...] | None, ranks: int | None) -> None:
    read_values = read("openmpi", hostfile=text)
    assert (read_values.get("hosts", (None,))[0], read_values.get("ranks_per_host", (None,))[0]) == (hosts, ranks)


def test_a_hostfile_of_mvapich() -> None:
    read_values = read("mvapich2", mvapich2_hosts="n0:4:mlx5_0\nn1:4\n")
    assert (read_values["hosts"][0], read_values["ranks_per_host"][0]) == (("n0", "n1"), 4)


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("LimitMEMLOCK=infinity\nLoadState=loaded\n", "unlimited"),
        ("LoadState=loaded\nLimitMEMLOCK=67108864\n", "67108864"),
        ("LimitMEMLOCK=8388608\nLoadState=not-found\n", None),  # systemd's default, of a unit that is not there
        ("LimitMEMLOCK=infinity\n", None),
    ],
)
def test_the_limit_of_slurmd(text: str, limit: str | None) -> None:
    assert read("slurm", slurmd=text).get("memlock", (None,))[0] == limit


def test_a_rank_without_cores_between_two_others_leaves_all_unknown() -> None:
    assert read("openmpi", rank_cores="0) cores=0-3 ;;\n1) cores=4-7 ;;\n")["cores"][0] == ((0, 1, 2, 3), (4, 5, 6, 7))
    assert read("openmpi", rank_cores="0) cores=0-3 ;;\n2) cores=4-7 ;;\n") == {}
    assert read("openmpi", rank_cores="0) cores=0-3 ;;\n1) cores=7-4,8 ;;\n") == {}
    assert read("openmpi", rank_cores="0) cores=0-3 ;;\n1) cores=7-4 ;;\n") == {}


@pytest.mark.parametrize(("launcher", "command"), COMMANDS)
@given(text=st.text(alphabet="MV2NCUX_IBTLSD=:,-0x19 \n\t/proc\"'$\\[]|é\x00"))
def test_no_text_breaks_a_parser(launcher: str, command: str, text: str) -> None:
    read(launcher, **{command.replace("-", "_"): text})


@pytest.mark.parametrize(
    ("cores", "messages"),
    [
        (((0,), (1,)), ["MV2_ENABLE_AFFINITY=0", "MV2_SUPPORT_DPM=1"]),
        (None, []),  # a job with threads may bind them itself
    ],
)
def test_variables_that_turn_affinity_off_are_refused_beside_planned_cores(cores: Any, messages: list[str]) -> None:
    environment = {"MV2_ENABLE_AFFINITY": "0", "MV2_SUPPORT_DPM": "1"}
    launch = Launch(library="mvapich2", launcher="hydra", cores=cores, environment=environment)
    problems = list_unsupported_settings("node1", Host(launch=launch))
    assert [problem.found for problem in problems] == messages


@pytest.mark.parametrize(
    ("text", "ranks", "other_ranks"),
    [
        ("n0:4\nn1:4\nn2:2\n", 4, {"n2": 2}),
        ("n0:4\nn1:4\n", 4, {}),
        ("n0:2\nn1:4\nn0:2\n", 4, {}),  # mpirun_rsh starts the ranks of every line
        ("n0:4\nn1\n", None, None),
    ],
)
def test_hosts_with_another_number_of_ranks(text: str, ranks: int | None, other_ranks: dict[str, int] | None) -> None:
    read_values = read("mvapich2", mvapich2_hosts=text)
    assert [read_values.get(name, (None,))[0] for name in ("ranks_per_host", "other_ranks")] == [ranks, other_ranks]
