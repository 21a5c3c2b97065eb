"""Every setting of a host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from wirespeed import wire
from wirespeed.catalogue import Catalogue
from wirespeed.catalogue.model import GpuModel, NicModel
from wirespeed.cluster import Cluster, HostSpec
from wirespeed.cluster.addresses import AddressPart
from wirespeed.cluster.host import NvmPart
from wirespeed.plan.addresses import NicAddress
from wirespeed.plan.affinity import Chassis, HostPort, train_link
from wirespeed.plan.bios import plan_bios
from wirespeed.plan.classes import nic_qos
from wirespeed.plan.ethernet import LARGEST_PACKET
from wirespeed.plan.gpus import plan_gpus
from wirespeed.plan.host_memory import recommend_memory
from wirespeed.plan.launch import plan_launch
from wirespeed.plan.numa import plan_numa_nodes, renumber_node
from wirespeed.plan.pcie_tree import Position, list_positions, plan_function
from wirespeed.plan.peer_paths import plan_root_ports
from wirespeed.plan.problems import Problems
from wirespeed.plan.qos_program import select_qos_program
from wirespeed.plan.routing import build_routes, build_rule, build_rules
from wirespeed.plan.software import plan_software
from wirespeed.plan.tuning_profile import apply_profile
from wirespeed.settings import (
    BiosAttribute,
    Driver,
    Gid,
    Host,
    Kernel,
    Link,
    Module,
    Nic,
    Nvm,
    PcieFunction,
    PcieLink,
    Rule,
    Sysctl,
    TrafficClass,
    list_acs_bridges,
)
from wirespeed.units import Bandwidth, Length

IOMMU_PARAMETERS: Mapping[str, tuple[str, ...]] = {"amd": (), "intel": ("intel_iommu=on",)}
"""What switches the IOMMU on. AMD's is on by default: the kernel has no amd_iommu=on (kernel-parameters.txt; it logs an
unknown option), which Broadcom 957608-AN210, section 2.3, names."""
COMMAND_LINES = {cpu: (*parameters, "iommu=pt") for cpu, parameters in IOMMU_PARAMETERS.items()}
_ROCE_V2 = "RoCE v2"


@dataclass(slots=True)
class HostKind:
    """The common settings of hosts of one kind. Built once, so that large clusters are planned fast."""

    spec: HostSpec
    chassis: Chassis
    template: Host
    nics: Sequence[Nic]
    rules: Mapping[int, Rule]
    gid_index: int
    links: dict[tuple[HostPort, Bandwidth], Link] = field(default_factory=dict)

    def host(
        self,
        addresses: Sequence[NicAddress],
        speeds: Sequence[Bandwidth],
        lengths: Sequence[Length | None],
        every_nic: str | None = None,
    ) -> Host:
        """A host of this kind; addresses, link speeds and cable lengths are in rail order.

        ``every_nic`` is the network of all NICs, if it needs a route.
        """
        nics: dict[str, Nic] = {}
        by_cable = self.chassis.nic.buffer_by_cable
        for host_port, nic, address, speed, length in zip(
            self.chassis.host_ports, self.nics, addresses, speeds, lengths, strict=True
        ):
            nics[host_port.interface] = replace(
                nic,
                addresses=(address.with_prefix,),
                link=self._build_link(host_port, speed),
                gids={str(self.gid_index): Gid(address.address, _ROCE_V2)},
                cable_length=length if by_cable else None,
            )
        host_ports = self.chassis.host_ports
        return replace(
            self.template,
            nics=nics,
            rules=build_rules(host_ports, addresses, self.rules),
            routes=build_routes(host_ports, addresses, every_nic),
        )

    def _build_link(self, host_port: HostPort, speed: Bandwidth) -> Link:
        if (host_port, speed) not in self.links:
            self.links[host_port, speed] = Link(
                speed=speed, up=True, mtu=host_port.mtu, fec="rs", pause_receive=False, pause_send=False
            )
        return self.links[host_port, speed]


def host_kind(
    cluster: Cluster,
    spec: HostSpec,
    chassis: Chassis,
    classes: dict[str, TrafficClass],
    catalogue: Catalogue,
    problems: Problems,
) -> HostKind | None:
    """The common settings of hosts with this spec. None, and problems are noted, if it is impossible."""
    cpu = spec.part.cpu or chassis.server.cpu_vendor
    if cpu not in COMMAND_LINES:
        problems.refuse((*spec.path, "cpu"), f"the CPU vendor {cpu!r}", " or ".join(COMMAND_LINES))
        return None
    ipv6 = cluster.addresses.scheme.version == 6
    if any(_path_mtu(host_port, spec, ipv6, problems) is None for host_port in chassis.host_ports):
        return None
    if not chassis.nic.rdma:
        problems.refuse(
            (*spec.path, "nics"),
            f"{spec.nics.model}, which has no RDMA, cabled to a leaf",
            "an RDMA NIC, or cabling: {pattern: back-to-back}",
        )
        return None
    if spec.part.ethernet:
        problems.refuse(
            (*spec.path, "ethernet"),
            "`ethernet` in a cluster with switches",
            "it only with cabling: {pattern: back-to-back}",
            "leave it out: wirespeed does not configure the management network of hosts on switches",
        )
    qos = nic_qos(classes, cluster, chassis.nic, problems)
    nvm = _plan_nvm(chassis.nic, spec.part.nvm)
    gpu = catalogue.gpus.get(chassis.server.gpu or "")
    peer = chassis.nic.peer_memory
    qos_release = catalogue.drivers.get(chassis.nic.driver or "") if qos.configure else None
    qos_program = select_qos_program(spec, qos_release, problems)
    software = plan_software(spec, chassis.nic, gpu, catalogue, problems, qos_program)
    if software.built_in_client is not False:
        # No module of that name is built for a kernel that has a client (Broadcom 957608-AN210, section 5.1, question
        # 3), and systemd-modules-load fails for a missing one. Where it is built, bnxt_re depends on it.
        peer = None
    modules = [*chassis.nic.modules, *([peer] if gpu and peer else []), *([gpu.module] if gpu else [])]
    modules += software.modules
    bios = plan_bios(spec, chassis.server, catalogue, problems)
    template = Host(
        model=spec.model,
        vendor=chassis.server.vendor,
        os=spec.os,
        renderer=spec.part.renderer,
        cpu_vendor=cpu,
        memory=spec.part.memory,
        recommended_memory=recommend_memory(spec, chassis.server, problems),
        kernel=Kernel(
            software.kernel,
            command_line=plan_command_line(spec, COMMAND_LINES[cpu], problems),
            iommu="off" if _is_iommu_disabled(bios) else "passthrough",
            errors=(),
        ),
        memlock="unlimited",
        firewall=False,
        peer_memory=software.peer_memory if gpu else None,
        rdma_naming="NAME_KERNEL",
        qos_tools=frozenset({qos_program}) if qos_program else None,
        rdma_libraries="ok",
        conflicting_stacks=(),
        bios=bios,
        sysctls=_plan_sysctls(chassis.host_ports, cluster.addresses),
        modules={name: Module(loaded=True) for name in modules},
        gpus=plan_gpus(chassis.server, catalogue),
        pcie=pcie_functions(chassis, gpu, bios),
        numa=plan_numa_nodes(chassis.server, bios, spec.part.memory),
        launch=plan_launch(cluster, chassis, classes, spec, catalogue, bios, nvm, problems),
        software=software.versions,
        packages=software.packages,
        steps=software.steps,
    )
    nics: Sequence[Nic] = [
        Nic(
            rail=host_port.rail,
            model=spec.nics.model,
            pcie=host_port.position.name,
            slot_address=host_port.slot_address,
            rdma_device=host_port.rdma_device,
            rdma_state="ACTIVE",
            rdma_mtu=_path_mtu(host_port, spec, ipv6, problems),
            queue_pairs=chassis.nic.queue_pairs.value if chassis.nic.queue_pairs else None,
            roce_version=_ROCE_V2,
            gpu=host_port.gpu,
            driver=Driver(chassis.nic.driver, software.drivers, spec.part.software.nic_firmware),
            qos=qos,
            nvm=nvm,
        )
        for host_port in chassis.host_ports
    ]
    rules = {host_port.rail: build_rule(host_port.rail) for host_port in chassis.host_ports}
    interfaces = [host_port.interface for host_port in chassis.host_ports]
    template = replace(template, pcie=plan_root_ports(replace(template, nics=dict(zip(interfaces, nics, strict=True)))))
    if list_acs_bridges(template.pcie):
        template = replace(template, acs_service=True)
    template, nics = apply_profile(template, nics, spec, chassis, catalogue, problems)
    return HostKind(spec, chassis, template, nics, rules, cluster.launch.gid_index)


def _is_iommu_disabled(bios: Mapping[str, BiosAttribute]) -> bool:
    """Without an IOMMU of the firmware the kernel makes no groups; iommu=pt has no effect."""
    return "iommu" in bios and bios["iommu"].value == "disabled"


def plan_command_line(spec: HostSpec, parameters: Sequence[str], problems: Problems) -> tuple[str, ...]:
    """The kernel parameters that the plan needs, and those of the cluster file."""
    command_line = list(parameters)
    for parameter in spec.part.kernel_parameters:
        key = parameter.partition("=")[0]
        same_key = next((planned for planned in command_line if planned.partition("=")[0] == key), None)
        if same_key is not None and same_key != parameter:
            problems.refuse(
                (*spec.path, "kernel_parameters"), f"{parameter} beside {same_key}", "each kernel parameter once"
            )
        elif same_key is None:
            command_line.append(parameter)
    return tuple(command_line)


def _plan_nvm(nic: NicModel, part: NvmPart) -> Nvm:
    """The options of the model, overridden by the cluster file."""
    of_model = {} if nic.nvm is None else nic.nvm.model_dump(exclude={"source"})
    return Nvm(**{**of_model, **part.model_dump(exclude_none=True)})


def _path_mtu(host_port: HostPort, spec: HostSpec, ipv6: bool, problems: Problems) -> int | None:
    path_mtu = wire.path_mtu_fitting(host_port.mtu, ipv6=ipv6)
    if host_port.mtu > LARGEST_PACKET:
        problems.refuse((*spec.path, "mtu"), f"an MTU of {host_port.mtu} bytes", f"at most {LARGEST_PACKET}")
    if path_mtu is None:
        problems.refuse(
            (*spec.path, "mtu"), f"an MTU of {host_port.mtu} bytes", "an MTU that fits an RDMA path MTU of 256 bytes"
        )
    return path_mtu


def _plan_sysctls(host_ports: Sequence[HostPort], addresses: AddressPart) -> dict[str, Sysctl]:
    """Kernel parameters.

    The kernel takes max(all, interface) of arp_announce, arp_ignore and rp_filter (ip-sysctl in the kernel's
    documentation). By default, announcing the best local address (2) and answering only on the port that has the
    address (1) end ARP flux without refusing neighbours of another prefix. Reverse-path filtering is loose (2) on each
    NIC and, by default, on interfaces that a driver reload creates; ``all`` stays 0 so that other interfaces keep their
    value.
    """
    values = {
        "kernel.numa_balancing": "0",  # Broadcom 957608-AN210, section 2.6, check 17
        "net.ipv4.conf.all.arp_announce": str(addresses.arp_announce),
        "net.ipv4.conf.all.arp_ignore": str(addresses.arp_ignore),
        "net.ipv4.conf.all.rp_filter": "0",
        "net.ipv4.conf.default.rp_filter": "2",
    }
    for host_port in host_ports:
        # A slash replaces a dot inside a name (sysctl.d(5)).
        name = host_port.interface.replace(".", "/")
        values[f"net.ipv4.conf.{name}.rp_filter"] = "2"
    return {name: Sysctl(value) for name, value in values.items()}


def pcie_functions(
    chassis: Chassis, gpu: GpuModel | None, bios: Mapping[str, BiosAttribute]
) -> dict[str, PcieFunction]:
    """The PCIe functions by position: the bridges of the server, and the NICs and GPUs below them.

    With another number of NUMA nodes per socket than in the catalogue, only the socket of a function is known.
    """
    host_ports = {host_port.position: host_port for host_port in chassis.host_ports}
    functions = {}
    for position in list_positions(chassis.server):
        link = position.link
        if position in host_ports:
            host_port = host_ports[position]
            functions[position.name] = replace(
                plan_function(position, train_link(chassis.nic.pcie, host_port.slot)),
                max_payload=host_port.max_payload,
                max_read_request=host_port.max_read_request,
                relaxed_ordering=True if chassis.nic.rdma else None,
                device_ids=frozenset({chassis.nic.pci_id}) if chassis.nic.pci_id else None,
            )
        elif position.gpu is not None:
            functions[position.name] = _plan_gpu_function(position, gpu)
        elif position.nic is None:
            functions[position.name] = plan_function(position, link)
    return {name: renumber_node(function, chassis.server, bios) for name, function in functions.items()}


def _plan_gpu_function(position: Position, gpu: GpuModel | None) -> PcieFunction:
    if gpu is None:
        return plan_function(position, PcieLink())
    device_ids = frozenset({gpu.pci_id, *gpu.other_pci_ids}) if gpu.pci_id else None
    return replace(plan_function(position, train_link(gpu.pcie, position.link)), device_ids=device_ids)
