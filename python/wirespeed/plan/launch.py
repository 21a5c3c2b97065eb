"""How jobs are launched: the hosts, one rank per GPU, and the environment of the collective library."""

from __future__ import annotations

from wirespeed.catalogue import Catalogue
from wirespeed.cluster import Cluster
from wirespeed.plan.affinity import Chassis
from wirespeed.plan.classes import ROCE
from wirespeed.plan.problems import Problems
from wirespeed.settings import Launch, TrafficClass


def launch_of(
    cluster: Cluster,
    chassis: Chassis,
    classes: dict[str, TrafficClass],
    control_interface: str | None,
    catalogue: Catalogue,
    problems: Problems,
) -> Launch:
    """The launch settings of every host of one kind."""
    part, roce = cluster.launch, classes.get(ROCE)
    library = catalogue.collectives.get(part.collectives)
    if library is None:
        problems.unknown(("launch", "collectives"), "library", part.collectives, catalogue.collectives)
    tuning = {name: entry.value for name, entry in library.environment.items()} if library else {}
    return Launch(
        library=part.collectives,
        hosts=tuple(cluster.hosts),
        ranks_per_host=len(chassis.server.gpu_slots) or len(chassis.seats),
        rdma_devices=tuple(seat.rdma_device for seat in chassis.seats),
        gid_index=part.gid_index,
        dscp=min(roce.dscp) if roce and roce.dscp else None,
        control_interface=control_interface,
        environment={**tuning, **part.environment},
    )
