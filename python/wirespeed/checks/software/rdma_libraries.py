"""RDMA library and kernel driver

The NIC has a user-space library, and it supports the ABI version of the kernel driver.

Impact:
    Without a library RDMA programs find no device, and collectives fall back to TCP. With a mismatch the library
    ignores the device, with the same effect.

Fix:
    Install the library of the driver's release, and remove the copy of the distribution that is loaded first. strace
    shows its path. Compare its md5sum with that of the library that was built.

Example:
    $ ibv_devinfo
    libibverbs: Warning: Driver bnxt_re does not support the kernel ABI of 6 (supports 1 to 1)

Source:
    Broadcom 957608-AN210, 5.1 question 6; rdma-core, libibverbs/examples/devinfo.c
"""

import re
import shlex
from dataclasses import replace

from wirespeed.checks.compare import compare
from wirespeed.checks.model import CheckContext, Outcome
from wirespeed.errors import format_first
from wirespeed.results.findings import Fix, Status
from wirespeed.settings import Host

subject = Host
needs = ("host.rdma_libraries", "host.rdma_devices")
failures = ("OS-09", "NCCL-01")
_compare_libraries = compare(
    "host.rdma_libraries",
    wrong="the RDMA library does not match the kernel driver",
    fix="install the library that belongs to the driver, and remove the copy whose path this command prints",
    by_hand=True,
)
_INSTALL = Fix(
    "install the user-space RDMA library (verbs provider) of the NIC's driver; if it is installed, load the module"
    " ib_uverbs"
)
_LIBRARY = "a library for each device"
_MAX_DEVICES = 3
_DRIVER = re.compile(r"\bDriver (\w+)")  # rdma-core, libibverbs/init.c, match_driver


def check(context: CheckContext) -> Outcome:
    """The fix shows the file that is loaded, if any is."""
    outcome = _compare_libraries(context)
    match = _DRIVER.search(context.get_found_value("host.rdma_libraries"))
    if outcome.status is not Status.FAIL:
        return outcome
    if match is None:
        devices = context.get_found_value("host.rdma_devices")
        found = f"{outcome.found}; the kernel has {format_first(devices, _MAX_DEVICES)}"
        return replace(
            outcome, summary="no RDMA device has a user-space library", expected=_LIBRARY, found=found, fix=(_INSTALL,)
        )
    command = f"strace -e trace=openat ibv_devinfo 2>&1 | grep {shlex.quote(f'lib{match[1]}')} | grep -v ENOENT"
    return replace(outcome, fix=tuple(replace(fix, commands=(command,)) for fix in outcome.fix))
