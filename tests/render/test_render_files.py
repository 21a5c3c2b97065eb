"""Content of each rendered file, and that the programs that read it accept it."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from needs import find, needs
from wirespeed import render
from wirespeed.cluster import read, read_text
from wirespeed.errors import Refusal
from wirespeed.plan import Plan, build
from wirespeed.platforms.templates import quote_yaml
from wirespeed.settings import Congestion, Discipline, Dscp, Host, NicTrafficClass, Priority

EXAMPLES = Path(__file__).parents[2] / "examples" / "mi300x-4node"
CLUSTERS = sorted(EXAMPLES.glob("cluster*.yaml"))

HOST_FILES = {
    "/etc/netplan/60-wirespeed.yaml": 0o600,
    "/etc/sysctl.d/90-wirespeed.conf": 0o644,
    "/etc/default/grub.d/90-wirespeed.cfg": 0o644,
    "/etc/modules-load.d/90-wirespeed.conf": 0o644,
    "/usr/local/sbin/wirespeed-acs": 0o755,
    "/etc/systemd/system/wirespeed-acs.service": 0o644,
    "/etc/security/limits.d/90-wirespeed-memlock.conf": 0o644,
    "/etc/systemd/system.conf.d/90-wirespeed-memlock.conf": 0o644,
    "/etc/udev/rules.d/60-rdma-persistent-naming.rules": 0o644,
    "/etc/bnxt_re/bnxt_re.conf": 0o644,
    "/usr/local/sbin/wirespeed-nvm": 0o755,
    "/usr/local/sbin/wirespeed-capture": 0o755,
    "/usr/local/sbin/wirespeed-capture-undo": 0o755,
    "/etc/rccl.conf": 0o644,
    "/etc/wirespeed/hostfile": 0o644,
    "/usr/local/bin/wirespeed-mpirun": 0o755,
    "/usr/local/bin/wirespeed-perftest": 0o755,
    "bios-checklist.txt": 0o644,
    "apply.sh": 0o755,
    "rollback.sh": 0o755,
}


def build_plan(cluster: str = "cluster.yaml", **changes: str) -> Plan:
    """The plan of an example, with texts of its cluster file replaced."""
    text = (EXAMPLES / cluster).read_text()
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    return build(read_text(text, cluster))


def texts(plan: Plan, device: str = "node1") -> dict[str, str]:
    """Rendered text by path."""
    return {file.path: file.text for file in render.files(plan, [device])}


def with_host(plan: Plan, host: Host) -> Plan:
    """The plan with another node1."""
    return replace(plan, hosts={**plan.hosts, "node1": host})


@pytest.mark.parametrize("cluster", CLUSTERS, ids=lambda path: path.stem)
def test_a_host_gets_these_files_with_these_modes(cluster: Path) -> None:
    assert {file.path: file.mode for file in render.files(build(read(cluster)), ["node1"])} == HOST_FILES


@pytest.mark.slow
@pytest.mark.parametrize("cluster", CLUSTERS, ids=lambda path: path.stem)
def test_netplan_takes_every_host_of_every_example(cluster: Path, tmp_path: Path) -> None:
    needs("netplan")
    plan = build(read(cluster))
    render.write(render.files(plan, list(plan.hosts)), tmp_path / "out", plan.name)
    for host in plan.hosts:
        process = subprocess.run(
            [str(find("netplan")), "generate", "--root-dir", str(tmp_path / "out" / host)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert (process.returncode, process.stderr) == (0, "")
        names = {path.name for path in (tmp_path / "out" / host / "run/systemd/network").glob("*.network")}
        assert names == {f"10-netplan-{interface}.network" for interface in plan.hosts[host].nics}


def test_netplan_states_every_address_route_and_rule_of_the_plan() -> None:
    for cluster in CLUSTERS:
        plan = build(read(cluster))
        host = plan.hosts["node1"]
        document = yaml.safe_load(texts(plan)["/etc/netplan/60-wirespeed.yaml"])["network"]["ethernets"]
        routes, rules = {}, {}
        for interface, netplan in document.items():
            assert netplan["renderer"] == "networkd"
            assert (netplan["mtu"], tuple(netplan["addresses"])) == (9000, host.nics[interface].addresses)
            for route in netplan["routes"]:
                assert ("via" in route) != (route.get("scope") == "link")
                key = f"{route['table']} {route['to']}"
                key += f" metric {route['metric']}" if "metric" in route else ""
                routes[key] = (interface, route.get("via", ""), route["from"])
            for rule in netplan["routing-policy"]:
                rules[f"from {rule['from']}"] = (rule["table"], rule["priority"])
        assert routes == {key: (route.device, route.gateway, route.source) for key, route in host.routes.items()}
        assert rules == {key: (rule.table, rule.priority) for key, rule in host.rules.items()}
        assert len({priority for _, priority in rules.values()}) == len(rules) == 8


@pytest.mark.parametrize(("cpu", "text"), [("amd", "quiet iommu=pt"), ("intel", "quiet intel_iommu=on iommu=pt")])
def test_grub_adds_iommu_pass_through_to_what_is_there(cpu: str, text: str, tmp_path: Path) -> None:
    plan = build_plan(**{"os: ubuntu-22.04": f"os: ubuntu-22.04, cpu: {cpu}"})
    file = tmp_path / "wirespeed.cfg"
    file.write_text(texts(plan)["/etc/default/grub.d/90-wirespeed.cfg"])
    script = f'GRUB_CMDLINE_LINUX=quiet; . {file}; printf %s "$GRUB_CMDLINE_LINUX"'
    assert subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True).stdout == text


def test_the_roce_package_file_has_no_blank_and_every_number() -> None:
    assert texts(build_plan())["/etc/bnxt_re/bnxt_re.conf"] == (
        "ENABLE_FC=1\nFC_MODE=3\nROCE_PRI=3\nROCE_DSCP=26\nCNP_PRI=7\nCNP_DSCP=48\nROCE_BW=50\nUTILITY=4\n"
    )


@pytest.mark.parametrize(
    ("system", "utility"),
    [
        ("ubuntu-20.04", 3),
        ("ubuntu-24.04", 4),
        # iproute2 5.3 and 5.9: AMD PetaLinux, build host package table
        ("sles-15.2", 3),
        ("rhel-8.4", 3),
        ("sles-15.5", 4),
        ("rhel-8.10", 4),
        ("rocky-9.4", 4),
    ],
)
def test_a_system_whose_iproute2_is_older_than_5_11_has_no_dcb(system: str, utility: int) -> None:
    """bnxt_setupcc.sh 236.1.155.0: 3 is niccli, 4 is dcb, and the script ends if the program is missing."""
    files = texts(build_plan(**{"os: ubuntu-22.04": f"os: {system}"}))
    assert f"UTILITY={utility}\n" in files["/etc/bnxt_re/bnxt_re.conf"]


def test_deterministic_marking_adds_the_service_that_the_package_lacks() -> None:
    files = texts(build_plan(**{"dcqcn-p": "dcqcn-d"}))
    assert "for device in bnxt_re0 bnxt_re1 bnxt_re2" in files["/usr/local/sbin/wirespeed-congestion"]
    assert (
        "ExecStart=/usr/local/sbin/wirespeed-congestion set\n"
        in files["/etc/systemd/system/wirespeed-congestion.service"]
    )


def test_perftest_pairs_each_nic_with_the_gpu_on_its_switch(tmp_path: Path) -> None:
    script = tmp_path / "wirespeed-perftest"
    script.write_text(texts(build_plan())["/usr/local/bin/wirespeed-perftest"])
    (tmp_path / "ib_write_bw").write_text('#!/bin/sh\necho "$@"\n')
    (tmp_path / "ib_write_bw").chmod(0o755)

    def run_script(*arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
        return subprocess.run(["sh", script, *arguments], capture_output=True, text=True, env=environment, check=False)

    assert run_script("5", "-a", "10.1.0.1").stdout == (
        "-F --report_gbits -x 3 --tclass=104 -a 10.1.0.1 -d bnxt_re4 --use_rocm=4 --bind_source_ip 10.1.0.9\n"
    )
    assert run_script("9").returncode == 2
    assert (
        run_script().stderr
        == "usage: wirespeed-perftest RAIL [OPTION ...] [SERVER]; a rail is one of 1 2 3 4 5 6 7 8\n"
    )


def test_the_launch_line_hands_on_the_environment_whatever_is_in_it(tmp_path: Path) -> None:
    plan = build_plan()
    nasty = "a b; $(touch x) `touch y` 'q' \"d\" \\ $HOME"
    host = plan.hosts["node1"]
    launch = replace(host.launch, environment={"NCCL_DEBUG": nasty, "NCCL_ALGO": "Ring"})
    script = tmp_path / "wirespeed-mpirun"
    script.write_text(texts(with_host(plan, replace(host, launch=launch)))["/usr/local/bin/wirespeed-mpirun"])
    (tmp_path / "mpirun").write_text('#!/bin/sh\nprintf "%s\\n" "$NCCL_DEBUG" "$NCCL_ALGO" "$NCCL_IB_TC" "$*"\n')
    (tmp_path / "mpirun").chmod(0o755)
    process = subprocess.run(
        ["sh", script, "./all_reduce_perf", "-b 8"],
        capture_output=True,
        text=True,
        env={"PATH": f"{tmp_path}:/usr/bin:/bin", "NCCL_IB_TC": "96"},
        cwd=tmp_path,
        check=True,
    )
    debug, algorithm, traffic_class, line = process.stdout.splitlines()
    assert (debug, algorithm, traffic_class) == (nasty, "Ring", "96")
    assert line.startswith("-np 32 --hostfile /etc/wirespeed/hostfile --map-by ppr:8:node --bind-to none")
    assert line.endswith("-x UCX_IB_TRAFFIC_CLASS ./all_reduce_perf -b 8")
    assert {path.name for path in tmp_path.iterdir()} == {"wirespeed-mpirun", "mpirun"}


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        (
            "A;reboot",
            "1",
            "node1: launch environment: found 'A;reboot'; expected letters, digits and underscores, no digit first",
        ),
        (
            "NCCL_DEBUG",
            "a\nb=c",
            "node1: launch environment: found NCCL_DEBUG with 'a\\nb=c'; "
            "expected a value of one line, without control characters",
        ),
        (
            "NCCL_IB_TC",
            "96",
            "node1: launch environment: found NCCL_IB_TC=96; expected 'dscp' of the class roce, which sets it\n"
            "  hint: one value in two places can differ",
        ),
    ],
)
def test_an_environment_that_no_file_can_hold_is_refused(variable: str, value: str, message: str) -> None:
    plan = build_plan()
    host = plan.hosts["node1"]
    launch = replace(host.launch, environment={variable: value})
    with pytest.raises(Refusal) as refusal:
        texts(with_host(plan, replace(host, launch=launch)))
    assert str(refusal.value) == f"cluster.yaml:5: {message}"


QOS_REFUSALS = [
    (
        {"pfc": frozenset({Priority(3), Priority(4)})},
        "node1: bnxt_re.conf: found PFC on priorities 3, 4; expected PFC on 3, the priority of class roce, only\n"
        "  hint: write `lossless: false` in every class but roce",
    ),
    (
        {"dscp_priority": {Dscp(26): Priority(3), Dscp(24): Priority(4), Dscp(48): Priority(7)}},
        "node1: bnxt_re.conf: found DSCP to priorities 24:4 26:3 48:7; "
        "expected priorities 3 of roce and 7 of cnp, the only ones it sets",
    ),
    (
        {"priority_tc": {Priority(value): NicTrafficClass(0) for value in range(8)}},
        "node1: bnxt_re.conf: found priorities to NIC traffic classes 0:0 1:0 2:0 3:0 4:0 5:0 6:0 7:0; "
        "expected 0:0 1:0 2:0 3:1 4:0 5:0 6:0 7:2, the only map it sets",
    ),
    (
        {"tc_discipline": {NicTrafficClass(1): Discipline.STRICT}},
        "node1: bnxt_re.conf: found a strict roce or a shared cnp class; expected roce with a share, cnp strict",
    ),
]


@pytest.mark.parametrize(("changes", "message"), QOS_REFUSALS)
def test_what_the_roce_package_cannot_configure_is_refused(changes: dict[str, object], message: str) -> None:
    plan = build_plan()
    host = plan.hosts["node1"]
    nics = {name: replace(nic, qos=replace(nic.qos, **changes)) for name, nic in host.nics.items()}
    with pytest.raises(Refusal) as refusal:
        texts(with_host(plan, replace(host, nics=nics)))
    assert str(refusal.value) == f"cluster.yaml:5: {message}"


def test_nics_that_differ_are_refused() -> None:
    plan = build_plan()
    host = plan.hosts["node1"]
    changed_nic = replace(
        host.nics["enp67s0np0"], qos=replace(host.nics["enp67s0np0"].qos, congestion=Congestion.DCQCN_D)
    )
    with pytest.raises(Refusal, match="node1:enp67s0np0: found other QoS settings than enp29s0np0"):
        texts(with_host(plan, replace(host, nics={**host.nics, "enp67s0np0": changed_nic})))


def test_an_unknown_system_is_refused() -> None:
    plan = build_plan(**{"ubuntu-22.04": "ubunto-22.04"})
    with pytest.raises(Refusal) as refusal:
        texts(plan)
    assert str(refusal.value) == (
        "cluster.yaml:5: node1: found the operating system 'ubunto-22.04'; "
        "expected one of rhel-8, rhel-9, rhel-10, rocky-8, rocky-9, rocky-10, almalinux-8, almalinux-9, almalinux-10, "
        "sles-15, sles-16, ubuntu-20.04, ubuntu-22.04, ubuntu-24.04, ubuntu-26.04\n"
        "  hint: did you mean 'ubuntu-22.04'?"
    )


@pytest.mark.parametrize("cluster", CLUSTERS, ids=lambda path: path.stem)
def test_every_script_is_a_shell_script(cluster: Path) -> None:
    for path, text in texts(build(read(cluster))).items():
        if text.startswith("#!/bin/sh\n"):
            process = subprocess.run(["sh", "-n"], input=text, capture_output=True, text=True, check=False)
            assert (path, process.returncode, process.stderr) == (path, 0, "")


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126)))
def test_any_name_is_the_same_name_in_yaml(name: str) -> None:
    assert yaml.safe_load(f"{{{quote_yaml(name)}: [{quote_yaml(name)}]}}") == {name: [name]}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({}, None),
        (
            {"ubuntu-22.04": "freebsd-14", "dell-sonic, role": "dell-sonic, mtu: 9100, role"},
            "cluster.yaml:5: node[1-4]: found the operating system 'freebsd-14'; "
            "expected one of rhel-8, rhel-9, rhel-10, rocky-8, rocky-9, rocky-10, almalinux-8, almalinux-9, "
            "almalinux-10, sles-15, sles-16, ubuntu-20.04, ubuntu-22.04, ubuntu-24.04, ubuntu-26.04",
        ),
        (
            {"dscp: 26": "dscp: 26-27", "ubuntu-22.04": "ubuntu-20.04"},
            "cluster.yaml:5: node[1-4]: bnxt_re.conf: found several DSCPs of a class without dcb, 27:3 "
            "beside 26; expected one DSCP for each class\n"
            "  hint: dcb is part of iproute2 from release 5.11 on: use a newer operating system",
        ),
    ],
)
def test_one_device_of_each_kind_shows_what_cannot_be_rendered(changes: dict[str, str], message: str | None) -> None:
    plan = build_plan(**changes)
    if message is None:
        render.check(plan)
        return
    with pytest.raises(Refusal) as refusal:
        render.check(plan)
    assert str(refusal.value) == message
    assert len(refusal.value.problems) == 1  # not one for each host of the range
