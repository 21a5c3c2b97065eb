"""Lent devices

Lender and borrower both list each lent device. The number of a loan is made of the lender's node ID and the PCIe
address of the device: 80500 is 05:00.0 of the host with node ID 8.

Impact:
    Otherwise the device stays on the lender, and jobs on the borrower find fewer GPUs.

Fix:
    Run lend.sh on the lender, wait for it, then run borrow.sh on the borrower. The scripts contain the waits that the
    driver needs.

Example:
    $ smartio_tool list
    80400: 3D controller NVIDIA Corporation Device 1021 [available]

Source:
    Johansen, Fast Multi-GPU communication over PCI Express, section 3.2.6
"""

from dataclasses import replace

from wirespeed.checks.compare import compare
from wirespeed.checks.model import CheckContext, Outcome
from wirespeed.settings import Loan

subject = Loan
needs = ("loan.listed", "host.loans")
failures = ("PCI-06",)
presence = True
_compare = compare(
    "loan.listed",
    wrong="device is not lent",
    fix="run lend.sh on the lender, then borrow.sh on the borrower",
    labels={True: "listed", False: "not listed"},
    by_hand=True,
)


def check(context: CheckContext) -> Outcome:
    """The expected text names the device, which the number of the loan does not show."""
    outcome, loan = _compare(context), context.entity
    lender = _find_host(context, loan.peer) if loan.borrowed else context.place.device
    return replace(outcome, expected=f"{outcome.expected}: {loan.device} of {lender}")


def _find_host(context: CheckContext, node_id: int) -> str:
    """The host with a node ID in the PCIe cluster."""
    hosts = context.plan.hosts.items()
    names = (name for name, host in hosts if any(ntb.node_id == node_id for ntb in host.ntbs.values()))
    return next(names, f"node ID {node_id}")
