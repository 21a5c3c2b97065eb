"""``wirespeed explain``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from wirespeed.cli.app import app

if TYPE_CHECKING:
    from wirespeed.checks import Check


def _complete(incomplete: str) -> list[str]:
    from wirespeed.checks import checks

    return [identifier for identifier in checks() if identifier.startswith(incomplete)]


@app.command(short_help="Explain a check: what, why it hurts, how to fix.")
def explain(
    check: Annotated[
        str | None,
        typer.Argument(
            metavar="[ID]",
            help="A check as findings name it, such as nic.pcie-width; without it all are listed.",
            autocompletion=_complete,
        ),
    ] = None,
) -> None:
    """Explain a check: what it looks at, why it hurts, how to fix it, an example, and its source."""
    from wirespeed.checks import checks
    from wirespeed.errors import did_you_mean, refuse

    known = checks()
    if check is None:
        _list(list(known.values()))
        return
    if check not in known:
        raise refuse(
            "explain",
            f"the check {check!r}",
            "the id of a check",
            did_you_mean(check, list(known)) or "list them: wirespeed explain",
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
    for heading, body in (("Why it hurts", manual.why), ("How to fix", manual.fix)):
        out().print(Text(f"\n{heading}", style="bold"))
        out().print(Padding(Text(_joined(body)), (0, 0, 0, 4)))
    out().print(Text("\nExample", style="bold"))
    for line in manual.example.splitlines():
        out().print(Text(f"    {line}"), soft_wrap=True)
    out().print(Text("\nReads", style="bold"))
    out().print(Padding(Text(", ".join(check.needs)), (0, 0, 0, 4)))
    out().print(Text("\nFailures it finds", style="bold"))
    failures = load().failures
    for identifier in check.failures:
        out().print(Text(f"    {identifier}  {failures[identifier].title}"), soft_wrap=True)
    out().print(Text("\nSource", style="bold"))
    out().print(Padding(Text(manual.source), (0, 0, 0, 4)))


def _joined(text: str) -> str:
    """Lines of a paragraph as one, so that the terminal's width decides where it breaks."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))
