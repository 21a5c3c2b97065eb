"""Lent devices

Lender and borrower both know each device that is lent.

Why it hurts:
    Without it the device stays where it is, and jobs on the borrower find fewer GPUs.

How to fix:
    Run lend.sh on the lender, and then borrow.sh on the borrower, not faster than they do it.

Example:
    $ smartio_tool list
    80400: 3D controller NVIDIA Corporation Device 1021 [available]

Source:
    Johansen, Fast Multi-GPU communication over PCI Express, section 3.2.6
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Loan

over = Loan
needs = ("loan.listed", "host.loans")
failures = ("PCI-06",)
presence = True
check = compare(
    "loan.listed",
    wrong="device is not lent",
    fix="run lend.sh on the lender, then borrow.sh on the borrower",
    says={True: "listed", False: "not listed"},
    hand=True,
)
