"""Sysctl settings of the tuning profile

The sysctl settings of the host's tuning profile have the planned values.

Impact:
    A TCP window cannot be larger than the buffers these settings allow: at 200 Gb/s and 20 ms a flow needs 500 MB.

Fix:
    Write the settings to /etc/sysctl.d and load them. A later file in that folder may override them.

Example:
    $ sysctl net.core.rmem_max
    net.core.rmem_max = 212992

Source:
    ESnet, 400G Testbed Configuration, sysctl settings
"""

from wirespeed.checks.compare import compare
from wirespeed.checks.model import CheckContext
from wirespeed.settings import Sysctl


def _is_tuned(context: CheckContext) -> bool:
    """Parameters of RoCE and of source routing have separate checks."""
    return context.place.name != "kernel.numa_balancing" and not context.place.name.startswith("net.ipv4.conf.")


subject = Sysctl
needs = ("sysctl.value",)
failures = ("TCP-01",)
check = compare(
    *needs,
    wrong="a sysctl setting has another value",
    fix="set the parameter",
    applies=_is_tuned,
)
