"""GID index of a job

The row of the GID table that the launch environment names is the NIC's own address, as RoCE v2.

Why it hurts:
    One index serves all NICs of a job. Where it is another row, the NIC sends from a link-local or foreign address,
    or as RoCE v1, which no router forwards: the job ends with completion error 12.

How to fix:
    Bring the table back in line with the other NICs, by removing the address that shifted it; or set the index, if
    all tables agree on another one.

Example:
    NCCL_IB_GID_INDEX=3, but 10.1.0.1 as RoCE v2 is row 5

Source:
    Broadcom 957608-AN210, 2.6 item 10; https://github.com/NVIDIA/nccl/issues/426
"""

from ipaddress import ip_interface

from wirespeed.checks.model import Here, Outcome, UnreadError, failed, passed
from wirespeed.checks.nics import gid_table, wanted_gid
from wirespeed.checks.words import listed
from wirespeed.results.findings import Fix
from wirespeed.settings import Nic, Place

over = Nic
needs = ("host.launch.gid_index", "nic.gids", "gid.address", "gid.type", "nic.addresses")
failures = ("NIC-05",)


def check(here: Here) -> Outcome:
    """The index read from the device's launch environment counts; a convention such as 3 does not."""
    host = Place(here.place.device)
    wanted = wanted_gid(here)
    here.intended("host.launch.gid_index", host)
    index = str(here.found("host.launch.gid_index", host))
    rows = gid_table(here, here.place)
    expected = f"row {index}: {wanted}"
    if rows.get(index) == wanted:
        return passed(expected, expected)
    others = [row for row, text in rows.items() if text == wanted]
    found = f"row {index}: {rows.get(index, 'empty')}"
    if others:
        found += f"; it is row {others[0]}"
    return failed("jobs use another row of the GID table", expected, found, *_fixes(here, index, others))


def _fixes(here: Here, index: str, rows: list[str]) -> list[Fix]:
    foreign = _foreign(here)
    others = f"take {listed(foreign)} off the interface; " if foreign else ""
    row = here.place.thing("gid", index)
    address = str(ip_interface(here.intended("nic.addresses")[0]).ip)
    fixes = [
        here.change(
            f"{others}set the planned address anew, so that it gets its row again",
            "gid.address",
            address,
            row,
            consequence="connections of this rail end",
        )
    ]
    if rows:
        # no change: the plan's index is another, and only one that holds for every NIC of the job helps
        fixes.append(Fix(f"or name row {rows[0]} in the launch environment, if it is right for every NIC of the job"))
    return fixes


def _foreign(here: Here) -> list[str]:
    """Addresses that the plan does not know; none when they were not read."""
    try:
        return [one for one in here.found("nic.addresses") if one not in here.intended("nic.addresses")]
    except UnreadError:
        return []
