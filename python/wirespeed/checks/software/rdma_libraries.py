"""RDMA library and kernel driver

The user-space library of the NIC supports the ABI version of the kernel driver.

Impact:
    With a mismatch the library ignores the device: RDMA programs find no device, and collectives fall back to TCP.

Fix:
    Install the library of the driver's release, and remove the copy of the distribution that is loaded first. strace
    shows its path. Compare its md5sum with that of the library that was built.

Example:
    $ ibv_devinfo
    libibverbs: Warning: Driver bnxt_re does not support the kernel ABI of 6 (supports 1 to 1)

Source:
    Broadcom 957608-AN210, 5.1 question 6
"""

import re
import shlex
from dataclasses import replace

from wirespeed.checks.compare import compare
from wirespeed.checks.model import CheckContext, Outcome
from wirespeed.results.findings import Status
from wirespeed.settings import Host

subject = Host
needs = ("host.rdma_libraries",)
failures = ("OS-09",)
_compare_libraries = compare(
    "host.rdma_libraries",
    wrong="the RDMA library does not match the kernel driver",
    fix="install the library that belongs to the driver, and remove the copy whose path this command prints",
    by_hand=True,
)
_DRIVER = re.compile(r"\bDriver (\w+)")  # rdma-core, libibverbs/init.c, match_driver


def check(context: CheckContext) -> Outcome:
    """The fix shows the file that is loaded."""
    outcome = _compare_libraries(context)
    match = _DRIVER.search(context.get_found_value("host.rdma_libraries"))
    if outcome.status is not Status.FAIL or match is None:
        return outcome
    command = f"strace -e trace=openat ibv_devinfo 2>&1 | grep {shlex.quote(f'lib{match[1]}')} | grep -v ENOENT"
    return replace(outcome, fix=tuple(replace(fix, commands=(command,)) for fix in outcome.fix))
