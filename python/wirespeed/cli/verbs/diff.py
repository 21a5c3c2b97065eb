"""``wirespeed diff``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wirespeed.cli.app import app
from wirespeed.cli.exit import Exit
from wirespeed.cli.verbs.render import expand_nodesets

if TYPE_CHECKING:
    from wirespeed.plan import Plan
    from wirespeed.render import FileDifference, SettingDifference
    from wirespeed.settings import Place

SCHEMA = 1
_EXPECTED = "give the output folder of `wirespeed render`, or a bundle written by `wirespeed collect`"


class Format(StrEnum):
    """Output formats."""

    TEXT = "text"
    JSON = "json"


@app.command(short_help="Show differences between the plan and rendered files or a bundle.")
def diff(
    cluster: Annotated[Path, typer.Argument(metavar="CLUSTER.yaml", help="Cluster file.")],
    target: Annotated[
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

    Folder of rendered files: a unified diff of each file, from the files in the folder to those of the plan, and the
    names of missing and extra files. Bundle: each setting that differs, with the expected and the found value, and
    each planned setting that was not read.

    Exit codes: 0 when nothing differs and every planned setting was read; 1 when something differs; 3 when nothing
    differs, but a planned setting was not read.

    Examples:

    \b
      wirespeed diff cluster.yaml out
      wirespeed diff cluster.yaml bundle.tar.gz --device leaf1
    """
    from wirespeed import render as rendering
    from wirespeed.cli import flows
    from wirespeed.errors import refuse

    if cluster.is_dir() and rendering.is_rendered(cluster):
        hint = "compare a folder with a plan: `wirespeed diff CLUSTER.yaml DIR`; two folders: `diff -r DIR DIR`"
        raise refuse(str(cluster), "a folder of rendered files", "a cluster file", hint)
    if cluster.is_dir() or cluster.name.endswith(".tar.gz"):
        hint = "compare each bundle with the cluster file: `wirespeed diff CLUSTER.yaml BUNDLE`"
        raise refuse(str(cluster), "not a cluster file", hint=hint)
    plan = flows.plan_cluster(cluster)
    devices = rendering.select_devices(plan, expand_nodesets(device))
    if not target.exists():
        raise refuse(str(target), "no such file or folder", hint=_EXPECTED)
    if target.suffix in (".yaml", ".yml"):
        hint = f"compare two plans: `wirespeed render {target} -o DIR`, then `wirespeed diff {cluster} DIR`"
        raise refuse(str(target), "a cluster file", "a folder of rendered files or a bundle", hint)
    if rendering.is_rendered(target):
        rendered = list(rendering.files(plan, devices))
        files = list(rendering.compare_files(rendered, target, cluster.name))
        _print_files(plan, files, len(rendered), format_)
        raise typer.Exit(Exit.FAILED if files else Exit.PASSED)
    if target.is_dir() and not (target / "manifest.json").exists():
        raise refuse(str(target), "neither a folder of rendered files nor a bundle", hint=_EXPECTED)
    settings = _compare_settings(plan, target, devices)
    _print_settings(plan, settings, format_)
    raise typer.Exit(
        Exit.worst(
            *(Exit.INCOMPLETE if difference.kind == "unread" else Exit.FAILED for difference in settings), Exit.PASSED
        )
    )


def _compare_settings(plan: Plan, bundle: Path, devices: Sequence[str]) -> list[SettingDifference]:
    from wirespeed import collect
    from wirespeed import render as rendering
    from wirespeed.cli import flows

    facts = collect.read_facts(bundle)
    return list(rendering.compare_settings(flows.locate(plan, facts), facts, devices))


def _print_files(plan: Plan, files: Sequence[FileDifference], compared: int, format_: Format) -> None:
    from rich.text import Text

    from wirespeed.cli.console import standard_output
    from wirespeed.report.wording import plural
    from wirespeed.results.json import document

    if format_ is Format.JSON:
        typer.echo(document("file-differences", SCHEMA, cluster=plan.name, differences=files), nl=False)
        return
    styles = {"+": "green", "-": "red", "@": "cyan"}
    for file in files:
        if file.kind != "different":
            state = f"{file.kind}: {file.lines[0]}" if file.lines else file.kind
            standard_output().print(Text(f"{file.device}:{file.path}: {state}"), soft_wrap=True)
            continue
        for line in file.lines:
            standard_output().print(Text(line, style=styles.get(line[:1], "")), soft_wrap=True)
    if not files:
        standard_output().print(f"{plural(compared, 'file')} compared, no differences", soft_wrap=True)


def _print_settings(plan: Plan, settings: Sequence[SettingDifference], format_: Format) -> None:
    from rich.text import Text

    from wirespeed.cli.console import standard_output
    from wirespeed.results.json import document

    if format_ is Format.JSON:
        rows = [
            {
                "place": str(difference.place),
                "setting": difference.path,
                "kind": difference.kind,
                **_format_values(difference),
            }
            for difference in settings
        ]
        typer.echo(document("setting-differences", SCHEMA, cluster=plan.name, differences=rows), nl=False)
        return
    for line in _format_lines(settings):
        standard_output().print(Text(line), soft_wrap=True)
    if not settings:
        standard_output().print("no differences", soft_wrap=True)
    elif all(difference.kind == "unread" for difference in settings):
        standard_output().print("no differences in the settings that were read", soft_wrap=True)


def _format_values(difference: SettingDifference) -> dict[str, str | None]:
    """Both values as text, and the source of the second; control characters of device output are removed."""
    from wirespeed.checks.wording import differences, format_value
    from wirespeed.report.wording import clean
    from wirespeed.settings import ENTITIES, list_settings

    intended, found = difference.intended, difference.found
    if difference.kind == "different":
        kind = next(kind for kind in ENTITIES if difference.path in list_settings(kind))
        intended, found = differences(list_settings(kind)[difference.path], intended, found)
    return {
        "intended": None if intended is None else format_value(intended),
        "found": None if found is None else clean(format_value(found)),
        "source": None if difference.source is None else clean(difference.source),
        "state": None if difference.state is None else difference.state.name.lower(),
    }


def _format_lines(settings: Sequence[SettingDifference]) -> Iterator[str]:
    unread: dict[tuple[str, str, str | None], list[str]] = {}
    for difference in settings:
        values, place = _format_values(difference), _format_place(difference.place)
        if difference.kind == "unread":
            unread.setdefault((difference.place.device, difference.path, values["source"]), []).append(place)
        elif difference.kind == "absent" and _is_setting(difference.path):
            intended = _add_unit(values["intended"], difference.path)
            yield f"{place} {difference.path}: expected {intended}, absent ({values['source']})"
        elif difference.kind == "absent":
            yield f"{place}: planned, but not present ({values['source']})"
        else:
            intended, found = (_add_unit(values[name], difference.path) for name in ("intended", "found"))
            state = _STATES.get(values["state"] or "", "")
            comparison = f"expected {intended}, found {found}{state} ({values['source']})"
            yield f"{place} {difference.path}: {comparison}"
    for (device, path, reason), places in unread.items():
        if len(places) == 1:
            yield f"{' '.join(part for part in (places[0], path) if part)}: not read ({reason})"
        else:
            yield f"{device} {path}: not read at {len(places)} places, such as {places[0]} ({reason})"


_STATES = {"configured": " in the configuration", "persistent": " after the next reboot"}


def _add_unit(value: str | None, path: str) -> str | None:
    """A number with the unit of its setting."""
    from wirespeed.settings import ENTITIES, list_settings

    unit = next((settings[path].unit for settings in map(list_settings, ENTITIES) if path in settings), None)
    return f"{value} {unit}" if unit and value is not None and value.isdecimal() else value


def _is_setting(path: str) -> bool:
    """Whether the path is a setting, not a collection of entities."""
    from wirespeed.settings import ENTITIES, list_settings

    return any(path in list_settings(kind) for kind in ENTITIES)


def _format_place(place: Place) -> str:
    """``leaf1:Eth1/18 queue 3`` and ``node1:eth0 gid 3`` inside a port, NIC or PCIe function; else with the kind."""
    text = place.device
    for depth, (kind, name) in enumerate(place.entities):
        text += f":{name}" if depth == 0 and kind in ("port", "nic", "pcie") else f" {kind} {name}"
    return text
