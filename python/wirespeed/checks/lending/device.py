"""Lent devices

Lender and borrower both list each lent device.

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

from wirespeed.checks.compare import compare
from wirespeed.settings import Loan

subject = Loan
needs = ("loan.listed", "host.loans")
failures = ("PCI-06",)
presence = True
check = compare(
    "loan.listed",
    wrong="device is not lent",
    fix="run lend.sh on the lender, then borrow.sh on the borrower",
    labels={True: "listed", False: "not listed"},
    by_hand=True,
)
