"""Files and running jobs of MVAPICH2 and UCX on a host, and what checks and differences state about them."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirespeed.catalogue import load
from wirespeed.checks import run
from wirespeed.checks.launch import ENVIRONMENT_FIX
from wirespeed.cluster import read_text
from wirespeed.collect import read_facts, write_planned_bundle
from wirespeed.plan import build
from wirespeed.results.findings import Finding, Status

CLUSTER = """\
version: 1
name: jobs
hosts:
  node[1-2]: {model: dell-r6525, os: rhel-8.8, nics: broadcom-bcm957508-p2100g}
switches:
  leaf1: {model: dell-z9332f, os: dell-sonic, role: leaf, breakout: 4}
cabling: {pattern: by-host, length: 3 m}
addresses: {scheme: rail-24, pool: 10.1.0.0/16}
launch: {library: mvapich2, ranks: 4, binding: numa, transport: rc, coalescing: true, gid_index: 3}
"""
_GOOD = (Status.PASS, Status.SKIP)
RUNNING = "/proc/1/environ:"


def find(folder: Path, cluster: str, file: str, old: str, new: str) -> list[Finding]:
    """What differs from the plan where a line of a file of node1 is another one; without ``old`` it is added."""
    plan = build(read_text(cluster, "cluster.yaml"), load())
    write_planned_bundle(plan, folder)
    path = folder / "node1" / f"{file}.out"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1) if old else f"{text}{new}\n")
    findings = run(plan, read_facts(folder))
    return [finding for finding in findings if finding.check.startswith("launch.") and finding.status not in _GOOD]


@pytest.mark.parametrize(
    ("line", "check", "found_text"),
    [
        ("MV2_USE_ONLY_UD=1", "launch.transport", "ud"),
        ("MV2_IBA_HCA=mlx5_0", "launch.rdma-devices", "mlx5_0"),
        ("MV2_USE_COALESCE=0", "launch.settings", "coalescing off"),
        ("MV2_ENABLE_AFFINITY=0", "launch.cores", "none"),
        ("MV2_DEFAULT_GID_INDEX=1", "launch.gid-index", None),
    ],
)
def test_a_job_that_overrides_a_right_file_is_fixed_in_its_environment(
    line: str, check: str, found_text: str | None, tmp_path: Path
) -> None:
    (finding,) = find(tmp_path / "bundle", CLUSTER, "mvapich2-job", "", RUNNING + line)
    assert (finding.check, finding.status, finding.device) == (check, Status.FAIL, "node1")
    assert found_text is None or finding.found == found_text
    assert [(fix.sentence, fix.change) for fix in finding.fix] == [(ENVIRONMENT_FIX, None)]


def test_a_job_that_overrides_a_wrong_file_is_fixed_in_both(tmp_path: Path) -> None:
    find(tmp_path / "bundle", CLUSTER, "mvapich2-job", "", f"{RUNNING}MV2_USE_COALESCE=0")
    file = tmp_path / "bundle" / "node1" / "mvapich2-conf.out"
    file.write_text(file.read_text().replace("COALESCE = 1", "COALESCE = 0"))
    findings = run(build(read_text(CLUSTER, "cluster.yaml"), load()), read_facts(tmp_path / "bundle"))
    (finding,) = (finding for finding in findings if finding.status is Status.FAIL)
    assert [(fix.sentence, fix.change is None) for fix in finding.fix] == [
        (ENVIRONMENT_FIX, True),
        ("set the variable in the configuration file of the library", False),
    ]


UCX = CLUSTER.replace("mvapich2", "openmpi").replace("coalescing: true, ", "")


@pytest.mark.parametrize(
    ("transports", "findings"),
    [
        ("tcp,self,sm", [("launch.transport", "none"), ("launch.variables", "RDMA disabled")]),
        ("^ib", [("launch.transport", "none"), ("launch.variables", "RDMA disabled")]),
        ("self,sm,rc_x", [("launch.transport", "rc-accelerated")]),
        ("self,sm,dc", [("launch.transport", "dc")]),
        ("all", [("launch.transport", "dc-hybrid")]),
        ("^rc", [("launch.transport", "dc-ud")]),
        ("self,sm,rc_verbs", []),
        ("self,sm,dc,rc", []),  # the NIC has no DC
    ],
)
def test_a_list_of_transports_is_judged_by_what_it_enables(
    transports: str, findings: list[tuple[str, str]], tmp_path: Path
) -> None:
    bad_findings = find(tmp_path / "bundle", UCX, "ucx-conf", "self,sm,rc", transports)
    assert [(finding.check, finding.found) for finding in bad_findings] == findings
    assert {finding.status for finding in bad_findings} <= {Status.FAIL}


ENVIRONMENT = CLUSTER.replace("gid_index: 3", "gid_index: 3, environment: {MV2_ON_DEMAND_THRESHOLD: 8192}")


@pytest.mark.parametrize(
    ("file", "old", "new", "findings"),
    [
        ("mvapich2-conf", "MV2_USE_RoCE = 1\n", "", [("launch.variables", "RDMA disabled")]),
        ("mvapich2-conf", "MV2_USE_RoCE", "MV2_USE_ROCE_V2", [("launch.variables", "RDMA disabled")]),
        ("mvapich2-conf", "RoCE = 1", "RoCE_MODE = 2", []),
        ("mvapich2-conf", "MV2_USE_UD_HYBRID = 0\n", "", [("launch.transport", "hybrid (default)")]),
        ("mvapich2-conf", "= 8192", "= 64", [("launch.settings", "environment MV2_ON_DEMAND_THRESHOLD -> 64")]),
        ("mvapich2-conf", "MV2_ON_DEMAND_THRESHOLD = 8192\n", "", [("launch.settings", "environment none")]),
        (
            "mvapich2-job",
            "",
            f"{RUNNING}MV2_ON_DEMAND_THRESHOLD=64",
            [("launch.settings", "environment MV2_ON_DEMAND_THRESHOLD -> 64")],
        ),
        ("mvapich2-job", "", f"{RUNNING}MV2_DEBUG=1", []),
    ],
)
def test_a_planned_variable_that_is_absent_is_a_failure(
    file: str, old: str, new: str, findings: list[tuple[str, str]], tmp_path: Path
) -> None:
    bad_findings = find(tmp_path / "bundle", ENVIRONMENT, file, old, new)
    assert [(finding.check, finding.found) for finding in bad_findings] == findings
    assert {finding.status for finding in bad_findings} <= {Status.FAIL}


@pytest.mark.parametrize(
    ("coalescing", "status", "found_text"),
    [
        ("coalescing: true", Status.PASS, "coalescing on (default)"),
        ("coalescing: false", Status.FAIL, "coalescing on (default)"),
        ("coalescing: true, eager_sgl: true", Status.PASS, "coalescing on (default); eager SGL on"),
    ],
)
def test_a_default_that_no_file_sets_is_marked(
    coalescing: str, status: Status, found_text: str, tmp_path: Path
) -> None:
    plan = build(read_text(CLUSTER.replace("coalescing: true", coalescing), "cluster.yaml"), load())
    write_planned_bundle(plan, tmp_path / "bundle")
    path = tmp_path / "bundle" / "node1" / "mvapich2-conf.out"
    path.write_text("".join(line for line in path.read_text().splitlines(True) if "COALESCE" not in line))
    findings = run(plan, read_facts(tmp_path / "bundle"))
    (finding,) = [row for row in findings if (row.check, row.device) == ("launch.settings", "node1")]
    assert (finding.status, finding.found) == (status, found_text)


GPUS = """\
version: 1
name: gpus
hosts:
  node[1-2]: {model: dell-xe9680-mi300x, os: ubuntu-22.04, nics: 8 x broadcom-bcm957608-p1400gd}
switches:
  leaf1: {model: dell-z9664f, os: dell-sonic, role: leaf}
cabling: {pattern: by-host, length: 3 m}
addresses: {scheme: link-31, pool: 10.1.0.0/16}
launch: {library: rccl, channels: 32, environment: {NCCL_PXN_DISABLE: 1}}
"""


@pytest.mark.parametrize(
    ("line", "status"),
    [
        # NCCL documentation, environment variables, debugging: not to be kept in files
        ("NCCL_P2P_DISABLE=1", Status.FAIL),
        ("NCCL_P2P_DISABLE=0", None),
        ("NCCL_P2P_DISABLE=0x0", None),
        ("NCCL_P2P_DISABLE=0x1", Status.FAIL),
        ("NCCL_P2P_DISABLE=2", None),  # only 1 disables
        ("NCCL_P2P_DISABLE=", None),
        ("NCCL_NVB_DISABLE=00", None),
        ("NCCL_PROTO=Bogus", Status.WARN),
        ("NCCL_TOPO_DUMP_FILE=/tmp/topo.xml", None),
        ("NCCL_ALGO=Tree", Status.FAIL),
        ("NCCL_ALGO=Ring,Tree", Status.WARN),
        ("NCCL_ALGO=^NVLS", Status.WARN),
        ("NCCL_PROTO=LL", Status.FAIL),
        ("NCCL_PROTO=LL,LL128,Simple", Status.WARN),
        ("NCCL_NVB_DISABLE=1", Status.FAIL),
        ("NCCL_MAX_NCHANNELS=1", Status.FAIL),
        ("NCCL_MAX_NCHANNELS=31", Status.FAIL),  # 32 are planned
        ("NCCL_MAX_NCHANNELS=32", None),
        ("NCCL_BUFFSIZE=4096", Status.FAIL),
        ("NCCL_BUFFSIZE=0x1000", Status.FAIL),
        ("NCCL_BUFFSIZE=4194304", None),
        ("NCCL_BUFFSIZE=8388608", Status.WARN),
        ("RCCL_MSCCL_ENABLE=0", Status.WARN),
        ("NCCL_DEBUG=INFO", None),
        ("NCCL_DEBUG_SUBSYS=NET", None),
        ("LD_LIBRARY_PATH=/opt", None),
    ],
)
def test_a_variable_that_is_not_planned_is_a_finding(line: str, status: Status | None, tmp_path: Path) -> None:
    findings = find(tmp_path / "bundle", GPUS, "rccl-conf", "", line)
    expected = [] if status is None else [("launch.variables", status, line)]
    assert [(finding.check, finding.status, finding.found) for finding in findings] == expected


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("NCCL_MAX_NCHANNELS=1", Status.FAIL),  # NCCL uses every ring twice
        ("NCCL_MAX_CTAS=24", Status.WARN),  # fewer than NCCL would choose on some hardware
        ("NCCL_MAX_NCHANNELS=64", None),
        ("NCCL_P2P_LEVEL=LOC", Status.FAIL),  # as NCCL_P2P_DISABLE=1
        ("NCCL_P2P_LEVEL=0", Status.FAIL),
        ("NCCL_P2P_LEVEL=PHB", None),
    ],
)
def test_a_limit_of_channels_or_peers_without_planned_ones(line: str, status: Status | None, tmp_path: Path) -> None:
    cluster = GPUS.replace("dell-xe9680-mi300x", "nvidia-dgx-h100").replace("rccl, channels: 32", "nccl")
    findings = find(
        tmp_path / "bundle",
        cluster.replace("broadcom-bcm957608-p1400gd", "nvidia-mcx75310aas-neat"),
        "nccl-conf",
        "",
        line,
    )
    assert [finding.status for finding in findings] == ([] if status is None else [status])


def test_evidence_of_variables_is_the_line_of_each(tmp_path: Path) -> None:
    findings = find(tmp_path / "bundle", GPUS, "rccl-conf", "", "NCCL_ALGO=Tree\nNCCL_X=1\nNCCL_PROTO=LL")
    lines = (tmp_path / "bundle" / "node1" / "rccl-conf.out").read_text().splitlines()
    evidence = {text: f"node1: rccl-conf (node1/rccl-conf.out:{number})" for number, text in enumerate(lines, 1)}
    assert {finding.status: finding.evidence for finding in findings} == {
        Status.FAIL: (evidence["NCCL_ALGO=Tree"], evidence["NCCL_PROTO=LL"]),
        Status.WARN: (evidence["NCCL_X=1"],),
    }
