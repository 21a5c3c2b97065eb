"""Errors of NICs and GPUs in the kernel log

The kernel log contains no error of a NIC or GPU driver, and no process that the kernel killed.

Impact:
    A firmware crash, a bus fault or a refused setting is often reported in the kernel log only.

Fix:
    Read the lines. "Fail to setets" means that the NIC firmware controls QoS (see nic.nvm-dcbx). A bus or firmware
    error needs a reset, an update, or another card.

Example:
    $ dmesg --level=err,warn
    infiniband bnxt_re2: Fail to setets rc:-22

Source:
    Broadcom 957608-AN210, 2.6 item 16 and 5.1 question 5; Linux mm/oom_kill.c and arch/x86/mm/fault.c for killed
    processes
"""

from wirespeed.checks.model import CheckContext, Outcome, failure, success
from wirespeed.results.findings import Fix
from wirespeed.settings import Host

subject = Host
needs = ("host.kernel.errors",)
failures = ("NIC-16", "GPU-02", "NIC-01", "OS-19")

_MAX_LINES = 3


def check(context: CheckContext) -> Outcome:
    """Nobody plans errors, so this needs no intent."""
    lines = context.get_found_value("host.kernel.errors")
    if not lines:
        return success("no errors of NICs or GPUs", "none")
    first_lines = " | ".join(lines[:_MAX_LINES])
    remainder = f" | and {len(lines) - _MAX_LINES} more" if len(lines) > _MAX_LINES else ""
    return failure(
        "the kernel log contains errors of NICs or GPUs",
        "no errors of NICs or GPUs",
        first_lines + remainder,
        Fix("read these lines and the lines around them in the kernel log"),
    )
