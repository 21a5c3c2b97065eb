"""The reference page of the checks, in Markdown."""

from __future__ import annotations

from wirespeed import catalogue
from wirespeed.checks.model import Check
from wirespeed.checks.registry import checks


def page() -> str:
    """All checks in a table, then the manual page of each."""
    known = checks().values()
    rows = "".join(f"| [{one.id}](#{_anchor(one.id)}) | {one.manual.title} | {one.over.kind} |\n" for one in known)
    head = "# Checks\n\n`wirespeed explain ID` prints the manual page of one check.\n\n"
    table = f"| check | title | checked for each |\n| --- | --- | --- |\n{rows}"
    return head + table + "".join(_manual_page(one) for one in known)


def _anchor(identifier: str) -> str:
    """The anchor that Markdown viewers give a heading: without its dots."""
    return identifier.replace(".", "")


def _manual_page(check: Check) -> str:
    manual = check.manual
    failures = catalogue.load().failures
    found = "".join(f"* {identifier}: {failures[identifier].title}\n" for identifier in check.failures)
    reads = ", ".join(f"`{path}`" for path in check.needs)
    return (
        f"\n## {check.id}\n\n*{manual.title}*\n\n{manual.what}\n\n"
        f"**Impact.** {manual.impact}\n\n"
        f"**Fix.** {manual.fix}\n\n"
        f"**Example.**\n\n```\n{manual.example}\n```\n\n"
        f"**Reads** {reads}\n\n"
        f"**Detects**\n\n{found}\n"
        f"**Source.** {manual.source}\n"
    )
