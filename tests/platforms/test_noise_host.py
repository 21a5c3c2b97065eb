"""What stands beside the answer on real hosts: other interfaces, rules, comments, banners, older and newer wordings.

What is read must be what is read without it, or not known; nothing of the device's own may change.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from platforms.test_mutations_host import _nodes, _read, _read_commands
from wirespeed.platforms import Outputs
from wirespeed.settings import Coalescing, Host, Ring

Noise = Callable[[str], str]


def _insert_before(line: str) -> Noise:
    return lambda text: f"{line}\n{text}"


def _behind(*lines: str) -> Noise:
    return lambda text: text.rstrip("\n") + "\n" + "".join(f"{line}\n" for line in lines)


def _objects(*entries: dict[str, Any]) -> Noise:
    """Entries of others in a JSON list, before the device's own and behind."""
    return lambda text: json.dumps([entries[0], *json.loads(text), *entries], indent=4)


def _replace(pattern: str, replacement: str) -> Noise:
    def change(text: str) -> str:
        changed_text, times = re.subn(pattern, replacement, text, flags=re.M)
        assert times, f"{pattern} is not in the answer"
        return changed_text

    return change


_ETHER = {"link_type": "ether", "address": "02:42:ac:11:00:02", "mtu": 1500, "flags": ["UP", "LOWER_UP"]}
_ADDRESS = {"family": "inet", "local": "172.17.0.1", "prefixlen": 16, "scope": "global"}
_LINKS: tuple[dict[str, Any], ...] = (
    {},  # what iproute2 filtered out
    {"ifname": "docker0", **_ETHER, "linkinfo": {"info_kind": "bridge"}, "addr_info": [_ADDRESS]},
    {"ifname": "team0", **_ETHER, "linkinfo": {"info_kind": "team"}, "addr_info": [_ADDRESS]},
    {"ifname": "enp29s0np0.100", "link": "enp29s0np0", **_ETHER, "linkinfo": {"info_kind": "vlan"}, "addr_info": []},
    {"ifname": "veth0", "master": "docker0", **_ETHER, "linkinfo": {"info_kind": "veth"}, "addr_info": []},
    {"ifname": "ib0", "link_type": "infiniband", "mtu": 2044, "flags": [], "addr_info": [_ADDRESS]},
    {"ifname": "tun0", "link_type": "none", "mtu": 1400, "flags": ["UP"], "addr_info": [_ADDRESS]},
)
# As iproute2 6.1 prints rules that were added by hand.
_RULES: tuple[dict[str, Any], ...] = (
    {"priority": 90, "not": None, "src": "10.1.0.0", "srclen": 16, "table": "100"},
    {"priority": 92, "src": "all", "fwmark": "0x1", "fwmask": "0xff", "table": "8"},
    {"priority": 93, "src": "all", "table": "254", "suppress_prefixlen": 0},  # wg-quick
    {"priority": 94, "src": "all", "ipproto": "ipproto-17", "dport": 4791, "table": "9"},
    {"priority": 96, "src": "all", "l3mdev": None},
    {"priority": 97, "src": "all", "dst": "10.3.0.0", "dstlen": 16, "goto": 32766},
    {"priority": 98, "src": "10.4.0.0", "srclen": 16, "action": "6"},
    {"priority": 101, "src": "all", "sport_start": 100, "sport_end": 200, "table": "13"},
)
_ROUTES: tuple[dict[str, Any], ...] = (
    {"dst": "172.17.0.0/16", "dev": "docker0", "protocol": "2", "prefsrc": "172.17.0.1", "flags": ["linkdown"]},
    {"type": "7", "dst": "10.99.0.0/16", "dev": "lo", "metric": 1024, "flags": []},
    {"type": "3", "dst": "172.17.255.255", "dev": "docker0", "table": "255", "flags": []},
)
_QDISCS: tuple[dict[str, Any], ...] = (
    {"kind": "clsact", "handle": "ffff:", "parent": "ffff:fff1"},
    {"kind": "ingress", "handle": "ffff:", "parent": "ffff:fff1", "options": {}},
)
_PORTS: tuple[dict[str, Any], ...] = (
    {"ifindex": 8, "ifname": "ibp1s0", "port": 1, "state": "DOWN", "physical_state": "DISABLED"},
    {"ifindex": 9, "ifname": "rocep2s0", "port": 1, "state": "ACTIVE", "netdev": "eno1", "netdev_index": 2},
)
_CLI = f"{'-' * 79}\nScrutiny NIC CLI v227.0.130.0 - Broadcom Inc. (c) 2023 (Bld-61.52.25.90.16.0) \n{'-' * 79}"

NOISE: dict[tuple[str, str], tuple[Noise, ...]] = {
    ("ubuntu", "ip-addr"): (_objects(*_LINKS),),
    ("ubuntu", "ip-rule"): (_objects(*_RULES),),
    ("ubuntu", "ip-route"): (_objects(*_ROUTES),),
    ("ubuntu", "qdisc"): (_objects(*_QDISCS),),
    ("ubuntu", "rdma-link"): (_objects(*_PORTS), _replace(r'("ifname": "\w+)"', r'\1/1"')),
    ("ubuntu", "sysctl"): (
        _insert_before("sysctl: permission denied on key 'net.ipv4.tcp_fastopen_key'"),
        _behind("net.ipv4.conf.docker0.rp_filter = 2", "net.ipv4.conf.enp29s0np0/100.rp_filter = 2"),
        _replace(" = ", "="),
    ),
    ("ubuntu", "modules"): (_behind("nvidia 56823808 2 nvidia_uvm, Live 0x0000000000000000 (POE)"),),
    ("ubuntu", "limits"): (
        _insert_before("/etc/security/limits.conf:root\t\thard\tmemlock\t\t65536"),
        _behind("/etc/security/limits.d/oracle.conf:@dba soft memlock 64", "/etc/security/limits.conf:#* - memlock 8"),
    ),
    ("ubuntu", "dmesg"): (
        _behind("kern  :err   : [    4.1] EXT4-fs (sda1): mount failed", "user  :warn  : [    5.0] systemd: slow"),
    ),
    ("ubuntu", "nft"): (
        _behind(  # docker's, as nft lists what iptables-nft made: it drops what is forwarded, not what arrives
            "table ip filter {",
            "\tchain DOCKER {",
            '\t\tiifname != "docker0" oifname "docker0" counter packets 0 bytes 0 drop',
            "\t}",
            "\tchain FORWARD {",
            "\t\ttype filter hook forward priority filter; policy drop;",
            "\t\tcounter packets 0 bytes 0 jump DOCKER",
            "\t}",
            "}",
        ),
    ),
    ("ubuntu", "udev-rdma"): (
        _behind("/usr/lib/udev/rules.d/60-rdma-persistent-naming.rules:# rdma_rename %k NAME_FALLBACK"),
    ),
    ("ubuntu", "dkms"): (
        _replace(": installed$", ": installed (WARNING! Diff between built and installed module!)"),
        _behind("nvidia/550.54.14: added", "nvidia/550.54.14, 5.4.0-1-generic, x86_64: installed"),
    ),
    ("ubuntu", "rocm-smi"): (
        _insert_before("WARNING: AMD GPU device(s) is/are in a low-power state. Check power control/runtime_status\n"),
        _insert_before("============================ ROCm System Management Interface ============================"),
        _replace(r"\t+: ", "          : "),
    ),
    ("ubuntu", "iommu-groups"): (_behind("/sys/kernel/iommu_groups/999/type:identity"),),
    ("ubuntu", "irq-affinity"): (_behind("/proc/irq/0/smp_affinity_list:0-255", "/proc/irq/9/smp_affinity_list:3"),),
    ("ubuntu", "cpu-power"): (
        _behind("/sys/devices/system/cpu/cpufreq/boost:1", "/sys/devices/system/cpu/cpu0/power/name:x"),
    ),
    ("ubuntu", "os-release"): (
        _insert_before("# made by the image"),
        _behind("UBUNTU_CODENAME=jammy", 'PRETTY_NAME="x"'),
    ),
    ("ubuntu", "gid-table"): (
        _behind(
            "/sys/class/infiniband/bnxt_re0/ports/1/gids/9:0000:0000:0000:0000:0000:ffff:0a05:0001",
            "/sys/class/infiniband/bnxt_re0/ports/1/gid_attrs/types/9:RoCE v2",
            "/sys/class/infiniband/bnxt_re0/ports/1/gid_attrs/ndevs/9:enp29s0np0.100",
        ),
    ),
    ("ubuntu", "ibv-devinfo"): (_insert_before("libibverbs: Warning: couldn't load driver 'libhfi1verbs-rdmav34.so'"),),
    ("ubuntu", "ethtool"): (
        _insert_before("netlink error: Operation not permitted"),
        _behind("\tLanes: 8", "\tCurrent message level: 0x00002081 (8321)", "\tLink detected: yes"),
        _replace("^\t", "        "),
    ),
    ("ubuntu", "ethtool-driver"): (_behind("expansion-rom-version: ", "supports-statistics: yes"),),
    ("ubuntu", "ethtool-pause"): (
        _behind("RX negotiated: on", "TX negotiated: on", "Statistics:", "  rx_pause_frames: 1"),
    ),
    ("ubuntu", "ethtool-fec"): (
        _replace(
            "^Configured FEC encodings: .*|^Supported/Configured FEC encodings: .*", "Configured FEC encodings: Auto"
        ),
        _replace("^Active FEC encoding: ", "Active FEC encodings: "),
        _behind("Statistics:", "  corrected_blocks: 123", "  fec_symbol_err_0: 445 [ per_lane:  125, 120 ]"),
    ),
    ("ubuntu", "ethtool-ring"): (
        _replace("^(Pre-set maximums|Current hardware settings):\n", ""),  # ethtool 6.14
        _replace("^(RX Buf Len|CQE Size|TX Push):.*\n", ""),  # before 5.18
        _replace("^(TX:.*\n)(?=Current)", r"\1TX push buff len:\tn/a\nHDS thresh:\t\tn/a\n"),
        _behind("RX Push:\t\toff", "TX push buff len:\tn/a", "TCP data split:\toff"),
        _replace("\t+", "             "),
    ),
    ("ubuntu", "ethtool-coalesce"): (
        _replace("^CQE mode.*\n", ""),  # before 5.15
        _replace(":\t", ": "),
        _behind("", "tx-aggr-max-bytes:\tn/a", "tx-aggr-time-usecs\tn/a", "rx-usecs-profile:\t9"),
        _insert_before("Coalesce parameters for enp29s0np0:"),
    ),
    ("ubuntu", "lspci"): (_insert_before("pcilib: sysfs_read_vpd: read failed: No such device"),),
    ("ubuntu", "lscpu"): (
        _replace("^(?=Thread|Socket|NUMA)", "    "),  # on a terminal
        _replace(":  +", ": "),
        _behind("On-line CPU(s) list: 0-3", "Vulnerability Spectre v2: Mitigation; Retpolines"),
    ),
    ("ubuntu", "dmidecode"): (
        _insert_before(
            "# SMBIOS implementations newer than version 3.2.0 are not\n# fully supported by this version of dmidecode."
        ),
        _behind(
            "Handle 0x0200, DMI type 2, 8 bytes", "Base Board Information", "\tManufacturer: Wistron", "\tVersion: A02"
        ),
        _replace("^System Information$", "System Information\n\tVersion: Not Specified"),
    ),
    ("ubuntu", "redfish-bios"): (
        _replace('"Attributes": {', '"Oem": {}, "Attributes": {"SetupPassword": null, "Proc1NumCores": 8,'),
        _replace(r"\s+", " "),
        _replace(r"\A", "\n"),
    ),
    ("bnxt", "niccli-qos"): (_insert_before(_CLI), _replace("^ +", "\t")),
    ("bnxt", "niccli-dscp2prio"): (_insert_before(_CLI),),
    ("bnxt", "niccli-pri2cos"): (_insert_before(_CLI),),
    ("bnxt", "nvm-support-rdma"): (_insert_before(_CLI), _behind("", "")),
    ("bnxt", "nvm-performance-profile"): (_insert_before(_CLI), _behind("")),
    ("bnxt", "bnxt-re-conf"): (_insert_before("# written by the site\n\nLOG_LEVEL=1"), _behind("  ", "#CNP_PRI=5")),
    ("bnxt", "cc"): (_behind("/sys/kernel/config/bnxt_re/bnxt_re0/ports/1/cc/disable_prio_vlan_tx:0x1"),),
    ("mlx5", "mlnx-qos"): (
        _insert_before("/usr/bin/mlnx_qos:12: DeprecationWarning: the imp module is deprecated"),
        _behind("tc: 5 ratelimit: unlimited, tsa: vendor"),
    ),
    ("mlx5", "mlxconfig"): (
        _insert_before("-W- Failed to load the MST modules"),
        _replace(r"^Device type: +", "Device type:        "),
        _replace(
            r"^The '\*'",
            "*        KEEP_ETH_LINK_UP_P1                 True(1)             False(0)            True(1)\nThe '*'",
        ),
    ),
    ("mlx5", "traffic-class"): (_behind("tclass=32 src_ip=10.0.0.1/32"),),
    ("mlx5", "ecn"): (_behind("/sys/class/net/enp29s0np0/ecn/roce_np/min_time_between_cnps:4"),),
    ("openmpi", "hostfile"): (
        _insert_before("# made by the site"),
        _replace("^(node.*)$", r"\1 max_slots=256 # rack 1"),
    ),
    ("openmpi", "ucx-conf"): (_insert_before("# made by the site\n\n[ignored]"), _replace("=", " = ")),
    ("mvapich2", "mvapich2-conf"): (_insert_before("# made by the site"), _replace(" *= *", "=")),
    ("nccl", "rccl-conf"): (_insert_before("# NCCL_IB_TC=0\n"), _behind("#NCCL_IB_SL=5")),
    ("slurm", "slurmd"): (_insert_before("Restart=no"), _behind("LimitMEMLOCKSoft=65536")),
}
KINDS = {"ubuntu": "host", **dict.fromkeys(("bnxt", "mlx5"), "nic")}
LISTED = ("sysctl.value", "module.loaded", "package.", "rule.", "route.", "nic.rdma", "host.routes")
"""Settings of which the noise adds further ones: those of other devices are read too."""


@pytest.mark.slow
@pytest.mark.parametrize(("name", "command"), NOISE, ids=[" ".join(key) for key in NOISE])
def test_what_stands_beside_changes_nothing(name: str, command: str, tmp_path: Path) -> None:
    wrong: list[str] = []
    tried = 0
    for node, platform_entry, device in _nodes(KINDS.get(name, "launcher"), name, tmp_path):
        for key, outputs, right in _read_commands(platform_entry, node, _tune(device)):
            if key.partition("@")[0] != command or not right:
                continue
            for number, noise in enumerate(NOISE[name, command]):
                tried += 1
                noisy = replace(outputs[key], text=noise(outputs[key].text))
                read = _read(platform_entry, Outputs(node, {**outputs, key: noisy}))
                wrong += [
                    f"{number}: {reading[0]} {reading[1]} = {read.get(reading)!r}, was {right.get(reading)!r}"
                    for reading in {**right, **read}
                    if read.get(reading) != right.get(reading)
                    and (reading in right or not reading[1].startswith(LISTED))
                ]
    assert tried
    assert wrong == []


def _tune(host: Host) -> Host:
    """The host with everything that only some plans set."""
    nics = {
        interface: replace(
            nic,
            ring=Ring(4096, 2048),
            coalescing=Coalescing(adaptive_rx=True, adaptive_tx=False, rx_usecs=8, tx_frames=64),
            interrupt_cores=frozenset({16, 17}),
            qdisc="fq",
        )
        for interface, nic in host.nics.items()
    }
    return replace(host, nics=nics, governor="performance", idle_states=frozenset({"POLL", "C1"}))
