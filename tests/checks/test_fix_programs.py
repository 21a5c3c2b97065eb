"""A fix uses the program that showed the setting: the host may lack every other one.

Commands of bnxtnvm: Arista and Broadcom, Lossless Network for AI/ML/Storage/HPC with RDMA, "Configuring NVRAM"; those
of niccli: Broadcom 957608-AN210, 2.2.4, and up to release 233 with one hyphen.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from wirespeed.checks import run
from wirespeed.cli import flows
from wirespeed.cluster import read
from wirespeed.collect import read_facts, write_planned_bundle
from wirespeed.plan import build
from wirespeed.plan.locate import locate
from wirespeed.results.findings import Status

CLUSTER = Path(__file__).parents[2] / "examples" / "arista-leaf-spine" / "cluster.yaml"
FIXES = {
    "nvm": {
        "nic.nvm-rdma": "niccli --dev 0000:01:00.0 nvm --setoption support_rdma --scope 0 --value 1",
        "nic.nvm-performance-profile": "niccli --dev 0000:01:00.0 nvm --setoption performance_profile --value 1",
    },
    "old-nvm": {
        "nic.nvm-rdma": "niccli -dev 0000:01:00.0 nvm -setoption support_rdma -value 1 -scope 0",
        "nic.nvm-performance-profile": "niccli -dev 0000:01:00.0 nvm -setoption performance_profile -value 1",
    },
    "bnxtnvm": {
        "nic.nvm-rdma": "bnxtnvm -dev=ens7f0np0 setoption=support_rdma:0#1",
        "nic.nvm-performance-profile": "bnxtnvm -dev=ens7f0np0 setoption=performance_profile#1",
    },
}
OUTPUTS = {"support-rdma": "Disabled\n", "performance-profile": "Default\n"}


def replace_program(bundle: Path, program: str) -> None:
    """Make the options of node1 the output of one program, with two wrong values."""
    manifest = json.loads((bundle / "manifest.json").read_text())
    for device in manifest["devices"]:
        for output in device["outputs"] if device["name"] == "node1" else ():
            if output["command"].startswith("nvm-"):
                option, _, interface = output["command"].removeprefix("nvm-").partition("@")
                file = bundle / output["file"]
                output["command"] = f"{program}-{option}@{interface}"
                output["file"] = f"node1/{output['command']}.out"
                file.rename(bundle / output["file"])
                if option in OUTPUTS:
                    (bundle / output["file"]).write_text(OUTPUTS[option])
    (bundle / "manifest.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize("program", FIXES)
def test_options_of_a_nic_are_set_with_the_program_that_showed_them(program: str, tmp_path: Path) -> None:
    plan = build(read(CLUSTER))
    write_planned_bundle(plan, tmp_path / "bundle")
    replace_program(tmp_path / "bundle", program)
    facts = read_facts(tmp_path / "bundle")
    located_plan = locate(plan, facts)
    failures = [finding for finding in run(located_plan, facts) if finding.status is Status.FAIL]
    commands = {finding.check: finding.fix[0].commands for finding in flows.add_commands(located_plan, failures)}
    assert commands == {check: (command,) for check, command in FIXES[program].items()}


@pytest.mark.parametrize(
    ("tools", "utility", "expected"),
    [
        ("/usr/bin/bnxtqos", 1, 1),  # the document's host: no niccli
        ("/usr/bin/bnxtqos\n/usr/sbin/lldptool", 2, 2),
        ("/usr/bin/bnxtqos", 3, 1),  # the file names a program that is missing
        ("/usr/bin/bnxtqos\n/usr/sbin/niccli", 1, 3),
    ],
)
def test_traffic_classes_are_set_with_a_program_that_the_host_has(
    tools: str, utility: int, expected: int, tmp_path: Path
) -> None:
    plan = build(read(CLUSTER))
    write_planned_bundle(plan, tmp_path / "bundle")
    node = tmp_path / "bundle" / "node1"
    (node / "qos-tools.out").write_text(f"{tools}\n")
    for file, old, new in (
        ("bnxt-re-conf", "UTILITY=3", f"UTILITY={utility}"),
        ("cc", "roce_dscp:0x20", "roce_dscp:0x10"),
    ):
        path = node / f"{file}@ens7f0np0.out"
        path.write_text(path.read_text().replace(old, new))
    facts = read_facts(tmp_path / "bundle")
    located_plan = locate(plan, facts)
    findings = flows.add_commands(located_plan, run(located_plan, facts))
    (finding,) = [finding for finding in findings if finding.check == "nic.qos-marks" and finding.status is Status.FAIL]
    file_line, script = finding.fix[0].commands
    assert f" UTILITY={expected} > /etc/bnxt_re/bnxt_re.conf" in file_line
    assert script.endswith(f" -u {expected}")


INBOX = {"cc_mode": 1, "enable_cc": 1, "tos_ecn": 1, "tos_dscp": 32, "alt_vlan_dscp": 36, "run_avg_weight_g": 8}
"""Attributes of the kernel's own driver as planned: Linux, drivers/infiniband/hw/bnxt_re/debugfs.c."""
DEBUGFS = "/sys/kernel/debug/bnxt_re/0000:01:00.0/cc_config"


def use_kernel_driver(bundle: Path, values: dict[str, int]) -> None:
    """Make the congestion control of node1's NIC the output of the kernel's own driver, which has no configfs."""
    manifest = json.loads((bundle / "manifest.json").read_text())
    for device in manifest["devices"]:
        for output in device["outputs"] if device["name"] == "node1" else ():
            if output["command"].startswith("cc@"):
                (bundle / output["file"]).unlink()
                output["command"] = output["command"].replace("cc@", "cc-inbox@")
                output["file"] = f"node1/{output['command']}.out"
                lines = [f"{DEBUGFS}/{name}:{value}" for name, value in values.items()]
                (bundle / output["file"]).write_text("\n".join(lines) + "\n")
    (bundle / "manifest.json").write_text(json.dumps(manifest))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wrong", "parameters", "check", "attributes"),
    [
        ({"cc_mode": 0}, "", "fabric.congestion-control", ["cc_mode", "enable_cc", "tos_ecn"]),
        ({"enable_cc": 0}, "", "nic.congestion-control", ["cc_mode", "enable_cc", "tos_ecn"]),
        ({"tos_ecn": 0}, "", "nic.ecn-marking", ["cc_mode", "enable_cc", "tos_ecn"]),
        ({"tos_dscp": 0}, "", "nic.qos-marks", ["tos_dscp"]),
        (
            {"run_avg_weight_g": 7},
            "{g: 8}",
            "nic.congestion-parameters",
            ["cc_mode", "enable_cc", "tos_ecn", "run_avg_weight_g"],
        ),
        ({}, "{g: 8, ai_rate_incr: 4}", "nic.congestion-parameters", []),  # no such attribute
    ],
)
def test_the_kernels_own_driver_is_set_through_its_debugfs(
    wrong: dict[str, int], parameters: str, check: str, attributes: list[str], tmp_path: Path
) -> None:
    """It has no configfs; a sentence remains where it has no attribute."""
    nic = f", nic: {{congestion_parameters: {parameters}}}}}" if parameters else "}"
    text = CLUSTER.read_text().replace("congestion: dcqcn-p}", f"congestion: dcqcn-p{nic}")
    (tmp_path / "cluster.yaml").write_text(text)
    plan = build(read(tmp_path / "cluster.yaml"))
    write_planned_bundle(plan, tmp_path / "bundle")
    use_kernel_driver(tmp_path / "bundle", {**INBOX, **wrong})
    facts = read_facts(tmp_path / "bundle")
    located_plan = locate(plan, facts)
    findings = flows.add_commands(located_plan, run(located_plan, facts))
    (finding,) = [entry for entry in findings if entry.check == check and entry.status is Status.FAIL]
    expected = [f"echo {INBOX[name]} > {DEBUGFS}/{name}" for name in attributes]
    assert (list(finding.fix[0].commands), len(finding.fix)) == (expected, 1)
