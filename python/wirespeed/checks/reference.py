"""The reference pages of the checks, in Markdown."""

from __future__ import annotations

from collections.abc import Mapping

from wirespeed import catalogue
from wirespeed.checks.model import Check
from wirespeed.checks.registry import checks


def pages() -> Mapping[str, str]:
    """Every page by file name: ``index.md``, and ``nic.pcie-width.md`` and so on."""
    known = checks()
    return {"index.md": index(known), **{f"{one.id}.md": page(one) for one in known.values()}}


def index(known: Mapping[str, Check]) -> str:
    """All checks in a table."""
    rows = [f"| [{one.id}]({one.id}.md) | {one.manual.title} | {one.over.kind} |\n" for one in known.values()]
    head = "# Checks\n\n`wirespeed explain ID` prints a page.\n\n"
    return head + "| check | what it looks at | of each |\n| --- | --- | --- |\n" + "".join(rows)


def page(check: Check) -> str:
    """The manual page of one check."""
    manual = check.manual
    failures = catalogue.load().failures
    found = "".join(f"* {identifier}: {failures[identifier].title}\n" for identifier in check.failures)
    reads = "".join(f"* `{path}`\n" for path in check.needs)
    return (
        f"# {check.id}\n\n{manual.title}, of each {check.over.kind}\n\n{manual.what}\n\n"
        f"## Why it hurts\n\n{manual.why}\n\n"
        f"## How to fix\n\n{manual.fix}\n\n"
        f"## Example\n\n```\n{manual.example}\n```\n\n"
        f"## Reads\n\n{reads}\n"
        f"## Failures it finds\n\n{found}\n"
        f"## Source\n\n{manual.source}\n"
    )
