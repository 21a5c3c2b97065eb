"""Memory of the host

The kernel can use the planned memory, less what it reserves for itself. Without planned memory, it has what is
recommended for the server; clearly less is a warning.

Impact:
    A missing or disabled module takes a channel's bandwidth with it, and a job that fits other hosts is killed here.

Fix:
    Compare the modules with those of another host, and read the log of the BMC. Reseat or replace the module.

Example:
    $ grep MemTotal /proc/meminfo
    MemTotal:       1981153280 kB

Source:
    Broadcom 957608-AN210, 2.3.3; Linux Documentation/filesystems/proc.rst (meminfo), and include/linux/mm_types.h: 64
    bytes are reserved for each page of 4 KiB
"""

from wirespeed.checks.model import CheckContext, Outcome, failure, success, warning
from wirespeed.plan.host_memory import SUFFICIENT_SHARE
from wirespeed.results.findings import Fix
from wirespeed.settings import Host

subject = Host
needs = ("host.memory",)
failures = ("OS-20",)

_USABLE = 0.97
"""Share that the kernel can use: it reserves 64 of 4096 bytes for its page structures (1.6 %), and firmware some more.
One of 32 modules is 3.1 %."""


def check(context: CheckContext) -> Outcome:
    """Fails from about one missing module of 32 on; less than recommended is a warning."""
    if context.entity.memory is None and context.entity.recommended_memory is not None:
        return _check_recommendation(context)
    intended = context.get_intended_value("host.memory")
    found = context.get_found_value("host.memory")
    expected = f"at least 97 % of {intended}"
    if found >= _USABLE * intended:
        return success(expected, str(found))
    return failure(
        "the host has less memory than planned",
        expected,
        str(found),
        Fix("compare the output of dmidecode --type 17 with that of another host; reseat or replace the module"),
    )


def _check_recommendation(context: CheckContext) -> Outcome:
    recommended = context.get_intended_value("host.recommended_memory")
    found = context.get_found_value("host.memory")
    unit = "GiB" if found.in_unit("GiB") >= 1 else "MiB"
    expected, found_text = f"{recommended} or more", f"{found.in_unit(unit):.0f} {unit}"
    if found >= SUFFICIENT_SHARE * recommended:
        return success(expected, found_text)
    return warning(
        "the host has less memory than recommended for this server",
        expected,
        found_text,
        Fix("add modules, or set memory: of the host in the cluster file to its installed memory"),
        reason="the cluster file has no memory: of the host, so the recommendation is compared",
    )
