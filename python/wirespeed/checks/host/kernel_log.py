"""Errors of NICs and GPUs in the kernel log

The kernel log contains no error of a NIC or GPU driver, no memory BAR without an address, no link that went down and
stayed down or flapped, and no process that the kernel killed. Several of these are messages of level info.

Impact:
    A firmware crash, a bus fault or a refused setting is often reported in the kernel log only.

Fix:
    Read the lines. After "Out of memory" give the job more memory; after "segfault" change the version of the library
    that crashed. "Fail to setets" means that the NIC firmware controls QoS (see nic.nvm-dcbx). "failed to assign"
    means that device memory does not fit: enable above-4G decoding in the BIOS. A bus or firmware error needs a reset,
    an update, or another card.

Example:
    $ dmesg --level=err,warn,info
    infiniband bnxt_re2: Fail to setets rc:-22

Source:
    Broadcom 957608-AN210, 2.6 item 16 and 5.1 question 5; Johansen, Fast Multi-GPU communication over PCI Express,
    section 3.2.6 (BARs); Linux mm/oom_kill.c and arch/x86/mm/fault.c for killed processes, drivers/pci/setup-res.c for
    BARs
"""

import re
from dataclasses import replace

from wirespeed.checks.model import CheckContext, Outcome, UnreadError, failure, success
from wirespeed.results.findings import Fix
from wirespeed.settings import Host, is_address

subject = Host
needs = ("host.kernel.errors", "host.pcie", "pcie.device_class")
failures = ("NIC-16", "GPU-02", "NIC-01", "OS-19", "PCI-06", "CAB-01")

_MAX_LINES = 3
_ADDRESS = re.compile(r"\b[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]\b")
_NETWORK_CLASS = "02"  # PCI Code and ID Assignment Specification, base class of network controllers
_REFUSED_QOS, _REFUSED_FLOW_CONTROL = "Fail to setets", "Fail to initialize Flow control"  # 957608-AN210, question 5
_ENDED_PROCESS = re.compile(r"\bKilled process \d+|\bsegfault at ")  # Linux mm/oom_kill.c, arch/x86/mm/fault.c


def check(context: CheckContext) -> Outcome:
    """Errors are never planned, so this needs no intent. Lines about NICs outside the plan are left out."""
    errors = context.get_found_value("host.kernel.errors")
    unplanned = _list_unplanned_nics(context)
    lines = [line for line in errors if unplanned.isdisjoint(_ADDRESS.findall(line))]
    if not lines:
        return success("no errors of NICs or GPUs", "none")
    first_lines = " | ".join(lines[:_MAX_LINES])
    remainder = f" | and {len(lines) - _MAX_LINES} more" if len(lines) > _MAX_LINES else ""
    ended_processes = sum(_ENDED_PROCESS.search(line) is not None for line in lines)
    if ended_processes == len(lines):
        return failure(
            "the kernel killed a process, or a process crashed",
            "no process killed or crashed",
            first_lines + remainder,
            Fix(
                "if these processes belong to a job: after Out of memory give it more memory, after segfault change"
                " the version of the library"
            ),
        )
    subject_text = "errors of NICs or GPUs" + (", and killed or crashed processes" if ended_processes else "")
    found = failure(
        f"the kernel log contains {subject_text}",
        "no errors of NICs or GPUs",
        first_lines + remainder,
        Fix("read these lines and the lines around them in the kernel log"),
    )
    if all(_REFUSED_QOS in line or _REFUSED_FLOW_CONTROL in line for line in lines):
        return replace(found, causes=("nic.nvm-dcbx", "nic.nvm-lldp"))
    return found


def _list_unplanned_nics(context: CheckContext) -> set[str]:
    """Addresses of NICs that are not planned, such as on-board ports without a cable; none if the tree was not read."""
    planned = context.plan.hosts[context.place.device]
    if not all(nic.pcie and is_address(nic.pcie) for nic in planned.nics.values()):
        return set()
    try:
        functions = context.list_members("host.pcie", context.place)
    except UnreadError:
        return set()
    nics = {
        address for address, function in functions.items() if (function.device_class or "").startswith(_NETWORK_CLASS)
    }
    return nics - planned.pcie.keys() - {nic.pcie or "" for nic in planned.nics.values()}
