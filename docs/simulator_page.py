"""The simulator's reference page: scenario file, traffic file, result tables, parameters.

Keys, columns, units, ranges, defaults and their meaning come from the schema that the core exports, those of the
traffic file from its model. Only the headings and the sentences between tables are in this module.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, get_args

from pydantic import BaseModel

Schema = Mapping[str, Any]


def page() -> str:
    """The page, below its note."""
    from wirespeed import _core

    document = json.loads(_core.schema())
    scenario = _Scenario(document["scenario"], document["presets"])
    parts = (
        _write_introduction(),
        scenario.keys(),
        _traffic_file(),
        _format_results(document["results"]),
        scenario.parameters(),
    )
    return "".join(text for part in parts for text in part)


def _write_introduction() -> Iterator[str]:
    yield "# Simulator\n\nFor everyone who writes a scenario or reads its tables. "
    yield "[The simulator's model](../concepts/simulator.md) explains what is simulated and how to read a result. "
    yield "Hosts, switches, ports and list items are numbered from 0. "
    yield "`wirespeed schema scenario` prints the keys as JSON Schema.\n"


class _Scenario:
    """Tables of what a scenario file may contain."""

    def __init__(self, schema: Schema, presets: Mapping[str, Schema]) -> None:
        self._schema = schema
        self._presets = presets
        self._names = sorted(presets, reverse=True)  # roce, the usual one, first

    def keys(self) -> Iterator[str]:
        """The file and the items of its lists."""
        yield "\n## Scenario file\n\nJSON. Unknown keys are refused.\n"
        yield from self._format_table(self._schema)
        for key, property_ in self._schema["properties"].items():
            for schema in self._list_objects(property_.get("items", {})):
                title = f": {schema['x-title']}" if "x-title" in schema else ""
                yield f"\n### `{key}[]`{title}\n\n{schema['description']}\n"
                yield from self._format_table(schema)

    def parameters(self) -> Iterator[str]:
        """Every parameter with its value in each preset."""
        yield "\n## Parameters\n\nA scenario's `parameters` replace those of the preset, each separately: "
        yield '`{"transport": {"mtu_bytes": 1024}}` changes one. An object whose `rule` or `algorithm` differs from '
        yield "that of the preset replaces the whole object; parameters that are missing in a new `congestion` have "
        yield "their default. In the columns, `null` means that the parameter has no value; its meaning is stated "
        yield "where null is allowed.\n"
        for name in self._names:
            yield f"\n`{name}`: {self._presets[name]['description']}\n"
        for section, property_ in self._resolve_reference({"$ref": "#/$defs/Parameters"})["properties"].items():
            yield f"\n### {section}\n\n{property_['description']}\n"
            target = self._resolve_reference(property_)
            values = [self._presets[name]["parameters"][section] for name in self._names]
            if "properties" in target:
                yield _format_head("parameter", "meaning", "unit", "range", *_format_codes(self._names))
                yield from self._format_rows(f"{section}.", target["properties"], values)
            else:
                yield from self._format_algorithms(section, target, values)
            yield from self._format_sources(section, property_, target)

    def _format_sources(self, section: str, property_: Schema, target: Schema) -> Iterator[str]:
        """The sources of preset values."""
        below = {f"{section}.{key}": property_ for key, property_ in target.get("properties", {}).items()}
        for name in self._names:
            parameters = {section: property_, **below}
            rows = [
                (path, parameter["x-source"][name])
                for path, parameter in parameters.items()
                if name in parameter.get("x-source", {})
            ]
            if rows:
                yield f"\nSources of `{name}`:\n\n"
                yield from (f"* `{path}`: {source}\n" for path, source in rows)

    def _format_algorithms(self, section: str, target: Schema, values: list[Any]) -> Iterator[str]:
        """Variants with a table each."""
        variants = self._list_variants(target)
        tag = _find_tag(variants[0])
        yield _format_head("parameter", "meaning", *_format_codes(self._names))
        listed = "; ".join(f"`{_find_word(variant)}`" for variant in variants)
        yield _format_row(f"`{section}.{tag}`", listed, *[_format_value(value[tag]) for value in values])
        yield "\nA parenthesis at the end of a meaning contains the default in other words or units, or its source.\n"
        for variant in variants:
            if len(variant["properties"]) == 1:
                continue
            yield f"\n#### {_find_word(variant)}\n\n{variant['description']}\n"
            used = [
                (name, value)
                for name, value in zip(self._names, values, strict=True)
                if value[tag] == _find_word(variant)
            ]
            yield _format_head(
                "parameter", "meaning", "unit", "range", "default", *_format_codes(name for name, _ in used)
            )
            properties = {key: property_ for key, property_ in variant["properties"].items() if key != tag}
            defaults = {key: property_.get("default") for key, property_ in properties.items()}
            yield from self._format_rows(f"{section}.", properties, [defaults, *(value for _, value in used)])

    def _format_rows(self, prefix: str, properties: Schema, values: list[Any]) -> Iterator[str]:
        """A row for each parameter of an object; a value is None if the preset does not have the object."""
        for key, property_ in properties.items():
            path = f"{prefix}{key}"
            set_values = [value.get(key) if isinstance(value, dict) else _ABSENT for value in values]
            target = self._find_target(property_)
            variants = self._list_variants(target)
            if not variants or "const" in variants[0]:
                yield self._format_parameter(path, property_, set_values)
            elif len(variants) == 1 and _find_tag(variants[0]) is None:
                yield self._format_parameter(path, property_, set_values)
                yield from self._format_rows(f"{path}.", variants[0]["properties"], set_values)
            else:
                tag = _find_tag(variants[0])
                chosen = [value[tag] if isinstance(value, dict) else value for value in set_values]
                described = "; ".join(
                    f"`{_find_word(variant)}`: {_lower_sentence(variant['description'])}" for variant in variants
                )
                yield _format_row(
                    f"`{path}.{tag}`", f"{property_['description']} {described}", "", "", *map(_format_value, chosen)
                )
                for variant in variants:
                    inner = {name: property_ for name, property_ in variant["properties"].items() if name != tag}
                    own_values = [
                        value if isinstance(value, dict) and value[tag] == _find_word(variant) else None
                        for value in set_values
                    ]
                    for row in self._format_rows(f"{path}.", inner, own_values):
                        name, _, further_cells = row.removeprefix("| ").partition(" | ")
                        yield f"| {name} | With `{_find_word(variant)}`: {_lower_sentence(further_cells)}"

    def _format_parameter(self, path: str, property_: Schema, values: list[Any]) -> str:
        formatted_values = ["" if isinstance(value, dict) else _format_value(value) for value in values]
        return _format_row(
            f"`{path}`",
            self._describe_property(property_),
            property_.get("x-unit", ""),
            self._format_range(property_),
            *formatted_values,
        )

    def _format_table(self, schema: Schema) -> Iterator[str]:
        yield _format_head("key", "meaning", "unit", "range", "default")
        required = schema.get("required", ())
        for key, property_ in schema["properties"].items():
            default = property_.get("x-default") or _format_value(property_.get("default", _ABSENT))
            if "const" in property_:
                yield _format_row(f"`{key}`", f"`{property_['const']}`", "", "", "required")
                continue
            presence = "required" if key in required else default
            unit = property_.get("x-unit", "")
            yield _format_row(
                f"`{key}`", self._describe_property(property_), unit, self._format_range(property_), presence
            )

    def _describe_property(self, property_: Schema) -> str:
        """The description, and the accepted texts."""
        variants = [variant for variant in self._list_variants(self._find_target(property_)) if "const" in variant]
        listed = "; ".join(f"`{variant['const']}`: {_lower_sentence(variant['description'])}" for variant in variants)
        return f"{property_['description']} {listed}".strip()

    def _format_range(self, property_: Schema) -> str:
        """The range of accepted numbers; empty if only the type limits them."""
        target = self._find_target(property_)
        numbers = [
            variant
            for variant in (target, *self._list_variants(target))
            if "integer" in _list_types(variant) or "number" in _list_types(variant)
        ]
        if not numbers:
            items = target.get("items")
            return self._format_range(items) if items and "array" in _list_types(target) else ""
        schema = numbers[0]
        null = ", null" if "null" in _list_types(schema) else ""
        if "enum" in schema:
            return ", ".join(f"{value:,}" for value in schema["enum"] if value is not None) + null
        minimum, maximum = schema.get("minimum"), schema.get("maximum")
        if maximum is not None and maximum in _LARGEST and minimum in (0, None):
            return null.removeprefix(", ")
        if maximum is not None and maximum in _LARGEST:
            return f"at least {minimum:,}{null}"
        if minimum is not None:
            return f"{minimum:,} to {maximum:,}{null}"
        below = f", below {schema['exclusiveMaximum']}" if "exclusiveMaximum" in schema else ""
        above = f"above {schema['exclusiveMinimum']}" if "exclusiveMinimum" in schema else ""
        return f"{above}{below if maximum is None else f', at most {maximum:,}'}{null}"

    def _list_objects(self, schema: Schema) -> list[Schema]:
        """The kinds of objects that a value may be."""
        target = self._resolve_reference(schema)
        if "properties" in target:
            return [target]
        return [variant for variant in self._list_variants(target) if "properties" in variant]

    def _find_target(self, property_: Schema) -> Schema:
        """The type of a property that is not null."""
        target = self._resolve_reference(property_)
        variants = [
            self._resolve_reference(variant) for variant in target.get("anyOf", ()) if variant.get("type") != "null"
        ]
        return variants[0] if len(variants) == 1 else target

    def _list_variants(self, target: Schema) -> list[Schema]:
        """The variants of a value; for an object, the schema itself."""
        if "properties" in target:
            return [target]
        return [self._resolve_reference(variant) for variant in (*target.get("anyOf", ()), *target.get("oneOf", ()))]

    def _resolve_reference(self, schema: Schema) -> Schema:
        while "$ref" in schema:
            schema = self._schema["$defs"][schema["$ref"].rpartition("/")[2]]
        return schema


_ABSENT = object()
_LARGEST = {2**8 - 1, 2**16 - 1, 2**32 - 1, 2**64 - 1}


def _list_types(schema: Schema) -> tuple[str, ...]:
    types = schema.get("type", ())
    return (types,) if isinstance(types, str) else tuple(types)


def _find_tag(variant: Schema) -> str | None:
    """The key that distinguishes a variant from others."""
    return next((key for key, property_ in variant["properties"].items() if "const" in property_), None)


def _find_word(variant: Schema) -> str:
    tag = _find_tag(variant)
    return str(variant["properties"][tag]["const"]) if tag else ""


def _traffic_file() -> Iterator[str]:
    """The file of `--traffic`."""
    from wirespeed.simulation.faults.settings import SIMULATED
    from wirespeed.simulation.workload.fault_entries import KINDS
    from wirespeed.simulation.workload.file import Entry, TrafficFile

    yield "\n## Traffic file\n\nYAML, used together with a cluster file. It starts with `version: 1`. "
    yield "Times, sizes and rates have a unit: `20 us`, `1 MiB`.\n"
    yield from _format_model(TrafficFile)
    yield "\n### `traffic[]`\n"
    yield from _format_model(Entry)
    for kind in KINDS:
        word = get_args(kind.model_fields["kind"].annotation)[0]
        yield f"\n### `faults[]`: `kind: {word}`\n\n{' '.join((kind.__doc__ or '').split())}\n"
        yield from _format_model(kind)
    yield "\nSimulated settings: " + ", ".join(f"`{path}`" for path in SIMULATED) + ".\n"


def _format_model(model: type[BaseModel]) -> Iterator[str]:
    """The keys of a part of the file."""
    yield _format_head("key", "meaning", "")
    fields = sorted(model.model_fields.items(), key=lambda field_entry: not field_entry[1].is_required())
    for name, field in fields:
        if name in ("kind", "version"):
            continue
        needed = "required" if field.is_required() else ""
        kind = field.annotation
        names = list(kind) if isinstance(kind, type) and issubclass(kind, StrEnum) else get_args(kind)
        listed = ", ".join(f"`{name}`" for name in names if isinstance(name, str))
        yield _format_row(f"`{field.alias or name}`", f"{field.description} {listed}".strip(), needed)


def _format_results(results: Schema) -> Iterator[str]:
    """The summary and the tables of a run."""
    yield "\n## Summary\n\n`summary.json` in the folder of `--output`, and the output of `--format json`. Its JSON "
    yield "Schema is printed by `wirespeed schema summary`.\n"
    summary = results["summary"]
    yield from _format_fields(summary["description"], summary["properties"])
    for name, definition in summary["$defs"].items():
        yield f"\n### `{name}`\n"
        yield from _format_fields(definition["description"], definition["properties"])
    yield "\n## Result tables\n\nParquet files in the folder of `--output`. Times count from the start of the run.\n"
    yield from _table_sections(results["tables"])
    yield "\n## Context tables\n\nFiles in the same folder that follow from the scenario alone. They are not part of "
    yield "`tables_sha256`.\n"
    yield from _table_sections(results["context"])


def _format_fields(description: str, properties: Schema) -> Iterator[str]:
    yield f"\n{description}\n"
    yield _format_head("key", "type", "unit", "meaning")
    for key, property_ in properties.items():
        yield _format_row(f"`{key}`", _format_kind(property_), property_.get("x-unit", ""), property_["description"])


def _format_kind(property_: Schema) -> str:
    """The types of a value as text; an object by its name."""
    if "$ref" in property_:
        return str(property_["$ref"].rpartition("/")[2])
    if "anyOf" in property_:
        return " or ".join(map(_format_kind, property_["anyOf"]))
    return " or ".join(
        f"list of {_format_kind(property_['items'])}" if kind == "array" else kind for kind in _list_types(property_)
    )


def _table_sections(tables: Schema) -> Iterator[str]:
    for name, table in tables.items():
        yield f"\n### {name}\n\n{table['description']}\n"
        yield _format_head("column", "type", "unit", "meaning")
        for column, description in table["columns"].items():
            names = "; ".join(
                f"`{name}`: {_lower_sentence(meaning)}" for name, meaning in description.get("names", {}).items()
            )
            meaning = f"{description['description']} {names}".strip()
            yield _format_row(f"`{column}`", description["type"], description.get("unit", ""), meaning)


def _format_head(*names: str) -> str:
    return f"\n| {' | '.join(names)} |\n|{' --- |' * len(names)}\n"


def _format_row(*cells: str) -> str:
    return f"| {' | '.join(_format_cell(cell) for cell in cells)} |\n"


def _format_cell(text: str) -> str:
    return re.sub(r"(?<!\.)\.$", "", text).replace("|", "\\|")


def _format_codes(names: Any) -> Iterator[str]:
    return (f"`{name}`" for name in names)


def _lower_sentence(sentence: str) -> str:
    """A sentence as part of another."""
    word = sentence.partition(" ")[0]
    first = sentence[:1].lower() if word == "A" or word[1:].islower() else sentence[:1]
    return first + sentence[1:].removesuffix(".")


def _format_value(value: Any) -> str:
    """A value as in JSON, but with commas between thousands and without quotes around text."""
    if value is _ABSENT:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return f"`{json.dumps(value)}`" if isinstance(value, list | dict) else json.dumps(value)
