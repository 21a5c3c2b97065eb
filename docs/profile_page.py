"""The reference page of acceptance profiles: every key with its values, meaning and default, from the JSON Schema."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from cluster_file_page import describe_values, find_part, format_default, format_row

from wirespeed.benchmarks.judge.profile import schema

_SECTIONS = {
    "Fractions": "`fractions`",
    "Thresholds": "pass and warn",
    "Floors": "`floors`",
    "Curve": "`curve`",
    "SmallDip": "`curve.small_dip`",
    "PublishedRange": "`two-hosts-nvls-tree`",
    "Gate": "`gates`",
    "RelativeGate": "`relative_gates`",
    "Runs": "`relative_gates.of`",
    "Range": "`relative_gates.of.parameters`",
    "SourcedValue_float_": "number with source",
}
"""The sections by the definitions of the schema that they describe."""
_EQUIVALENTS = {"Baseline": "Runs", "SourcedValue_int_": "SourcedValue_float_"}
"""Definitions with the keys of another one."""
_NUMBER = "A number of a profile. No number without its source."


def page() -> str:
    """A table for each part of the file."""
    root = schema()
    definitions = {**root["$defs"]}
    definitions["SourcedValue_float_"] = {**definitions["SourcedValue_float_"], "description": _NUMBER}
    parts = [("keys", root), *((title, definitions[name]) for name, title in _SECTIONS.items())]
    return "".join(_format_part(title, part, definitions) for title, part in parts)


def _format_part(title: str, part: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    lines = [f"\n## {title}\n\n{part['description']}\n\n"]
    lines.append("| key | values | meaning | default |\n| --- | --- | --- | --- |\n")
    required = part.get("required", ())
    for name, value in part["properties"].items():
        inner = find_part(value, definitions)
        values = "a value or a range" if name == "parameters" else describe_values(value, definitions, None)
        if inner is not None:
            definition = next(key for key, candidate in definitions.items() if candidate is inner)
            section = _SECTIONS[_EQUIVALENTS.get(definition, definition)]
            link = f"[{section}](#{re.sub('[`.]', '', section).replace(' ', '-')})"
            values = f"list: {link}" if "items" in value else link
        default = "required" if name in required or name == "version" else format_default(value)
        if not required and name != "base" and "default" not in value and value.get("type") != "array":
            default = "required, or that of the base"
        lines.append(format_row(f"`{name}`", values, value["description"], default))
    return "".join(lines)
