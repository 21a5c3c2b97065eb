"""``wirespeed list``."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Any

import typer

from wirespeed.cli.app import app
from wirespeed.units import format_transfer_rate


class What(StrEnum):
    """What can be listed."""

    PLATFORMS = "platforms"
    NICS = "nics"
    GPUS = "gpus"
    SWITCHES = "switches"
    CHECKS = "checks"
    TOOLS = "tools"
    FAILURES = "failures"
    SUITES = "suites"
    PROFILES = "profiles"


_SINGULAR = {
    What.PLATFORMS: "platform",
    What.NICS: "NIC",
    What.GPUS: "GPU",
    What.SWITCHES: "switch",
    What.CHECKS: "check",
    What.TOOLS: "tool",
    What.FAILURES: "failure",
    What.SUITES: "suite",
    What.PROFILES: "profile",
}


class Format(StrEnum):
    """Output formats."""

    TABLE = "table"
    JSON = "json"


Rows = Sequence[Mapping[str, Any]]


@app.command("list", short_help="List supported platforms, NICs, GPUs, switches, checks and more.")
def list_(
    what: Annotated[What, typer.Argument(metavar="WHAT", help=", ".join(what.value for what in What))],
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Show the details of this entry.")] = None,
    format_: Annotated[
        Format, typer.Option("--format", "-f", envvar="WIRESPEED_LIST_FORMAT", help="Output format.")
    ] = Format.TABLE,
) -> None:
    """List supported platforms, NICs, GPUs, switches, checks, tools, failures, suites or profiles.

    For a platform, NIC or switch the support level of each setting is shown: rendered (wirespeed writes it), read back
    (wirespeed collects it), both, automatic (set by the device without configuration), or not supported (a cluster file
    that uses it is refused).

    Examples:

    \b
      wirespeed list nics
      wirespeed list platforms eos
    """
    from wirespeed.errors import did_you_mean, refuse

    rows = _ROWS[what]()
    if name is not None:
        chosen = [row for row in rows if row["name"] == name]
        if not chosen:
            names = [str(row["name"]) for row in rows]
            hint = did_you_mean(name, names) or f"`wirespeed list {what.value}` lists them"
            raise refuse("list", f"no {_SINGULAR[what]} named {name!r}", hint=hint)
        rows = chosen
    if format_ is Format.JSON:
        typer.echo(json.dumps({"kind": f"supported-{what.value}", "schema": 1, what.value: rows}, indent=1))
    elif name is not None:
        _page(rows[0])
    else:
        _table(what, rows)


def _platforms() -> Rows:
    from wirespeed.collect.support import platform_support

    return [
        {
            "kind": one.kind,
            "name": one.name,
            "title": one.title,
            "systems": list(one.systems),
            "drivers": list(one.drivers),
            "commands": one.commands,
            "files": list(one.files),
            "settings": {
                setting.setting: {
                    "state": setting.state.value,
                    "verified": setting.verified,
                    "default": setting.default,
                    "automatic": setting.automatic,
                    "instead": setting.instead,
                }
                for setting in one.settings
            },
        }
        for one in platform_support()
    ]


def _nics() -> Rows:
    from wirespeed.catalogue import load
    from wirespeed.collect.support import setting_states

    return [
        {
            "name": name,
            "title": model.title,
            "vendor": model.vendor,
            "platform": model.system,
            "driver": model.driver,
            "ports": model.ports.value,
            "speed": str(model.speed.value),
            "pcie": _pcie(model.pcie),
            "settings": setting_states("nic", model.system),
        }
        for name, model in load().nics.items()
    ]


def _gpus() -> Rows:
    from wirespeed.catalogue import load

    return [
        {
            "name": name,
            "title": model.title,
            "vendor": model.vendor,
            "module": model.module,
            "pcie": _pcie(model.pcie),
            "links": f"{model.links.per_gpu.value} x {model.links.name}" if model.links else None,
        }
        for name, model in load().gpus.items()
    ]


def _switches() -> Rows:
    from wirespeed.catalogue import load
    from wirespeed.collect.support import setting_states

    return [
        {
            "name": name,
            "title": model.title,
            "vendor": model.vendor,
            "systems": list(model.systems),
            "chip": model.chip,
            "ports": model.ports.value,
            "speed": str(model.speed.value),
            "settings": {system: setting_states("switch", system) for system in model.systems},
        }
        for name, model in load().switches.items()
    ]


def _checks() -> Rows:
    from wirespeed.checks import checks

    return [
        {
            "name": one.id,
            "title": one.manual.title,
            "settings": dict.fromkeys(one.needs, "read back"),
            "failures": list(one.failures),
        }
        for one in checks().values()
    ]


def _tools() -> Rows:
    from wirespeed.benchmarks.tools.reader import tools

    return [{"name": one.name, "title": one.looks_for} for one in tools()]


def _failures() -> Rows:
    from wirespeed.benchmarks.logs import error_causes as causes
    from wirespeed.catalogue import load
    from wirespeed.checks import checks

    return [
        {
            "name": name,
            "title": one.title,
            "layer": one.layer,
            "checks": [check.id for check in checks().values() if name in check.failures],
            "messages": list(causes.messages(name)),
            "source": one.source,
        }
        for name, one in load().failures.items()
    ]


def _suites() -> Rows:
    from wirespeed.benchmarks.suites import suites

    return [{"name": one.name, "title": one.title, "manual": one.manual} for one in suites().values()]


def _profiles() -> Rows:
    from wirespeed.benchmarks.judge import profile as judge_profile

    return [
        {
            "name": name,
            "title": one.title,
            "fractions": {
                kind: {"pass": of["passes"]["value"], "warn": of["warns"]["value"]}
                for kind, of in one.classes.model_dump(exclude_none=True).items()
            },
            "gates": [gate.model_dump(mode="json", exclude_none=True, exclude_defaults=True) for gate in one.gates],
            "relative_gates": [
                gate.model_dump(mode="json", exclude_none=True, exclude_defaults=True) for gate in one.relative_gates
            ],
        }
        for name in judge_profile.names()
        for one in [judge_profile.bundled_profile(name)]
    ]


_ROWS: Mapping[What, Callable[[], Rows]] = {
    What.PLATFORMS: _platforms,
    What.NICS: _nics,
    What.GPUS: _gpus,
    What.SWITCHES: _switches,
    What.CHECKS: _checks,
    What.TOOLS: _tools,
    What.FAILURES: _failures,
    What.SUITES: _suites,
    What.PROFILES: _profiles,
}


def _pcie(able: Any) -> str:
    return f"{format_transfer_rate(able.speed.value)} x{able.width.value}"


_COLUMNS: Mapping[What, tuple[str, ...]] = {
    What.PLATFORMS: ("kind", "name", "systems"),
    What.NICS: ("name", "platform", "speed"),
    What.GPUS: ("name", "title", "pcie", "links"),
    What.SWITCHES: ("name", "systems", "chip", "ports", "speed"),
    What.CHECKS: ("name", "title"),
    What.TOOLS: ("name", "title"),
    What.FAILURES: ("name", "layer", "title"),
    What.SUITES: ("name", "title"),
    What.PROFILES: ("name", "title"),
}
"""Columns of the overview; the page of one has the rest."""

_COUNTED = {
    "write+read": "rendered and read back",
    "write": "rendered",
    "read": "read back",
    "auto": "automatic",
    "none": "not supported",
}
"""Settings in each state, in the overview."""


def _table(what: What, rows: Rows) -> None:
    from rich.table import Table

    from wirespeed.cli.console import out

    headings = _COUNTED if what in (What.PLATFORMS, What.NICS) else {}
    table = Table(box=None, pad_edge=False)
    for column in _COLUMNS[what]:
        table.add_column(column, overflow="fold", no_wrap=column == "name")
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        states = [_state(value) for value in row["settings"].values()] if headings else []
        table.add_row(
            *(_said(row[column]) for column in _COLUMNS[what]),
            *(str(states.count(state)) for state in headings.values()),
        )
    out().print(table)


def _state(value: Any) -> str:
    return str(value["state"]) if isinstance(value, Mapping) else str(value)


def _said(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)


def _page(row: Mapping[str, Any]) -> None:
    from rich.table import Table

    from wirespeed.cli.console import out

    for key, value in row.items():
        if key in ("fractions", "gates", "relative_gates"):
            for line in _asked(value):
                out().print(line, soft_wrap=True, markup=False)
        elif key != "settings":
            out().print(f"{key}: {_said(value)}", soft_wrap=True, markup=False)
    table = Table(box=None, pad_edge=False)
    for column in ("setting", "state", ""):
        table.add_column(column, overflow="fold")
    for setting, state, remark in _details(row.get("settings", {})):
        table.add_row(setting, state, remark)
    if table.row_count:
        out().print()
        out().print(table)


def _asked(value: Any) -> list[str]:
    """The fractions or the gates of a profile, a line each."""
    if isinstance(value, Mapping):
        return [
            f"{kind}: pass from {of['pass']:.1%} of the limit, warn from {of['warn']:.1%}" for kind, of in value.items()
        ]
    return [
        f"{'relative gate' if 'of' in gate else 'gate'} {gate['name']}: "
        f"{'at least' if 'at_least' in gate else 'at most'} {_number(gate)}, {gate['source']}"
        for gate in value
    ]


def _number(gate: Mapping[str, Any]) -> str:
    """What a gate asks for, and of a relative one of what."""
    number = gate.get("at_least", gate.get("at_most"))
    if "of" not in gate:
        return f"{number:g} {gate['unit']}"
    asked = f"{number:g} {gate['unit']} more" if "unit" in gate else f"{number:.1%}"
    kept = {key: value for key, value in gate.get("to", {}).items() if gate["of"].get(key) != value}
    of = "of the mean, by standard deviation" if "to" not in gate else f"{'than' if 'unit' in gate else 'of'} runs with"
    return " ".join([asked, of, ", ".join(f"{key} {_plain(value)}" for key, value in kept.items())]).rstrip()


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        return " ".join(f"{key} {_plain(of)}" for key, of in value.items())
    return str(value)


def _details(settings: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    found: list[tuple[str, str, str]] = []
    for path, value in settings.items():
        if not isinstance(value, Mapping):
            found.append((path, value, ""))
        elif "state" in value:
            remarks = [
                "" if value["verified"] else "format not verified",
                f"default {value['default']}" if value["default"] else "",
                value["automatic"] or "",
                value["instead"] or "",
            ]
            found.append((path, value["state"], "; ".join(remark for remark in remarks if remark)))
        else:
            found += [(f"{path}: {setting}", state, remark) for setting, state, remark in _details(value)]
    return found
