"""Tuning of a host: what tools print of it, the script that sets it, and both together."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import fake_sysfs
from platforms.round_trip import find_losses
from wirespeed import render
from wirespeed.cluster import read
from wirespeed.facts import Source, assemble_facts
from wirespeed.plan import Plan, build
from wirespeed.platforms import Output, Outputs, platform
from wirespeed.settings import Coalescing, Place, Ring

CLUSTER = Path(__file__).parents[3] / "examples" / "mi300x-4node" / "cluster.yaml"
FIRST, SECOND = "enp29s0np0", "enp67s0np0"
HOST = Place("h")
NIC = HOST.child("nic", "eth100")


def plan_with_tuning() -> Plan:
    """The example with two tuned NICs, the second by one setting alone."""
    plan = build(read(CLUSTER))
    host = plan.hosts["node1"]
    nics = {
        **host.nics,
        FIRST: replace(
            host.nics[FIRST],
            ring=Ring(8192, 4096),
            coalescing=Coalescing(adaptive_rx=True, adaptive_tx=False, rx_usecs=8, tx_frames=64),
            interrupt_cores=frozenset({16, 17, 48}),
            qdisc="fq",
        ),
        SECOND: replace(host.nics[SECOND], ring=Ring(rx=2048)),
    }
    pcie = {
        **host.pcie,
        host.nics[FIRST].pcie: replace(host.pcie[host.nics[FIRST].pcie or ""], numa_node=1),
    }
    changed_plan = replace(
        host,
        governor="performance",
        idle_states=frozenset({"POLL", "C1"}),
        irq_balancing=False,
        nics=nics,
        pcie=pcie,
    )
    return replace(plan, hosts={**plan.hosts, "node1": changed_plan})


def text(path: str) -> str:
    return next(file.text for file in render.files(plan_with_tuning(), ["node1"]) if file.path == path)


RING = """\
Ring parameters for eth100:
Pre-set maximums:
RX:\t\t\t8192
RX Mini:\t\tn/a
RX Jumbo:\t\tn/a
TX:\t\t\t8192
Current hardware settings:
RX:\t\t\t1024
RX Mini:\t\tn/a
RX Jumbo:\t\tn/a
TX:\t\t\tn/a
"""
HEADLESS = RING.replace("Pre-set maximums:\n", "").replace("Current hardware settings:\n", "")
COALESCE = """\
Coalesce parameters for eth100:
Adaptive RX: off  TX: n/a
stats-block-usecs: 0

rx-usecs: 20
rx-frames: 5
rx-usecs-irq: 0

tx-usecs:\t72
tx-frames:\tn/a
"""
POLICY = "/sys/devices/system/cpu/cpufreq/policy{}/scaling_governor:{}\n"
STATE = "/sys/devices/system/cpu/cpu{}/cpuidle/state{}/{}:{}\n"
IDLE = (
    STATE.format(0, 0, "disable", 0)
    + STATE.format(0, 0, "name", "POLL")
    + STATE.format(0, 2, "disable", 1)
    + STATE.format(0, 2, "name", "C2")
)


@pytest.mark.parametrize(
    ("outputs", "place", "path", "value"),
    [
        ({"ethtool-ring@eth100": RING}, NIC, "nic.ring.rx", 1024),
        ({"ethtool-ring@eth100": RING}, NIC, "nic.ring.tx", None),
        ({"ethtool-ring@eth100": RING.partition("Current")[0]}, NIC, "nic.ring.rx", None),
        ({"ethtool-ring@eth100": HEADLESS}, NIC, "nic.ring.rx", 1024),  # ethtool 6.14
        ({"ethtool-ring@eth100": HEADLESS.replace("RX:\t\t\t8192\n", "")}, NIC, "nic.ring.rx", None),
        ({"ethtool-coalesce@eth100": COALESCE}, NIC, "nic.coalescing.adaptive_rx", False),
        ({"ethtool-coalesce@eth100": COALESCE}, NIC, "nic.coalescing.adaptive_tx", None),
        ({"ethtool-coalesce@eth100": COALESCE}, NIC, "nic.coalescing.rx_usecs", 20),
        ({"ethtool-coalesce@eth100": COALESCE}, NIC, "nic.coalescing.rx_frames", 5),
        ({"ethtool-coalesce@eth100": COALESCE}, NIC, "nic.coalescing.tx_usecs", 72),
        ({"ethtool-coalesce@eth100": COALESCE}, NIC, "nic.coalescing.tx_frames", None),
        ({"cpu-power": POLICY.format(0, "performance")}, HOST, "host.governor", "performance"),
        (
            {"cpu-power": POLICY.format(0, "performance") + POLICY.format(1, "powersave")},
            HOST,
            "host.governor",
            "performance, powersave",
        ),
        ({"cpu-power": ""}, HOST, "host.governor", None),
        ({"cpu-power": IDLE}, HOST, "host.idle_states", frozenset({"POLL"})),
        ({"cpu-power": IDLE + STATE.format(9, 2, "disable", 0) + STATE.format(9, 2, "name", "C2")}, HOST,
         "host.idle_states", frozenset({"POLL", "C2"})),
        ({"cpu-power": IDLE[: IDLE.rindex("/sys")]}, HOST, "host.idle_states", None),  # a name was not shown
        (
            {"cpu-power": STATE.format(0, 1, "disable", 0) + STATE.format(0, 1, "name", "haltpoll idle")},
            HOST,
            "host.idle_states",
            frozenset({"haltpoll idle"}),
        ),
        ({"irqbalance": "active\n"}, HOST, "host.irq_balancing", True),
        ({"irqbalance": "inactive\n"}, HOST, "host.irq_balancing", False),
        ({"irqbalance": "activating\n"}, HOST, "host.irq_balancing", None),
        ({"irqbalance": ""}, HOST, "host.irq_balancing", None),
        (
            {
                "msi-irqs@eth100": "24\n25\n",
                "irq-affinity": "/proc/irq/2/smp_affinity_list:0-63\n/proc/irq/24/smp_affinity_list:16-17\n"
                "/proc/irq/25/smp_affinity_list:48\n",
            },
            NIC,
            "nic.interrupt_cores",
            frozenset({16, 17, 48}),
        ),
        (
            {"msi-irqs@eth100": "24\n25\n", "irq-affinity": "/proc/irq/24/smp_affinity_list:16\n"},
            NIC,
            "nic.interrupt_cores",
            None,  # one of two was not shown
        ),
        ({"msi-irqs@eth100": "", "irq-affinity": ""}, NIC, "nic.interrupt_cores", None),
        ({"msi-irqs@eth100": "24\n"}, NIC, "nic.interrupt_cores", None),
        (
            {"qdisc@eth100": '[{"kind":"mq","handle":"0:","root":true,"options":{}},'
             '{"kind":"fq","handle":"0:","parent":":1","options":{}}]'},
            NIC,
            "nic.qdisc",
            "fq",
        ),
        ({"qdisc@eth100": '[{"kind":"htb","handle":"1:","root":true,"options":{}}]'}, NIC, "nic.qdisc", "htb"),
        ({"qdisc@eth100": '[{"kind":"mq","handle":"0:","root":true,"options":{}}]'}, NIC, "nic.qdisc", None),
        ({"qdisc@eth100": '[{"kind":"mq","handle"'}, NIC, "nic.qdisc", None),
    ],
)  # fmt: skip
def test_what_is_read(outputs: dict[str, str], place: Place, path: str, value: Any) -> None:
    recorded = Outputs("h", {key: Output(key, text, Source("h", key, key)) for key, text in outputs.items()})
    reading = assemble_facts(platform("host", "rhel").parse(recorded), devices=["h"]).reading(place, path)
    assert (reading.value if reading else None) == value


@pytest.mark.parametrize("name", ["ubuntu", "rhel", "sles"])
def test_tuned_settings_come_back(name: str) -> None:
    assert find_losses(platform("host", name), "node1", plan_with_tuning().hosts["node1"]) == []


def machine(root: Path, node: int = 1, cpus: str = "16-17,48") -> None:
    """Files of /sys and /proc that the script reads and writes, and tools that note how they are called."""
    device = fake_sysfs.add_interface(root / "sys", FIRST, "0000:00:01.0/0000:1d:00.0", numa_node=node)
    (device / "local_cpulist").write_text(f"{cpus}\n")
    for core in (0, 1):
        policy = root / f"sys/devices/system/cpu/cpufreq/policy{core}"
        policy.mkdir(parents=True)
        (policy / "scaling_governor").write_text("powersave\n")
        for index, state in enumerate(("POLL", "C1", "C2")):
            folder = root / f"sys/devices/system/cpu/cpu{core}/cpuidle/state{index}"
            folder.mkdir(parents=True)
            (folder / "name").write_text(f"{state}\n")
            (folder / "disable").write_text("1\n")
    for irq in range(24, 29):
        (root / f"proc/irq/{irq}").mkdir(parents=True)
        (device / "msi_irqs").mkdir(exist_ok=True)
        (device / f"msi_irqs/{irq}").write_text("msix\n")
    (root / "proc/sys/net/core").mkdir(parents=True)
    (root / "bin").mkdir()
    for tool, code in (("ethtool", 80), ("tc", 0)):
        (root / "bin" / tool).write_text(f'#!/bin/sh\necho "{tool} $*" >>"{root}/calls"\nexit {code}\n')
        (root / "bin" / tool).chmod(0o755)


def use(script: str, root: Path) -> str:
    """The script with these /sys and /proc instead of the machine's."""
    for folder in ("/sys/class/", "/sys/devices/", "/proc/"):
        script = script.replace(folder, f"{root}{folder}")
    return script


def run(root: Path) -> subprocess.CompletedProcess[str]:
    script = use(text("/usr/local/sbin/wirespeed-tune"), root)
    return subprocess.run(
        ["sh"], input=script, capture_output=True, text=True, check=False, env={"PATH": f"{root}/bin:/usr/bin:/bin"}
    )


def test_the_script_tunes_a_machine(tmp_path: Path) -> None:
    machine(tmp_path)
    result = run(tmp_path)
    assert (result.returncode, result.stderr) == (0, "")  # 80 of ethtool: everything was so already
    cpus = tmp_path / "sys/devices/system/cpu"
    assert {file.read_text() for file in cpus.glob("cpufreq/*/scaling_governor")} == {"performance\n"}
    assert [(cpus / f"cpu1/cpuidle/state{index}/disable").read_text() for index in range(3)] == ["0\n", "0\n", "1\n"]
    assert [(tmp_path / f"proc/irq/{irq}/smp_affinity_list").read_text() for irq in range(24, 29)] == [
        "16\n", "17\n", "48\n", "16\n", "17\n",
    ]  # fmt: skip
    assert (tmp_path / "proc/sys/net/core/default_qdisc").read_text() == "fq\n"
    assert (tmp_path / "calls").read_text().splitlines() == [
        f"ethtool -G {FIRST} rx 8192 tx 4096",
        f"ethtool -C {FIRST} adaptive-rx on adaptive-tx off rx-usecs 8 tx-frames 64",
        f"tc qdisc del dev {FIRST} root",
        f"tc qdisc replace dev {FIRST} root mq",
        f"ethtool -G {SECOND} rx 2048",
    ]


def test_the_script_states_what_it_could_not_do(tmp_path: Path) -> None:
    machine(tmp_path)
    (tmp_path / "bin/ethtool").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "proc/irq/26").rmdir()
    result = run(tmp_path)
    assert result.returncode == 1
    assert result.stderr.replace(str(tmp_path), "").splitlines() == [
        f"wirespeed-tune: ethtool -G {FIRST} rx 8192 tx 4096 ended with 1",
        f"wirespeed-tune: ethtool -C {FIRST} adaptive-rx on adaptive-tx off rx-usecs 8 tx-frames 64 ended with 1",
        "wirespeed-tune: /proc/irq/26/smp_affinity_list does not accept 48",
        f"wirespeed-tune: ethtool -G {SECOND} rx 2048 ended with 1",
    ]
    assert (tmp_path / "proc/irq/27/smp_affinity_list").read_text() == "16\n"


@pytest.mark.parametrize(
    ("cpus", "expected"),
    [
        pytest.param("24-27,56-59", [[24, 25, 26, 27], [56, 57, 58, 59]], id="nps2"),
        pytest.param("1,3,5,7,9,11,13,15", [[1, 3, 5, 7], [9, 11, 13, 15]], id="odd"),
        pytest.param("8", [[8], [8]], id="one-core-for-two-ports"),
    ],
)
def test_ports_of_one_node_divide_the_cores_that_the_machine_has(
    cpus: str, expected: list[list[int]], tmp_path: Path
) -> None:
    """The lists are in the form of bitmap_print_list, as drivers/pci/pci-sysfs.c prints local_cpulist."""
    cluster = read(CLUSTER.parents[1] / "esnet-400g" / "cluster.yaml")
    script = next(
        file.text for file in render.files(build(cluster), ["node1"]) if file.path == "/usr/local/sbin/wirespeed-tune"
    )
    for number, interface in enumerate(("eth100", "eth200")):
        path = f"0000:00:01.0/0000:41:00.{number}"
        device = fake_sysfs.add_interface(tmp_path / "sys", interface, path, numa_node=3)
        (device / "local_cpulist").write_text(f"{cpus}\n")
        (device / "msi_irqs").mkdir()
        for irq in range(100 * (number + 1), 100 * (number + 1) + 5):
            (device / f"msi_irqs/{irq}").write_text("msix\n")
            (tmp_path / f"proc/irq/{irq}").mkdir(parents=True)
    subprocess.run(
        ["sh"], input=use(script, tmp_path), capture_output=True, text=True, check=False, env={"PATH": "/usr/bin:/bin"}
    )
    for number, cores in enumerate(expected):
        interrupt_cores = [
            int((tmp_path / f"proc/irq/{irq}/smp_affinity_list").read_text())
            for irq in range(100 * (number + 1), 100 * (number + 1) + 5)
        ]
        assert interrupt_cores == [cores[index % len(cores)] for index in range(5)]


def test_interrupts_stay_where_the_firmware_gives_no_node(tmp_path: Path) -> None:
    machine(tmp_path, node=-1)
    result = run(tmp_path)
    assert result.returncode == 1
    assert result.stderr == f"wirespeed-tune: {FIRST}: the firmware gives no NUMA node, interrupts unchanged\n"
    assert not list((tmp_path / "proc/irq").glob("*/smp_affinity_list"))


def test_a_program_runs_near_a_nic(tmp_path: Path) -> None:
    script = tmp_path / "wirespeed-near"
    fake_sysfs.add_interface(tmp_path / "sys", FIRST, "0000:00:01.0/0000:01:00.0", numa_node=3)
    script.write_text(fake_sysfs.use(text("/usr/local/bin/wirespeed-near"), tmp_path / "sys"))
    (tmp_path / "numactl").write_text('#!/bin/sh\necho "$@"\n')
    (tmp_path / "numactl").chmod(0o755)

    def near(*arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
        return subprocess.run(
            ["sh", str(script), *arguments], capture_output=True, text=True, check=False, env=environment
        )

    assert near(FIRST, "iperf3", "-s").stdout == "--cpunodebind=3 --localalloc -- iperf3 -s\n"
    for wrong in ((SECOND, "iperf3"), (FIRST,), ()):
        completed = near(*wrong)
        assert completed.returncode == 2
        assert (
            completed.stderr
            == f"usage: wirespeed-near INTERFACE COMMAND [ARGUMENT ...]; an interface is one of {FIRST}\n"
        )


def test_a_node_that_the_firmware_does_not_give_is_said(tmp_path: Path) -> None:
    fake_sysfs.add_interface(tmp_path / "sys", FIRST, "0000:00:01.0/0000:01:00.0", numa_node=-1)
    script = tmp_path / "wirespeed-near"
    script.write_text(fake_sysfs.use(text("/usr/local/bin/wirespeed-near"), tmp_path / "sys"))
    process = subprocess.run(["sh", str(script), FIRST, "true"], capture_output=True, text=True, check=False)
    assert (process.returncode, process.stderr) == (1, f"wirespeed-near: {FIRST}: the firmware gives no NUMA node\n")


def test_a_host_that_is_not_tuned_has_no_such_files() -> None:
    paths = {file.path for file in render.files(build(read(CLUSTER)), ["node1"])}
    assert not {path for path in paths if "tune" in path or "near" in path or "irqbalance" in path or "preset" in path}
