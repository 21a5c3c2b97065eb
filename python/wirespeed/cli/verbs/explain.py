"""``wirespeed explain``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from wirespeed.cli.app import app

if TYPE_CHECKING:
    from wirespeed.catalogue.model import FailureMode
    from wirespeed.checks import Check


def _complete(incomplete: str) -> list[str]:
    from wirespeed.catalogue import load
    from wirespeed.checks import checks

    return [identifier for identifier in (*checks(), *load().failures) if identifier.startswith(incomplete)]


@app.command(short_help="Explain a check or a known failure: symptom, impact, fix.")
def explain(
    check: Annotated[
        str | None,
        typer.Argument(
            metavar="[ID]",
            help="ID of a check, such as nic.pcie-width, or of a known failure, such as NIC-05. Default: "
            "list all checks.",
            autocompletion=_complete,
        ),
    ] = None,
) -> None:
    """Explain a check: what it compares, its impact, how to fix a failure, an example, and its source.

    For a known failure (`wirespeed list failures`): the checks that detect it and the benchmark error messages that
    indicate it.

    Examples:

    \b
      wirespeed explain
      wirespeed explain nic.pcie-width
      wirespeed explain NIC-05
    """
    from wirespeed.catalogue import load
    from wirespeed.checks import checks
    from wirespeed.errors import did_you_mean, refuse

    known = checks()
    if check is None:
        _list(list(known.values()))
        return
    failures = load().failures
    if check in failures:
        _failure(check, failures[check], [one for one in known.values() if check in one.failures])
        return
    if check not in known:
        raise refuse(
            "explain",
            f"the check {check!r}",
            "the id of a check or of a failure",
            did_you_mean(check, [*known, *failures]) or "list them: wirespeed explain",
        )
    _page(known[check])


def _list(known: list[Check]) -> None:
    from rich.text import Text

    from wirespeed.cli.console import out

    width = max(len(one.id) for one in known)
    for one in known:
        out().print(Text.assemble((f"{one.id:<{width}}", "bold"), "  ", one.manual.title), soft_wrap=True)


def _page(check: Check) -> None:
    from rich.padding import Padding
    from rich.text import Text

    from wirespeed.catalogue import load
    from wirespeed.cli.console import out

    manual = check.manual
    out().print(Text.assemble((check.id, "bold"), "  ", manual.title))
    out().print()
    out().print(Padding(Text(_joined(manual.what)), (0, 0, 0, 4)))
    for heading, body in (("Impact", manual.impact), ("Fix", manual.fix)):
        out().print(Text(f"\n{heading}", style="bold"))
        out().print(Padding(Text(_joined(body)), (0, 0, 0, 4)))
    out().print(Text("\nExample", style="bold"))
    for line in manual.example.splitlines():
        out().print(Text(f"    {line}"), soft_wrap=True)
    out().print(Text("\nReads", style="bold"))
    out().print(Padding(Text(", ".join(check.needs)), (0, 0, 0, 4)))
    out().print(Text("\nFailures it detects", style="bold"))
    failures = load().failures
    for identifier in check.failures:
        out().print(Text(f"    {identifier}  {failures[identifier].title}"), soft_wrap=True)
    out().print(Text("\nSource", style="bold"))
    out().print(Padding(Text(manual.source), (0, 0, 0, 4)))


def _failure(identifier: str, failure: FailureMode, found_by: list[Check]) -> None:
    from rich.padding import Padding
    from rich.text import Text

    from wirespeed.benchmarks.logs import error_causes as causes
    from wirespeed.cli.console import out

    out().print(Text.assemble((identifier, "bold"), "  ", failure.title))
    lines = {
        "Where": [failure.layer],
        "Checks that find it": [f"{one.id}  {one.manual.title}" for one in found_by],
        "Messages of benchmarks that point to it": causes.messages(identifier),
    }
    for heading, body in lines.items():
        if body:
            out().print(Text(f"\n{heading}", style="bold"))
            for line in body:
                out().print(Text(f"    {line}"), soft_wrap=True)
    out().print(Text("\nSource", style="bold"))
    out().print(Padding(Text(failure.source), (0, 0, 0, 4)))


def _joined(text: str) -> str:
    """Lines of a paragraph as one, so that the terminal's width decides where it breaks."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))
