"""Labs of one leaf, in the real kernel: built, used, and gone."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from labs import EXAMPLES, TOOLS, built, name

from needs import needs
from wirespeed import lab, render
from wirespeed.cluster import read
from wirespeed.errors import Refusal
from wirespeed.lab import machine
from wirespeed.plan import Plan, build
from wirespeed.reach import Call, Status

CLUSTER = "mi300x-4node/cluster.yaml"


@pytest.fixture(scope="module")
def two_hosts() -> Iterator[tuple[Plan, lab.Lab]]:
    """Two hosts and their leaf."""
    with built(CLUSTER, 2) as built_lab:
        yield built_lab


def run_checked(built_lab: lab.Lab, device: str, *arguments: str) -> str:
    ran = built_lab.run(device, *arguments)
    assert ran.status is Status.OK, ran
    return ran.stdout.decode()


def test_it_is_found_by_its_name(two_hosts: tuple[Plan, lab.Lab]) -> None:
    _, built_lab = two_hosts
    lab_by_name = lab.find(built_lab.name)
    assert lab_by_name == built_lab
    assert (lab_by_name.hosts, lab_by_name.switches, len(lab_by_name.links)) == (("node1", "node2"), ("leaf1",), 16)


def test_a_host_has_its_name_its_interfaces_and_its_own_run(two_hosts: tuple[Plan, lab.Lab]) -> None:
    plan, built_lab = two_hosts
    script = "hostname; ls /sys/class/net; ls /run; touch /sys/class/net/lo/mtu 2>/dev/null || echo read-only"
    lines = run_checked(built_lab, "node2", "sh", "-c", script).split()
    interfaces = sorted([*plan.hosts["node2"].nics, "lo"])
    assert lines == ["node2", *interfaces, "systemd", "udev", "read-only"]


def test_hosts_know_each_other_by_name(two_hosts: tuple[Plan, lab.Lab]) -> None:
    _, built_lab = two_hosts
    names = ("node2", "node2-enp67s0np0", "localhost")
    assert [run_checked(built_lab, "node1", "getent", "ahostsv4", name).split()[0] for name in names] == [
        "10.1.0.17",
        "10.1.0.19",
        "127.0.0.1",
    ]


def test_kernel_parameters_are_those_rendered(two_hosts: tuple[Plan, lab.Lab]) -> None:
    _, built_lab = two_hosts
    keys = ("all/arp_ignore", "all/arp_announce", "all/rp_filter", "enp29s0np0/rp_filter")
    assert run_checked(built_lab, "node1", "cat", *(f"/proc/sys/net/ipv4/conf/{key}" for key in keys)).split() == list(
        "1202"
    )
    assert any("kernel.numa_balancing" in line for line in built_lab.state.left_out)


@pytest.mark.parametrize("cluster", ["cluster.yaml", "cluster-rail24.yaml", "cluster-ipv6.yaml"])
def test_the_largest_packet_passes_between_hosts(cluster: str) -> None:
    with built(f"mi300x-4node/{cluster}", 2, "mtu") as (plan, built_lab):
        source, target = (
            (plan.hosts[host].nics["enp67s0np0"].addresses or ("",))[0].partition("/")[0] for host in built_lab.hosts
        )
        size = 9000 - (48 if ":" in source else 28)
        run_checked(built_lab, "node1", "ping", "-nq", "-c1", "-w5", "-Mdo", f"-s{size}", "-I", source, target)


def test_calls_go_to_the_device_they_name(two_hosts: tuple[Plan, lab.Lab]) -> None:
    _, built_lab = two_hosts
    started = [built_lab.reach().start(Call(host, ("hostname",), 30)) for host in built_lab.hosts]
    assert [process.result().stdout.decode().strip() for process in started] == list(built_lab.hosts)
    command_line = built_lab.reach().command_text(Call("node1", ("iperf3", "-s"), 30))
    assert command_line == f"wirespeed lab exec --name {built_lab.name} node1 -- iperf3 -s"


def test_exec_passes_input_outputs_and_the_exit_code_on(two_hosts: tuple[Plan, lab.Lab]) -> None:
    _, built_lab = two_hosts
    script = "cat; hostname >&2; exit 7"
    process = subprocess.run(
        [sys.executable, "-m", "wirespeed", "lab", "exec", "--name", built_lab.name, "node1", "--", "sh", "-c", script],
        input="hello\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (process.stdout, process.stderr, process.returncode) == ("hello\n", "node1\n", 7)


def test_a_second_one_of_the_name_is_refused(two_hosts: tuple[Plan, lab.Lab]) -> None:
    plan, built_lab = two_hosts
    with pytest.raises(Refusal) as refusal:
        lab.up(lab.design(plan, built_lab.name, (), (), render.routing_daemons), EXAMPLES / CLUSTER, lambda line: None)
    problem = refusal.value.problems[0]
    assert (problem.found, problem.hint) == (
        f"already running since {built_lab.state.started}",
        f"remove it with `wirespeed lab down {built_lab.name}`",
    )


def test_a_device_it_has_not_is_refused(two_hosts: tuple[Plan, lab.Lab]) -> None:
    with pytest.raises(Refusal, match="no device 'node3'"):
        two_hosts[1].prefix("node3")


def test_nothing_is_left() -> None:
    needs(*TOOLS, root=True)
    with built(CLUSTER, 1, "gone") as (_, built_lab):
        namespaces = [device.namespace for device in built_lab.state.devices]
        assert all((Path("/run/netns") / namespace).exists() for namespace in namespaces)
        sleeper = built_lab.reach().start(Call("node1", ("sleep", "1000"), 1000))
    assert sleeper.result().exit_code != 0
    assert not any((Path("/run/netns") / namespace).exists() for namespace in namespaces)
    assert not list(Path("/run/wirespeed/lab").glob(f"{name('gone')}*"))


def small() -> lab.Design:
    plan = build(read(EXAMPLES / CLUSTER))
    hosts = lab.select_hosts(plan, 1)
    return lab.design(plan, name("refused"), hosts, render.files(plan, hosts), render.routing_daemons)


def test_a_daemon_that_ends_is_reported_at_once_and_nothing_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    needs(*TOOLS, root=True)
    monkeypatch.setitem(machine._PROGRAM_PATHS, "networkd", ("/bin/false",))
    with pytest.raises(Refusal, match="found systemd-networkd, which has ended; expected a running daemon"):
        lab.up(small(), EXAMPLES / CLUSTER, lambda line: None)
    assert name("refused") not in lab.names()


def test_more_hosts_than_the_kernel_has_inotify_instances_for_are_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    needs(*TOOLS, root=True)
    (tmp_path / "most").write_text("0\n")
    monkeypatch.setattr(machine, "_WATCHES", tmp_path / "most")
    with pytest.raises(Refusal, match=r"found 1 hosts, where the kernel has 0 of 0 inotify instances left"):
        lab.up(small(), EXAMPLES / CLUSTER, lambda line: None)


def test_hosts_that_no_networkd_configures_are_refused() -> None:
    plan = build(read(EXAMPLES / "bluebonnet-64node/cluster.yaml"))
    hosts = lab.select_hosts(plan, 2)
    with pytest.raises(Refusal) as refusal:
        lab.design(plan, "x", hosts, render.files(plan, hosts), render.routing_daemons)
    assert str(refusal.value) == (
        "node01 to node02: found 2 hosts without a file below etc/netplan or etc/systemd/network; "
        "expected hosts whose network systemd-networkd configures, from its own files or netplan's\n"
        "  hint: NetworkManager and wicked need a whole machine; set os: ubuntu-24.04 for the hosts in the lab"
    )


def test_no_such_lab_is_refused() -> None:
    with pytest.raises(Refusal, match="no lab 'nowhere'"):
        lab.find("nowhere")
