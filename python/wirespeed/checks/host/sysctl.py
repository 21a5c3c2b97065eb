"""Tuned kernel parameters

Kernel parameters of the host's tuning profile have the planned values.

Why it hurts:
    A TCP window cannot be larger than the buffers these parameters allow: at 200 Gb/s and 20 ms a flow needs 500 MB.

How to fix:
    Write the parameters in /etc/sysctl.d and load them; a later file in that folder may say otherwise.

Example:
    $ sysctl net.core.rmem_max
    net.core.rmem_max = 212992

Source:
    ESnet, 400G Testbed Configuration, sysctl settings
"""

from wirespeed.checks.compare import compare
from wirespeed.checks.model import Here
from wirespeed.settings import Sysctl


def _tuned(here: Here) -> bool:
    """Parameters of RoCE and of source routing have checks of their own."""
    return here.place.name != "kernel.numa_balancing" and not here.place.name.startswith("net.ipv4.conf.")


over = Sysctl
needs = ("sysctl.value",)
failures = ("TCP-01",)
check = compare(
    *needs,
    wrong="a kernel parameter has another value",
    fix="set the parameter",
    only=_tuned,
)
