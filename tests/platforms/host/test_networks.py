"""The network of a host as configured for each renderer, read back by its programs where they are installed."""

from __future__ import annotations

import configparser
import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from needs import find, needs
from wirespeed import render
from wirespeed.cluster import read
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


COMMAND_LINES = {
    "rhel-9.4": (
        ["grubby --update-kernel=ALL --args='intel_iommu=on iommu=pt'"],
        ["grubby --update-kernel=ALL --remove-args='intel_iommu=on iommu=pt'"],
    ),
    "sles-15.6": (
        ["pbl --add-option intel_iommu=on", "pbl --add-option iommu=pt", "pbl --config"],
        ["pbl --del-option intel_iommu", "pbl --del-option iommu", "pbl --config"],
    ),
}


@pytest.mark.parametrize("system", COMMAND_LINES)
def test_the_kernel_command_line_is_given_and_taken_back(system: str) -> None:
    files = texts(plan(system))
    assert files["/etc/wirespeed/kernel-arguments"] == "intel_iommu=on\niommu=pt\n"
    for script, lines in zip(("apply.sh", "rollback.sh"), COMMAND_LINES[system], strict=True):
        assert f"  {' && '.join(f'run {line}' for line in lines)} && obeyed" in files[script] or (
            f"  {' && '.join(f'run {line}' for line in lines)} || failed" in files[script]
        )
        process = subprocess.run(["sh", "-n"], input=files[script], capture_output=True, text=True, check=False)
        assert (process.returncode, process.stderr) == (0, "")
