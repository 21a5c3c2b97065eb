"""``wirespeed explain``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from wirespeed.cli.app import app

if TYPE_CHECKING:
    from wirespeed.catalogue.model import FailureMode
    from wirespeed.checks import Check
    from wirespeed.settings import Setting


def _complete(incomplete: str) -> list[str]:
    from wirespeed.catalogue import load
    from wirespeed.checks import checks

    return [identifier for identifier in (*checks(), *load().failures) if identifier.startswith(incomplete)]


@app.command(short_help="Explain a check, a known failure or a setting: meaning, impact, fix.")
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

    For a known failure (`wirespeed list failures`): the checks that detect it, the benchmark messages that indicate it,
    its impact and fix. For a setting or counter: its meaning and unit, and the checks that use it.

    Examples:

    \b
      wirespeed explain
      wirespeed explain nic.pcie-width
      wirespeed explain NIC-05
      wirespeed explain nic.counters.retries
    """
    from wirespeed.catalogue import load
    from wirespeed.checks import checks
    from wirespeed.errors import refuse
    from wirespeed.settings import THINGS, settings_of

    known = checks()
    if check is None:
        _list(list(known.values()))
        return
    failures = load().failures
    settings = {path: setting for thing in THINGS for path, setting in settings_of(thing).items()}
    if check in known:
        _page(known[check])
    elif check in failures:
        _failure(check, failures[check], [one for one in known.values() if check in one.failures])
    elif check in settings:
        _setting(check, settings[check], [one for one in known.values() if check in one.needs])
    else:
        lists = "`wirespeed list checks` and `wirespeed list failures` list all; settings are in the reference"
        nearest = _nearest(check, [*known, *settings])
        raise refuse("explain", f"no check, failure or setting named {check!r}", hint=nearest or lists)


def _nearest(text: str, known: list[str]) -> str | None:
    """A hint with the names that end in ``text`` (the counter ``rx_discards``), or with a similar one."""
    from wirespeed.errors import did_you_mean

    ending = [name for name in known if name.endswith(f".{text}")]
    return f"did you mean {', '.join(map(repr, ending))}?" if ending else did_you_mean(text, known)


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
    out().print(Text("\nSettings that it compares", style="bold"))
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
        "Layer": [failure.layer],
        "Checks that detect it": [f"{one.id}  {one.manual.title}" for one in found_by],
        "Benchmark messages that indicate it": causes.messages(identifier),
    }
    for heading, body in lines.items():
        if body:
            out().print(Text(f"\n{heading}", style="bold"))
            for line in body:
                out().print(Text(f"    {line}"), soft_wrap=True)
    for one in found_by[:1]:
        for heading, text in (("Impact", one.manual.impact), ("Fix", one.manual.fix)):
            out().print(Text(f"\n{heading} (check {one.id})", style="bold"))
            out().print(Padding(Text(_joined(text)), (0, 0, 0, 4)))
    out().print(Text("\nSource", style="bold"))
    out().print(Padding(Text(failure.source), (0, 0, 0, 4)))


def _setting(path: str, setting: Setting, used_by: list[Check]) -> None:
    from rich.text import Text

    from wirespeed.cli.console import out

    out().print(Text.assemble((path, "bold"), "  ", setting.meaning), soft_wrap=True)
    lines = {
        "Unit": [setting.unit] if setting.unit else [],
        "Comparison of planned and found value": [setting.compare.value],
        "Checks that use it": [f"{one.id}  {one.manual.title}" for one in used_by],
    }
    for heading, body in lines.items():
        if body:
            out().print(Text(f"\n{heading}", style="bold"))
            for line in body:
                out().print(Text(f"    {line}"), soft_wrap=True)


def _joined(text: str) -> str:
    """Each paragraph as one line, which the terminal wraps to its width."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))
