"""Settings of a tuning profile for a host and its NICs.

Interrupts go to the cores of the NUMA node of the NIC, as `wirespeed.plan.numa` plans it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from wirespeed.catalogue import Catalogue
from wirespeed.catalogue.model import TuningProfile
from wirespeed.cluster import HostSpec
from wirespeed.plan.affinity import Chassis
from wirespeed.plan.numa import nodes_per_socket
from wirespeed.plan.problems import Problems
from wirespeed.settings import Coalescing, Host, Nic, Ring, Sysctl


def apply_profile(
    host: Host,
    nics: Sequence[Nic],
    spec: HostSpec,
    chassis: Chassis,
    catalogue: Catalogue,
    problems: Problems,
) -> tuple[Host, Sequence[Nic]]:
    """A host and its NICs, in rail order, with the settings of its profile; unchanged without a profile."""
    name = spec.part.tuning
    if name is None:
        return host, nics
    profile = catalogue.tunings.get(name)
    path = (*spec.path, "tuning")
    if profile is None:
        problems.refuse_unknown(path, "tuning profile", name, catalogue.tunings)
        return host, nics
    maximum = chassis.nic.ring_maximum
    if profile.ring and maximum and profile.ring.value > maximum.value:
        problems.refuse(
            path, f"rings of {profile.ring.value}", f"at most {maximum.value}, the largest of {spec.nics.model}"
        )
    return _tune_host(host, profile), [
        _tune_nic(nic, profile, cores)
        for nic, cores in zip(nics, _select_cores(profile, spec, chassis, host, problems), strict=True)
    ]


def divide_cores(cores: frozenset[int], ports: int) -> Iterator[frozenset[int]]:
    """A part of the cores for each port, in the order of the node's CPU list; all cores if there are too few."""
    size = len(cores) // ports
    ordered = sorted(cores)
    return iter([frozenset(ordered[port * size : (port + 1) * size]) if size else cores for port in range(ports)])


def _tune_host(host: Host, profile: TuningProfile) -> Host:
    parameters = profile.parameters.values if profile.parameters else {}
    return replace(
        host,
        governor=profile.governor.value if profile.governor else None,
        idle_states=frozenset(profile.idle_states.value) if profile.idle_states else None,
        irq_balancing=profile.irq_balancing.value if profile.irq_balancing else None,
        sysctls={**host.sysctls, **{key: Sysctl(value) for key, value in parameters.items()}},
    )


def _tune_nic(nic: Nic, profile: TuningProfile, cores: frozenset[int] | None) -> Nic:
    ring = profile.ring.value if profile.ring else None
    values = profile.coalescing.model_dump(exclude_none=True)
    return replace(
        nic,
        ring=Ring(ring, ring),
        coalescing=Coalescing(**{key: entry["value"] for key, entry in values.items()}),
        interrupt_cores=cores,
        qdisc=profile.qdisc.value if profile.qdisc else None,
    )


def _select_cores(
    profile: TuningProfile, spec: HostSpec, chassis: Chassis, host: Host, problems: Problems
) -> list[frozenset[int] | None]:
    """The cores for each NIC's interrupts, in rail order.

    Ports of one node divide its cores into consecutive parts, as ``set_irq_affinity_bynode.sh NODE PORT1 PORT2`` does
    (mlnx-tools, ofed_scripts, 2017 to 2022); a node with fewer cores than ports is shared. With another number of
    nodes per socket than in the catalogue, the node is the first of the socket, until a bundle shows it.
    """
    if not (profile.interrupts_near and profile.interrupts_near.value):
        return [None] * len(chassis.host_ports)
    nodes = [host_port.position.numa_node for host_port in chassis.host_ports]
    cpus = chassis.server.cpus
    if cpus is None or None in nodes:
        problems.refuse(
            (*spec.path, "tuning"),
            f"interrupts near their NICs on {spec.model}",
            "a server whose CPUs and NUMA node of each NIC slot are in the catalogue",
            "add cpus and numa_node to its file, from `lscpu` and `numactl -H`",
        )
        return [None] * len(chassis.host_ports)
    size, planned_size = cpus.numa_nodes.value, nodes_per_socket(chassis.server, host.bios)
    planned_nodes = [
        node if size == planned_size else node // size * planned_size for node in nodes if node is not None
    ]
    cores = {
        node: divide_cores(host.numa[str(node)].cpus or frozenset(), planned_nodes.count(node))
        for node in planned_nodes
    }
    return [next(cores[node]) for node in planned_nodes]
