"""GID index of a job

The GID index of the launch environment is the NIC's own address as RoCE v2.

Impact:
    One index is used for all NICs of a job. Where it refers to another GID, the NIC sends from a link-local or
    unplanned address, or as RoCE v1, which routers do not forward: the job ends with completion error 12.

Fix:
    If the launch environment has another index than planned, set the planned one. Otherwise remove the address that
    shifted the GID table, so that it equals those of the other NICs. Or set the index, if all tables agree on another
    one.

Example:
    NCCL_IB_GID_INDEX=3, but 10.1.0.1 as RoCE v2 is at index 5

Source:
    Broadcom 957608-AN210, 2.6 item 10; https://github.com/NVIDIA/nccl/issues/426
"""

from ipaddress import ip_interface

from wirespeed.checks.launch import ENVIRONMENT_FIX
from wirespeed.checks.model import CheckContext, Outcome, UnreadError, failure, success
from wirespeed.checks.nics import find_planned_gid, gid_table
from wirespeed.checks.wording import format_list
from wirespeed.facts import State
from wirespeed.results.findings import Fix
from wirespeed.settings import Nic, Place

subject = Nic
needs = ("host.launch.gid_index", "nic.gids", "gid.address", "gid.type", "nic.addresses")
failures = ("NIC-05",)


def check(context: CheckContext) -> Outcome:
    """The index read from the device's launch environment counts; a convention such as 3 does not."""
    host = Place(context.place.device)
    planned_gid = find_planned_gid(context)
    planned_index = str(context.get_intended_value("host.launch.gid_index", host))
    index = str(context.get_found_value("host.launch.gid_index", host))
    rows = gid_table(context, context.place)
    expected = f"index {index}: {planned_gid}"
    if rows.get(index) == planned_gid:
        return success(expected, expected)
    if index != planned_index and rows.get(planned_index) == planned_gid:
        configured = _read_configured_index(context, host)
        change = context.build_change(
            "set the planned GID index in the launch environment",
            "host.launch.gid_index",
            context.get_intended_value("host.launch.gid_index", host),
            host,
        )
        return failure(
            "jobs use another GID index than planned",
            f"index {planned_index}: {planned_gid}",
            f"index {index}: {rows.get(index, 'empty')}",
            *([Fix(ENVIRONMENT_FIX)] if configured not in (None, index) else []),
            *([change] if configured != planned_index else []),
        )
    other_rows = [row for row, text in rows.items() if text == planned_gid]
    found_text = f"index {index}: {rows.get(index, 'empty')}"
    if other_rows:
        found_text += f"; {planned_gid} is at index {other_rows[0]}"
    return failure(
        "the GID index of jobs does not contain the planned address",
        expected,
        found_text,
        *(
            [Fix(ENVIRONMENT_FIX)]
            if rows.get(_read_configured_index(context, host) or index) == planned_gid
            else _list_fixes(context, index, other_rows, has_version_1=not rows.get("0", "").endswith("RoCE v2"))
        ),
    )


def _read_configured_index(context: CheckContext, host: Place) -> str | None:
    """The index in the library's file, which applies without the variable of a running job."""
    try:
        return str(context.get_found_value("host.launch.gid_index", host, State.CONFIGURED))
    except UnreadError:
        return None


def _list_fixes(context: CheckContext, index: str, rows: list[str], has_version_1: bool) -> list[Fix]:
    """A driver that has RoCE v2 only gives each address one entry: there the planned one returns to where it is.

    Source: Linux drivers/infiniband/core/roce_gid_mgmt.c, an entry for each type that the driver supports; Broadcom's
    out-of-box bnxt_re, bnxt_re_get_port_immutable.
    """
    foreign = _list_foreign(context)
    removal = f"remove {format_list(foreign)} from the interface; " if foreign else ""
    if rows and not foreign and not has_version_1:
        return [_select_row(rows[0])]
    row = context.place.child("gid", index)
    address = str(ip_interface(context.get_intended_value("nic.addresses")[0]).ip)
    fixes = [
        context.build_change(
            f"{removal}remove and set the planned address again; it then returns to this GID index",
            "gid.address",
            address,
            row,
            consequence="interrupts the RDMA connections of this rail",
        )
    ]
    if rows:
        # no change: the plan has another index, and only an index that is correct for every NIC of the job helps
        fixes.append(Fix(f"or, instead, {_select_row(rows[0]).sentence}"))
    return fixes


def _select_row(index: str) -> Fix:
    return Fix(f"set GID index {index} in the launch environment, if every NIC of the job has it there")


def _list_foreign(context: CheckContext) -> list[str]:
    """Addresses that are not in the plan; none if they were not read."""
    try:
        return [
            address
            for address in context.get_found_value("nic.addresses")
            if address not in context.get_intended_value("nic.addresses")
        ]
    except UnreadError:
        return []
