"""A GPU that left the bus, an on-board NIC that is not planned, and a GPU driver that dkms has not built.

The bundle is as planned otherwise. Lines: kernel driver bnxt_en, bnxt_report_link (netdev_err); rocm-smi of Broadcom
957608-AN210, 8.5; dkms status of https://github.com/ROCm/legacy-rocm-build/issues/5624.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from wirespeed.checks import run
from wirespeed.cluster import read, read_text
from wirespeed.collect import read_facts, write_planned_bundle
from wirespeed.plan import build
from wirespeed.plan.locate import locate
from wirespeed.results.findings import Finding, Status

CLUSTER = Path(__file__).parents[2] / "examples" / "mi300x-4node" / "cluster.yaml"
ON_BOARD = """
0000:04:00.1 Ethernet controller [0200]: Broadcom Inc. and subsidiaries BCM57416 [14e4:16d8] (rev 01)
	Control: I/O- Mem+ BusMaster+
	Capabilities: [ac] Express (v2) Endpoint, MSI 00
"""


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    write_planned_bundle(build(read(CLUSTER)), tmp_path / "bundle")
    return tmp_path / "bundle"


def list_failures(bundle: Path) -> list[Finding]:
    facts = read_facts(bundle)
    return [finding for finding in run(locate(build(read(CLUSTER)), facts), facts) if finding.status is Status.FAIL]


def change(file: Path, pattern: str, replacement: str) -> None:
    text = file.read_text()
    changed, count = re.subn(pattern, replacement, text)
    assert count
    file.write_text(changed)


def test_links_to_a_missing_gpu_follow_from_it(bundle: Path) -> None:
    node = bundle / "node1"
    change(node / "lspci.out", r"(?s)0000:e6:00\.0 Processing.*?\n\n", "")
    change(node / "rocm-smi.out", r"GPU\[7\].*\n", "")
    change(node / "rocm-topology.out", r"(?m)^GPU7.*\n|(?:XGMI|GPU7) *$", "")
    findings = list_failures(bundle)
    assert [(finding.check, finding.place) for finding in findings if finding.cause is None] == [
        ("gpu.presence", "gpu GPU7")
    ]
    assert {(finding.check, finding.cause, finding.cause_place) for finding in findings if finding.cause} == {
        ("gpu.links", "gpu.presence", "gpu GPU7")
    }


def test_a_second_missing_link_does_not_follow_from_a_missing_gpu(bundle: Path) -> None:
    node = bundle / "node1"
    change(node / "lspci.out", r"(?s)0000:e6:00\.0 Processing.*?\n\n", "")
    change(node / "rocm-smi.out", r"GPU\[7\].*\n", "")
    change(node / "rocm-topology.out", r"(?m)^GPU7.*\n|(?:XGMI|GPU7) *$", "")
    change(node / "rocm-topology.out", r"(?m)^GPU0   0            XGMI", "GPU0   0            PCIE")
    counted = {(finding.check, finding.place) for finding in list_failures(bundle) if finding.cause is None}
    assert ("gpu.links", "gpu GPU0") in counted


@pytest.mark.parametrize(
    ("port", "checks"), [("0000:04:00.1 eno2np1", []), ("0000:1d:00.0 enp29s0np0", ["host.kernel-log"])]
)
def test_only_planned_nics_are_looked_for_in_the_kernel_log(port: str, checks: list[str], bundle: Path) -> None:
    (bundle / "node1" / "dmesg.out").write_text(f"kern  :err   : [   12.3] bnxt_en {port}: NIC Link is Down\n")
    lspci = bundle / "node1" / "lspci.out"
    lspci.write_text(lspci.read_text() + ON_BOARD)
    assert [finding.check for finding in list_failures(bundle)] == checks


@pytest.mark.slow
@pytest.mark.parametrize(
    ("state", "failures"),
    [
        (", 6.8.0-111-generic, x86_64: installed (Original modules exist)", []),
        (
            ", 6.8.0-60-generic, x86_64: installed (Original modules exist)",
            ["6.16.6-2255209.24.04 for kernel 6.8.0-60-generic, not for the running 6.8.0-111-generic"],
        ),
        (": added", ["6.16.6-2255209.24.04 added, but built for no kernel (running: 6.8.0-111-generic)"]),
    ],
)
def test_the_gpu_driver_is_built_for_the_running_kernel(state: str, failures: list[str], tmp_path: Path) -> None:
    software = "software: {kernel: 6.8.0-111-generic, rocm: 7.1.0}"
    plan = build(read_text(CLUSTER.read_text().replace("os: ubuntu-22.04", f"os: ubuntu-22.04, {software}"), "c.yaml"))
    write_planned_bundle(plan, tmp_path / "bundle")
    dkms = tmp_path / "bundle" / "node1" / "dkms.out"
    lines = [line for line in dkms.read_text().splitlines() if not line.startswith("amdgpu")]
    dkms.write_text("\n".join([*lines, f"amdgpu/6.16.6-2255209.24.04{state}"]) + "\n")
    facts = read_facts(tmp_path / "bundle")
    findings = [finding for finding in run(locate(plan, facts), facts) if finding.status is Status.FAIL]
    assert [(finding.check, finding.found) for finding in findings] == [
        ("software.packages", text) for text in failures
    ]


_BUILT = {"bnxt_en": "1.10.3-234.0.154.0", "bnxt_re": "234.0.154.0", "ib_peer_mem": "234.0.154.0"}


@pytest.mark.slow
@pytest.mark.parametrize("has_dkms", [True, False])
@pytest.mark.parametrize(
    ("versions", "statuses"),  # with dkms and without
    [
        (_BUILT, (Status.PASS, Status.PASS)),
        (_BUILT | {"bnxt_re": "232.0.155.5"}, (Status.FAIL, Status.FAIL)),
        (_BUILT | {"ib_peer_mem": None}, (Status.FAIL, Status.UNKNOWN)),
    ],
)
def test_drivers_from_the_source_archive_have_no_package(
    versions: dict[str, str | None], statuses: tuple[Status, Status], has_dkms: bool, tmp_path: Path
) -> None:
    """Broadcom 957608-AN210, section 2.2.3 and appendix A: make install, without DKMS."""
    software = "software: {kernel: 6.8.0-111-generic, nic_packages: {netxtreme-peer-mem: 234.0.154.0}}"
    plan = build(read_text(CLUSTER.read_text().replace("os: ubuntu-22.04", f"os: ubuntu-22.04, {software}"), "c.yaml"))
    write_planned_bundle(plan, tmp_path / "bundle")
    node = tmp_path / "bundle" / "node1"
    loaded = {name: version for name, version in versions.items() if version is not None}
    (node / "module-versions.out").write_text(
        "".join(f"/sys/module/{name}/version:{version}\n" for name, version in loaded.items())
    )
    (node / "dkms.out").write_text("")
    if not has_dkms:
        manifest = tmp_path / "bundle" / "manifest.json"
        document = json.loads(manifest.read_text())
        for output in next(device for device in document["devices"] if device["name"] == "node1")["outputs"]:
            if output["command"] == "dkms":
                output.update(status="missing", file=None, exit_code=127)
        manifest.write_text(json.dumps(document))
    facts = read_facts(tmp_path / "bundle")
    findings = [finding for finding in run(locate(plan, facts), facts) if finding.check == "software.packages"]
    of_node = [finding.status for finding in findings if finding.device == "node1"]
    assert of_node == [statuses[not has_dkms]]


def test_a_nic_on_the_other_socket_fails(bundle: Path) -> None:
    """A public table of an XE9680 with eight MI300X, after its sysfs, has GPUs 0 to 3 and their NICs on node 0."""
    node = bundle / "node1"
    change(node / "lspci.out", r"(?s)(\n0000:1d:00\.0 Ethernet.*?NUMA node: )0", r"\g<1>1")
    change(node / "pcie-sysfs@enp29s0np0.out", r"numa_node:0", "numa_node:1")
    assert [(finding.check, finding.place) for finding in list_failures(bundle)] == [
        ("nic.numa-node", "bnxt_re0 / enp29s0np0 / 0000:1d:00.0")
    ]


HEADER = "\n\n\n============================ ROCm System Management Interface ============================\n"
FOOTER = "================================== End of ROCm SMI Log ===================================\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "status"),
    [
        pytest.param("", Status.FAIL, id="driver-not-loaded"),  # its message goes to standard error; exit code 0
        pytest.param(
            "cat: /sys/module/amdgpu/initstate: No such file or directory\n"
            "ERROR:root:Driver not initialized (amdgpu not found in modules)\n",
            Status.FAIL,
            id="driver-not-loaded-with-standard-error",
        ),
        pytest.param(HEADER + "===== PCI Bus ID =====\n" + FOOTER, Status.FAIL, id="no-gpu"),
        pytest.param(HEADER + "WARNING: No AMD GPUs specified\n", Status.FAIL, id="no-gpu-with-standard-error"),
        pytest.param(HEADER, Status.UNKNOWN, id="cut-short"),
        pytest.param("ROCm SMI returned 8 (the expected value is 0)\n", Status.UNKNOWN, id="another-error"),
    ],
)
def test_a_tool_without_gpus_fails_them(text: str, status: Status, bundle: Path) -> None:
    node = bundle / "node1"
    (node / "rocm-smi.out").write_text(text)
    (node / "rocm-topology.out").write_text(text)
    facts = read_facts(bundle)
    findings = [finding for finding in run(locate(build(read(CLUSTER)), facts), facts) if finding.device == "node1"]
    presence = [finding for finding in findings if finding.check == "gpu.presence"]
    assert [finding.status for finding in presence] == 8 * [status]
    # Without GPUs in the list, links of GPUs follow from it; in a list that was cut short, they were not read.
    links = {finding.status for finding in findings if finding.check == "gpu.links"}
    assert links == {Status.SKIP if status is Status.FAIL else Status.UNKNOWN}
    if status is Status.FAIL:
        assert all("the vendor's tool lists 0 of 8 GPUs" in finding.found for finding in presence)
    failed_checks = {finding.check for finding in findings if finding.status not in (Status.PASS, Status.SKIP)}
    assert failed_checks == {"gpu.presence"} | (set() if status is Status.FAIL else {"gpu.links"})


def test_nvidia_s_tool_does_not_list_amd_s_gpus(bundle: Path) -> None:
    node = bundle / "node1"
    (node / "nvidia-gpus.out").write_text("No devices were found\n")
    (node / "rocm-smi.out").write_text(HEADER)
    facts = read_facts(bundle)
    statuses = {
        finding.status
        for finding in run(locate(build(read(CLUSTER)), facts), facts)
        if finding.device == "node1" and finding.check == "gpu.presence"
    }
    assert statuses == {Status.UNKNOWN}


def test_nics_that_share_an_uplink_that_the_plan_gives_them_separately_fail(bundle: Path) -> None:
    """957608-AN210, chapter 4: a PCIe switch can be two virtual switches, each with its own uplink."""
    branches = ", ".join(f"{{switch: [{{gpu: {n}}}, {{nics: [{n + 1}]}}], numa_node: {n // 4}}}" for n in range(8))
    servers = f"hardware: {{servers: {{separate: {{base: dell-xe9680-mi300x, pcie: [{branches}]}}}}}}\n"
    text = CLUSTER.read_text().replace("model: dell-xe9680-mi300x", "model: separate")
    plan = build(read_text(text.replace("hosts:\n", f"{servers}hosts:\n", 1), "c.yaml"))
    facts = read_facts(bundle)
    findings = [finding for finding in run(locate(plan, facts), facts) if finding.status is Status.FAIL]
    assert {finding.check for finding in findings} == {"nic.gpu-path"}
    assert len(findings) == 8 * len(plan.hosts)
    assert findings[0].expected == "no uplink in common with enp67s0np0"
    assert findings[0].found == (
        "uplink 1a:00.0 with enp67s0np0, which carries 461 Gb/s per direction; these NICs: 800 Gb/s"
    )
