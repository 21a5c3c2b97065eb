"""Collectives on a host that borrows GPUs over a PCIe bridge: with lent GPUs, with its own, and with both.

Run it after lend.sh and borrow.sh. Which GPUs a run uses follows from their order on the PCI bus; the bus addresses in
its log show which of them are lent: all lent GPUs have the same bus. Compare a run on two lent GPUs with one on two own
GPUs, and one on both kinds with the same number over Ethernet (suite collectives).
"""

from __future__ import annotations

from wirespeed.benchmarks.steps.request import Request, Steps
from wirespeed.benchmarks.steps.socket_collectives import add_lent_collectives
from wirespeed.errors import refuse

TITLE = "collectives on a host that borrows GPUs: on lent GPUs, on local GPUs, and on both"
OVER_SOCKETS = True


def make(request: Request) -> Steps:
    """Add the collectives of every borrower.

    Raises:
        Refusal: no host borrows a GPU.
    """
    steps = Steps()
    add_lent_collectives(request, steps)
    if not steps.steps:
        raise refuse(
            request.plan.name, "no host borrows GPUs", hint="describe the loans under lending: in the cluster file"
        )
    return steps
