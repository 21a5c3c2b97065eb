"""A cluster without switches: pairs of hosts connected by IP interfaces without RDMA, and by Ethernet."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace

from wirespeed.catalogue import Catalogue
from wirespeed.catalogue.model import NicModel
from wirespeed.cluster import Cluster, HostSpec
from wirespeed.plan.affinity import Chassis
from wirespeed.plan.bios import plan_bios
from wirespeed.plan.device_lending import list_pairs, plan_lending
from wirespeed.plan.ethernet import check_addresses, plan_ethernet
from wirespeed.plan.gpus import plan_gpus
from wirespeed.plan.host import IOMMU_PARAMETERS, pcie_functions, plan_command_line
from wirespeed.plan.host_memory import recommend_memory
from wirespeed.plan.model import Cable, End, Plan
from wirespeed.plan.problems import Problems, sort_by_line
from wirespeed.plan.software import plan_software
from wirespeed.settings import Driver, Host, Kernel, Link, Module, Nic, TrafficClass, bdf


def back_to_back(
    cluster: Cluster,
    catalogue: Catalogue,
    chassis: Mapping[str, Chassis],
    classes: Mapping[str, TrafficClass],
    problems: Problems,
) -> Plan:
    """The plan of such a cluster.

    Raises:
        Refusal: the cluster is impossible.
    """
    if cluster.switches:
        problems.refuse(("switches",), "switches in a cluster cabled back to back", "switches: {}")
    for name, spec in cluster.hosts.items():
        if chassis[name].nic.rdma:
            problems.refuse(
                (*spec.path, "nics"),
                f"{spec.nics.model}, an RDMA NIC, in a cluster cabled back to back",
                "interfaces without RDMA, such as a PCIe bridge: wirespeed plans RDMA NICs only on leaves",
                "add the leaf, or leave these hosts out",
            )
    if len(cluster.hosts) % 2:
        problems.refuse(
            ("hosts",),
            f"{len(cluster.hosts)} hosts cabled back to back",
            "pairs of hosts",
            "wirespeed plans no PCIe switch between hosts: write one file for each pair; see docs/concepts/scope.md",
        )
    _refuse_launch(cluster, problems)
    problems.stop()
    cables = _list_cables(cluster, chassis)
    addresses = _assign_addresses(cluster, cables, problems)
    check_addresses(cluster, problems)
    lending = plan_lending(cluster, catalogue, problems)
    hosts: dict[str, Host] = {}
    for name, spec in cluster.hosts.items():
        host = _plan_host(
            spec,
            chassis[name],
            {end.port: address for end, address in addresses.items() if end.device == name},
            catalogue,
            problems,
        )
        loans = lending.loans[name]
        addresses_of_lent = {part.device: bdf(part.pcie) for part in cluster.lending if part.lender == name}
        host = _place_gpus(host, addresses_of_lent)
        host = replace(host, ntbs=lending.ntbs.get(name, {}), loans=loans)
        # It is unknown whether a lender's driver still lists a lent device: only a borrower's GPUs are counted.
        usable = len(host.gpus) + len(host.borrowed_gpus) if host.gpus and not host.lent_gpus else None
        hosts[name] = replace(host, usable_gpus=usable)
    problems.stop()
    return Plan(
        name=cluster.name,
        hosts=hosts,
        switches={},
        roles=dict.fromkeys(hosts, "host"),
        cables=tuple(cables),
        classes=classes,
        hardware=catalogue,
        computed=lending.computed,
        origins={name: cluster.origin.locate(*spec.path) for name, spec in cluster.hosts.items()},
        classes_origin=cluster.origin.locate("classes"),
        warnings=tuple(sort_by_line(problems.warned)),
    )


def _refuse_launch(cluster: Cluster, problems: Problems) -> None:
    """Refuse launch settings: no files are rendered for jobs over interfaces without RDMA."""
    if not cluster.launch.model_fields_set:
        return
    exports = " ".join(f"-x {name}={shlex.quote(value)}" for name, value in cluster.launch.environment.items())
    variables = f", and give the variables to the launcher: mpirun {exports} …" if exports else ""
    problems.refuse(
        ("launch",),
        "launch settings of hosts cabled back to back",
        "no launch key: wirespeed renders no job files for hosts without RDMA",
        f"leave it out{variables}",
    )


def _list_cables(cluster: Cluster, chassis: Mapping[str, Chassis]) -> list[Cable]:
    """Cables between the n-th interfaces of two consecutive hosts: first and second, third and fourth."""
    return [
        Cable(
            End(a, a_host_port.interface),
            End(b, b_host_port.interface),
            min(a_host_port.speed, b_host_port.speed),
            cluster.cabling.length,
        )
        for a, b in list_pairs(cluster)
        for a_host_port, b_host_port in zip(chassis[a].host_ports, chassis[b].host_ports, strict=False)
    ]


def _assign_addresses(cluster: Cluster, cables: Sequence[Cable], problems: Problems) -> dict[End, str]:
    """Addresses of the cluster file, else a /31 of the pool for each cable (RFC 3021), the even one at its first
    end."""
    addresses: dict[End, str] = {}
    pool = cluster.addresses.pool
    for index, cable in enumerate(cables):
        for end, odd in ((cable.a, 0), (cable.b, 1)):
            part = cluster.hosts[end.device].part.nic.get(end.port)
            if part and part.address:
                addresses[end] = str(part.address)
            elif pool is None or 2 * index + odd >= pool.num_addresses:
                problems.refuse(
                    ("addresses", "pool"), f"no address for {end.device} {end.port}", "a pool of two for each cable"
                )
            else:
                addresses[end] = f"{pool[2 * index + odd]}/31"
    return addresses


_UNUSED_KEYS = {
    "rail": "no rail: rails are of RDMA NICs",
    "rdma_device": "no rdma_device: the interface has no RDMA",
    "gateway": "no gateway: the other end is on the cable",
    "jobs": "no jobs: wirespeed renders no job files for interfaces without RDMA",
}

_HINTS = {"jobs": "leave it out, and name the interface when you start a job"}


def _refuse_unused_keys(spec: HostSpec, chassis: Chassis, problems: Problems) -> None:
    """Refuse keys of single NICs that have no effect on interfaces without RDMA, cabled to each other."""
    for interface, part in spec.part.nic.items():
        path = (*spec.path, "nic", interface)
        for key, expected in _UNUSED_KEYS.items():
            if getattr(part, key) is not None:
                problems.refuse(
                    (*path, key), f"{key} of {interface}, which is {spec.nics.model}", expected, _HINTS.get(key)
                )
        if part.speed is not None and chassis.nic.ntb is not None:
            problems.refuse(
                (*path, "speed"),
                f"the speed of {interface}, a PCIe bridge",
                "the link of its slot",
                "write slot: gen3 x8, or describe the card in hardware.nics",
            )


def _list_service_modules(spec: HostSpec, nic: NicModel) -> list[str]:
    """The modules of a bridge that the host uses: the software of one without ntb: is not planned."""
    return nic.service_modules.value if nic.service_modules is not None and spec.part.ntb is not None else []


def _find_mtu(spec: HostSpec, interface: str) -> int | None:
    """The MTU by the cluster file; None leaves that of the driver."""
    part = spec.part.nic.get(interface)
    return (part.mtu if part is not None else None) or spec.part.mtu


def _place_gpus(host: Host, addresses: Mapping[str, str]) -> Host:
    """The host with GPUs at the addresses that the cluster file gives, instead of their positions."""
    names = {host.gpus[gpu].pcie: address for gpu, address in addresses.items() if gpu in host.gpus}
    return replace(
        host,
        gpus={name: replace(gpu, pcie=names.get(gpu.pcie, gpu.pcie)) for name, gpu in host.gpus.items()},
        pcie={names.get(name, name): function for name, function in host.pcie.items()},
    )


def _plan_host(
    spec: HostSpec, chassis: Chassis, addresses: Mapping[str, str], catalogue: Catalogue, problems: Problems
) -> Host:
    gpu = catalogue.gpus.get(chassis.server.gpu or "")
    cpu = spec.part.cpu or chassis.server.cpu_vendor
    if cpu not in IOMMU_PARAMETERS:
        problems.refuse((*spec.path, "cpu"), f"the CPU vendor {cpu!r}", " or ".join(IOMMU_PARAMETERS))
    _refuse_unused_keys(spec, chassis, problems)
    software = plan_software(spec, None, gpu, catalogue, problems)
    driver = Driver(name=chassis.nic.driver)
    nics = {
        host_port.interface: Nic(
            model=spec.nics.model,
            pcie=host_port.position.name,
            slot_address=host_port.slot_address,
            driver=driver,
            addresses=(addresses[host_port.interface],),
            link=Link(up=True, mtu=_find_mtu(spec, host_port.interface)),
        )
        for host_port in chassis.host_ports
        if host_port.interface in addresses
    }
    ethernet = plan_ethernet(spec, nics, problems)
    return Host(
        model=spec.model,
        os=spec.os,
        renderer=spec.part.renderer,
        cpu_vendor=cpu,
        vendor=chassis.server.vendor,
        bios=plan_bios(spec, chassis.server, catalogue, problems),
        memory=spec.part.memory,
        recommended_memory=recommend_memory(spec, chassis.server, problems),
        kernel=Kernel(
            software.kernel,
            command_line=plan_command_line(spec, IOMMU_PARAMETERS.get(cpu, ()), problems) or None,
            errors=(),
        ),
        firewall=False,
        modules={name: Module(loaded=True) for name in (*chassis.nic.modules, *([gpu.module] if gpu else []))}
        | {name: Module(loaded=True, service=name) for name in _list_service_modules(spec, chassis.nic)},
        inactive_services=() if spec.part.ntb is not None else None,
        nics=nics | ethernet.nics,
        routes=ethernet.routes,
        resolver=ethernet.resolver,
        gpus=plan_gpus(chassis.server, catalogue),
        pcie=pcie_functions(chassis, gpu, {}),
        software=software.versions,
        packages=software.packages,
        steps=software.steps,
    )
