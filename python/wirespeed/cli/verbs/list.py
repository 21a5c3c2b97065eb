"""``wirespeed list``."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wirespeed.cli.app import app
from wirespeed.units import format_pcie_link

if TYPE_CHECKING:
    from wirespeed.collect.support import SettingSupport


class Topic(StrEnum):
    """Topics that can be listed."""

    PLATFORMS = "platforms"
    SERVERS = "servers"
    NICS = "nics"
    GPUS = "gpus"
    SWITCHES = "switches"
    CABLES = "cables"
    CHECKS = "checks"
    TOOLS = "tools"
    FAILURES = "failures"
    SUITES = "suites"
    PROFILES = "profiles"
    SETTINGS = "settings"


_SINGULAR = {
    Topic.PLATFORMS: "platform",
    Topic.SERVERS: "server",
    Topic.NICS: "NIC",
    Topic.GPUS: "GPU",
    Topic.SWITCHES: "switch",
    Topic.CABLES: "cable",
    Topic.CHECKS: "check",
    Topic.TOOLS: "tool",
    Topic.FAILURES: "failure",
    Topic.SUITES: "suite",
    Topic.PROFILES: "profile",
    Topic.SETTINGS: "setting",
}


class Format(StrEnum):
    """Output formats."""

    TABLE = "table"
    JSON = "json"


Rows = Sequence[Mapping[str, Any]]


@app.command(
    "list", short_help="List supported platforms, servers, NICs, GPUs, switches, cables, checks, settings and more."
)
def list_(
    topic: Annotated[Topic, typer.Argument(metavar="WHAT", help=", ".join(topic.value for topic in Topic))],
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="Show the details of this entry, or the settings of this group, such as nic.counters.",
        ),
    ] = None,
    format_: Annotated[
        Format, typer.Option("--format", "-f", envvar="WIRESPEED_LIST_FORMAT", help="Output format.")
    ] = Format.TABLE,
) -> None:
    """List supported platforms, hardware models, checks, tools, failures, suites, profiles or settings.

    The names of servers, NICs, GPUs, switches and cables are those that a cluster file contains.

    For a platform, NIC or switch the support level of each setting is shown: rendered (wirespeed writes it), read back
    (wirespeed collects it), both, automatic (set by the device without configuration), by host OS (set by the
    operating system of the host, not on the NIC), or not supported (a cluster file that uses it is refused).

    Failures are known failures; the letters of their id do not give the layer of the cause: see the column `layer`.
    Profiles are acceptance profiles of benchmarks; tuning profiles of hosts are on the reference page Catalogue.

    Examples:

    \b
      wirespeed list nics
      wirespeed list platforms eos
    """
    from wirespeed.errors import did_you_mean, refuse

    rows = _ROWS[topic]()
    if name is not None:
        chosen = [row for row in rows if row["name"] == name]
        if not chosen and topic is Topic.SETTINGS:
            chosen = [row for row in rows if row["name"].startswith(f"{name.rstrip('.')}.")]
        if not chosen:
            names = [str(row["name"]) for row in rows]
            hint = did_you_mean(name, names) or f"`wirespeed list {topic.value}` lists them"
            raise refuse("list", f"no {_SINGULAR[topic]} named {name!r}", hint=hint)
        rows = chosen
    if format_ is Format.JSON:
        typer.echo(json.dumps({"kind": f"supported-{topic.value}", "schema": 1, topic.value: rows}, indent=1))
    elif name is not None and len(rows) == 1:
        _print_entry(topic, rows[0])
    else:
        _print_topic(topic, rows)


def _list_platforms() -> Rows:
    from wirespeed.catalogue import load
    from wirespeed.collect.support import platform_support

    libraries = load().libraries
    return [
        {
            "kind": _name_kind(entry.kind, entry.systems, libraries),
            "name": entry.name,
            "title": entry.title,
            "systems": list(entry.systems),
            "drivers": list(entry.drivers),
            "commands": entry.commands,
            "files": list(entry.files),
            "command lines": entry.forms,
            _UNCONFIRMED_LINES: dict(entry.unverified_forms),
            "sources of files": dict(entry.file_sources),
            "settings": _describe_supports(entry.settings),
        }
        for entry in platform_support()
    ]


def _name_kind(kind: str, systems: Sequence[str], libraries: Collection[str]) -> str:
    """The kind of a platform; those of jobs are libraries, launchers, or both."""
    from wirespeed.cluster.launch import Launcher

    if kind != "launcher":
        return kind
    kinds = {
        "library": any(name in libraries for name in systems),
        kind: any(name in set(Launcher) for name in systems),
    }
    return ", ".join(name for name, holds in kinds.items() if holds)


def _describe_supports(supports: Iterable[SettingSupport]) -> dict[str, dict[str, Any]]:
    return {
        support.setting: {
            "state": support.state.value,
            "verified": support.verified,
            "default": support.default,
            "automatic": support.automatic,
            "instead": support.instead,
        }
        for support in supports
    }


def _list_servers() -> Rows:
    from wirespeed.catalogue import load
    from wirespeed.plan.cards import list_cards

    return [
        {
            "name": name,
            "title": model.title,
            "vendor": model.vendor,
            "gpu": model.gpu,
            "gpu slots": model.gpu_count,
            "nic slots": len(list(list_cards(model.pcie))) or len(model.nic_slots),
            "slot pcie": _format_pcie(model.slot_pcie),
            "source": model.source,
        }
        for name, model in load().servers.items()
    ]


def _list_nics() -> Rows:
    from wirespeed.catalogue import load
    from wirespeed.collect.support import list_supports

    return [
        {
            "name": name,
            "title": model.title,
            "vendor": model.vendor,
            "platform": model.system,
            "driver": model.driver,
            "ports": model.ports.value,
            "speed": str(model.speed.value),
            "pcie": _format_pcie(model.pcie),
            "settings": _describe_supports(list_supports("nic", model.system)),
        }
        for name, model in load().nics.items()
    ]


def _list_gpus() -> Rows:
    from wirespeed.catalogue import load

    return [
        {
            "name": name,
            "title": model.title,
            "vendor": model.vendor,
            "module": model.module,
            "pcie": _format_pcie(model.pcie),
            "links": f"{model.links.per_gpu.value} x {model.links.name}" if model.links else None,
        }
        for name, model in load().gpus.items()
    ]


def _list_switches() -> Rows:
    from wirespeed.catalogue import load
    from wirespeed.collect.support import list_supports

    return [
        {
            "name": name,
            "title": model.title,
            "vendor": model.vendor,
            "systems": list(model.systems),
            "chip": model.chip,
            "ports": model.ports.value,
            "speed": str(model.speed.value),
            "lossless": list(model.lossless_systems),
            "breakouts": list(model.breakouts.value) if model.breakouts else [],
            "settings": {system: _describe_supports(list_supports("switch", system)) for system in model.systems},
        }
        for name, model in load().switches.items()
    ]


def _list_cables() -> Rows:
    from wirespeed.catalogue import load

    return [
        {
            "name": name,
            "title": model.title,
            "speed": str(model.speed.value),
            "max length": str(model.max_length.value) if model.max_length else None,
            "delay ns/m": model.delay_ns_per_m.value,
            "link training": "on" if model.training else "off",
        }
        for name, model in load().cables.items()
    ]


def _list_checks() -> Rows:
    from wirespeed.checks import checks

    return [
        {
            "name": entry.id,
            "title": entry.manual.title,
            "settings": dict.fromkeys(entry.needs, "read back"),
            "failures": list(entry.failures),
        }
        for entry in checks().values()
    ]


def _list_tools() -> Rows:
    from wirespeed.benchmarks.tools.reader import tools

    return [{"name": tool.name, "recognized output": tool.looks_for} for tool in tools()]


def _list_failures() -> Rows:
    from wirespeed.benchmarks.logs import error_causes as causes
    from wirespeed.catalogue import load
    from wirespeed.checks import checks

    return [
        {
            "name": name,
            "title": entry.title,
            "layer": entry.layer,
            "checks": [check.id for check in checks().values() if name in check.failures],
            "messages": list(causes.messages(name)),
            "source": entry.source,
        }
        for name, entry in load().failures.items()
    ]


def _list_suites() -> Rows:
    from wirespeed.benchmarks.suites import suites

    return [{"name": entry.name, "title": entry.title, "description": entry.manual} for entry in suites().values()]


def _list_profiles() -> Rows:
    from wirespeed.benchmarks.judge import profile as judge_profile

    return [
        {
            "name": name,
            "title": entry.title,
            "fractions": {
                kind: {"pass": thresholds["pass"]["value"], "warn": thresholds["warn"]["value"]}
                for kind, thresholds in entry.fractions.model_dump(by_alias=True, exclude_none=True).items()
            },
            "gates": [gate.model_dump(mode="json", exclude_none=True, exclude_defaults=True) for gate in entry.gates],
            "relative_gates": [
                gate.model_dump(mode="json", exclude_none=True, exclude_defaults=True) for gate in entry.relative_gates
            ],
        }
        for name in judge_profile.names()
        for entry in [judge_profile.load_bundled_profile(name)]
    ]


def _list_settings() -> Rows:
    from wirespeed.checks import checks
    from wirespeed.settings import ENTITIES, list_settings

    return [
        {
            "name": path,
            "unit": setting.unit,
            "meaning": setting.meaning,
            "checks": [check.id for check in checks().values() if path in check.needs],
        }
        for entity in ENTITIES
        for path, setting in list_settings(entity).items()
    ]


_ROWS: Mapping[Topic, Callable[[], Rows]] = {
    Topic.PLATFORMS: _list_platforms,
    Topic.SERVERS: _list_servers,
    Topic.NICS: _list_nics,
    Topic.GPUS: _list_gpus,
    Topic.SWITCHES: _list_switches,
    Topic.CABLES: _list_cables,
    Topic.CHECKS: _list_checks,
    Topic.TOOLS: _list_tools,
    Topic.FAILURES: _list_failures,
    Topic.SUITES: _list_suites,
    Topic.PROFILES: _list_profiles,
    Topic.SETTINGS: _list_settings,
}


def _format_pcie(able: Any) -> str:
    return format_pcie_link(able.speed.value, able.width.value)


_COLUMNS: Mapping[Topic, tuple[str, ...]] = {
    Topic.PLATFORMS: ("kind", "name", "systems"),
    Topic.SERVERS: ("name", "title", "gpu", "gpu slots", "nic slots", "slot pcie"),
    Topic.NICS: ("name", "ports", "speed", "title"),
    Topic.GPUS: ("name", "title", "pcie", "links"),
    Topic.SWITCHES: ("name", "systems", "lossless", "chip", "ports", "speed", "breakouts"),
    Topic.CABLES: ("name", "speed", "max length", "title"),
    Topic.CHECKS: ("name", "title"),
    Topic.TOOLS: ("name", "recognized output"),
    Topic.FAILURES: ("name", "layer", "title"),
    Topic.SUITES: ("name", "title"),
    Topic.PROFILES: ("name", "title"),
    Topic.SETTINGS: ("name", "unit", "meaning"),
}
"""Columns of the overview; the page of an entry has all columns."""

_LABELS: Mapping[tuple[Topic, str], str] = {
    (Topic.PLATFORMS, "systems"): "os, library or launcher",
    (Topic.SWITCHES, "systems"): "os",
    (Topic.SWITCHES, "lossless"): "os with lossless classes",
}
"""Labels of fields that have another name in JSON: the key of the cluster file that contains these values."""

_PROSE = ("title", "meaning", "recognized output", "source", "note")
"""Columns of text, which wrap on a terminal."""
_LEAST_PROSE = 20

_COUNTED = {
    "only rendered": "rendered",
    "only read back": "read back",
    "both": "rendered and read back",
    "automatic": "automatic",
    "by host OS": "by host OS",
    "not supported": "not supported",
}
"""Columns of the overview that count settings by state."""


def _print_topic(topic: Topic, rows: Rows) -> None:
    from wirespeed.cli.console import standard_output

    headings = _COUNTED if topic is Topic.PLATFORMS else {}
    counted = [[_format_state(value) for value in row["settings"].values()] if headings else [] for row in rows]
    used = {title: state for title, state in headings.items() if any(state in states for states in counted)}
    if used:
        standard_output().print("number of settings by support level\n")
    _print_table(
        [*(_LABELS.get((topic, column), column) for column in _COLUMNS[topic]), *used],
        [
            (
                *(_format_text(row[column]) for column in _COLUMNS[topic]),
                *(str(states.count(state)) for state in used.values()),
            )
            for row, states in zip(rows, counted, strict=True)
        ],
        counts=tuple(used),
    )


def _print_table(columns: Sequence[str], rows: Sequence[Sequence[str]], counts: Sequence[str] = ()) -> None:
    """Print a table whose names and numbers are never broken. On a terminal, text in the last column wraps."""
    import textwrap

    from wirespeed.cli.console import standard_output

    widths = [max(len(row[index]) for row in (columns, *rows)) for index in range(len(columns))]
    begin = sum(width + 2 for width in widths[:-1])
    room = standard_output().width - begin
    is_wrapped = standard_output().is_terminal and columns[-1] in _PROSE and room >= _LEAST_PROSE
    for row in (columns, *rows):
        cells = [
            cell.rjust(width) if column in counts else cell.ljust(width)
            for column, cell, width in zip(columns, row, widths, strict=True)
        ]
        if is_wrapped:
            cells[-1] = f"\n{' ' * begin}".join(textwrap.wrap(row[-1], room))
        standard_output().print("  ".join(cells).rstrip(), soft_wrap=True, markup=False)


def _format_state(value: Any) -> str:
    return str(value["state"]) if isinstance(value, Mapping) else str(value)


def _format_text(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)


_UNCONFIRMED_LINES = "command lines without a public source"


def _print_entry(topic: Topic, row: Mapping[str, Any]) -> None:
    from wirespeed.cli.console import standard_output

    tables = (
        "fractions",
        "gates",
        "relative_gates",
        _UNCONFIRMED_LINES,
        "sources of files",
        "settings",
    )
    for key, value in row.items():
        if key not in tables:
            label = _LABELS.get((topic, key), key)
            standard_output().print(f"{label}: {_format_text(value) or 'none'}", soft_wrap=True, markup=False)
    for columns, rows in (
        (("kind of run", "pass", "warning", "failure"), _list_fractions(row.get("fractions", {}))),
        (("gate", "limit", "source"), _list_gates(row.get("gates", ()))),
        (("relative gate", "limit", "source"), _list_gates(row.get("relative_gates", ()))),
        (
            ("line without a public source", "reason"),
            list(row.get(_UNCONFIRMED_LINES, {}).items()),
        ),
        (("file", "documentation of its format"), list(row.get("sources of files", {}).items())),
        (("setting", "support", "note"), _list_details(row["settings"]) if row.get("settings") else []),
    ):
        if rows:
            standard_output().print()
            _print_table(columns, rows)


def _list_fractions(fractions: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """The fractions of the limit from which each kind of run passes."""
    return [
        (
            kind,
            f"from {fraction['pass']:.3g} of the limit",
            f"from {fraction['warn']:.3g}" if fraction["warn"] else "below",
            f"below {fraction['warn']:.3g}" if fraction["warn"] else "never",
        )
        for kind, fraction in fractions.items()
    ]


def _list_gates(gates: Sequence[Mapping[str, Any]]) -> list[tuple[str, ...]]:
    return [
        (gate["name"], f"{'at least' if 'at_least' in gate else 'at most'} {_format_number(gate)}", gate["source"])
        for gate in gates
    ]


def _format_number(gate: Mapping[str, Any]) -> str:
    """The number of a gate; for a relative gate also the runs that it compares."""
    from wirespeed.units import format_percent

    number = gate.get("at_least", gate.get("at_most"))
    if "of" not in gate:
        return f"{number:g} {gate['unit']}"
    limit = f"{number:g} {gate['unit']} more" if "unit" in gate else format_percent(number)
    baseline = {key: value for key, value in gate.get("to", {}).items() if gate["of"].get(key) != value}
    reference = (
        "of the mean (standard deviation)" if "to" not in gate else f"{'than' if 'unit' in gate else 'of'} runs with"
    )
    return " ".join(
        [limit, reference, ", ".join(f"{key} {_simplify_value(value)}" for key, value in baseline.items())]
    ).rstrip()


def _simplify_value(value: Any) -> str:
    if isinstance(value, Mapping):
        return " ".join(f"{key} {_simplify_value(part)}" for key, part in value.items())
    return str(value)


def _list_details(settings: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    details: list[tuple[str, str, str]] = []
    for path, value in settings.items():
        if not isinstance(value, Mapping):
            details.append((path, value, ""))
        elif "state" in value:
            remarks = [
                "" if value["verified"] else "format not verified",
                f"default: {value['default']}" if value["default"] else "",
                value["automatic"] or "",
                value["instead"] or "",
            ]
            details.append((path, value["state"], "; ".join(remark for remark in remarks if remark)))
        else:
            details += [(f"{path}: {setting}", state, remark) for setting, state, remark in _list_details(value)]
    return details
