"""How a parallel job is launched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from wirespeed.settings.model import Compare, Setting
from wirespeed.settings.qos import Dscp, Priority


@dataclass(frozen=True, slots=True)
class Launch:
    """The launch environment of collectives on a host."""

    library: Annotated[str | None, Setting("catalogue name of the collective library", compare=Compare.NONE)] = None
    hosts: Annotated[tuple[str, ...] | None, Setting("hosts of a job, in rank order", compare=Compare.NONE)] = None
    ranks_per_host: Annotated[int | None, Setting("ranks on each host, one per GPU", compare=Compare.NONE)] = None
    rdma_devices: Annotated[tuple[str, ...] | None, Setting("RDMA devices a job uses, in rail order")] = None
    gid_index: Annotated[int | None, Setting("row of the GID table a job uses")] = None
    dscp: Annotated[Dscp | None, Setting("DSCP a job asks for")] = None
    priority: Annotated[Priority | None, Setting("802.1p priority a job asks for, as InfiniBand service level")] = None
    transport: Annotated[str | None, Setting("RDMA transport of a job: rc, ud or hybrid")] = None
    binding: Annotated[str | None, Setting("how ranks are bound to CPU cores")] = None
    control_interface: Annotated[str | None, Setting("interface for out-of-band traffic", compare=Compare.NONE)] = None
    environment: Annotated[Mapping[str, str] | None, Setting("environment variables as read", compare=Compare.NONE)] = (
        None
    )
