"""Two virtual machines with soft-RoCE: as planned, collected, checked, measured; what they send; gone afterwards."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from labs import TOOLS, name
from rdma.capture import capture_port, decode_frames
from rdma.machines import CLUSTER, EMULATOR, built, counters, run_checked, wirespeed

from needs import needs
from wirespeed import lab
from wirespeed.checks import checks, run
from wirespeed.facts import Facts, Source, assemble_facts, subtract_counters
from wirespeed.lab import state
from wirespeed.plan import Plan
from wirespeed.platforms import Output, Outputs, platforms
from wirespeed.reach import Call
from wirespeed.results.findings import Status
from wirespeed.wire import packet

pytestmark = pytest.mark.lab

AS_PLANNED = (
    *("address.nic", "address.gid", "address.route", "address.rule", "launch.gid-index", "launch.rdma-devices"),
    *(
        "link.mtu",
        "link.up",
        "nic.presence",
        "nic.rdma-mtu",
        "nic.rdma-name",
        "nic.rdma-port",
        "software.rdma-libraries",
    ),
)
"""What real ip, ethtool, rdma, ibv_devinfo and sysfs must show to be as planned."""


@pytest.fixture(scope="module")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the machines may write to."""
    return tmp_path_factory.mktemp("kept")


@pytest.fixture(scope="module")
def two_machines(shared_folder: Path) -> Iterator[tuple[Plan, lab.Lab]]:
    """Two machines."""
    with built("rdma", shared_folder) as built_lab:
        yield built_lab


def test_every_nic_has_its_device_and_its_row(two_machines: tuple[Plan, lab.Lab]) -> None:
    plan, built_lab = two_machines
    for host in built_lab.hosts:
        links = json.loads(run_checked(built_lab, host, "rdma", "-j", "link"))
        nics = plan.hosts[host].nics
        assert {link["netdev"]: link["ifname"] for link in links} == {nic: nics[nic].rdma_device for nic in nics}
        assert {link["state"] for link in links} == {"ACTIVE"}


def test_the_largest_packet_passes_on_every_rail(two_machines: tuple[Plan, lab.Lab]) -> None:
    plan, built_lab = two_machines
    sources, targets = (
        [nic.addresses[0].partition("/")[0] for nic in plan.hosts[host].nics.values()] for host in built_lab.hosts
    )
    script = "".join(
        f"ping -nq -c1 -w60 -Mdo -s8972 -I {source} {target} >/dev/null || echo {source} {target}\n"
        for source, target in zip(sources, targets, strict=True)
    )
    assert run_checked(built_lab, "node1", "sh", "-c", script) == ""


def test_arguments_reach_a_machine_unchanged(two_machines: tuple[Plan, lab.Lab]) -> None:
    _, built_lab = two_machines
    odd = ["a b", "it's", "$HOME", "*", "", "--", 'a"b', "`id`", "\\"]
    assert run_checked(built_lab, "node2", "printf", "%s\\n", *odd).splitlines() == odd
    assert built_lab.run("node2", "sh", "-c", "exit 7").exit_code == 7


def test_this_machines_files_cannot_be_changed(
    two_machines: tuple[Plan, lab.Lab], tmp_path: Path, shared_folder: Path
) -> None:
    _, built_lab = two_machines
    (tmp_path / "mine").write_text("1")
    run_checked(
        built_lab, "node1", "sh", "-c", f"echo 2 >{tmp_path}/mine; rm -f /etc/hostname; echo 3 >{shared_folder}/theirs"
    )
    assert (tmp_path / "mine").read_text() == "1"
    assert (shared_folder / "theirs").read_text() == "3\n"


@pytest.fixture(scope="module")
def idle_bundle(two_machines: tuple[Plan, lab.Lab], shared_folder: Path) -> Path:
    """What the first host shows before there was any load."""
    return collect_inside(two_machines[1], shared_folder / "before.tar.gz")


def collect_inside(built_lab: lab.Lab, bundle: Path) -> Path:
    """Collect inside the first host, with its real tools."""
    needs("ibv_devinfo", "ethtool", "ip")
    ran = wirespeed(built_lab, "node1", "collect", "--local", "--timeout-factor", "20", "-o", str(bundle))
    assert ran.exit_code == 0, ran
    return bundle


def check_inside(built_lab: lab.Lab, *arguments: str) -> list[dict[str, str]]:
    """Findings of check about the first host, inside it."""
    ran = wirespeed(built_lab, "node1", "check", str(CLUSTER), *arguments, "--format", "json")
    return [load for load in json.loads(ran.stdout)["findings"] if load["device"] == "node1"]


def test_collect_and_check_inside(two_machines: tuple[Plan, lab.Lab], idle_bundle: Path) -> None:
    options = [word for check in AS_PLANNED for word in ("--only", check)]
    findings = check_inside(two_machines[1], str(idle_bundle), *options)
    assert {finding["check"] for finding in findings} == set(AS_PLANNED)
    assert [finding for finding in findings if finding["status"] != "pass"] == []


def test_perftest_by_lab_bench_and_what_is_on_the_wire(two_machines: tuple[Plan, lab.Lab], tmp_path: Path) -> None:
    needs("ib_write_bw", "tcpdump", "tshark")
    plan, built_lab = two_machines
    target = tmp_path / "out"
    arguments = [
        "pairs",
        "--name",
        built_lab.name,
        "-o",
        str(target),
        "--seconds",
        "1",
        "--messages",
        "20",
        "--retest",
        "0",
    ]
    with capture_port(built_lab, "leaf1", built_lab.links[0], tmp_path / "leaf.pcap") as capture:
        ran = subprocess.run(
            [sys.executable, "-m", "wirespeed", "lab", "bench", *arguments, "--format", "json"],
            capture_output=True,
            text=True,
            check=False,
            timeout=1800,
        )
    assert ran.returncode == 0, ran.stderr
    assert "Results show how fast emulated CPUs are" in ran.stderr
    document = json.loads(ran.stdout)
    assert document["cluster"] == f"lab {built_lab.name}"
    attempts = {row["step"]: row["attempt"] for row in document["steps"]}
    assert Counter((attempt["status"], attempt["grade"]) for attempt in attempts.values()) == {("done", "skip"): 16}, (
        ran.stderr
    )
    nics = [nic.rdma_device.replace("_", "-") for nic in plan.hosts["node1"].nics.values() if nic.rdma_device]
    assert attempts.keys() == {
        f"{test}.node1-{nic}.node2-{nic}" for test in ("ib-write-bw", "ib-write-lat") for nic in nics
    }

    packets = [packet(frame) for frame in capture.roce()]
    assert len(packets) == len(capture.roce()) > 100  # an ICRC that is wrong is refused
    assert {packet.dscp for packet in packets} == plan.classes["roce"].dscp
    assert decode_frames(capture.file) == packets


def is_running(command_line: Path) -> bool:
    """Whether an emulator has this number; one that was ended may still have it, and no command line."""
    try:
        return b"qemu" in command_line.read_bytes()
    except OSError:
        return False


def test_ctrl_c_while_machines_boot_leaves_nothing() -> None:
    needs(*TOOLS, *EMULATOR, root=True)
    lab_name = name("ctrlc")
    arguments = [
        sys.executable,
        "-m",
        "wirespeed",
        "lab",
        "rdma",
        str(CLUSTER),
        "--name",
        lab_name,
        "--",
        "sleep",
        "600",
    ]
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    numbers = [state.device_folder(lab_name, host) / "qemu.pid" for host in ("node1", "node2")]
    while not all(path.exists() and path.read_text().strip() for path in numbers):
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    machines = [Path("/proc", path.read_text().strip(), "cmdline") for path in numbers]
    assert all(is_running(path) for path in machines)
    process.send_signal(signal.SIGINT)
    printed, _ = process.communicate()
    assert (process.returncode, lab_name in lab.names()) == (130, False), printed
    assert not state.folder(lab_name).exists()
    assert not any(is_running(path) for path in machines)


def read_counters(built_lab: lab.Lab, host: str) -> Facts:
    """What a host's real rdma shows, as collecting reads it."""
    commands = {"rdma-link": ("link",), "rdma-statistic": ("statistic", "show")}
    outputs = {
        name: Output(name, run_checked(built_lab, host, "rdma", "-j", "-p", *arguments), Source(host, name, name))
        for name, arguments in commands.items()
    }
    return assemble_facts(platforms()["host", "ubuntu"].parse(Outputs(host, outputs)), devices=[host])


def test_a_lossy_link_is_flagged(two_machines: tuple[Plan, lab.Lab]) -> None:
    """1 % of what one NIC sends is dropped: it is found, and no other."""
    needs("ib_write_bw")
    plan, built_lab = two_machines
    initial_counters = read_counters(built_lab, "node1")
    run_checked(built_lab, "node1", "tc", "qdisc", "add", "dev", "enp29s0np0", "root", "netem", "loss", "1%")
    arguments = (
        "ib_write_bw",
        "-F",
        "-d",
        "bnxt_re0",
        "-p",
        "18999",
        "-x",
        "3",
        "-m",
        "4096",
        "-s",
        "65536",
        "-n",
        "100",
    )
    reach = built_lab.reach()
    for _ in range(20):
        server = reach.start(Call("node2", arguments, 300, listening_port=18999))
        assert server.wait_for_listener(200)
        reach.start(Call("node1", (*arguments, "node2"), 300)).result()
        server.stop()
        server.result()
        if counters(built_lab, "node1")["bnxt_re0"]["rcvd_seq_err"]:
            break
    facts = subtract_counters(read_counters(built_lab, "node1"), initial_counters, None)
    findings = [finding for finding in run(plan, facts, [checks()["nic.rdma-losses"]]) if finding.device == "node1"]
    assert len(findings) == 8
    assert [finding.place.partition(" ")[0] for finding in findings if finding.status is Status.FAIL] == ["bnxt_re0"]
