"""Notes on the connection of a log: its GIDs and queue pairs against the plan."""

from __future__ import annotations

from collections.abc import Iterator

from wirespeed.benchmarks.endpoints.nics import (
    MAPPED_PREFIX,
    find_nic_by_gid,
    is_link_local,
    list_nics,
    nic_with_device,
    parse_gid,
)
from wirespeed.plan import Plan
from wirespeed.results.benchmarks import Run


def list_connection_notes(run: Run, plan: Plan) -> tuple[str, ...]:
    """The notes on a run whose connection differs from the plan."""
    return (*_compare_index(run, plan), *_compare_addresses(run, plan), *_compare_queue_pairs(run, plan))


def _compare_index(run: Run, plan: Plan) -> Iterator[str]:
    """A note on a run with another GID than planned: another index, or a link-local address.

    Linux lists for each address of a port its RoCE v1 GID and then its RoCE v2 GID, the link-local address first
    (drivers/infiniband/core/roce_gid_mgmt.c); only index and address are in the log.
    """
    planned = next((host.launch.gid_index for host in plan.hosts.values() if host.launch.gid_index is not None), None)
    used = run.parameters.gid_index
    address = parse_gid(run.parameters.local_gid)
    is_local = address is not None and is_link_local(address)
    if not is_local and (used is None or planned is None or used == planned):
        return
    index = f"GID index {used} in use" if used is not None else "a GID in use"
    kind = ", a link-local IPv6 address" if is_local else ""
    expected = f", planned is {planned}" if planned is not None else ""
    yield f"{index}{kind}{expected} (`wirespeed explain NIC-05`)"


def _compare_addresses(run: Run, plan: Plan) -> Iterator[str]:
    """Notes on GIDs that are no address of the plan, or that of another NIC than the log names."""
    device = run.parameters.rdma_device
    if device is not None and nic_with_device(plan, device) is None:
        return  # a log of other hosts
    for end, printed in (("local", run.parameters.local_gid), ("remote", run.parameters.remote_gid)):
        nic, address = find_nic_by_gid(printed, plan), _read_address(printed)
        if nic is not None and end == "local" and device not in (None, nic.nic.rdma_device, nic.interface):
            yield f"the log's NIC is {device}, but its local GID {address} is that of {nic}"
        elif nic is None and address is not None and any(place.nic.addresses for place in list_nics(plan)):
            yield f"{end} GID {address} is no address of {plan.name} (`wirespeed explain NIC-05`)"


def _read_address(printed: str | None) -> str | None:
    """The IPv4 address that a GID contains."""
    gid = parse_gid(printed)
    return ".".join(map(str, gid[-4:])) if gid is not None and gid.startswith(MAPPED_PREFIX) else None


def _compare_queue_pairs(run: Run, plan: Plan) -> Iterator[str]:
    """A note on more queue pairs than the NIC has."""
    count, device = run.parameters.queue_pairs, run.parameters.rdma_device
    place = nic_with_device(plan, device) if device else next(list_nics(plan), None)
    model = plan.hardware.nics.get(place.nic.model or "") if place is not None else None
    if count is None or model is None or model.queue_pairs is None or count <= model.queue_pairs.value:
        return
    yield f"{count:,} queue pairs in the log, but {model.title} has at most {model.queue_pairs.value:,}"
