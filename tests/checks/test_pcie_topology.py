"""Planned PCIe functions on real servers: their addresses and the shape of their trees come from public sources.

The paths are facts of published sources, written as ``lspci -PP`` prints a path; the text of lspci around them is
this test's. That links are at full rate and ACS is off is an assumption of the healthy case.

* AMD Instinct cluster networking documentation, "Mapping NIC to GPU NUMA node": MI300X and ConnectX-7. A GPU contains a
  PCIe switch.
* A public description of a Supermicro AS-8126GS-TNMR (MI325X, BCM57608): addresses of all devices, and the shape of one
  of its eight equal branches.
* Names and numbers of functions are those of pci.ids, as ``lspci -nn`` prints them in public records.
* Broadcom 957608-AN210, section 8.7.2: addresses of GPUs and interfaces of the hosts irvine-waco. It does not print
  their switches: each pair has a virtual switch (chapter 4), and GPUs are as AMD prints them.
* johnahull/dra-topology-aware-co-placement, testing/results/xe9785l-hardware/hw-topology-mi355x-3.txt: a Dell XE9785L,
  each of whose sockets is a PCI domain. The BCM57608 is where the server of the source has a Pollara 400, which
  contains a PCIe switch.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from wirespeed.catalogue import load
from wirespeed.checks import run
from wirespeed.cli import flows
from wirespeed.cluster import read_text
from wirespeed.collect import read_facts, write_planned_bundle
from wirespeed.errors import Refusal
from wirespeed.facts import Facts
from wirespeed.plan import Plan, build
from wirespeed.plan.locate import locate
from wirespeed.plan.peer_paths import list_crossed_functions
from wirespeed.results.findings import Finding, Status
from wirespeed.settings import Gpu, Host, Nic, PcieFunction

CLUSTER = """\
version: 1
name: topology
hosts:
  node1: {{model: {model}, os: ubuntu-22.04, nics: 8 x {nic}, interfaces: [{interfaces}]}}
switches:
  leaf1: {{model: dell-z9664f, os: dell-sonic, role: leaf}}
cabling: {{pattern: by-host, cable: dac-400g, length: 3 m}}
addresses: {{scheme: link-31, pool: 10.1.0.0/16}}
"""
BROADCOM = (
    "Ethernet controller [0200]: Broadcom Inc. and subsidiaries BCM57608 25Gb/50Gb/100Gb/200Gb/400Gb Ethernet"
    " [14e4:1760] (rev 11)"
)
MELLANOX = "Ethernet controller [0200]: Mellanox Technologies MT2910 Family [ConnectX-7] [15b3:1021]"
GPU = (
    "Processing accelerators [1200]: Advanced Micro Devices, Inc. [AMD/ATI] Aqua Vanjaram [Instinct MI300X] [1002:74a1]"
)
BRIDGE = "PCI bridge [0604]: Broadcom / LSI PEX890xx PCIe Gen 5 Switch [1000:c030] (rev b0)"
MI355X = "Processing accelerators [1200]: Advanced Micro Devices, Inc. [AMD/ATI] Device [1002:75a3]"
TOPOLOGY_CHECKS = (
    "gpu.presence",
    "nic.gpu-path",
    "nic.pcie-speed",
    "nic.pcie-width",
    "pcie.acs",
    "pcie.device",
    "pcie.link",
)


@dataclass(frozen=True)
class Server:
    """A server: paths from the root port, in the order of GPUs and of the NICs that serve them."""

    nic: str
    nic_title: str
    nics: tuple[str, ...]
    gpus: tuple[str, ...]
    model: str = "dell-xe9680-mi300x"
    gpu_title: str = GPU

    @property
    def interfaces(self) -> tuple[str, ...]:
        """Names as systemd forms them of the bus, with the number of any other domain than 0."""
        buses = [add_domain(path.split("/")[-1]).split(":") for path in self.nics]
        return tuple(
            f"en{f'P{int(domain, 16)}' if int(domain, 16) else ''}p{int(bus, 16)}s0np0" for domain, bus, _ in buses
        )


def add_domain(name: str) -> str:
    """The complete address; like lspci, paths leave out domain 0."""
    return name if name.count(":") == 2 else f"0000:{name}"


def build_branch(root: str, switch: int, port: int, gpu: int, inner: int) -> tuple[str, str]:
    """A NIC and a GPU below one virtual switch, in AMD's notation."""
    above = f"{root}/{switch:02x}:00.0/{switch + 1:02x}"
    return (
        f"{above}:01.0/{port:02x}:00.0",
        f"{above}:00.0/{inner:02x}:00.0/{inner + 1:02x}:00.0/{gpu:02x}:00.0",
    )


AMD = Server(
    "nvidia-mcx75310aas-neat",
    MELLANOX,
    (
        "00:01.1/01:00.0/02:01.0/09:00.0",
        "18:01.1/19:00.0/1a:03.0/23:00.0",
        "48:01.1/49:00.0/4a:03.0/53:00.0",
        "60:01.1/61:00.0/62:01.0/69:00.0",
        "78:01.1/79:00.0/7a:05.0/8f:00.0",
        "98:01.1/99:00.0/9a:01.0/9c:00.0",
        "c8:01.1/c9:00.0/ca:02.0/cd:00.0",
        "e0:01.1/e1:00.0/e2:04.0/f1:00.0",
    ),
    (
        "00:01.1/01:00.0/02:00.0/03:00.0/04:00.0/05:00.0",
        "18:01.1/19:00.0/1a:04.0/29:00.0/2a:00.0/2b:00.0",
        "48:01.1/49:00.0/4a:04.0/59:00.0/5a:00.0/5b:00.0",
        "60:01.1/61:00.0/62:00.0/63:00.0/64:00.0/65:00.0",
        "78:01.1/79:00.0/7a:00.0/7b:00.0/7c:00.0/7d:00.0",
        "98:01.1/99:00.0/9a:03.0/a3:00.0/a4:00.0/a5:00.0",
        "c8:01.1/c9:00.0/ca:03.0/d3:00.0/d4:00.0/d5:00.0",
        "e0:01.1/e1:00.0/e2:02.0/e5:00.0/e6:00.0/e7:00.0",
    ),
)
_SUPERMICRO_BRANCHES = [
    (f"{bus:02x}:01.1/{bus + 1:02x}:00.0/{bus + 2:02x}", bus)
    for bus in (0x00, 0x10, 0x60, 0x70, 0x80, 0x90, 0xE0, 0xF0)
]
SUPERMICRO = Server(
    "broadcom-bcm957608-p1400gd",
    BROADCOM,
    tuple(f"{above}:01.0/{bus + 6:02x}:00.0" for above, bus in _SUPERMICRO_BRANCHES),
    tuple(
        f"{above}:00.0/{bus + 3:02x}:00.0/{bus + 4:02x}:00.0/{bus + 5:02x}:00.0" for above, bus in _SUPERMICRO_BRANCHES
    ),
)
_WACO_GPUS = (0x1B, 0x3D, 0x4E, 0x5F, 0x9D, 0xBD, 0xCD, 0xDD)
_WACO_BRANCHES = [build_branch(f"{gpu - 6:02x}:01.0", gpu - 5, gpu + 1, gpu, gpu - 2) for gpu in _WACO_GPUS]
WACO = Server(
    "broadcom-bcm957608-p1400gd",
    BROADCOM,
    tuple(nic for nic, _ in _WACO_BRANCHES),
    tuple(gpu for _, gpu in _WACO_BRANCHES),
)
# Downstream ports as in the source; the card at the first bus below its port.
XE9785L = Server(
    "broadcom-bcm957608-p1400gd",
    BROADCOM,
    (
        "00:01.1/01:00.0/02:00.0/03:00.0",
        "32:01.1/33:00.0/34:02.0/37:00.0",
        "a0:01.1/a1:00.0/a2:04.0/a9:00.0",
        "d0:01.1/d1:00.0/d2:03.0/d6:00.0",
        "0001:00:01.1/0001:01:00.0/0001:02:00.0/0001:03:00.0",
        "0001:32:01.1/0001:33:00.0/0001:34:00.0/0001:35:00.0",
        "0001:a0:01.1/0001:a1:00.0/0001:a2:01.0/0001:a6:00.0",
        "0001:d0:01.1/0001:d1:00.0/0001:d2:00.0/0001:d3:00.0",
    ),
    (
        "00:01.1/01:00.0/02:04.0/0a:00.0/0b:00.0/0c:00.0",
        "32:01.1/33:00.0/34:03.0/3b:00.0/3c:00.0/3d:00.0",
        "a0:01.1/a1:00.0/a2:03.0/a6:00.0/a7:00.0/a8:00.0",
        "d0:01.1/d1:00.0/d2:04.0/da:00.0/db:00.0/dc:00.0",
        "0001:00:01.1/0001:01:00.0/0001:02:05.0/0001:0b:00.0/0001:0c:00.0/0001:0d:00.0",
        "0001:32:01.1/0001:33:00.0/0001:34:03.0/0001:3b:00.0/0001:3c:00.0/0001:3d:00.0",
        "0001:a0:01.1/0001:a1:00.0/0001:a2:00.0/0001:a3:00.0/0001:a4:00.0/0001:a5:00.0",
        "0001:d0:01.1/0001:d1:00.0/0001:d2:04.0/0001:da:00.0/0001:db:00.0/0001:dc:00.0",
    ),
    "dell-xe9785l-mi355x",
    MI355X,
)
SERVERS = [
    pytest.param(AMD, id="amd"),
    pytest.param(SUPERMICRO, id="supermicro"),
    pytest.param(WACO, id="waco"),
    pytest.param(XE9785L, id="xe9785l"),
]
_ROLES = {"root": "Root Port (Slot+)", "up": "Upstream Port", "down": "Downstream Port (Slot+)", "end": "Endpoint"}


@dataclass
class Function:
    """A function in the output of lspci."""

    title: str
    role: str
    below: str | None = None
    link: str = "Speed 32GT/s, Width x16"
    acs: str | None = None


def list_functions(server: Server) -> dict[str, Function]:
    functions: dict[str, Function] = {}
    for title, paths in ((server.nic_title, server.nics), (server.gpu_title, server.gpus)):
        for path in paths:
            names = path.split("/")
            for depth, name in enumerate(names):
                role = "root" if depth == 0 else "end" if depth == len(names) - 1 else ("down", "up")[depth % 2]
                bridge = Function(BRIDGE, role)
                function = functions.setdefault(name, Function(title, role) if role == "end" else bridge)
                function.below = None if role == "end" else names[depth + 1][-7:-5]
                function.acs = "-" if role == "down" else None
    return functions


def print_lspci(functions: Mapping[str, Function]) -> str:
    return "".join(
        line for name in sorted(functions, key=add_domain) for line in _print_function(name, functions[name])
    )


def _print_function(name: str, function: Function) -> Iterator[str]:
    yield f"{add_domain(name)} {function.title}\n"
    if function.below:
        yield f"\tBus: primary={name[-7:-5]}, secondary={function.below}, subordinate={function.below}, sec-latency=0\n"
    yield f"\tCapabilities: [68] Express (v2) {_ROLES[function.role]}, MSI 00\n"
    yield "\t\tDevCtl:\tCorrErr+ NonFatalErr+ FatalErr+ UnsupReq+\n\t\t\tRlxdOrd+ ExtTag+ PhantFunc- AuxPwr- NoSnoop+\n"
    yield f"\t\tLnkCap:\tPort #0, Speed 32GT/s, Width x16, ASPM not supported\n\t\tLnkSta:\t{function.link}\n"
    if function.acs is not None:
        services = " ".join(f"{name}{function.acs}" for name in ("SrcValid", "ReqRedir", "CmpltRedir", "UpstreamFwd"))
        yield f"\tCapabilities: [148 v1] Access Control Services\n\t\tACSCtl:\t{services}\n"
    yield "\n"


def build_plan(server: Server) -> Plan:
    text = CLUSTER.format(model=server.model, nic=server.nic, interfaces=", ".join(server.interfaces))
    return build(read_text(text, "cluster.yaml"), load())


def write_facts(folder: Path, server: Server, functions: Mapping[str, Function] | None) -> Facts:
    """Facts of the server; without functions lspci was not run."""
    write_planned_bundle(build_plan(server), folder)
    host = folder / "node1"
    functions = list_functions(server) if functions is None else functions
    (host / "lspci.out").write_text(print_lspci(functions))
    gpus = [name for name in sorted(functions, key=add_domain) if " [1200]: " in functions[name].title]
    lines = [f"GPU[{index}]\t\t: PCI Bus: {add_domain(name).upper()}\n" for index, name in enumerate(gpus)]
    (host / "rocm-smi.out").write_text("".join(lines))
    for interface, path in zip(server.interfaces, server.nics, strict=True):
        name = path.split("/")[-1]
        for file, key in (("nic-uevent", "PCI_SLOT_NAME="), ("ethtool-driver", "bus-info: ")):
            output = host / f"{file}@{interface}.out"
            lines = output.read_text().splitlines()
            output.write_text(
                "".join(f"{key}{add_domain(name)}\n" if line.startswith(key) else f"{line}\n" for line in lines)
            )
        (host / f"pcie-sysfs@{interface}.out").write_text("")
    return read_facts(folder)


def check(folder: Path, server: Server, functions: Mapping[str, Function] | None = None) -> list[Finding]:
    """Findings of the checks that depend on the tree, with their commands."""
    facts = write_facts(folder, server, functions)
    plan = locate(build_plan(server), facts)
    findings = [finding for finding in run(plan, facts) if finding.check in TOPOLOGY_CHECKS]
    return list(flows.add_commands(plan, findings))


def list_bad(findings: list[Finding]) -> list[tuple[str, str, str]]:
    return [
        (finding.status.value, finding.check, finding.place)
        for finding in findings
        if finding.status not in (Status.PASS, Status.SKIP)
    ]


@pytest.mark.parametrize("server", SERVERS)
def test_a_healthy_server_passes_at_every_function(server: Server, tmp_path: Path) -> None:
    findings = check(tmp_path / "bundle", server)
    assert list_bad(findings) == []
    passed = dict.fromkeys(TOPOLOGY_CHECKS, 0)
    for finding in findings:
        passed[finding.check] += finding.status is Status.PASS
    # 8 pairs; downstream ports above NIC, GPU and within the GPU; upstream ports of switch and GPU, and the GPU itself
    assert passed == {
        "gpu.presence": 8,
        "nic.gpu-path": 8,
        "nic.pcie-speed": 8,
        "nic.pcie-width": 8,
        "pcie.acs": 24,
        "pcie.device": 16,
        "pcie.link": 24,
    }


@pytest.mark.parametrize("server", SERVERS)
def test_acs_is_found_wherever_the_bridge_is(server: Server, tmp_path: Path) -> None:
    functions = list_functions(server)
    ports = [name for name, function in functions.items() if function.role == "down"]
    for name in ports:
        functions[name].acs = "+"
    failures = [finding for finding in check(tmp_path / "bundle", server, functions) if finding.status is Status.FAIL]
    assert {(finding.check, finding.place) for finding in failures} == {
        ("pcie.acs", f"pcie {add_domain(name)}") for name in ports
    }
    assert {finding.fix[0].commands for finding in failures} == {
        (f"setpci -s {add_domain(name)} ECAP_ACS+0x6.w=0000",) for name in ports
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("role", "status"), [("up", Status.FAIL), ("root", Status.WARN), ("end", Status.WARN)], ids=["up", "root", "end"]
)
@pytest.mark.parametrize("server", SERVERS)
def test_acs_of_other_functions_is_found(server: Server, role: str, status: Status, tmp_path: Path) -> None:
    """Upstream ports are on the path up to the common bridge, which the kernel's p2pdma.c counts; root ports above a
    switch and the devices themselves redirect nothing between NIC and GPU."""
    functions = list_functions(server)
    names = [name for name, function in functions.items() if function.role == role]
    for name in names:
        functions[name].acs = "+"
    bad = list_bad(check(tmp_path / "bundle", server, functions))
    assert set(bad) == {(status.value, "pcie.acs", f"pcie {add_domain(name)}") for name in names}


@pytest.mark.parametrize("server", SERVERS)
def test_acs_of_the_root_ports_between_a_nic_and_its_gpu_is_found(server: Server, tmp_path: Path) -> None:
    """The first NIC is in a slot of another switch: its traffic with GPU0 crosses two root ports."""
    moved = server.nics[0].split("/")[-1]
    path = f"{'/'.join(server.nics[1].split('/')[:2])}/{server.nics[1].split('/')[2][:-4]}0f.0/{moved}"
    moved_server = replace(server, nics=(path, *server.nics[1:]))
    functions = list_functions(moved_server)
    roots = {path.split("/")[0], server.gpus[0].split("/")[0]}
    for name in roots:
        functions[name].acs = "+"
    bad = list_bad(check(tmp_path / "bundle", moved_server, functions))
    assert {row for row in bad if row[1] == "pcie.acs"} == {
        ("fail", "pcie.acs", f"pcie {add_domain(name)}") for name in roots
    }


@pytest.mark.parametrize(
    ("link", "status"),
    [
        ("Speed 2.5GT/s (downgraded), Width x16", "warn"),  # as a GPU without work
        ("Speed 2.5GT/s (downgraded), Width x8 (downgraded)", "fail"),
        ("Speed 16GT/s (downgraded), Width x16", "fail"),
    ],
)
def test_a_gpu_without_work_may_lower_the_rate_of_its_link(link: str, status: str, tmp_path: Path) -> None:
    server = AMD
    name = server.gpus[0].split("/")[-1]
    functions = list_functions(server)
    functions[name].link = link
    assert list_bad(check(tmp_path / "bundle", server, functions)) == [
        (status, "pcie.link", f"pcie {add_domain(name)}")
    ]


def test_functions_that_traffic_crosses_in_cascaded_switches() -> None:
    """A server with two MI100 and a ConnectX-6 below one switch, the GPUs below two more each; the tree is that of its
    lspci -tv (public RCCL issue, 2022). Its root port 40:01.1 has ACS on, which redirects none of this traffic."""
    paths = {
        "nic": "40:01.1/43:00.0/44:00.0/45:00.0",
        "gpu0": "40:01.1/43:00.0/44:01.0/46:00.0/47:00.0/48:00.0/49:00.0/4a:00.0",
        "gpu1": "40:01.1/43:00.0/44:02.0/4c:00.0/4d:00.0/4e:00.0/4f:00.0/50:00.0",
    }
    tree = {}
    for path in paths.values():
        names = path.split("/")
        for depth, name in enumerate(names):
            role = "root-port" if depth == 0 else "endpoint" if name == names[-1] else None
            role = role or ("switch-downstream", "switch-upstream")[depth % 2]
            tree[name] = PcieFunction(role=role, parent=names[depth - 1] if depth else None)
    host = Host(
        nics={"enp69s0": Nic(pcie="45:00.0", gpu="GPU0")},
        gpus={"GPU0": Gpu(pcie="4a:00.0"), "GPU1": Gpu(pcie="50:00.0")},
    )
    assert list_crossed_functions(tree, host) == tree.keys() - {"40:01.1"}


@pytest.mark.slow
@pytest.mark.parametrize("missing", range(8))
@pytest.mark.parametrize("server", SERVERS)
def test_the_missing_gpu_is_named_although_those_behind_it_get_its_index(
    server: Server, missing: int, tmp_path: Path
) -> None:
    names = server.gpus[missing].split("/")[2:]
    functions = {name: function for name, function in list_functions(server).items() if name not in names}
    findings = check(tmp_path / "bundle", server, functions)
    assert list_bad(findings) == [("fail", "gpu.presence", f"gpu GPU{missing}")]
    skipped = [
        finding.place for finding in findings if (finding.check, finding.status) == ("nic.gpu-path", Status.SKIP)
    ]
    assert [server.interfaces[missing] in place for place in skipped] == [True]


@pytest.mark.parametrize("server", SERVERS)
def test_slow_uplinks_are_found(server: Server, tmp_path: Path) -> None:
    functions = list_functions(server)
    uplinks = sorted({path.split("/")[1] for path in server.gpus}, key=add_domain)
    for name in uplinks:
        functions[name].link = "Speed 8GT/s (downgraded), Width x8 (downgraded)"
    assert sorted(list_bad(check(tmp_path / "bundle", server, functions))) == [
        ("fail", "pcie.link", f"pcie {add_domain(name)}") for name in uplinks
    ]


@pytest.mark.parametrize("server", SERVERS)
def test_a_nic_below_another_switch_is_found_with_both_paths(server: Server, tmp_path: Path) -> None:
    path_of_gpu5, path = server.nics[5].split("/"), server.nics[7].split("/")
    moved_path = "/".join((*path_of_gpu5[:2], f"{path_of_gpu5[2][:-4]}1f.0", path[3]))
    moved = replace(server, nics=(*server.nics[:7], moved_path))
    (failure,) = [finding for finding in check(tmp_path / "bundle", moved) if finding.status is Status.FAIL]
    assert (failure.check, server.interfaces[7] in failure.place) == ("nic.gpu-path", True)
    assert failure.expected == "GPU7 below one PCIe switch with the NIC"
    assert failure.found == f"NIC {moved_path}; GPU7 {server.gpus[7]}; below one switch with the NIC: GPU5"


@pytest.mark.parametrize("server", SERVERS)
def test_a_gpu_below_another_switch_is_found(server: Server, tmp_path: Path) -> None:
    """GPU7 of the same model is below the switch of GPU5, at the last address: its index is unchanged."""
    path = server.gpus[5].split("/")
    domain = path[0][:-7]
    names = (f"{path[2][:-4]}1e.0", *(f"{domain}{bus}:00.0" for bus in ("f8", "f9", "fa")))
    moved_path = "/".join((*path[:2], *names))
    moved = replace(server, gpus=(*server.gpus[:7], moved_path))
    (failure,) = [finding for finding in check(tmp_path / "bundle", moved) if finding.status is Status.FAIL]
    assert (failure.check, server.interfaces[7] in failure.place) == ("nic.gpu-path", True)
    assert failure.found == f"NIC {server.nics[7]}; GPU7 {moved_path}; below one switch with the NIC: no GPU"


@pytest.mark.slow
@pytest.mark.parametrize("missing", [0, 2, 7])
@pytest.mark.parametrize("server", SERVERS)
def test_a_missing_nic_fails_and_its_checks_are_skipped(server: Server, missing: int, tmp_path: Path) -> None:
    """Neither lspci nor ip nor rdma lists the card, and per-interface commands print nothing."""
    address, interface = server.nics[missing].split("/")[-1], server.interfaces[missing]
    functions = {name: function for name, function in list_functions(server).items() if name != address}
    write_facts(tmp_path / "bundle", server, functions)
    host = tmp_path / "bundle/node1"
    for name, key in (("ip-addr", "ifname"), ("rdma-link", "netdev")):
        links = json.loads((host / f"{name}.out").read_text())
        (host / f"{name}.out").write_text(json.dumps([link for link in links if link[key] != interface], indent=4))
    for file in host.glob(f"*@{interface}.out"):
        file.write_text("")
    facts = read_facts(tmp_path / "bundle")
    plan = locate(build_plan(server), facts)
    findings = [
        finding for finding in run(plan, facts) if interface in finding.place or finding.check == "nic.presence"
    ]
    failures = [finding for finding in findings if finding.status is Status.FAIL]
    assert [(failure.check, interface in failure.place) for failure in failures] == [("nic.presence", True)]
    assert {finding.status for finding in findings} <= {Status.PASS, Status.SKIP, Status.FAIL}


@pytest.mark.parametrize("server", SERVERS)
def test_a_gpu_of_another_model_is_named(server: Server, tmp_path: Path) -> None:
    name = server.gpus[3].split("/")[-1]
    functions = list_functions(server)
    functions[
        name
    ].title = "Processing accelerators [1200]: Advanced Micro Devices, Inc. [AMD/ATI] Aldebaran/MI210 [1002:740f]"
    (failure,) = [f for f in check(tmp_path / "bundle", server, functions) if f.status is Status.FAIL]
    assert (failure.check, failure.place, failure.found) == ("pcie.device", f"pcie {add_domain(name)}", "1002:740f")


def test_the_cluster_file_gives_addresses_of_nics(tmp_path: Path) -> None:
    """enp28s0np0 is renamed: its function is found by the address. enp61s0np0's card is in another slot."""
    addresses = [f"0000:{path.split('/')[-1]}" for path in WACO.nics]
    parts = zip(WACO.interfaces, addresses, strict=True)
    nic = ", ".join(
        f'{interface}: {{pcie: "{"0000:99:00.0" if index == 1 else address}"}}'
        for index, (interface, address) in enumerate(parts)
    )
    text = CLUSTER.format(model=WACO.model, nic=WACO.nic, interfaces=", ".join(WACO.interfaces))
    text = text.replace("interfaces: [", f"nic: {{{nic}}}, interfaces: [")
    write_facts(tmp_path / "bundle", WACO, None)
    output = tmp_path / "bundle/node1/ip-addr.out"
    output.write_text(output.read_text().replace(WACO.interfaces[0], "eth7"))
    facts = read_facts(tmp_path / "bundle")
    plan = locate(build(read_text(text, "cluster.yaml"), load()), facts)
    assert plan.hosts["node1"].nics[WACO.interfaces[0]].pcie == addresses[0]
    (failure,) = [f for f in run(plan, facts) if (f.check, f.status) == ("nic.slot", Status.FAIL)]
    assert (failure.expected, failure.found) == ("0000:99:00.0", addresses[1])


def test_two_nics_at_one_address_are_refused() -> None:
    nic = ", ".join(f'{interface}: {{pcie: "0000:1c:00.0"}}' for interface in WACO.interfaces[:2])
    text = CLUSTER.format(model=WACO.model, nic=WACO.nic, interfaces=", ".join(WACO.interfaces))
    with pytest.raises(Refusal, match="on two NICs of a host; expected a PCIe address"):
        build(read_text(text.replace("interfaces: [", f"nic: {{{nic}}}, interfaces: ["), "cluster.yaml"), load())


def test_fixes_contain_the_address_that_was_found(tmp_path: Path) -> None:
    write_facts(tmp_path / "bundle", WACO, None)
    (tmp_path / "bundle/node1/nvm-support-rdma@enp28s0np0.out").write_text("support_rdma = Disabled\n")
    facts = read_facts(tmp_path / "bundle")
    plan = locate(build_plan(WACO), facts)
    findings = [finding for finding in run(plan, facts) if finding.check == "nic.nvm-rdma"]
    (failure,) = [finding for finding in flows.add_commands(plan, findings) if finding.status is Status.FAIL]
    assert failure.place == "bnxt_re0 / enp28s0np0 / 0000:1c:00.0"
    assert failure.fix[0].commands == ("niccli --dev 0000:1c:00.0 nvm --setoption support_rdma --scope 0 --value 1",)


def test_what_lspci_did_not_show_is_unknown(tmp_path: Path) -> None:
    write_facts(tmp_path / "bundle", WACO, None)
    (tmp_path / "bundle/node1/lspci.out").write_text("")
    facts = read_facts(tmp_path / "bundle")
    plan = locate(build_plan(WACO), facts)
    statuses: dict[str, set[Status]] = {}
    for finding in run(plan, facts):
        statuses.setdefault(finding.check, set()).add(finding.status)
    assert (
        {name: statuses[name] - {Status.SKIP} for name in TOPOLOGY_CHECKS}
        == {
            "gpu.presence": {Status.PASS},  # rocm-smi lists them
            **{name: {Status.UNKNOWN} for name in TOPOLOGY_CHECKS[1:]},
        }
    )
