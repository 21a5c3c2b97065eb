"""``wirespeed diff``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wirespeed.cli.app import app
from wirespeed.cli.exit import Exit
from wirespeed.cli.verbs.render import named

if TYPE_CHECKING:
    from wirespeed.plan import Plan
    from wirespeed.render import FileDifference, SettingDifference

SCHEMA = 1


class Format(StrEnum):
    """Output formats."""

    TEXT = "text"
    JSON = "json"


@app.command(short_help="Show differences between the plan and rendered files or a bundle.")
def diff(
    cluster: Annotated[Path, typer.Argument(metavar="CLUSTER.yaml", help="Cluster file.")],
    other: Annotated[
        Path,
        typer.Argument(
            metavar="DIR|BUNDLE", help="Folder written by `wirespeed render`, or bundle written by `wirespeed collect`."
        ),
    ],
    device: Annotated[
        list[str] | None,
        typer.Option("--device", "-d", metavar="NODESET", help="Compare only these devices, such as node[1-4],leaf1."),
    ] = None,
    format_: Annotated[
        Format, typer.Option("--format", "-f", envvar="WIRESPEED_DIFF_FORMAT", help="Output format.")
    ] = Format.TEXT,
) -> None:
    """Show the differences between a cluster file and rendered files or a bundle.

    Folder of rendered files: a unified diff of each file, from the files in the folder to the current rendering, and
    the names of missing and extra files. Bundle: each setting with the expected and the found value.

    Exit code 1 when something differs, 3 when nothing differs but a setting could not be read, 0 otherwise.

    Examples:

    \b
      wirespeed diff cluster.yaml out
      wirespeed diff cluster.yaml bundle.tar.gz --device leaf1
    """
    from wirespeed import render as rendering
    from wirespeed.cli.console import show_problems
    from wirespeed.cluster import read
    from wirespeed.errors import refuse
    from wirespeed.plan import build

    plan = build(read(cluster))
    show_problems(plan.warnings, "warning")
    devices = rendering.devices_of(plan, named(device))
    if rendering.is_rendered(other):
        files = list(rendering.compare_files(rendering.files(plan, devices), other))
        _print_files(plan, files, format_)
        raise typer.Exit(Exit.FAILED if files else Exit.PASSED)
    if other.is_dir() and not (other / "manifest.json").exists():
        hint = "give the output folder of `wirespeed render` or `wirespeed collect`"
        raise refuse(str(other), "neither a folder of rendered files nor a bundle", hint=hint)
    settings = _settings(plan, other, devices)
    _print_settings(plan, settings, format_)
    raise typer.Exit(
        Exit.worst(*(Exit.INCOMPLETE if one.kind == "unread" else Exit.FAILED for one in settings), Exit.PASSED)
    )


def _settings(plan: Plan, bundle: Path, devices: Sequence[str]) -> list[SettingDifference]:
    from wirespeed import collect
    from wirespeed import render as rendering

    return list(rendering.compare_settings(plan, collect.read_facts(bundle), devices))


def _print_files(plan: Plan, files: Sequence[FileDifference], format_: Format) -> None:
    from rich.text import Text

    from wirespeed.cli.console import out
    from wirespeed.results.json import document

    if format_ is Format.JSON:
        typer.echo(document("file-differences", SCHEMA, cluster=plan.name, differences=files), nl=False)
        return
    styles = {"+": "green", "-": "red", "@": "cyan"}
    for one in files:
        if one.kind != "different":
            what = f"{one.kind}: {one.lines[0]}" if one.lines else one.kind
            out().print(Text(f"{one.device} {one.path}: {what}"), soft_wrap=True)
            continue
        for line in one.lines:
            out().print(Text(line, style=styles.get(line[:1], "")), soft_wrap=True)


def _print_settings(plan: Plan, settings: Sequence[SettingDifference], format_: Format) -> None:
    from rich.text import Text

    from wirespeed.cli.console import out
    from wirespeed.results.json import document

    if format_ is Format.JSON:
        rows = [{"place": str(one.place), "setting": one.path, "kind": one.kind, **_values(one)} for one in settings]
        typer.echo(document("setting-differences", SCHEMA, cluster=plan.name, differences=rows), nl=False)
        return
    for line in _lines(settings):
        out().print(Text(line), soft_wrap=True)


def _values(one: SettingDifference) -> dict[str, str | None]:
    """Both values and where the second comes from, in format_value; what a device said is made harmless."""
    from wirespeed.checks.wording import differences, format_value
    from wirespeed.report.wording import clean
    from wirespeed.settings import THINGS, settings_of

    intended, found = one.intended, one.found
    if one.kind == "different":
        thing = next(thing for thing in THINGS if one.path in settings_of(thing))
        intended, found = differences(settings_of(thing)[one.path], intended, found)
    return {
        "intended": None if intended is None else format_value(intended),
        "found": None if found is None else clean(format_value(found)),
        "source": None if one.source is None else clean(one.source),
    }


def _lines(settings: Sequence[SettingDifference]) -> Iterator[str]:
    unread: dict[tuple[str, str, str | None], list[str]] = {}
    for one in settings:
        said = _values(one)
        if one.kind == "unread":
            unread.setdefault((one.place.device, one.path, said["source"]), []).append(str(one.place))
        elif one.kind == "absent":
            yield f"{one.place}: expected, but not present ({said['source']})"
        else:
            yield f"{one.place} {one.path}: expected {said['intended']}, found {said['found']} ({said['source']})"
    for (device, path, reason), places in unread.items():
        where = places[0] if len(places) == 1 else f"{device}, {len(places)} times"
        yield f"{' '.join(part for part in (where, path) if part)}: not read ({reason})"
