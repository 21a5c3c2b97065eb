"""Baseline plan: requirements on every host, for checks without a cluster file.

The baseline contains no choice of a site: a link runs as fast as both ends support, an RDMA port is active, GPU traffic
is not redirected, locked memory is unlimited. Addresses, priorities and names are intent and need a cluster file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from wirespeed import catalogue
from wirespeed.checks.registry import checks
from wirespeed.facts import Facts
from wirespeed.plan import Plan
from wirespeed.plan.peer_paths import list_peers
from wirespeed.settings import Host, Kernel, Link, Nic, Nvm, PcieFunction, PcieLink, Sysctl, list_bridges

_PATH_MTU = 4096  # the largest path MTU (InfiniBand Architecture 1.4, 9.3.4), which fits an MTU of 9000 bytes


def baseline(facts: Facts) -> Plan:
    """A plan of every host in the facts, with intent for its hardware."""
    hosts = {name: _plan_host(device) for name, device in facts.devices.items() if isinstance(device, Host)}
    return Plan(
        name="as found",
        hosts=hosts,
        switches={},
        roles=dict.fromkeys(hosts, "host"),
        cables=(),
        classes={},
        hardware=catalogue.load(),
    )


def describe_hosts(facts: Facts) -> tuple[str, ...]:
    """A description of each host, and which checks do not apply to it and why."""
    return tuple(
        line
        for name, device in facts.devices.items()
        if isinstance(device, Host)
        for line in _describe_host(name, device, facts)
    )


def _plan_host(host: Host) -> Host:
    every = Host(kernel=Kernel(errors=()), conflicting_stacks=())
    nics = _rdma_nics(host)
    if not nics:
        return every
    return replace(
        every,
        kernel=Kernel(errors=(), iommu="passthrough"),
        memlock="unlimited",
        firewall=False,
        rdma_libraries="ok",
        peer_memory=True if host.gpus else None,
        sysctls={"kernel.numa_balancing": Sysctl("0")},
        nics={name: _plan_nic(nic) for name, nic in nics.items()},
        pcie=_plan_functions(host, nics),
    )


def _rdma_nics(host: Host) -> dict[str, Nic]:
    """NICs with RDMA over Ethernet: ports in InfiniBand mode have IP interfaces, too."""
    excluded = host.infiniband_devices or ()
    return {name: nic for name, nic in host.nics.items() if nic.rdma_device and nic.rdma_device not in excluded}


def _plan_nic(host: Nic) -> Nic:
    return Nic(
        pcie=host.pcie,
        rdma_device=host.rdma_device,
        rdma_state="ACTIVE",
        rdma_mtu=_PATH_MTU,
        link=Link(up=True, pause_receive=False, pause_send=False),
        nvm=Nvm(rdma=True, relaxed_ordering=True) if host.nvm != Nvm() else Nvm(),
    )


def _plan_functions(host: Host, nics: dict[str, Nic]) -> dict[str, PcieFunction]:
    """A NIC trains to its capability. Bridges above GPUs and NICs do not redirect traffic."""
    nic_addresses = {nic.pcie for nic in nics.values()}
    peers = list_peers(Host(nics=nics, gpus=host.gpus))
    above = {bridge for peer in peers for bridge in list_bridges(host.pcie, peer)}
    functions = {}
    for address, function in host.pcie.items():
        if address in nic_addresses:
            link = PcieLink(speed=function.link.capable_speed, width=function.link.capable_width)
            functions[address] = PcieFunction(role=function.role, link=link, relaxed_ordering=True)
        else:
            acs: frozenset[str] | None = frozenset() if address in above else None
            functions[address] = PcieFunction(role=function.role, acs=acs)
    return functions


def _describe_host(name: str, host: Host, facts: Facts) -> Iterator[str]:
    nics = ", ".join(sorted(host.nics)) or _empty_text(facts, name, "host.nics")
    gpus = str(len(host.gpus)) if host.gpus else _empty_text(facts, name, "host.gpus")
    kernel = f", kernel {host.kernel.version}" if host.kernel.version else ""
    system = host.os or "operating system not read"
    yield f"{name}: {system}{kernel}; network interfaces: {nics}; GPUs: {gpus}"
    if host.infiniband_devices:
        devices = ", ".join(host.infiniband_devices)
        yield f"{name}: {devices}: InfiniBand, which is not checked: see docs/concepts/scope.md"
    if _rdma_nics(host):
        yield f"{name}: RDMA devices: {', '.join(nic.rdma_device or '' for nic in _rdma_nics(host).values())}"
        yield f"{name}: addresses, priorities, cables and switches are not checked: that needs a cluster file"
        return
    is_without_rdma = host.rdma_devices == ()
    if not host.infiniband_devices:
        yield f"{name}: {'no RDMA device' if is_without_rdma else 'RDMA devices: not read'}"
    groups = sorted({identifier.partition(".")[0] for identifier in checks()} - {"gpu", "host", "software"})
    yield f"{name}: only checks of gpu, host and software apply: those of {', '.join(groups)} need an RDMA port"


def _empty_text(facts: Facts, device: str, path: str) -> str:
    """Text for an empty collection: none, or why it was not read."""
    gaps = facts.gaps.get((device, path))
    return f"not read ({'; '.join(dict.fromkeys(map(str, gaps)))})" if gaps else "none seen"
