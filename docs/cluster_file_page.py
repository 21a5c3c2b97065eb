"""The reference page of the cluster file: every key, its values, its meaning and its default, from the JSON Schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from wirespeed.cluster import schema

Node = Mapping[str, Any]


def page() -> str:
    """A table for each part of the file, in the order of the file."""
    root = schema()
    parts = {"": root} | dict(_iterate_parts(root, root["$defs"]))
    return "".join(_format_part(key, part, root["$defs"], parts) for key, part in parts.items())


def _iterate_parts(node: Node, definitions: Node, prefix: str = "") -> Iterator[tuple[str, Node]]:
    """(key, schema) of every mapping below a part; a recursive part (``except``) appears once."""
    for name, value in node["properties"].items():
        part = find_part(value, definitions)
        if part is not None and part is not node:
            key = f"{prefix}.{name}" if prefix else name
            yield key, part
            yield from _iterate_parts(part, definitions, key)


def format_row(*cells: str) -> str:
    """A row of a table; `|` in a cell does not end it."""
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"


def find_part(value: Node, definitions: Node) -> Node | None:
    """Find the mapping that is the value, or that is the type of its members."""
    value = _drop_null(value)
    members = value.get("items") or value.get("additionalProperties") or value
    definition = definitions.get(str(members.get("$ref", "")).rpartition("/")[2]) if isinstance(members, dict) else None
    return definition if definition is not None and "properties" in definition else None


def _format_part(key: str, part: Node, definitions: Node, parts: Mapping[str, Node]) -> str:
    lines = [f"\n## `{key}`\n\n{part['description']}\n" if key else ""]
    lines.append("\n| key | values | meaning | default |\n| --- | --- | --- | --- |\n")
    for name, value in part["properties"].items():
        inner = f"{key}.{name}" if key else name
        values = describe_values(value, definitions, inner if inner in parts else None)
        default = "required" if name in part.get("required", ()) else format_default(value)
        lines.append(format_row(f"`{name}`", values, value.get("description", ""), default))
    return "".join(lines)


def describe_values(value: Node, definitions: Node, section: str | None) -> str:
    """Describe the accepted values of a key; ``section`` describes a mapping."""
    value = _drop_null(value)
    if value.get("examples"):
        return _describe_scalar(value)
    link = f"[below](#{section.replace('.', '')})" if section else ""
    if "items" in value:
        return f"list: {link or describe_values(value['items'], definitions, None)}"
    if isinstance(value.get("additionalProperties"), dict):
        members = describe_values(value["additionalProperties"], definitions, None)
        if keys := value.get("propertyNames", {}).get("examples"):
            return f"mapping, keys such as `{keys[0]}`: {members}"
        return f"mapping: {link or members}"
    if link:
        return link
    if "$ref" in value:
        definition = definitions[value["$ref"].rpartition("/")[2]]
        if "properties" in definition:
            return "the same keys"
        value = definition
    if "enum" in value:
        return ", ".join(f"`{choice}`" for choice in value["enum"])
    if "anyOf" in value:
        whole = value["anyOf"][0]
        if whole.get("maximum") == 100 and "%" in value["anyOf"][-1].get("pattern", ""):
            alternative = " or `none`" if "none" in value["anyOf"][-1]["pattern"] else ""
            return f"{whole['minimum']}% to 100%{alternative}"
        kinds = (describe_values(choice, definitions, None) for choice in value["anyOf"])
        return " or ".join(dict.fromkeys(kinds))
    return _describe_scalar(value)


def _describe_scalar(value: Node) -> str:
    kinds = value.get("type", "string")
    if value.get("examples"):
        return "such as " + ", ".join(f"`{example}`" for example in value["examples"])
    if kinds == "boolean":
        return "`true`, `false`"
    if kinds == "integer" and "maximum" in value:
        return f"{value.get('minimum', 0)} to {value['maximum']}"
    if kinds == "integer" and value.get("minimum"):
        return f"a number, {value['minimum']} or more"
    if "pattern" in value:
        return "a percentage, such as `50%`"
    names = {"integer": "a number", "number": "a number", "string": "text", "boolean": "`true`, `false`"}
    if not isinstance(kinds, str) and {"string", "number"} <= set(
        kinds
    ):  # a number or flag that YAML reads, used as text
        return "text"
    return (
        " or ".join(names[kind] for kind in ([kinds] if isinstance(kinds, str) else kinds) if kind in names) or "text"
    )


def _drop_null(value: Node) -> Node:
    if "anyOf" not in value:
        return value
    choices = [choice for choice in value["anyOf"] if choice.get("type") != "null"]
    other_keys = {key: inner for key, inner in value.items() if key != "anyOf"}
    return {**choices[0], **other_keys} if len(choices) == 1 else {**other_keys, "anyOf": choices}


def format_default(value: Node) -> str:
    """The default of an optional key; empty if there is none, or a mapping or list."""
    default = value.get("default")
    if default is None or isinstance(default, dict | list):
        return ""
    return f"`{str(default).lower() if isinstance(default, bool) else default}`"
