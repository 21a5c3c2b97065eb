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
from wirespeed.settings import Host, Kernel, Link, Nic, Nvm, PcieFunction, PcieLink, Sysctl

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
        pcie={address: _plan_function(host, address, function, nics) for address, function in host.pcie.items()},
    )


def _rdma_nics(host: Host) -> dict[str, Nic]:
    return {name: nic for name, nic in host.nics.items() if nic.rdma_device}


def _plan_nic(host: Nic) -> Nic:
    return Nic(
        pcie=host.pcie,
        rdma_device=host.rdma_device,
        rdma_state="ACTIVE",
        rdma_mtu=_PATH_MTU,
        link=Link(up=True, pause_receive=False, pause_send=False),
        nvm=Nvm(rdma=True, relaxed_ordering=True) if host.nvm != Nvm() else Nvm(),
    )


def _plan_function(host: Host, address: str, function: PcieFunction, nics: dict[str, Nic]) -> PcieFunction:
    """A NIC trains to its capability. Bridges above GPUs and NICs do not redirect traffic."""
    ours = {nic.pcie for nic in nics.values()}
    if address in ours:
        link = PcieLink(speed=function.link.capable_speed, width=function.link.capable_width)
        return PcieFunction(role=function.role, link=link, relaxed_ordering=True)
    above = {
        bridge for leaf in (*ours, *(gpu.pcie for gpu in host.gpus.values())) for bridge in _list_bridges(host, leaf)
    }
    redirects = function.role == "switch-downstream" and address in above
    return PcieFunction(role=function.role, acs=frozenset() if redirects else None)


def _list_bridges(host: Host, address: str | None) -> Iterator[str]:
    function = host.pcie.get(address or "")
    visited_bridges: set[str] = set()
    while function is not None and function.parent is not None and function.parent not in visited_bridges:
        visited_bridges.add(function.parent)
        yield function.parent
        function = host.pcie.get(function.parent)


def _describe_host(name: str, host: Host, facts: Facts) -> Iterator[str]:
    nics = ", ".join(sorted(host.nics)) or _empty_text(facts, name, "host.nics")
    gpus = str(len(host.gpus)) if host.gpus else _empty_text(facts, name, "host.gpus")
    kernel = f", kernel {host.kernel.version}" if host.kernel.version else ""
    system = host.os or "operating system not read"
    yield f"{name}: {system}{kernel}; network interfaces: {nics}; GPUs: {gpus}"
    if _rdma_nics(host):
        yield f"{name}: RDMA devices: {', '.join(nic.rdma_device or '' for nic in _rdma_nics(host).values())}"
        yield f"{name}: addresses, priorities, cables and switches are not checked: that needs a cluster file"
        return
    is_without_rdma = host.rdma_devices == ()
    yield f"{name}: {'no RDMA device' if is_without_rdma else 'RDMA devices: not read'}"
    groups = sorted({identifier.partition(".")[0] for identifier in checks()} - {"host", "software"})
    yield (
        f"{name}: checks of {', '.join(groups)} do not apply: they concern RDMA ports and their "
        "switches; the other checks run as far as they hold for any host"
    )


def _empty_text(facts: Facts, device: str, path: str) -> str:
    """Text for an empty collection: none, or why it was not read."""
    gaps = facts.gaps.get((device, path))
    return f"not read, {'; '.join(map(str, gaps))}" if gaps else "none seen"
