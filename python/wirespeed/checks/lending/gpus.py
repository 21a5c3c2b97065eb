"""Usable GPUs of a borrower

The GPU driver of a borrower lists the local and the borrowed GPUs.

Impact:
    A loan can be listed and not work: a BAR did not fit, or the driver was not reloaded after borrowing.

Fix:
    Enlarge the prefetchable memory first if it is too small (lending.prefetch): that needs a reboot. Run lend.sh on the
    lender if it does not list the devices (lending.device). Otherwise search for "no space" in the kernel log; run
    return.sh, wait for it, then borrow.sh. If one of the host's own GPUs is missing, the loans are in order: repair
    that GPU (gpu.presence).

Example:
    $ nvidia-smi --query-gpu=pci.bus_id --format=csv,noheader
    00000000:03:04.0
    00000000:05:00.0
    00000000:85:00.0

Source:
    Johansen, Fast Multi-GPU communication over PCI Express, section 3.2.6
"""

from dataclasses import replace

from wirespeed.checks.model import CheckContext, NoIntentError, Outcome, UnreadError, failure, success
from wirespeed.results.findings import Fix
from wirespeed.settings import Host, Place

subject = Host
needs = ("host.usable_gpus", "host.gpus", "ntb.prefetch", "loan.listed")
failures = ("PCI-06",)
_BORROW = "run return.sh on the borrower, wait for it, then borrow.sh; before, lend.sh on a lender that lists no device"


def check(context: CheckContext) -> Outcome:
    """The plan has a borrower."""
    planned = context.get_intended_value("host.usable_gpus")
    found = context.get_found_value("host.usable_gpus")
    expected, got = f"{planned} GPUs", f"{found} GPUs"
    if found == planned:
        return success(expected, got)
    summary = "the number of usable GPUs is not as planned"
    missing = _list_missing_own_gpus(context)
    if missing and found + len(missing) == planned:
        got += f": every borrowed one, and not {', '.join(missing)} of the host itself"
        outcome = failure(summary, expected, got, Fix("repair the host's own GPU; the loans are in order"))
        return replace(outcome, causes=("gpu.presence",), cause_place=context.place.child("gpu", missing[0]))
    outcome = failure(summary, expected, got, Fix(_BORROW))
    if any(_is_prefetch_too_small(context, name) for name in context.plan.hosts[context.place.device].ntbs):
        return replace(outcome, causes=("lending.prefetch",))  # a borrowed device has no room, and the fix is a reboot
    lender = _find_lender_without_loan(context)
    return replace(outcome, causes=("lending.device",), cause_place=lender) if lender else outcome


def _is_prefetch_too_small(context: CheckContext, bridge: str) -> bool:
    place = context.place.child("ntb", bridge)
    try:
        return bool(context.get_found_value("ntb.prefetch", place) < context.get_intended_value("ntb.prefetch", place))
    except (NoIntentError, UnreadError):
        return False


def _find_lender_without_loan(context: CheckContext) -> Place | None:
    """The loan at the first lender that does not list a device which this host borrows."""
    for name, loan in context.plan.hosts[context.place.device].loans.items():
        for lender, host in context.plan.hosts.items():
            if loan.borrowed and name in host.loans and any(ntb.node_id == loan.peer for ntb in host.ntbs.values()):
                place = Place(lender).child("loan", name)
                try:
                    context.get_found_value("loan.listed", place)
                except UnreadError:
                    return place
    return None


def _list_missing_own_gpus(context: CheckContext) -> list[str]:
    """The host's own GPUs that the vendor's tool does not list; none if its list was not read."""
    try:
        listed = {gpu.pcie for gpu in context.list_members("host.gpus").values()}
    except UnreadError:
        return []
    own_gpus = context.plan.hosts[context.place.device].gpus
    return [name for name, gpu in own_gpus.items() if gpu.pcie not in listed]
