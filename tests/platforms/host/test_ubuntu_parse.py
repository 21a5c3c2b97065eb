"""What a Linux host prints, and all that must be read from it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wirespeed.facts import COMPLETE, Facts, Source, State, assemble_facts
from wirespeed.platforms import Output, Outputs, platform
from wirespeed.platforms.host.linux.kernel_messages import read_error
from wirespeed.settings import Place
from wirespeed.units import Bandwidth, Duration

SAMPLES = Path(__file__).parents[2] / "samples" / "ubuntu"
HOST = Place("h")
NIC = HOST.child("nic", "enp29s0np0")
PORT = HOST.child("pcie", "0000:1d:00.0")


def outputs(texts: Mapping[str, str], errors: str = "", empty: int = 1) -> Outputs:
    """Outputs by command; one that is empty ends with the exit code ``empty``, as grep and ls do."""
    output_by_command = {
        key: Output(key, text, Source("h", key, f"{key}.out"), 0 if text else empty, errors)
        for key, text in texts.items()
    }
    return Outputs("h", output_by_command)


def read(errors: str = "", **texts: str) -> Facts:
    named = {key.replace("__", "@").replace("_", "-"): text for key, text in texts.items()}
    return assemble_facts(platform("host", "ubuntu").parse(outputs(named, errors)), devices=["h"])


def sample(case: str) -> Facts:
    texts = {file.stem: file.read_text() for file in sorted((SAMPLES / case).glob("*.txt"))}
    return assemble_facts(platform("host", "ubuntu").parse(outputs(texts)))


@pytest.mark.parametrize(
    ("case", "place", "path", "value", "line"),
    [
        ("name-space", HOST.child("rule", "from 192.168.1.1/32"), "rule.table", 101, 5),
        ("name-space", HOST.child("rule", "from 192.168.1.1/32"), "rule.priority", 1001, 5),
        ("name-space", HOST.child("rule", "from 10.0.0.0/8 to 10.1.0.0/16"), "rule.table", 101, 13),
        ("name-space", HOST.child("route", "101 default"), "route.gateway", "192.168.1.254", None),
        ("name-space", HOST.child("route", "101 default"), "route.device", "enp1s0np0", None),
        ("name-space", HOST.child("route", "102 192.168.2.0/24"), "route.gateway", "", None),
        ("name-space", HOST.child("route", "102 192.168.2.0/24"), "route.source", "192.168.2.1", None),
        ("name-space", HOST.child("route", "254 192.168.1.0/24"), "route.device", "enp1s0np0", None),
        ("name-space-ipv6", HOST.child("rule", "from fd00:0:0:1::1/128"), "rule.table", 101, 5),
        ("name-space-ipv6", HOST.child("rule", "from fd00::/32 to fd00:0:0:2::/64"), "rule.priority", 1100, 13),
        ("name-space-ipv6", HOST, "host.ipv6_rules", 5, None),
        ("name-space-ipv6", HOST.child("route", "101 ::/0"), "route.gateway", "fd00:0:0:1::", None),
        ("name-space-ipv6", HOST.child("route", "102 fd00:0:0:2::/64"), "route.gateway", "", None),
        ("name-space-ipv6", HOST.child("route", "102 fd00:0:0:2::/64"), "route.source", "fd00:0:0:2::1", None),
        ("name-space-ipv6", HOST.child("route", "254 fe80::/64"), "route.device", None, None),  # of each interface
        ("name-space-ipv6", HOST.child("route", "254 fd00:0:0:9::/64"), "route.device", None, None),  # a black hole
        ("name-space-ipv6", HOST.child("nic", "rail2"), "nic.addresses", ("fd00:0:0:2::1/64",), None),
        ("name-space", HOST.child("nic", "enp1s0np0"), "nic.link.mtu", 9000, None),
        ("name-space", HOST.child("nic", "enp1s0np0"), "nic.link.up", True, None),
        ("name-space", HOST.child("nic", "enp2s0np0"), "nic.addresses", ("192.168.2.1/24",), None),
        ("name-space", HOST.child("sysctl", "net.ipv4.conf.enp1s0np0.rp_filter"), "sysctl.value", "0", 5),
        ("rxe-uml", HOST.child("nic", "benic1p1"), "nic.rdma_device", "rocep1", 1),
        ("rxe-uml", HOST.child("nic", "benic8p1"), "nic.rdma_state", "ACTIVE", None),
        ("rxe-uml", HOST.child("nic", "benic2p1"), "nic.rdma_mtu", 4096, 31),
        ("rxe-uml", HOST.child("nic", "benic1p1"), "nic.driver.name", "uml-vector", 1),
        ("rxe-uml", HOST.child("nic", "benic1p1"), "nic.driver.version", "6.12.117", 2),
        ("rxe-uml", HOST.child("nic", "benic1p1"), "nic.driver.firmware", None, None),
        ("rxe-uml", HOST.child("nic", "benic1p1"), "nic.link.speed", None, None),
        ("rxe-machine", HOST.child("nic", "enp29s0np0"), "nic.rdma_device", "bnxt_re0", 1),
        ("rxe-machine", HOST.child("nic", "enp29s0np0"), "nic.counters.sent", 5552, 1),
        ("rxe-machine", HOST.child("nic", "enp29s0np0"), "nic.counters.retries", 26, 1),
        ("rxe-machine", HOST.child("nic", "enp29s0np0"), "nic.counters.sequence_errors", 16, 1),
        ("rxe-machine", HOST.child("nic", "enp67s0np0"), "nic.counters.retries", 15, 19),
        ("rxe-machine", HOST.child("nic", "enp67s0np0"), "nic.counters.sequence_errors", 0, 19),
        ("rxe-machine", HOST.child("nic", "enp231s0np0"), "nic.rdma_mtu", 4096, None),
        ("rxe-machine", HOST.child("nic", "enp29s0np0"), "nic.driver.name", "virtio_net", 1),
        ("mi300x", NIC, "nic.link.speed", Bandwidth.gbps(400), 4),
        ("mi300x", NIC, "nic.link.autonegotiation", False, 7),
        ("mi300x", NIC, "nic.link.pause_receive", False, 3),
        ("mi300x", NIC, "nic.link.pause_send", True, 4),
        ("mi300x", NIC, "nic.link.fec", "rs", 3),
        ("mi300x", NIC, "nic.driver.firmware", "236.1.173.0/pkg 236.1.155.0", 3),
        ("mi300x", NIC, "nic.pcie", "0000:1d:00.0", 5),
        ("mi300x", NIC, "nic.rdma_device", "bnxt_re0", 1),
        ("mi300x", NIC.child("gid", "2"), "gid.type", "RoCE v1", 13),
        ("mi300x", NIC.child("gid", "3"), "gid.type", "RoCE v2", 12),
        ("mi300x", NIC.child("gid", "3"), "gid.address", "10.1.0.1", 2),
        ("mi300x", NIC.child("gid", "1"), "gid.address", "fe80::10:18ff:fe00:2901", 1),
        ("mi300x", NIC.child("gid", "4"), "gid.address", None, None),  # a VLAN's
        ("mi300x", PORT, "pcie.role", "endpoint", 34),
        ("mi300x", PORT, "pcie.parent", "0000:19:01.0", 24),
        ("mi300x", PORT, "pcie.link.width", 8, 41),
        ("mi300x", PORT, "pcie.link.capable_width", 16, 40),
        ("mi300x", PORT, "pcie.link.speed", 32000, 41),
        ("mi300x", PORT, "pcie.max_read_request", 4096, 39),
        ("mi300x", PORT, "pcie.relaxed_ordering", True, 38),
        ("mi300x", PORT, "pcie.numa_node", 0, 33),
        ("mi300x", PORT, "pcie.acs", frozenset(), 32),  # all capabilities are shown, ACS is not among them
        ("mi300x", HOST.child("pcie", "0000:17:01.0"), "pcie.acs", frozenset(), 15),
        ("mi300x", HOST.child("pcie", "0000:17:01.0"), "pcie.parent", None, None),
        (
            "mi300x",
            HOST.child("pcie", "0000:19:01.0"),
            "pcie.acs",
            frozenset({"SrcValid", "ReqRedir", "CmpltRedir", "UpstreamFwd"}),
            30,
        ),
        ("mi300x", HOST.child("pcie", "0000:1e:00.0"), "pcie.link.speed", 2500, 47),
        ("mi300x", HOST.child("gpu", "GPU1"), "gpu.pcie", "0000:42:00.0", 6),
        ("mi300x", HOST, "host.rdma_naming", "NAME_KERNEL", 1),
        ("mi300x", HOST, "host.peer_memory", True, 1),
        ("mi300x", HOST, "host.memlock", "unlimited", 1),
    ],
)
def test_samples(case: str, place: Place, path: str, value: Any, line: int | None) -> None:
    reading = sample(case).reading(place, path)
    if value is None:
        assert reading is None
        return
    assert reading is not None
    assert reading.value == value
    if line is not None:
        assert reading.source.line == line


@pytest.mark.parametrize(
    ("case", "paths"),
    [
        ("name-space", {"host.nics", "host.rules", "host.routes"}),
        ("mi300x", {"host.nics", "host.pcie", "host.gpus", "nic.gids"}),
    ],
)
def test_what_was_read_completely_is_reported(case: str, paths: set[str]) -> None:
    facts = sample(case)
    assert {path for (_, path), readings in facts.readings.items() if readings[0].value == COMPLETE} == paths


def test_bridges_and_their_ports_are_no_nics() -> None:
    host = sample("name-space").devices["h"]
    assert list(host.nics) == ["enp1s0np0", "enp2s0np0"]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("texts", "path", "value"),
    [
        ({"uname": "5.15.0-102-generic\n"}, "host.kernel.version", "5.15.0-102-generic"),
        ({"uname": ""}, "host.kernel.version", None),
        ({"os_release": 'NAME="Ubuntu"\nID=ubuntu\nVERSION_ID="22.04"\n'}, "host.os", "ubuntu-22.04"),
        ({"os_release": "ID=arch\n"}, "host.os", "arch"),
        ({"os_release": "ID=arch\n"}, "host.os_like", ()),
        (
            {"os_release": 'ID="rocky"\nID_LIKE="rhel centos fedora"\nVERSION_ID="9.4"\n'},
            "host.os_like",
            ("rhel", "centos", "fedora"),
        ),
        ({"cmdline": "ro amd_iommu=on iommu=pt\n"}, "host.kernel.command_line", ("ro", "amd_iommu=on", "iommu=pt")),
        ({"cpu": "vendor_id\t: AuthenticAMD\n"}, "host.cpu_vendor", "amd"),
        ({"cpu": "vendor_id\t: GenuineIntel\n"}, "host.cpu_vendor", "intel"),
        ({"cpu": "vendor_id\t: HygonGenuine\n"}, "host.cpu_vendor", None),
        ({"kallsyms": ""}, "host.peer_memory", False),
        ({"iommu_groups": ""}, "host.kernel.iommu", "off"),
        ({"iommu_groups": "/sys/kernel/iommu_groups/0/type:identity\n"}, "host.kernel.iommu", "passthrough"),
        (
            {"iommu_groups": "/sys/kernel/iommu_groups/0/type:identity\n/sys/kernel/iommu_groups/9/type:DMA-FQ\n"},
            "host.kernel.iommu",
            "translated",
        ),
        ({"dmesg": ""}, "host.kernel.errors", ()),
        (
            {
                "dmesg": "kern  :warn  : [    3.250301] infiniband bnxt_re2: Fail to setets rc:-22\n"
                "kern  :err   : [    4.100000] EXT4-fs (sda1): mount failed\n"
                "kern  :warn  : [    5.000000] bnxt_en 0000:1d:00.0 enp29s0np0: renamed from eth0\n"
                "kern  :err   : [    6.000000] bnxt_en 0000:1d:00.0 enp29s0np0: NIC Link is Down\n"
            },
            "host.kernel.errors",
            (
                read_error("infiniband bnxt_re2: Fail to setets rc:-22"),
                read_error("bnxt_en 0000:1d:00.0 enp29s0np0: NIC Link is Down (still down)"),
            ),
        ),
        (  # forms: Linux mm/oom_kill.c (__oom_kill_process) and arch/x86/mm/fault.c (show_signal_msg)
            {
                "dmesg": "kern  :err   : [    7.000000] Out of memory: Killed process 4242 (all_reduce_perf) "
                "total-vm:9kB, anon-rss:9kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:9kB oom_score_adj:0\n"
                "kern  :info  : [    8.000000] python3[77]: segfault at 0 ip 00007f01 sp 00007ffe error 4 in "
                "libnccl.so.2.18.1[7f0000000000+1000]\n"
                "kern  :info  : [    9.000000] bash[78]: segfault at 0 ip 00007f01 sp 00007ffe error 4 in bash[55+10]\n"
            },
            "host.kernel.errors",
            (
                read_error(
                    "Out of memory: Killed process 4242 (all_reduce_perf) total-vm:9kB, anon-rss:9kB, file-rss:0kB, "
                    "shmem-rss:0kB, UID:0 pgtables:9kB oom_score_adj:0"
                ),
                read_error(
                    "python3[77]: segfault at 0 ip 00007f01 sp 00007ffe error 4 in libnccl.so.2.18.1[7f0000000000+1000]"
                ),
            ),
        ),
        (
            {"own_limits": "Max locked memory         8388608              8388608              bytes\n"},
            "host.memlock",
            "8192",
        ),
        (
            {"own_limits": "Max locked memory         unlimited            unlimited            bytes\n"},
            "host.memlock",
            "unlimited",
        ),
        (
            {
                "limits": "/etc/security/limits.conf:* - memlock 65536\n",
                "own_limits": "Max locked memory  1024 1024 bytes\n",
            },
            "host.memlock",
            "65536",
        ),
        (  # a rule for one user is not one for jobs
            {
                "limits": "/etc/security/limits.conf:root soft memlock unlimited\n",
                "own_limits": "Max locked memory  1024 1024 bytes\n",
            },
            "host.memlock",
            "1",
        ),
        ({"udev_rdma": ""}, "host.rdma_naming", "none"),
        (
            {"udev_rdma": '/usr/lib/udev/rules.d/60-r.rules:ACTION=="add", PROGRAM="rdma_rename %k NAME_FALLBACK"\n'},
            "host.rdma_naming",
            "NAME_FALLBACK",
        ),
        ({"acs_service": "enabled\n"}, "host.acs_service", True),
        ({"acs_service": "disabled\n"}, "host.acs_service", False),
        ({"acs_service": ""}, "host.acs_service", False),  # no such unit
        ({"ofed": ""}, "host.conflicting_stacks", ()),
        ({"ofed": "/usr/sbin/ofed_uninstall.sh\n"}, "host.conflicting_stacks", ("MLNX_OFED",)),
        (
            {
                "ofed": "",
                "dkms": "bnxt_en/1.10.3.234.0.171.0, 5.15.0-102-generic, x86_64: installed\n"
                "netxtreme-peer-mem/234.0.154.0, 5.15.0-102-generic, x86_64: installed\n",
            },
            "host.conflicting_stacks",
            ("DKMS package bnxt_en/1.10.3.234.0.171.0 beside netxtreme-peer-mem/234.0.154.0",),
        ),
        ({"dkms": "bnxt-en/1, 5.15, x86_64: installed\n"}, "host.conflicting_stacks", None),
        ({"rdma_devices": ""}, "host.rdma_devices", ()),
        (
            {"rdma_devices": "bnxt_re0\nbnxt_re1\nbnxt_re10\nbnxt_re2\n"},
            "host.rdma_devices",
            ("bnxt_re0", "bnxt_re1", "bnxt_re2", "bnxt_re10"),
        ),
        ({"ibv_devinfo": ""}, "host.rdma_libraries", "ok"),
        ({"iptables": "-P INPUT ACCEPT\n-P FORWARD DROP\n-P OUTPUT ACCEPT\n"}, "host.firewall", None),
        ({"nft": "", "iptables": "-P INPUT ACCEPT\n-P FORWARD DROP\n"}, "host.firewall", False),
        ({"iptables": "-P INPUT DROP\n"}, "host.firewall", True),
        ({"iptables": "-P INPUT ACCEPT\n-N ufw\n-A INPUT -j ufw\n-A ufw -p udp -j REJECT\n"}, "host.firewall", True),
        ({"nft": "", "iptables": "-P INPUT ACCEPT\n-A FORWARD -j DROP\n"}, "host.firewall", False),
        ({"nft": ""}, "host.firewall", False),
        ({"nft": "", "iptables": "-P INPUT DROP\n"}, "host.firewall", True),
        (
            {"nft": "table inet f {\n\tchain in {\n\t\ttype filter hook input priority 0; policy drop;\n\t}\n}\n"},
            "host.firewall",
            True,
        ),
        (
            {
                "nft": "table ip f {\n\tchain in {\n\t\ttype filter hook input priority 0;\n\t\tjump more\n\t}\n"
                '\tchain more {\n\t\tudp dport 4791 counter drop comment "no roce"\n\t}\n}\n'
            },
            "host.firewall",
            True,
        ),
        (  # the same names in another table, a word in a comment, and a chain for what is forwarded
            {
                "nft": "table ip f {\n\tchain in {\n\t\ttype filter hook input priority 0;\n\t\tjump more # drop\n"
                "\t}\n\tchain more {\n\t\taccept\n\t}\n}\ntable ip g {\n\tchain more {\n\t\tdrop\n\t}\n"
                "\tchain out {\n\t\ttype filter hook forward priority 0; policy drop;\n\t}\n}\n"
            },
            "host.firewall",
            False,
        ),
    ],
)
def test_the_host(texts: dict[str, str], path: str, value: Any) -> None:
    assert read(**texts).value(HOST, path) == value


def test_libraries_that_do_not_match_the_driver() -> None:
    warning = (
        "libibverbs: Warning: Driver bnxt_re does not support the kernel ABI of 6 (supports 1 to 1) "
        "for device /sys/class/infiniband/bnxt_re0"
    )
    assert read(errors=f"{warning}\n", ibv_devinfo="").value(HOST, "host.rdma_libraries") == warning


def test_memlock_of_a_file_is_configured_not_running() -> None:
    reading = sample("mi300x").reading(HOST, "host.memlock")
    assert reading is not None
    assert reading.state is State.CONFIGURED


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("ip_rule", "["),  # what `ip -j` prints of a table that does not exist
        ("ip_rule", '[{"priority":0,"src":"all","table":"local"}'),
        ("ip_route", "Error: ipv4: FIB table does not exist."),
        ("ip_addr", '{"ifname":"eth0"}'),
        ("rdma_link", "[1]"),
        ("ip_rule", '[{"priority":0,"src":"all","table":"local"}] x'),
    ],
)
def test_broken_json_shows_nothing(command: str, text: str) -> None:
    assert read(**{command: text}).readings == {}


VMD = """\
0000:00:0e.0 RAID bus controller [0104]: Intel Corporation Volume Management Device NVMe RAID Controller [8086:467f]

10000:e0:06.0 PCI bridge [0604]: Intel Corporation 12th Gen Core Processor PCI Express x4 Controller #0 [8086:464d]
\tBus: primary=e0, secondary=e1, subordinate=e1, sec-latency=0
\tCapabilities: [40] Express (v2) Root Port (Slot+), MSI 00
\t\tLnkSta:\tSpeed 16GT/s, Width x4

10000:e1:00.0 Non-Volatile memory controller [0108]: Samsung NVMe SSD Controller PM9A1 [144d:a80a]
\tCapabilities: [70] Express (v2) Endpoint, MSI 00
\t\tLnkSta:\tSpeed 16GT/s, Width x4

"""
"""Functions behind Intel VMD: domains from 10000 on (Linux, drivers/pci/controller/vmd.c)."""


def test_a_domain_of_five_digits_is_read() -> None:
    facts = read(lspci=VMD)
    drive = HOST.child("pcie", "10000:e1:00.0")
    assert [facts.value(drive, path) for path in ("pcie.parent", "pcie.role", "pcie.link.width")] == [
        "10000:e0:06.0",
        "endpoint",
        4,
    ]
    assert facts.value(HOST.child("pcie", "0000:00:0e.0"), "pcie.role") is None


def test_without_root_lspci_shows_no_acs() -> None:
    facts = read(
        lspci="0000:19:01.0 PCI bridge: Broadcom / LSI PEX890xx\n"
        "\tBus: primary=19, secondary=1d, subordinate=1d, sec-latency=0\n"
        "\tCapabilities: <access denied>\n\n0000:1d:00.0 Ethernet controller: Broadcom Inc. BCM57608\n"
        "\tCapabilities: <access denied>\n"
    )
    assert facts.value(PORT, "pcie.acs") is None
    assert facts.value(PORT, "pcie.parent") == "0000:19:01.0"
    assert list(facts.devices["h"].pcie) == ["0000:19:01.0", "0000:1d:00.0"]  # type: ignore[union-attr]


NUMBERED_HEADS = [
    # AMD GPU operator documentation and a public record of an HGX H100
    (
        "Processing accelerators [1200]: Advanced Micro Devices, Inc. [AMD/ATI] Aqua Vanjaram [Instinct MI300X]"
        " [1002:74a1]",
        ("1200", {"1002:74a1"}),
    ),
    ("3D controller [0302]: NVIDIA Corporation GH100 [H100 SXM5 80GB] [10de:2330] (rev a1)", ("0302", {"10de:2330"})),
    ("Bridge [0680]: NVIDIA Corporation GH100 [H100 NVSwitch] [10de:22a3] (rev a1)", ("0680", {"10de:22a3"})),
    (
        "PCI bridge [0604]: Texas Instruments XIO3130 PCI Express Switch (Upstream) [104c:8232] (rev 02)"
        " (prog-if 00 [Normal decode])",
        ("0604", {"104c:8232"}),
    ),
    ("3D controller [0302]: NVIDIA Corporation Device [10de:2330]", ("0302", {"10de:2330"})),
    ("3D controller: NVIDIA Corporation GH100 [H100 SXM5 80GB] (rev a1)", (None, None)),  # without -nn
]


@pytest.mark.parametrize(("head", "numbers"), NUMBERED_HEADS)
def test_lspci_shows_numbers_of_class_vendor_and_device(head: str, numbers: tuple[str | None, set[str] | None]) -> None:
    facts = read(lspci=f"0000:1d:00.0 {head}\n\tSubsystem: Dolphin Interconnect Solutions AS Device [11c8:0930]\n\n")
    function = facts.devices["h"].pcie["0000:1d:00.0"]  # type: ignore[union-attr]
    assert (function.device_class, function.device_ids) == numbers
    assert function.subsystem_id == "11c8:0930"


def test_sysfs_shows_the_link_to_anybody() -> None:
    folder = "/sys/bus/pci/devices/0000:1d:00.0"
    facts = read(
        pcie_sysfs__enp29s0np0=f"{folder}/current_link_speed:16.0 GT/s PCIe\n{folder}/current_link_width:8\n"
        f"{folder}/max_link_speed:Unknown\n{folder}/numa_node:-1\n"
    )
    slot = facts.devices["h"].pcie["0000:1d:00.0"]  # type: ignore[union-attr]
    assert (slot.link.speed, slot.link.width, slot.link.capable_speed, slot.numa_node) == (16000, 8, None, None)


def test_no_rdma_device_at_all_is_known() -> None:
    facts = read(rdma_devices="", nic_uevent__eth0="DRIVER=virtio_net\n")
    assert facts.value(HOST.child("nic", "eth0"), "nic.rdma_device") == ""


def test_modules() -> None:
    facts = read(
        modules="bnxt_re 294912 0 - Live 0x0000000000000000 (OE)\nbnxt_en 655360 1 bnxt_re, Live 0xffffffffc0a00000\n",
        module_versions="/sys/module/bnxt_en/version:1.10.3-236.1.155.0\n",
    )
    modules = facts.devices["h"].modules  # type: ignore[union-attr]
    assert {name: (module.loaded, module.version) for name, module in modules.items()} == {
        "bnxt_re": (True, None),
        "bnxt_en": (True, "1.10.3-236.1.155.0"),
    }


def test_two_hops_and_two_routes() -> None:
    facts = read(
        ip_route='[{"dst":"default","flags":[],"nexthops":[{"gateway":"10.0.0.1","dev":"a","weight":1,"flags":[]},'
        '{"gateway":"10.0.1.1","dev":"b","weight":1,"flags":[]}]},{"dst":"default","gateway":"10.9.9.9","dev":"c",'
        '"metric":100,"flags":[]},{"type":"local","dst":"10.0.0.2","dev":"a","table":"local","flags":[]}]'
    )
    routes = facts.devices["h"].routes  # type: ignore[union-attr]
    assert {name: (route.device, route.gateway) for name, route in routes.items()} == {
        "254 default": ("a,b", "10.0.0.1,10.0.1.1"),
        "254 default metric 100": ("c", "10.9.9.9"),
    }


@pytest.mark.parametrize(
    "route", ['{"dst":"10.1.0.0/24","table":"blue","dev":"a"}', '{"dst":"nowhere","table":101,"dev":"a"}']
)
def test_a_route_without_a_number_or_a_network_is_left_out(route: str) -> None:
    assert read(ip_route=f"[{route}]").devices["h"].routes == {}  # type: ignore[union-attr]


def test_the_command_line_of_the_kernel_is_its_first_line() -> None:
    reading = read(cmdline="ro amd_iommu=on iommu=pt\n").reading(HOST, "host.kernel.command_line")
    assert reading is not None
    assert (reading.value, reading.source.line) == (("ro", "amd_iommu=on", "iommu=pt"), 1)


COMMANDS = tuple(command.id for command in platform("host", "ubuntu").commands)


@settings(deadline=None, max_examples=150)
@given(st.dictionaries(st.sampled_from(COMMANDS), st.text(max_size=200), min_size=1), st.text(max_size=60))
def test_arbitrary_text_never_crashes(texts: dict[str, str], errors: str) -> None:
    per_nic = {command.id for command in platform("host", "ubuntu").commands if command.per_nic}
    named = {f"{key}@eth0" if key in per_nic else key: text for key, text in texts.items()}
    assemble_facts(platform("host", "ubuntu").parse(outputs(named, errors)))


@settings(deadline=None, max_examples=150)
@given(st.sampled_from(sorted(SAMPLES.glob("*/*.txt"))), st.data())
def test_a_cut_output_gives_fewer_values_never_others(file: Path, data: st.DataObject) -> None:
    text = file.read_text()
    truncated_text = "\n".join(text.split("\n")[: data.draw(st.integers(0, text.count("\n")))])
    link_texts = {path.stem: path.read_text() for path in file.parent.glob("rdma-link.txt")}
    parse = platform("host", "ubuntu").parse
    whole = {
        (observation.place, observation.path): observation.value
        for observation in parse(outputs({**link_texts, file.stem: text}))
    }
    for entry in parse(outputs({**link_texts, file.stem: truncated_text}, empty=0)):
        if entry.value != COMPLETE:
            assert whole[entry.place, entry.path] == entry.value


BOND = """[
 {"ifname": "bond0", "flags": ["BROADCAST", "MULTICAST", "MASTER", "UP", "LOWER_UP"], "mtu": 1500,
  "link_type": "ether", "linkinfo": {"info_kind": "bond", "info_data": {"mode": "802.3ad", "miimon": 100}},
  "addr_info": []},
 {"ifname": "eth1", "master": "bond0", "flags": ["BROADCAST", "MULTICAST", "SLAVE", "UP", "LOWER_UP"], "mtu": 1500,
  "link_type": "ether", "linkinfo": {"info_slave_kind": "bond"}, "addr_info": []},
 {"ifname": "eth2", "master": "br0", "flags": ["UP"], "link_type": "ether", "addr_info": []}]"""
"""Keys of iproute2, ip/ipaddress.c and ip/iplink_bond.c, as in public outputs of `ip -d -j addr`."""


def test_a_bond_and_its_ports_are_read() -> None:
    facts = read(ip_addr=BOND)
    values = {
        (name, path): facts.value(HOST.child("nic", name), path)
        for name in ("bond0", "eth1", "eth2")
        for path in ("nic.bond.mode", "nic.bond.monitor", "nic.controller")
    }
    assert values == {
        ("bond0", "nic.bond.mode"): "802.3ad",
        ("bond0", "nic.bond.monitor"): Duration.parse("100 ms"),
        ("bond0", "nic.controller"): "",
        ("eth1", "nic.bond.mode"): None,
        ("eth1", "nic.bond.monitor"): None,
        ("eth1", "nic.controller"): "bond0",
        ("eth2", "nic.bond.mode"): None,
        ("eth2", "nic.bond.monitor"): None,
        ("eth2", "nic.controller"): "",
    }


def test_ibv_devinfo_shows_guid_and_queue_pairs_of_each_device() -> None:
    """The document's output of a BCM57508; max_qp as rdma-core, libibverbs/examples/devinfo.c, prints it with -v."""
    links = '[{"ifname":"bnxt_re0","port":1,"state":"ACTIVE","netdev":"ens2f0np0"}]'
    text = (
        "hca_id:\tbnxt_re0\n\ttransport:\t\t\tInfiniBand (0)\n\tfw_ver:\t\t\t\t227.1.111.0\n"
        "\tnode_guid:\t\t\tbe97:e1ff:feda:96d0\n\tsys_image_guid:\t\t\tbe97:e1ff:feda:96d1\n\tphys_port_cnt:\t\t\t1\n"
        "\tmax_qp:\t\t\t\t65537\n\tmax_qp_wr:\t\t\t32767\n\tmax_qp_rd_atom:\t\t\t128\n"
        "\t\tport:\t1\n\t\t\tactive_mtu:\t\t4096 (5)\n\t\t\tlink_layer:\t\tEthernet\n"
        "hca_id:\tmlx5_0\n\tnode_guid:\t\t\t0000:0000:0000:0001\n\tmax_qp:\t\t\t\t7\n"
    )
    facts = read(rdma_link=links, ibv_devinfo=text)
    nic = HOST.child("nic", "ens2f0np0")
    values = [facts.value(nic, f"nic.{name}") for name in ("node_guid", "queue_pairs", "rdma_mtu")]
    assert values == ["be97:e1ff:feda:96d0", 65537, 4096]


@pytest.mark.parametrize(
    ("by_link", "by_verbs", "state"),
    [
        ("ACTIVE", "PORT_ACTIVE (4)", "ACTIVE"),
        ("ACTIVE", "PORT_DOWN (1)", "ACTIVE by rdma link, DOWN by ibv_devinfo"),
        ("DOWN", "PORT_ACTIVE (4)", "DOWN by rdma link, ACTIVE by ibv_devinfo"),
        ("DOWN", "PORT_DOWN (1)", "DOWN"),
        ("ACTIVE", "invalid state (9)", "ACTIVE"),
        ("ACTIVE", None, "ACTIVE"),
    ],
)
def test_a_port_state_that_two_outputs_contradict_has_both(by_link: str, by_verbs: str | None, state: str) -> None:
    links = f'[{{"ifname":"mlx4_0","port":2,"state":"{by_link}","netdev":"eth1"}}]'
    older = f'[{{"ifname":"mlx4_0/2","state":"{by_link}","netdev":"eth1"}}]'
    first = "hca_id:\tmlx4_0\n\t\tport:\t1\n\t\t\tstate:\t\t\tPORT_INIT (2)\n"
    text = first + (f"\t\tport:\t2\n\t\t\tstate:\t\t\t{by_verbs}\n" if by_verbs else "")
    for output in (links, older):
        assert read(rdma_link=output, ibv_devinfo=text).value(HOST.child("nic", "eth1"), "nic.rdma_state") == state
