"""The network of a host as configured for each renderer, read back by its programs where they are installed."""

from __future__ import annotations

import configparser
import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from needs import find, needs
from wirespeed import render
from wirespeed.cluster import read, read_text
from wirespeed.errors import Refusal
from wirespeed.plan import Plan, build
from wirespeed.settings import Host, Route, Rule

EXAMPLE = Path(__file__).parents[3] / "examples" / "mi300x-4node"
INTERFACE = "enp29s0np0"


def plan(system: str, scheme: str = "cluster", renderer: str | None = None) -> Plan:
    """The example with another system on its hosts."""
    built_plan = build(read(EXAMPLE / f"{scheme}.yaml"))
    return with_hosts(built_plan, os=system, renderer=renderer)


def with_hosts(built_plan: Plan, **changes: object) -> Plan:
    return replace(built_plan, hosts={name: replace(host, **changes) for name, host in built_plan.hosts.items()})


def texts(built_plan: Plan) -> dict[str, str]:
    return {file.path: file.text for file in render.files(built_plan, ["node1"])}


def with_ipv6(built_plan: Plan) -> Plan:
    """The first NIC with an IPv6 address too."""
    host = built_plan.hosts["node1"]
    nic = host.nics[INTERFACE]
    dual_stack_plan = replace(
        host,
        nics={**host.nics, INTERFACE: replace(nic, addresses=(*(nic.addresses or ()), "fd00:1::2/64"))},
        rules={**host.rules, "from fd00:1::2/128": Rule(101, 1001)},
        routes={
            **host.routes,
            "101 fd00:1::/64": Route(INTERFACE, "", "fd00:1::2"),
            "101 ::/0": Route(INTERFACE, "fd00:1::1", "fd00:1::2"),
        },
    )
    return replace(built_plan, hosts={**built_plan.hosts, "node1": dual_stack_plan})


KEYFILE = f"/etc/NetworkManager/system-connections/wirespeed-{INTERFACE}.nmconnection"
NETWORK = f"/etc/systemd/network/05-wirespeed-{INTERFACE}.network"

FILES = {
    ("rocky-9.4", "cluster", None, KEYFILE): """\
[connection]
id=wirespeed-enp29s0np0
type=ethernet
interface-name=enp29s0np0
autoconnect-priority=10

[ethernet]
mtu=9000

[ipv4]
method=manual
address1=10.1.0.1/31
route1=0.0.0.0/0,10.1.0.0
route1_options=table=101,src=10.1.0.1
route2=10.1.0.0/26,10.1.0.0
route2_options=table=254,src=10.1.0.1
routing-rule1=priority 1001 from 10.1.0.1/32 table 101

[ipv6]
method=link-local
""",
    ("rhel-9.4", "cluster-rail24", None, KEYFILE): """\
[connection]
id=wirespeed-enp29s0np0
type=ethernet
interface-name=enp29s0np0
autoconnect-priority=10

[ethernet]
mtu=9000

[ipv4]
method=manual
address1=192.168.1.1/24
route1=192.168.1.0/24
route1_options=table=101,scope=253,src=192.168.1.1
route2=0.0.0.0/0,192.168.1.254
route2_options=table=101,src=192.168.1.1
routing-rule1=priority 1001 from 192.168.1.1/32 table 101

[ipv6]
method=link-local
""",
    ("sles-15.6", "cluster-rail24", None, f"/etc/sysconfig/network/ifcfg-{INTERFACE}"): """\
BOOTPROTO='static'
STARTMODE='hotplug'
IPADDR='192.168.1.1/24'
MTU='9000'
""",
    ("sles-15.6", "cluster-rail24", None, f"/etc/sysconfig/network/ifroute-{INTERFACE}"): """\
192.168.1.0/24 - - enp29s0np0 table 101 scope link src 192.168.1.1
0.0.0.0/0 192.168.1.254 - enp29s0np0 table 101 src 192.168.1.1
""",
    ("sles-15.6", "cluster-rail24", None, f"/etc/sysconfig/network/ifrule-{INTERFACE}"): """\
ipv4 from 192.168.1.1/32 table 101 priority 1001
""",
    ("ubuntu-22.04", "cluster-rail24", "networkd", NETWORK): """\
[Match]
Name=enp29s0np0

[Link]
RequiredForOnline=no
MTUBytes=9000

[Network]
LinkLocalAddressing=ipv6
IPv6AcceptRA=no
Address=192.168.1.1/24

[Route]
Destination=192.168.1.0/24
Scope=link
PreferredSource=192.168.1.1
Table=101

[Route]
Destination=0.0.0.0/0
Gateway=192.168.1.254
PreferredSource=192.168.1.1
Table=101

[RoutingPolicyRule]
From=192.168.1.1/32
Table=101
Priority=1001
""",
}


@pytest.mark.parametrize(
    ("system", "scheme", "renderer", "path"), FILES, ids=lambda value: str(value).rpartition("/")[2]
)
def test_a_network_is_configured_in_the_syntax_of_its_renderer(
    system: str, scheme: str, renderer: str | None, path: str
) -> None:
    text = texts(plan(system, scheme, renderer))[path]
    assert (
        "".join(line for line in text.splitlines(keepends=True) if not line.startswith("#"))
        == FILES[system, scheme, renderer, path]
    )


@pytest.mark.parametrize(
    ("system", "renderer", "expected_path"),
    [
        ("ubuntu-22.04", None, "/etc/netplan/60-wirespeed.yaml"),
        ("ubuntu-22.04", "netplan", "/etc/netplan/60-wirespeed.yaml"),
        ("ubuntu-22.04", "networkd", NETWORK),
        ("rhel-9.4", "networkmanager", KEYFILE),
        ("almalinux-9.4", None, KEYFILE),
        ("sles-15.6", None, f"/etc/sysconfig/network/ifcfg-{INTERFACE}"),
        ("sles-15.6", "networkmanager", KEYFILE),
        ("sles-16.0", None, KEYFILE),
    ],
)
def test_only_one_renderer_is_configured(system: str, renderer: str | None, expected_path: str) -> None:
    folders = ("/etc/netplan/", "/etc/systemd/network/", "/etc/NetworkManager/", "/etc/sysconfig/network/")
    paths = {path for path in texts(plan(system, renderer=renderer)) if path.startswith(folders)}
    assert expected_path in paths
    assert len({path.rpartition("/")[0] for path in paths}) == 1


@pytest.mark.parametrize(
    ("system", "renderer", "message"),
    [
        ("rhel-9.4", "netplan", "'netplan'; expected networkmanager on rhel-9.4"),
        ("sles-16.0", "wicked", "'wicked'; expected networkmanager on sles-16.0"),
        (
            "sles-15.6",
            "wiked",
            "'wiked'; expected one of wicked, networkmanager on sles-15.6\n  hint: did you mean 'wicked'?",
        ),
    ],
)
def test_a_configurer_that_the_system_has_not_is_refused(system: str, renderer: str, message: str) -> None:
    with pytest.raises(Refusal) as refusal:
        texts(plan(system, renderer=renderer))
    assert str(refusal.value).partition("; expected one of almalinux")[0].endswith(f"node1: renderer: found {message}")


def sections(text: str) -> list[tuple[str, list[str]]]:
    """The sections of an ini file and their lines, sorted: neither networkd nor NetworkManager cares for order."""
    line_groups: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if line.startswith("["):
            line_groups.append((line, []))
        elif line and not line.startswith("#"):
            line_groups[-1][1].append(line)
    return sorted((name, sorted(lines)) for name, lines in line_groups)


@pytest.mark.parametrize("scheme", ["cluster", "cluster-rail24"])
def test_networkd_has_the_configuration_of_netplan(scheme: str, tmp_path: Path) -> None:
    needs("netplan")
    (tmp_path / "etc/netplan").mkdir(parents=True)
    text = texts(plan("ubuntu-22.04", scheme))["/etc/netplan/60-wirespeed.yaml"]
    (tmp_path / "etc/netplan/60-wirespeed.yaml").write_text(text)
    (tmp_path / "etc/netplan/60-wirespeed.yaml").chmod(0o600)
    subprocess.run([str(find("netplan")), "generate", "--root-dir", str(tmp_path)], check=True)
    ours = texts(plan("ubuntu-22.04", scheme, "networkd"))
    for interface in plan("ubuntu-22.04").hosts["node1"].nics:
        theirs = (tmp_path / f"run/systemd/network/10-netplan-{interface}.network").read_text()
        assert sections(ours[f"/etc/systemd/network/05-wirespeed-{interface}.network"]) == sections(theirs)


def offline(keyfile: str) -> configparser.ConfigParser:
    """A keyfile as NetworkManager reads and writes it again."""
    process = subprocess.run(
        [str(find("nmcli")), "--offline", "connection", "modify", "connection.autoconnect", "yes"],
        input=keyfile,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "LC_ALL": "C"},
    )
    assert process.stderr == ""
    read_again = configparser.ConfigParser(interpolation=None)
    read_again.optionxform = str  # type: ignore[method-assign, assignment]
    read_again.read_string(process.stdout)
    return read_again


@pytest.mark.parametrize("scheme", ["cluster", "cluster-rail24"])
def test_networkmanager_reads_all_that_is_configured(scheme: str) -> None:
    needs("nmcli")
    built_plan = with_ipv6(plan("rhel-9.4", scheme))
    host = built_plan.hosts["node1"]
    assert isinstance(host, Host)
    for path, text in texts(built_plan).items():
        if not path.endswith(".nmconnection"):
            continue
        parser = configparser.ConfigParser(interpolation=None)
        parser.optionxform = str  # type: ignore[method-assign, assignment]
        parser.read_string(text)
        got = offline(text)
        for section in parser.sections():
            for key, value in parser[section].items():
                assert words(got[section][key]) == words(value), (path, section, key)


def words(value: str) -> list[str]:
    """The words of a value; of a host, NetworkManager leaves the prefix length out, and it has another order."""
    return sorted(value.replace("/32", "").replace("/128", "").replace(",", " ").split())


def test_parameters_of_the_cluster_file_are_on_the_command_line() -> None:
    text = (
        (EXAMPLE / "cluster.yaml").read_text().replace("os: ubuntu", "kernel_parameters: [pci=realloc=off], os: ubuntu")
    )
    files = {file.path: file.text for file in render.files(build(read_text(text, "cluster.yaml")), ["node1"])}
    assert "'intel_iommu=on iommu=pt pci=realloc=off'" in files["/etc/default/grub.d/90-wirespeed.cfg"]


LENDING = EXAMPLE.parent / "pcie-lending" / "cluster-bond.yaml"
BONDED = {
    ("ubuntu-22.04", "networkd", "/etc/systemd/network/05-wirespeed-bond0.netdev"): """\
[NetDev]
Name=bond0
Kind=bond

[Bond]
Mode=active-backup
MIIMonitorSec=60000ms
""",
    ("rocky-9.4", None, "/etc/NetworkManager/system-connections/wirespeed-bond0.nmconnection"): """\
[connection]
id=wirespeed-bond0
type=bond
interface-name=bond0
autoconnect-priority=10

[bond]
mode=active-backup
miimon=60000

[ipv4]
method=manual
address1=10.174.0.55/22
route1=0.0.0.0/0,10.174.0.1
route1_options=table=254
dns=172.16.16.57;1.1.1.1;8.8.8.8;
dns-search=simula.no;

[ipv6]
method=link-local
""",
    ("rocky-9.4", None, "/etc/NetworkManager/system-connections/wirespeed-eth1.nmconnection"): """\
[connection]
id=wirespeed-eth1
type=ethernet
interface-name=eth1
autoconnect-priority=10
master=bond0
slave-type=bond
""",
    ("sles-15.6", None, "/etc/sysconfig/network/ifcfg-bond0"): """\
BOOTPROTO='static'
STARTMODE='hotplug'
IPADDR='10.174.0.55/22'
BONDING_MASTER='yes'
BONDING_MODULE_OPTS='mode=active-backup miimon=60000'
BONDING_SLAVE_0='eth0'
BONDING_SLAVE_1='eth1'
""",
    ("sles-15.6", None, "/etc/sysconfig/network/ifcfg-eth0"): """\
BOOTPROTO='none'
STARTMODE='hotplug'
""",
}


def bonded_texts(system: str, renderer: str | None) -> dict[str, str]:
    """The files of a host whose default route is over a bond; no software is planned on other systems."""
    text = re.sub(r"software: .*", "", LENDING.read_text()).replace("ubuntu-20.04", system)
    if system.startswith("sles"):  # wicked has name servers of the host, not of an interface
        text = re.sub(r" *(name_servers|search_domains): .*\n", "", text)
    return {
        file.path: file.text
        for file in render.files(with_hosts(build(read_text(text, "bond.yaml")), renderer=renderer), ["abel1"])
    }


@pytest.mark.parametrize(("system", "renderer", "path"), BONDED, ids=lambda value: str(value).rpartition("/")[2])
def test_a_bond_is_configured_in_the_syntax_of_its_renderer(system: str, renderer: str | None, path: str) -> None:
    lines = bonded_texts(system, renderer)[path].splitlines(keepends=True)
    assert "".join(line for line in lines if not line.startswith("#")) == BONDED[system, renderer, path]


DOCUMENT_BOND = """\
network:
  version: 2
  bonds:
    bond0:
      dhcp4: false
      addresses:
        - 10.174.0.55/22
      routes:
        - to: default
          via: 10.174.0.1
      interfaces:
        - eth0
        - eth1
      nameservers:
        addresses:
          - 172.16.16.57
          - 1.1.1.1
          - 8.8.8.8
        search:
          - simula.no
      parameters:
        mode: active-backup
        mii-monitor-interval: 60s
  ethernets:
    eth0:
      dhcp4: false
    eth1:
      dhcp4: false
"""
"""A. K. Johansen, Fast Multi-GPU communication over PCI Express, appendix A.3.7, with the address of abel1, eth1 (which
the print leaves out, and netplan refuses the bond without)."""


DUPLICATE_DOMAIN = ("simula.no simula.no", "simula.no")
"""netplan 0.106 reads a file again whose bonds come before their ports, and then has each name server twice."""


def generate(folder: Path, name: str, text: str) -> dict[str, list[tuple[str, list[str]]]]:
    """The units that netplan makes of a file."""
    file = folder / "etc/netplan" / name
    file.parent.mkdir(parents=True)
    file.write_text(text)
    file.chmod(0o600)
    subprocess.run([str(find("netplan")), "generate", "--root-dir", str(folder)], check=True)
    units = folder.glob("run/systemd/network/10-netplan-*")
    return {path.name: sections(path.read_text()) for path in units if "dis0" not in path.name}


def test_netplan_makes_of_the_bond_what_it_makes_of_the_file_of_the_document(tmp_path: Path) -> None:
    needs("netplan")
    files = bonded_texts("ubuntu-22.04", None)
    ours = generate(tmp_path / "ours", "60-wirespeed-bond0.yaml", files["/etc/netplan/60-wirespeed-bond0.yaml"])
    documents = generate(tmp_path / "document", "01-netcfg.yaml", DOCUMENT_BOND)
    added = ("RequiredForOnline=no", "IPv6AcceptRA=no", "Table=254")
    normal = {
        name: [
            (head, [line.replace("60000ms", "60s") for line in lines if line not in added])
            for head, lines in unit
            if head != "[Link]"
        ]
        for name, unit in ours.items()
    }
    expected = {
        name: [
            (
                head,
                [
                    line.replace("=ipv6", "=no") if "eth" in name else line.replace(*DUPLICATE_DOMAIN)
                    for line in dict.fromkeys(lines)
                ],
            )
            for head, lines in unit
        ]
        for name, unit in documents.items()
    }
    assert normal == expected
    networkd = bonded_texts("ubuntu-22.04", "networkd")
    for name, unit in ours.items():
        assert sections(networkd[f"/etc/systemd/network/05-wirespeed-{name.removeprefix('10-netplan-')}"]) == unit


def test_a_bond_is_applied_without_netplan_try_and_deleted_by_the_rollback() -> None:
    """netplan 0.106: `try` refuses bonds with parameters; `apply` keeps links that no file has any more."""
    files = bonded_texts("ubuntu-22.04", None)
    assert "netplan try" not in "".join(line for line in files["apply.sh"].splitlines() if "run " in line)
    assert "run sh -c 'ip link delete dev bond0 2>/dev/null || :' && run netplan generate" in files["rollback.sh"]


def test_networkmanager_reads_a_bond_and_its_ports() -> None:
    needs("nmcli")
    files = bonded_texts("rocky-9.4", None)
    folder = "/etc/NetworkManager/system-connections"
    bond = offline(files[f"{folder}/wirespeed-bond0.nmconnection"])
    port = offline(files[f"{folder}/wirespeed-eth0.nmconnection"])
    assert dict(bond["bond"]) == {"miimon": "60000", "mode": "active-backup"}
    assert (port["connection"]["master"], port["connection"]["slave-type"]) == ("bond0", "bond")
