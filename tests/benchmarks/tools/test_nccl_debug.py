"""Debug lines of NCCL and RCCL: what each communicator is, beside the log; what a part of the log may contain.

The logs of tests/samples/nccl_log are made in the form that src/debug.cc, src/init.cc and src/transport of NCCL 2.8 to
2.30 and RCCL print.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.benchmarks.tools.samples import SAMPLES, compare_expected
from tests.benchmarks.tools.test_truncated_logs import WRAPPERS

from wirespeed.benchmarks import Reading, read
from wirespeed.benchmarks.judge.nccl_evidence import evidence
from wirespeed.benchmarks.tools.nccl_debug.lines import Via, algorithm, parse_cores, protocol, via
from wirespeed.errors import Refusal
from wirespeed.results.benchmarks import RunStatus
from wirespeed.results.json import document, plain
from wirespeed.results.nccl import Communicator

LOGS = sorted((SAMPLES / "nccl_log").glob("*.txt"))
INIT = (
    "alpha:7:9 [0] NCCL INFO ncclCommInitRank comm 0xa1 rank 0 nranks 2 cudaDev 0 busId 1b000 commId 0xc1 - Init {}\n"
)


def communicators(text: str) -> tuple[Communicator, ...]:
    """The communicators of a text; none when it is refused."""
    try:
        return read(text).communicators
    except Refusal:
        return ()


def test_every_log_gives_what_stands_beside_it() -> None:
    texts = {log.name: document("nccl-communicators", 1, communicators=communicators(log.read_text())) for log in LOGS}
    assert compare_expected(LOGS[0].parent, texts) == []


def flatten_facts(body: object, path: str = "") -> Iterator[str]:
    """Every fact of a communicator as text; what only counts or sums up lines is left out."""
    if isinstance(body, dict):
        for name, value in body.items():
            if name not in ("line", "complete", "ranks_seen", "count", "connections", "channels", "gdrdma", "text"):
                yield from flatten_facts(value, f"{path}/{name}")
    elif isinstance(body, list):
        for value in body:
            yield from flatten_facts(value, path)
    elif body is not None:
        yield f"{path}={body}"


@settings(max_examples=50, deadline=None)
@given(st.sampled_from([log.read_text() for log in LOGS]), st.data())
def test_a_cut_log_has_no_values_that_the_whole_log_lacks(text: str, data: st.DataObject) -> None:
    end = data.draw(st.integers(0, len(text)))
    part, whole = communicators(text[:end]), communicators(text)
    facts = {fact for communicator in whole for fact in flatten_facts(plain(communicator))}
    environment = {f"/environment/{name}" for communicator in whole for name in communicator.differing_environment}
    for entry in part:
        for fact in flatten_facts(plain(entry)):
            assert fact in facts or fact.partition("=")[0] in environment or "traffic_class" in fact, fact


@settings(max_examples=150, deadline=None)
@given(st.sampled_from([log.read_text() for log in LOGS]), st.data())
def test_damaged_logs_never_break_the_reader(text: str, data: st.DataObject) -> None:
    start, end = sorted((data.draw(st.integers(0, len(text))), data.draw(st.integers(0, len(text)))))
    damage = data.draw(st.text(max_size=20))
    document("bench-runs", 1, communicators=communicators(text[:start] + damage + text[end:]))


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("log", [log for log in LOGS if log.name != "two-nodes-roce.txt"], ids=lambda log: log.name)
def test_what_a_wrapper_adds_changes_nothing(wrapper: str, log: Path) -> None:
    text = "".join(f"{line}\n" for line in log.read_text().splitlines() if line)
    wrapped = "".join(WRAPPERS[wrapper](line) + "\n" for line in text.splitlines())
    assert [plain(communicator) for communicator in communicators(wrapped)] == [
        plain(communicator) for communicator in communicators(text)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("NET/IB/0/GDRDMA", Via("NET/IB", 0, True, False, None)),
        ("NET/IB/7", Via("NET/IB", 7, False, False, None)),
        ("NET/IB/2(5)/GDRDMA/Shared", Via("NET/IB", 2, True, True, None)),
        ("NET/IB/1/GDRDMA(PCI)", Via("NET/IB", 1, True, False, None)),
        ("NET/Socket/0", Via("NET/Socket", 0, False, False, None)),
        ("NET/AWS Libfabric/3/GDRDMA", Via("NET/AWS Libfabric", 3, True, False, None)),
        ("NET/NCCL RDMA Plugin v6/0(2)/GDRDMA/Shared", Via("NET/NCCL RDMA Plugin v6", 0, True, True, None)),
        ("NET/IB/0/GDRDMA/Shared comm 0x55d nRanks 16", Via("NET/IB", 0, True, False, "0x55d")),
        ("COLLNET/SHARP/0/GDRDMA", Via("COLLNET/SHARP", 0, True, False, None)),
        ("P2P/CUMEM/read", Via("P2P/CUMEM/read", None, None, False, None)),
        ("P2P/direct pointer comm 0x7f nRanks 08", Via("P2P/direct pointer", None, None, False, "0x7f")),
        ("SHM/direct/direct", Via("SHM/direct/direct", None, None, False, None)),
        ("direct shared memory", Via("SHM", None, None, False, None)),
        ("NET/IB/", None),
        ("the door", None),
    ],
)
def test_what_a_connection_goes_over(text: str, expected: Via | None) -> None:
    assert via(text) == expected


@pytest.mark.parametrize(
    ("text", "name"),
    [("RING", "RING"), ("Ring", "RING"), ("1", "RING"), ("NVLSTree", "NVLS_TREE"), ("5", "NVLS_TREE"), ("9", "9")],
)
def test_algorithms_have_one_name(text: str, name: str) -> None:
    assert algorithm(text) == name
    assert protocol("2") == protocol("Simple") == "SIMPLE"


def test_gpudirect_is_rendered_for_each_direction() -> None:
    (communicator,) = communicators((SAMPLES / "nccl_log" / "old-release-libfabric.txt").read_text())
    assert communicator.gdrdma == "some"
    gpudirect = {(path.host, path.direction): path.gdrdma for path in communicator.paths if path.device is not None}
    assert gpudirect == {
        ("kappa-0", "receive"): False,
        ("kappa-0", "send"): True,
        ("kappa-1", "receive"): True,
        ("kappa-1", "send"): False,
    }


def test_a_process_may_have_several_communicators() -> None:
    first, second = communicators((SAMPLES / "nccl_log" / "rccl-two-communicators.txt").read_text())
    assert (first.id, second.id) == ("0x1111222233334444", "0x5555666677778888")
    assert [(path.transport, path.connections) for path in first.paths] == [("P2P/IPC", 3)]  # one comes later
    assert [(path.transport, path.connections) for path in second.paths] == [("P2P/direct pointer", 2)]
    assert first.version == second.version == "2.22.3-HEAD:1a2b3c4"


def test_a_communicator_without_id_is_not_taken_for_one_with() -> None:
    truncated_line = "gamma:3:4 [0] NCCL INFO comm 0xe1 rank 1 nRanks 2 nNodes 2 localRanks 1 localRank 0 MNNVL 0\n"
    first, second = communicators(INIT.format("START") + truncated_line)
    assert ((first.id, first.hosts), (second.id, second.hosts)) == (("0xc1", ("alpha",)), (None, ("gamma",)))


def test_releases_have_the_same_settings_in_other_formats() -> None:
    text = (
        "alpha:7:9 [0] NCCL INFO Channel 00 :    0   1\n"  # 2.4
        "alpha:7:9 [0] NCCL INFO Ring 00 : 0 -> 1 [send] via NET/IB/1/GDRDMA\n"
        "alpha:7:9 [0] NCCL INFO CollNet 00/0 : 0 [send] via COLLNET/SHARP/0/GDRDMA\n"
        "alpha:7:9 [0] NCCL INFO 1048576 Bytes -> Algo 0 proto 1 time 12.500000\n"  # 2.8
        "(Worker pid=7, ip=10.0.0.3) alpha:7:9 [0] NCCL INFO comm 0xa1 rank 0 nranks 2 cudaDev 0 - Init COMPLETE\n"
    )
    (communicator,) = communicators(text)
    assert [ring.ranks for ring in communicator.rings] == [(0, 1)]
    assert [(path.transport, path.device, path.direction) for path in communicator.paths] == [
        ("COLLNET/SHARP", 0, "send"),
        ("NET/IB", 1, "send"),
    ]
    assert [(choice.algorithm, choice.protocol) for choice in communicator.choices] == [("TREE", "LL128")]


def test_initialization_is_complete_when_every_rank_reports_it() -> None:
    second_job = INIT.replace("alpha:7", "beta:8").replace("0xa1 rank 0", "0xb1 rank 1")
    (communicator,) = communicators(INIT.format("START") + second_job.format("START") + INIT.format("COMPLETE"))
    assert (communicator.ranks, communicator.ranks_seen, communicator.complete, communicator.hosts) == (
        2,
        2,
        False,
        ("alpha", "beta"),
    )
    (communicator,) = communicators(
        INIT.format("START") + second_job.format("START") + INIT.format("COMPLETE") + second_job.format("COMPLETE")
    )
    assert communicator.complete


def test_a_line_that_nccl_cut_gives_no_wrong_ring_or_tree() -> None:
    ring = "alpha:7:9 [0] NCCL INFO Channel 00/01 : 0 1 2 3 1\n"
    tree = "alpha:7:9 [0] NCCL INFO Trees " + " ".join(f"[{n}] 1/-1/-1->0->12" for n in range(60))
    text = INIT.format("START").replace("nranks 2", "nranks 16") + ring + tree[: tree.rindex("2")] + "\n"
    (communicator,) = communicators(text)
    assert communicator.rings == ()
    assert [dict(built_tree.parents) for built_tree in communicator.trees] == [{"0": 12}] * 59


def test_what_differs_between_processes_is_not_the_environment() -> None:
    (communicator,) = communicators((SAMPLES / "nccl_log" / "two-nodes-roce.txt").read_text())
    assert communicator.environment == {"NCCL_IB_HCA": "mlx5_0,mlx5_1", "NCCL_NET_GDR_LEVEL": "SYS"}
    assert (communicator.differing_environment, communicator.traffic_class) == ({"NCCL_IB_TC": ("106", "96")}, None)


def test_warnings_have_their_causes_and_are_counted() -> None:
    (communicator,) = communicators((SAMPLES / "nccl_log" / "status-12.txt").read_text())
    assert [(warning.host, warning.count, warning.line) for warning in communicator.warnings] == [
        ("mu1", 2, 5),
        ("mu2", 1, 11),
    ]
    assert all("SW-01" in warning.failures for warning in communicator.warnings)


def test_why_sockets_are_taken_is_a_warning() -> None:
    text = "alpha:7:9 [0] NCCL INFO Failed to open libibverbs.so[.1]\nalpha:7:9 [0] NCCL INFO Using network Socket\n"
    (communicator,) = communicators(text)
    assert (communicator.network, [warning.text for warning in communicator.warnings]) == (
        "Socket",
        ["Failed to open libibverbs.so[.1]"],
    )
    assert communicator.warnings[0].failures[0] == "NCCL-01"


def two_nodes() -> Reading:
    """The log with a table."""
    return read((SAMPLES / "nccl_log" / "two-nodes-roce.txt").read_text())


def test_evidence_of_a_run() -> None:
    reading = two_nodes()
    evidence_lines = evidence(reading.runs[0], reading.communicators)
    assert evidence_lines is not None
    assert evidence_lines.algorithms == {1048576: "TREE", 2097152: "RING", 4194304: "RING"}
    assert evidence_lines.protocols == {1048576: "LL128", 2097152: "LL128", 4194304: "SIMPLE"}
    assert (evidence_lines.network, evidence_lines.link, evidence_lines.gdrdma) == ("IB", "RoCE", "all")
    assert evidence_lines.nics == {"iota1": ("mlx5_0",), "iota2": ("mlx5_0", "mlx5_1")}
    assert evidence_lines.communicator.gid_indices == (3,)
    assert evidence_lines.communicator.path_mtus == (4096,)


def test_a_size_with_two_different_reports_has_no_evidence() -> None:
    text = (SAMPLES / "nccl_log" / "two-nodes-roce.txt").read_text()
    reading = read(text.replace("4194304 Bytes -> Algo RING", "4194304 Bytes -> Algo TREE", 1))
    evidence_lines = evidence(reading.runs[0], reading.communicators)
    assert evidence_lines is not None
    assert evidence_lines.algorithms == {1048576: "TREE", 2097152: "RING"}


@pytest.mark.parametrize(
    ("value", "forced"),
    [("Ring", "RING"), ("NVLSTree", "NVLS_TREE"), ("Ring,Tree", None), ("^NVLS", None), ("1", None)],
)
def test_an_environment_that_names_one_algorithm_is_evidence(value: str, forced: str | None) -> None:
    text = (SAMPLES / "nccl_log" / "two-nodes-roce.txt").read_text()
    reading = read(
        text.replace("NCCL_NET_GDR_LEVEL set by environment to SYS", f"NCCL_ALGO set by environment to {value}")
    )
    evidence_lines = evidence(reading.runs[0], reading.communicators)
    assert evidence_lines is not None
    assert evidence_lines.forced_algorithm == forced


def test_a_communicator_of_another_size_is_no_evidence() -> None:
    reading = two_nodes()
    second_job = read(INIT.format("START")).communicators
    assert evidence(reading.runs[0], second_job) is None


def test_all_gather_counts_what_one_rank_gives() -> None:
    text = (SAMPLES / "nccl_log" / "two-nodes-roce.txt").read_text()
    text = text.replace("all_reduce_perf", "all_gather_perf").replace(
        "AllReduce: 4194304 Bytes", "AllGather: 1048576 Bytes"
    )
    reading = read(text)
    evidence_lines = evidence(reading.runs[0], reading.communicators)
    assert evidence_lines is not None
    assert evidence_lines.algorithms == {4194304: "RING"}


def test_a_row_of_the_table_broken_by_a_warning_is_put_together() -> None:
    text = (SAMPLES / "nccl_log" / "two-nodes-roce.txt").read_text()
    row = "1048576        262144     float     sum      -1"
    warning = "iota1:4101:4160 [0] net_ib.cc:9 NCCL WARN NET/IB : Got async event : port error"
    assert row in text
    broken = text.replace(row, f"{row}\n[1,0]<stdout>:{warning}\n[1,0]<stdout>:")
    (run,) = read(broken).runs
    assert [measurement.value for measurement in run.measurements] == [
        measurement.value for measurement in two_nodes().runs[0].measurements
    ]
    assert read(broken).notices == ()


def test_json_has_communicators_beside_the_runs(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from wirespeed.cli.app import app

    log = SAMPLES / "nccl_log" / "status-12.txt"
    ran = CliRunner().invoke(app, ["bench", "parse", "--format", "json", str(log)])
    assert ran.exit_code == 0
    body = json.loads(ran.stdout)
    assert [(run["tool"], run["status"], run["measurements"]) for run in body["runs"]] == [("NCCL", "failed", [])]
    assert len(body["communicators"]) == 1
    assert body["communicators"][0]["nics"][0]["name"] == "bnxt_re0"


def judge_log(log: Path) -> tuple[int, str]:
    """Exit code and output of ``bench judge``."""
    from typer.testing import CliRunner

    from wirespeed.cli.app import app

    cluster = SAMPLES.parents[1] / "examples" / "mi300x-4node" / "cluster.yaml"
    ran = CliRunner().invoke(app, ["bench", "judge", str(log), "--cluster", str(cluster)], env={"COLUMNS": "100"})
    return ran.exit_code, ran.output


def test_debug_lines_alone_are_nothing_to_judge(tmp_path: Path) -> None:
    log = tmp_path / "debug.txt"
    log.write_text(INIT.format("COMPLETE"))
    code, output = judge_log(log)
    assert code == 3
    assert "only NCCL debug lines; no benchmark results" in " ".join(output.split())
    assert output.endswith("UNKNOWN: nothing to judge\n")


SOCKETS = "(NET/Socket; `wirespeed explain NCCL-01`)"


@pytest.mark.parametrize(
    ("line", "proven"),
    [
        ("NCCL INFO Using network Socket", [f"transport between hosts: TCP sockets, NCCL did not use RDMA {SOCKETS}"]),
        (
            "NCCL INFO NET/IB : No device found.",
            [f"transport between hosts: TCP sockets, NCCL found no RDMA device {SOCKETS}"],
        ),
        (  # as in NVIDIA/nccl-tests issue 82
            "misc/ibvwrap.cc:63 NCCL WARN Failed to open libibverbs.so[.1]",
            [
                f"transport between hosts: TCP sockets, NCCL found no RDMA device {SOCKETS}",
                "misc/ibvwrap.cc:63 Failed to open libibverbs.so[.1] (`wirespeed explain NCCL-01 OS-09`)",
            ],
        ),
        ("NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/0/GDRDMA", []),  # one line shows no other NICs
    ],
)
def test_pasted_debug_lines_prove_causes(tmp_path: Path, line: str, proven: list[str]) -> None:
    log = tmp_path / "debug.txt"
    log.write_text(f"node1:4411:4422 [0] {line}\n")
    code, output = judge_log(log)
    assert code == 3
    messages = " ".join(output.split()).split("warning: ")
    assert [
        message.partition("the debug lines prove: ")[2].removesuffix(" UNKNOWN: nothing to judge").strip()
        for message in messages
        if "the debug lines prove: " in message
    ] == proven


def test_a_log_of_fatal_errors_fails_with_their_causes() -> None:
    code, output = judge_log(SAMPLES / "nccl_log" / "status-12.txt")
    assert code == 1
    assert "with error 12, opcode 0" in output
    rows = [" ".join(row.split()) for row in output.splitlines()]
    assert "NIC-05 A job uses a wrong GID index" in rows
    assert "SW-01 The MTU of a switch port or VLAN is too small" in rows
    assert rows[-1] == "FAIL: 1 run failed; nothing to judge"


@pytest.mark.parametrize(
    ("warning", "fatal"),
    [
        ("Call to ibv_modify_qp failed with error No data available errno 61", True),
        ("NET/IB : Got completion from peer 10.0.0.2<5> with error 4, opcode 1, len 0, vendor err 81", True),
        ("Failed to find net plugin", False),
        ('Missing "iommu=pt" from kernel command line', False),
    ],
)
def test_a_warning_is_fatal_where_the_communicator_cannot_continue(warning: str, fatal: bool) -> None:
    reading = read(f"{INIT.format('COMPLETE')}alpha:7:9 [0] transport.cc:1 NCCL WARN {warning}\n")
    assert [error.text for error in reading.communicators[0].fatal_errors] == (
        [f"transport.cc:1 {warning}"] if fatal else []
    )
    assert [run.status for run in reading.runs] == ([RunStatus.FAILED] if fatal else [])


def test_different_traffic_classes_are_a_conflict() -> None:
    (communicator,) = two_nodes().communicators
    (conflict,) = communicator.conflicts
    assert (conflict.variable, conflict.values, conflict.failures) == ("NCCL_IB_TC", ("96", "106"), ("QOS-01",))


def test_the_table_shows_communicators() -> None:
    from typer.testing import CliRunner

    from wirespeed.cli.app import app

    log = SAMPLES / "nccl_log" / "two-nodes-roce.txt"
    ran = CliRunner().invoke(app, ["bench", "parse", str(log)], env={"COLUMNS": "120"})
    assert ran.exit_code == 0
    for text in (
        "NCCL 2.26.5+cuda12.8 communicator, 4 ranks on 2 nodes  initialized",
        "NICs: mlx5_0 (RoCE), mlx5_1 (RoCE)",
        "GPUDirect RDMA: 8 of 8 connections",
        "WARN NCCL_IB_TC differs between processes (96, 106): processes send with different DSCPs",
        "fix: set the same NCCL_IB_TC in all processes",
        "QOS-01   Jobs send with a DSCP that NIC and switch do not expect",
        "graph: 2 rings, 2 trees",
        "iota1  NET/IB          mlx5_0 (NIC 0) through another GPU (PXN)  send       yes                       2",
        "AllReduce  4 MiB  RING       SIMPLE    2 (0 to 1)",
    ):
        assert text in ran.output


@pytest.mark.parametrize(
    ("text", "cores"),
    [
        ("ffff,0000ffff", "0-15,32-47"),  # a mask, as NCCL before ranges
        ("ffffffff,ffff0000,00000000", "48-95"),
        ("02", "1"),
        ("10", None),  # core 10, or core 4
        ("2", "2"),
        ("0-1,32-47", "0-1,32-47"),
        ("fff", None),
        ("00", None),
    ],
)
def test_cores_are_a_mask_or_ranges(text: str, cores: str | None) -> None:
    assert parse_cores(text) == cores


@pytest.mark.parametrize(
    ("message", "cores"),
    [
        ("Setting affinity for GPU 0 to ffff,ffffffff", ("0-47", None)),
        ("Affinity for GPU 0 is 0-55. (GPU affinity = 0-55 ; CPU affinity = 0-111).", ("0-55", "0-55")),
        ("Affinity for GPU 0 is empty, ignoring. (GPU affinity =  ; CPU affinity = 0-111).", ("0-111", None)),
        ("Affinity for GPU 0 is empty, ignoring. (GPU affinity = 0-7 ; CPU affinity = 8).", ("8", "0-7")),
        ("Affinity for GPU 4 is 48-71,144-167.", ("48-71,144-167", None)),
        ("Setting affinity for GPU 0 to", (None, None)),
        ("Setting affinity for GPU 0 to 10", ("10?", None)),  # core 10, or a mask of core 4
    ],
)  # fmt: skip
def test_the_cores_of_a_rank(message: str, cores: tuple[str | None, str | None]) -> None:
    """Before and after the line that names the rank."""
    function = "" if message.startswith("Setting") else "ncclTopoGetCpuAffinity: "
    line = f"alpha:7:9 [0] NCCL INFO {function}{message}\n"
    for text in (line + INIT.format("COMPLETE"), INIT.format("START") + line + INIT.format("COMPLETE")):
        (communicator,) = communicators(text)
        assert [(place.cores, place.gpu_cores) for place in communicator.places] == [cores]
