"""Host configurations that the source documents print, in a bundle: all is read, and findings are an expert's.

The values are the documents'; the form is that of the command that shows them (`ip -j`, `sysctl -a`, `niccli`).
Every other output of the bundle is as planned and proves consistency only.

Sources: Broadcom 957608-AN210, sections 2.3.2, 2.4.1, 2.4.2 and 2.5; ESnet, 400G Testbed Configuration; A. K. Johansen,
Fast Multi-GPU communication over PCI Express, section 3.2.1 and appendix A.3.7.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from wirespeed.checks import run
from wirespeed.cluster import read, read_text
from wirespeed.collect import read_facts, write_planned_bundle
from wirespeed.plan import Plan, build
from wirespeed.plan.locate import locate
from wirespeed.report.ranking import merge_findings
from wirespeed.results.findings import Finding, Status

EXAMPLES = Path(__file__).parents[2] / "examples"
NICS = range(1, 9)
AN210 = """\
version: 1
name: an210
hosts:
  node[1-2]:
    model: dell-xe9680-mi300x
    os: ubuntu-22.04
    nics: 8 x broadcom-bcm957608-p1400gd
    interfaces: [INTERFACES]
    EXCEPT
switches:
  leaf1: {model: SWITCH, role: leaf}
cabling: {pattern: by-host, cable: dac-400g, length: 3 m}
addresses: {ADDRESSES}
classes:
  roce: {dscp: 26, priority: 3, lossless: true, share: 50%, congestion: dcqcn-p}
  cnp: {dscp: 48, priority: 7, strict: true}
"""


def plan_an210(switch: str, addresses: str, exceptions: str = "") -> Plan:
    text = AN210.replace("INTERFACES", ", ".join(f"eth{n}" for n in NICS)).replace("SWITCH", switch)
    return build(read_text(text.replace("ADDRESSES", addresses).replace("EXCEPT", exceptions), "cluster.yaml"))


def plan_24_bit() -> Plan:
    return plan_an210("dell-z9664f, os: dell-sonic", "scheme: rail-24")


def plan_31_bit() -> Plan:
    """Host 1 has 1.1.101.15, .25, … .85; the addresses of its leaf ports are the even ones below."""
    parts = {
        host: ", ".join(
            f"eth{n}: {{address: 1.1.{third}.{10 * n + 5}/31, gateway: 1.1.{third}.{10 * n + 4}/31}}" for n in NICS
        )
        for host, third in (("node1", 101), ("node2", 102))
    }
    hosts = ", ".join(f"{host}: {{nic: {{{nics}}}}}" for host, nics in parts.items())
    addresses = "scheme: link-31, pool: 1.1.0.0/16"
    return plan_an210("arista-7060dx4-32, os: eos", addresses, f"except: {{{hosts}}}")


def rule(priority: int, table: object, source: str = "all", **words: object) -> dict[str, object]:
    return {"priority": priority, "src": source, "table": str(table), **words}


DEFAULT_RULES = (rule(0, "local"), rule(32766, "main"), rule(32767, "default"))


def route(table: int, gateway: str, n: int) -> dict[str, object]:
    return {"dst": "default", "gateway": gateway, "dev": f"eth{n}", "table": str(table), "protocol": "static"}


def connected_route(network: str, n: int, source: str) -> dict[str, object]:
    return {"dst": network, "dev": f"eth{n}", "protocol": "kernel", "scope": "link", "prefsrc": source}


# The kernel gives rules without a priority numbers downwards from 32765; the document prints them in this order.
RULES_24 = [rule(32758 + i, 100 + n, f"192.168.{n}.1") for i, n in enumerate((7, 5, 6, 8, 1, 2, 3, 4))]
ROUTES_24 = [route(100 + n, f"192.168.{n}.254", n) for n in NICS] + [
    connected_route(f"192.168.{n}.0/24", n, f"192.168.{n}.1") for n in NICS
]
RULES_31 = [rule(0, 100 + n, f"1.1.101.{10 * n + 4}", srclen=31) for n in NICS] + [
    rule(1, 100 + n, dst="1.1.0.0", dstlen=16) for n in NICS
]
ROUTES_31 = [route(100 + n, f"1.1.101.{10 * n + 4}", n) for n in NICS] + [
    connected_route(f"1.1.101.{10 * n + 4}/31", n, f"1.1.101.{10 * n + 5}") for n in NICS
]

NICCLI_QOS = """\
IEEE 8021QAZ ETS Configuration TLV:
         PRIO_MAP: 0:0 1:0 2:0 3:1 4:0 5:0 6:0 7:2
         TC Bandwidth: 50% 50% 0% 0% 0% 0% 0% 0%
         TSA_MAP: 0:ets 1:ets 2:strict 3:strict 4:strict 5:strict 6:strict 7:strict
IEEE 8021QAZ PFC TLV:
         PFC enabled: 3
IEEE 8021QAZ APP TLV:
         APP#0:
          Priority: 7
          Sel: 5
          DSCP: 48

         APP#1:
          Priority: 3
          Sel: 5
          DSCP: 26

         APP#2:
          Priority: 3
          Sel: 3
          UDP or DCCP: 4791

TC Rate Limit: 100% 100% 100% 0% 0% 0% 0% 0%
"""
NICCLI_DSCPS = "dscp2prio mapping:\npriority:7 dscp:48,\npriority:3 dscp:26,\n"

ESNET_SYSCTL = {
    "kernel.pid_max": "4194303",
    "net.ipv4.tcp_max_syn_backlog": "4096",
    "net.ipv4.tcp_fin_timeout": "15",
    "net.ipv4.tcp_wmem": "4096\t87380\t536870912",
    "net.ipv4.tcp_rmem": "4096\t87380\t536870912",
    "net.ipv4.udp_rmem_min": "16384",
    "net.ipv4.udp_wmem_min": "16384",
    "net.ipv4.tcp_window_scaling": "1",
    "net.ipv4.tcp_slow_start_after_idle": "0",
    "net.ipv4.tcp_timestamps": "1",
    "net.ipv4.tcp_keepalive_intvl": "15",
    "net.ipv4.tcp_rfc1337": "1",
    "net.ipv4.tcp_keepalive_time": "300",
    "net.ipv4.tcp_keepalive_probes": "5",
    "net.ipv4.tcp_sack": "1",
    "net.ipv4.neigh.default.proxy_qlen": "96",
    "net.ipv4.ipfrag_low_thresh": "446464",
    "net.ipv4.ipfrag_high_thresh": "512000",
    "net.core.netdev_max_backlog": "250000",
    "net.core.rmem_default": "16777216",
    "net.core.wmem_default": "16777216",
    "net.core.rmem_max": "536870912",
    "net.core.wmem_max": "536870912",
    "net.core.optmem_max": "40960",
    "net.core.dev_weight": "128",
    "net.core.somaxconn": "1024",
    "net.core.default_qdisc": "fq",
}
"""All of the document but tcp_low_latency, which the kernel ignores since 4.14, and unres_qlen."""
NOT_IN_THE_DOCUMENT = ("kernel.numa_balancing", "net.ipv4.conf.")
"""Parameters of hosts with several interfaces that the plan adds; they stay as planned."""

LINK = {"flags": ["BROADCAST", "MULTICAST", "UP", "LOWER_UP"], "mtu": 1500, "link_type": "ether"}


def address(local: str, prefix: int) -> dict[str, object]:
    return {"family": "inet", "local": local, "prefixlen": prefix, "scope": "global"}


BOND = {"info_kind": "bond", "info_data": {"mode": "active-backup", "active_slave": "eth0", "miimon": 60000}}
BONDED_LINKS = [
    {"ifname": "dis0", **LINK, "addr_info": [address("10.0.0.4", 24)]},
    {"ifname": "eth0", **LINK, "master": "bond0", "linkinfo": {"info_slave_kind": "bond"}, "addr_info": []},
    {"ifname": "eth1", **LINK, "master": "bond0", "linkinfo": {"info_slave_kind": "bond"}, "addr_info": []},
    {"ifname": "bond0", **LINK, "linkinfo": BOND, "addr_info": [address("10.174.0.55", 22)]},
]
SINGLE_LINKS = [
    {**link, "linkinfo": {}, "master": None, "addr_info": link["addr_info"]} if link["ifname"] == "eth1" else link
    for link in BONDED_LINKS
]


def find_findings(plan: Plan, device: str, outputs: Mapping[str, str], folder: Path) -> Counter[tuple[str, Status]]:
    """Check and status of `list_findings`."""
    return Counter((finding.check, finding.status) for finding in list_findings(plan, device, outputs, folder))


def list_findings(plan: Plan, device: str, outputs: Mapping[str, str], folder: Path) -> list[Finding]:
    """What neither passes nor is skipped, with these outputs of one device and all others as planned."""
    write_planned_bundle(plan, folder)
    for name, text in outputs.items():
        file = folder / device / f"{name}.out"
        assert file.exists(), f"{name} is no output of {device}"
        file.write_text(text, encoding="utf-8")
    facts = read_facts(folder)
    findings = run(locate(plan, facts), facts)
    return [finding for finding in findings if finding.status not in (Status.PASS, Status.SKIP)]


def test_hosts_of_the_24_bit_scheme(tmp_path: Path) -> None:
    """The tables have no route of their subnet: hosts of a rail reach each other through the leaf, one hop more."""
    outputs = {"ip-rule": json.dumps([*DEFAULT_RULES, *RULES_24]), "ip-route": json.dumps(ROUTES_24)}
    assert find_findings(plan_24_bit(), "node1", outputs, tmp_path / "bundle") == {("address.route", Status.WARN): 8}


def test_hosts_of_the_31_bit_scheme(tmp_path: Path) -> None:
    outputs = {"ip-rule": json.dumps([*DEFAULT_RULES, *RULES_31]), "ip-route": json.dumps(ROUTES_31)}
    assert find_findings(plan_31_bit(), "node1", outputs, tmp_path / "bundle") == {}


@pytest.mark.parametrize(
    ("rules", "failed"),
    [
        pytest.param([*RULES_24[1:], rule(32767, 107, "192.168.7.1")], 1, id="behind the main table"),
        pytest.param([*RULES_24, rule(100, 102, "192.168.7.0", srclen=24)], 1, id="another rule of the network first"),
        pytest.param([*RULES_24, rule(100, 107, "192.168.7.0", srclen=24)], 0, id="the same table twice"),
    ],
)
def test_the_first_rule_of_a_source_decides(rules: list[dict[str, object]], failed: int, tmp_path: Path) -> None:
    """ip-rule(8): rules are tried in the order of their priority."""
    outputs = {"ip-rule": json.dumps([*DEFAULT_RULES, *rules]), "ip-route": json.dumps(ROUTES_24)}
    assert find_findings(plan_24_bit(), "node1", outputs, tmp_path / "bundle")["address.rule", Status.FAIL] == failed


POOL = {"dst": "10.1.0.0", "dstlen": 26}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("added", "failed"),
    [
        pytest.param(rule(1, 101, **POOL), 7, id="the document's rule to the pool"),
        pytest.param(rule(10, 101), 7, id="all packets"),
        pytest.param(rule(10, 101, "10.1.0.0", srclen=16), 7, id="wider source"),
        pytest.param(rule(10, 254, suppress_prefixlen=0), 8, id="main table without its default route"),
        pytest.param({"priority": 1, "src": "all", "action": "8"}, 8, id="prohibit"),
        pytest.param(rule(1, 101, "10.9.0.0", srclen=16, **{"not": None}), 7, id="any source but another"),
        pytest.param(rule(10, 101, fwmark="0x51820", **{"not": None}), 7, id="packets without the mark"),
        pytest.param(rule(10, 101, iif="lo"), 7, id="packets of the host"),
        pytest.param({"priority": 1, "src": "all", "goto": 32766}, 8, id="goto behind the source rules"),
        pytest.param({"priority": 1, "src": "all", "goto": 32767}, 8, id="goto behind every route"),
        pytest.param({"priority": 1, "src": "all", "action": "unreachable"}, 8, id="unreachable"),
        pytest.param({"priority": 1, "src": "all", "goto": 1001}, 0, id="goto to the first source rule"),
        pytest.param({"priority": 1, "src": "all", "goto": 5000}, 0, id="goto to no rule"),
        pytest.param(rule(10, 101, fwmark="0x1"), 0, id="packets with a mark"),
        pytest.param(rule(10, 101, iif="docker0"), 0, id="forwarded packets"),
        pytest.param(rule(10, 101, oif="docker0"), 0, id="another interface"),
        pytest.param(rule(10, 101, ipproto="tcp"), 0, id="TCP"),
        pytest.param(rule(10, 101, dst="10.2.0.0", dstlen=16), 0, id="other destinations"),
        pytest.param(rule(10, 999), 0, id="empty table"),
        pytest.param(rule(2000, 101), 0, id="behind the source rules"),
    ],
)
def test_rules_before_the_source_rules(added: dict[str, object], failed: int, tmp_path: Path) -> None:
    """ip-rule(8); in a network namespace `ip route get` with such a rule names rail 1 for the source of each rail."""
    plan = build(read(EXAMPLES / "mi300x-4node" / "cluster.yaml"))
    write_planned_bundle(plan, tmp_path / "planned")
    rules = json.loads((tmp_path / "planned" / "node1" / "ip-rule.out").read_text(encoding="utf-8"))
    findings = find_findings(plan, "node1", {"ip-rule": json.dumps([*rules, added])}, tmp_path / "bundle")
    assert findings == ({("address.rule", Status.FAIL): failed} if failed else {})


def test_one_wrong_rule_is_one_finding_of_all_its_nics(tmp_path: Path) -> None:
    plan = build(read(EXAMPLES / "mi300x-4node" / "cluster.yaml"))
    write_planned_bundle(plan, tmp_path / "planned")
    rules = json.loads((tmp_path / "planned" / "node1" / "ip-rule.out").read_text(encoding="utf-8"))
    outputs = {"ip-rule": json.dumps([*rules, rule(500, 101)])}
    [group] = merge_findings(list_findings(plan, "node1", outputs, tmp_path / "bundle"))
    assert (len(group.findings), group.first.expected, group.first.found, len(group.fixes)) == (
        7,
        "the planned rule for the source address comes first",
        "rule 500 (from all lookup 101) comes first and sends packets to table 101",
        1,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tables", "warned"),
    [
        pytest.param((), 8, id="none"),
        pytest.param((101,), 7, id="that of rail 1"),
        pytest.param(range(101, 109), 0, id="one of each rail"),
    ],
)
def test_a_rule_to_the_pool_stands_for_the_route_of_its_rail(
    tables: tuple[int, ...], warned: int, tmp_path: Path
) -> None:
    """Without the link of rail 1 its table is empty, and packets without a source leave by the management interface."""
    plan = build(read(EXAMPLES / "mi300x-4node" / "cluster.yaml"))
    write_planned_bundle(plan, tmp_path / "planned")
    folder = tmp_path / "planned" / "node1"
    rules = json.loads((folder / "ip-rule.out").read_text(encoding="utf-8"))
    routes = json.loads((folder / "ip-route.out").read_text(encoding="utf-8"))
    outputs = {
        "ip-rule": json.dumps([*rules, *(rule(2000, table, **POOL) for table in tables)]),
        "ip-route": json.dumps([entry for entry in routes if entry["dst"] != "10.1.0.0/26"]),
    }
    findings = find_findings(plan, "node1", outputs, tmp_path / "bundle")
    assert findings == ({("address.route", Status.WARN): warned} if warned else {})


def test_broadcom_nics(tmp_path: Path) -> None:
    outputs = {f"niccli-qos@eth{n}": NICCLI_QOS for n in NICS} | {
        f"niccli-dscp2prio@eth{n}": NICCLI_DSCPS for n in NICS
    }
    assert find_findings(plan_24_bit(), "node1", outputs, tmp_path / "bundle") == {}


def test_esnet_hosts(tmp_path: Path) -> None:
    plan = build(read(EXAMPLES / "esnet-400g" / "cluster.yaml"))
    added = {
        name: parameter.value
        for name, parameter in plan.hosts["node1"].sysctls.items()
        if name.startswith(NOT_IN_THE_DOCUMENT)
    }
    values = "".join(f"{name} = {value}\n" for name, value in {**ESNET_SYSCTL, **added}.items())
    command_line = "BOOT_IMAGE=/vmlinuz-5.15.0-70-generic root=/dev/md0 ro iommu=pt\n"
    outputs = {"sysctl": values, "cmdline": command_line}
    assert find_findings(plan, "node1", outputs, tmp_path / "bundle") == {}


@pytest.mark.parametrize(
    ("links", "parameters", "findings"),
    [
        pytest.param(BONDED_LINKS, "", {}, id="as printed"),
        pytest.param(SINGLE_LINKS, "", {("nic.bond", Status.FAIL): 1}, id="one port outside the bond"),
        pytest.param(
            BONDED_LINKS, " iommu=off", {("host.kernel-parameters", Status.FAIL): 1}, id="the IOMMU switched off"
        ),
    ],
)
def test_hosts_of_the_thesis(
    links: list[Any], parameters: str, findings: dict[tuple[str, Status], int], tmp_path: Path
) -> None:
    plan = build(read(EXAMPLES / "pcie-lending" / "cluster-bond.yaml"))
    routes = [{"dst": "default", "gateway": "10.174.0.1", "dev": "bond0", "protocol": "static"}]
    write_planned_bundle(plan, tmp_path / "planned")
    planned_links = json.loads((tmp_path / "planned" / "abel1" / "ip-addr.out").read_text(encoding="utf-8"))
    macs = {link["ifname"]: link["address"] for link in planned_links}
    links = [{**link, "address": macs[link["ifname"]]} for link in links]
    outputs = {
        "cmdline": "BOOT_IMAGE=/vmlinuz-5.4.0-148-generic root=/dev/sda2 ro net.ifnames=0 intel_iommu=on"
        + f"{parameters}\n",
        "ip-addr": json.dumps(links),
        "ip-route": json.dumps(routes),
    }
    assert find_findings(plan, "abel1", outputs, tmp_path / "bundle") == findings
