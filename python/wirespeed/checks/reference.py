"""The reference page of the checks, in Markdown."""

from __future__ import annotations

from wirespeed import catalogue
from wirespeed.checks.model import Check
from wirespeed.checks.registry import checks

_SUBJECTS = {
    "bios": "BIOS attribute",
    "gpu": "GPU",
    "loan": "lent or borrowed device",
    "module": "kernel module",
    "nic": "NIC port",
    "numa": "NUMA node",
    "ntb": "non-transparent PCIe bridge",
    "pcie": "PCIe function",
    "peer": "BGP neighbour",
    "port": "switch port",
    "queue": "queue of a switch port",
    "rule": "routing rule",
    "sysctl": "sysctl setting",
    "vlan": "VLAN interface",
}
"""Kinds of places whose name in paths is not the field's term."""


def page() -> str:
    """All checks in a table, then the manual page of each."""
    all_checks = checks().values()
    rows = "".join(
        f"| [{check.id}](#{_format_anchor(check.id)}) | {check.manual.title} "
        f"| {_SUBJECTS.get(check.subject.kind, check.subject.kind)} |\n"
        for check in all_checks
    )
    head = "# Checks\n\n`wirespeed explain ID` prints the manual page of one check.\n\n"
    table = f"| check | title | one result for each |\n| --- | --- | --- |\n{rows}"
    return head + table + "".join(_manual_page(check) for check in all_checks)


def _format_anchor(identifier: str) -> str:
    """The anchor that Markdown viewers give a heading: without its dots."""
    return identifier.replace(".", "")


def _manual_page(check: Check) -> str:
    manual = check.manual
    failures = catalogue.load().failures
    failure_list = "".join(f"* {identifier}: {failures[identifier].title}\n" for identifier in check.failures)
    reads = ", ".join(f"`{path}`" for path in check.needs)
    return (
        f"\n## {check.id}\n\n*{manual.title}*\n\n{manual.summary}\n\n"
        f"**Impact.** {manual.impact}\n\n"
        f"**Fix.** {manual.fix}\n\n"
        f"**Example.**\n\n```\n{manual.example}\n```\n\n"
        f"**Reads** {reads}\n\n"
        f"**Detects**\n\n{failure_list}\n"
        f"**Source.** {manual.source}\n"
    )
