"""CONFIG_DB of community SONiC on YANG modules: yanglint of libyang, with SONiC's own modules or with ``tables.yaml``.

Both have one shape: container of the module, container of the table, lists whose keys are the parts of a row's key.
Rows become XML, which has no types: every value is text, as in CONFIG_DB. SONiC's library makes JSON of them.
"""

from __future__ import annotations

import json
import subprocess
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from needs import find
from wirespeed.errors import Refusal
from wirespeed.plan import Plan
from wirespeed.platforms import platform
from wirespeed.platforms.releases import parse_release
from wirespeed.platforms.switch.sonic.table_models import FieldModel, TableModel, load_models
from wirespeed.platforms.templates import fill_template
from wirespeed.settings import Switch

SONIC = platform("switch", "sonic")
MODULE = "wirespeed-sonic"
_YIN = "{urn:ietf:params:xml:ns:yang:yin:1}"


@dataclass(frozen=True, slots=True)
class RowList:
    """A list of rows, or the container of one row (then without keys); ``map_nodes``: list, key and value of a map."""

    namespace: str
    module: str
    name: str
    keys: tuple[str, ...]
    map_nodes: tuple[str, ...] = ()


RowLists = Mapping[str, Sequence[RowList]]
"""By table."""


def list_files(plan: Plan, release: str | None = None) -> dict[str | None, dict[str, str]]:
    """The rendered files of all switches of community SONiC, by release and switch.

    With ``release``, all are rendered for it; a switch that cannot have its settings there is left out.
    """
    files: dict[str | None, dict[str, str]] = {}
    for name, switch in plan.switches.items():
        if switch.os not in SONIC.systems:
            continue
        with suppress(Refusal) if release else nullcontext():
            text = render_file(name, replace(switch, os_version=release or switch.os_version))
            files.setdefault(release or switch.os_version, {})[name] = text
    return files


def render_file(name: str, switch: Switch) -> str:
    """The configuration of a switch as JSON."""
    return fill_template(SONIC, "wirespeed.json.j2", name, switch)


def write_module(release: str | None, folder: Path) -> tuple[Path, ...]:
    """Write YANG of the tables in ``tables.yaml``, with the fields of a release; None: of all."""
    blocks = "\n".join(
        f"    container {table} {{\n{_indent(_write_lists(table, model, release))}\n    }}"
        for table, model in load_models().items()
        if _has(release, model.since)
    )
    path = folder / f"{MODULE}.yang"
    path.write_text(
        f'module {MODULE} {{\n  yang-version 1.1;\n  namespace "urn:{MODULE}";\n  prefix w;\n'
        f"  container {MODULE} {{\n{blocks}\n  }}\n}}\n",
        encoding="utf-8",
    )
    return (path,)


def _has(release: str | None, first_release: str | None) -> bool:
    return None in (release, first_release) or parse_release(str(release)) >= parse_release(str(first_release))


def _indent(lines: Iterator[str]) -> str:
    return "\n".join(f"      {line}" for line in lines)


def _write_lists(table: str, model: TableModel, release: str | None) -> Iterator[str]:
    keys = dict(model.keys)
    required = [name for name, key in keys.items() if not key.optional]
    yield from _write_list(f"{table}_LIST", required, keys, model, release)
    if len(required) < len(keys):
        keys[required[-1]] = FieldModel(table=table)
        yield from _write_list(f"{table}_IPPREFIX_LIST", list(keys), keys, TableModel(model.model, keys), release)


def _write_list(
    name: str, key: Sequence[str], keys: Mapping[str, FieldModel], model: TableModel, release: str | None
) -> Iterator[str]:
    yield f'list {name} {{ key "{" ".join(key)}";'
    for part in key:
        yield f"  leaf {part} {{ {_write_type(keys[part])} }}"
    if model.every_field is not None:
        yield f"  list {name}_MAP {{ key name; leaf name {{ type string; }}"
        yield f"    leaf value {{ {_write_type(model.every_field)} }} }}"
    musts = "".join(f"must \"../{key[0]} != '{row}'\"; " for row in model.rows)
    fields = [(field, musts, field_model) for field, field_model in model.fields.items()]
    for row, row_fields in model.rows.items():
        fields += [
            (field, f"must \"../{key[0]} = '{row}'\"; ", field_model) for field, field_model in row_fields.items()
        ]
    for field, must, field_model in fields:
        if _has(release, field_model.since):
            node = "leaf-list" if field_model.leaf_list else "leaf"
            conditions = must + "".join(f'must "{text}"; ' for text in _list_conditions(field_model, key[0]))
            yield f"  {node} {field} {{ {conditions}{_write_type(field_model)} }}"
    yield "}"


def _list_conditions(model: FieldModel, key: str) -> Iterator[str]:
    if model.requires is not None:
        yield f"../{model.requires}"
    if model.key_prefix is not None:
        yield f"../{key} = concat('{model.key_prefix}', .)"
    if len(model.minimum) == 1:
        yield f"not(../{model.minimum[0]} > .)"
    elif model.minimum:
        table, row, field = model.minimum
        (name,) = load_models()[table].keys
        yield f"not(/w:{MODULE}/w:{table}/w:{table}_LIST[w:{name}='{row}']/w:{field} > .)"


def _write_type(model: FieldModel) -> str:
    types = []
    if model.values:
        enums = " ".join(f'enum "{value}";' for value in model.values)
        types.append(f"type enumeration {{ {enums} }}")
    if model.table is not None:
        names = [name for name, key in load_models()[model.table].keys.items() if not key.optional]
        path = "/".join(f"w:{node}" for node in (MODULE, model.table, f"{model.table}_LIST", names[-1]))
        types.append(f'type leafref {{ path "/{path}"; }}')
    if model.first is not None:
        types.append(f'type uint64 {{ range "{model.first}..{model.last}"; }}')
    if model.pattern is not None:
        types.append(f"type string {{ pattern '{model.pattern}'; }}")
    if len(types) > 1:
        return f"type union {{ {' '.join(types)} }}"
    return types[0] if types else "type string;"


def read_row_lists(modules: Sequence[Path]) -> RowLists:
    """The lists of every table that the modules have, from what yanglint prints of them."""
    row_lists: dict[str, list[RowList]] = {}
    for path in modules:
        root = ElementTree.fromstring(_run(["-Q", "-f", "yin", str(path)]).stdout)
        uri = root.find(f"{_YIN}namespace")
        for top in root.findall(f"{_YIN}container"):
            for table in top.findall(f"{_YIN}container"):
                for node in (*table.findall(f"{_YIN}list"), *table.findall(f"{_YIN}container")):
                    namespace = "" if uri is None else uri.get("uri", "")
                    row_lists.setdefault(table.get("name", ""), []).append(
                        RowList(namespace, top.get("name", ""), node.get("name", ""), _read_keys(node), _read_map(node))
                    )
    return row_lists


def _read_keys(node: ElementTree.Element) -> tuple[str, ...]:
    key = node.find(f"{_YIN}key")
    return () if key is None else tuple(key.get("value", "").split())


def _read_map(node: ElementTree.Element) -> tuple[str, ...]:
    """Of a table whose fields are a map: the inner list, its key, and its value."""
    inner = node.find(f"{_YIN}list")
    if inner is None:
        return ()
    return (inner.get("name", ""), *(leaf.get("name", "") for leaf in inner.findall(f"{_YIN}leaf")))


def format_instance(tables: Mapping[str, Any], row_lists: RowLists) -> str:
    """The tables as data of the modules. What no module has becomes an element of none, which yanglint refuses."""
    tops: dict[str, ElementTree.Element] = {}
    for table, rows in tables.items():
        shapes = row_lists.get(table, (RowList(f"urn:no-module:{table}", table, f"{table}_LIST", ()),))
        module = shapes[0].module
        top = tops.setdefault(module, ElementTree.Element(module, xmlns=shapes[0].namespace))
        table_element = ElementTree.SubElement(top, table)
        for key, row in rows.items():
            _add_row(table_element, key, row, shapes)
    return "\n".join(ElementTree.tostring(top, encoding="unicode") for top in tops.values())


def _add_row(table_element: ElementTree.Element, key: str, row: Mapping[str, Any], shapes: Sequence[RowList]) -> None:
    parts = key.split("|")
    fitting = [shape for shape in shapes if not shape.keys and shape.name == key]
    fitting += [shape for shape in shapes if len(shape.keys) == len(parts)]
    shape = fitting[0] if fitting else shapes[0]
    row_element = ElementTree.SubElement(table_element, shape.name)
    for name, part in zip(shape.keys, parts, strict=False):
        ElementTree.SubElement(row_element, name).text = part
    _add_fields(row_element, row, shape)


def _add_fields(row_element: ElementTree.Element, row: Mapping[str, Any], shape: RowList) -> None:
    for name, value in row.items():
        if shape.map_nodes:
            entry, key, target = shape.map_nodes
            entry_element = ElementTree.SubElement(row_element, entry)
            ElementTree.SubElement(entry_element, key).text = name
            ElementTree.SubElement(entry_element, target).text = value
        else:
            for text in value if isinstance(value, list) else (value,):
                ElementTree.SubElement(row_element, name).text = text


def find_objections(modules: Sequence[Path], files: Mapping[str, str], folder: Path) -> dict[str, str]:
    """Why yanglint refuses files, by their names; empty if it accepts all. ``folder`` takes the files as data."""
    row_lists = read_row_lists(modules)
    paths = {}
    for number, (name, text) in enumerate(files.items()):
        paths[name] = folder / f"{number}.xml"
        paths[name].write_text(format_instance(json.loads(text), row_lists), encoding="utf-8")
    return dict(_find_refused(list(map(str, modules)), paths))


def _find_refused(modules: Sequence[str], paths: Mapping[str, Path]) -> Iterator[tuple[str, str]]:
    """Names of the data that yanglint refuses, with its messages: it stops at the first, so halves are tried."""
    run = _run([*modules, *map(str, paths.values())]) if paths else None
    if run is None or run.returncode == 0:
        return
    names = list(paths)
    if len(names) == 1:
        yield names[0], _list_errors(run.stderr)
        return
    for half in (names[: len(names) // 2], names[len(names) // 2 :]):
        yield from _find_refused(modules, {name: paths[name] for name in half})


def _list_errors(output: str) -> str:
    return "\n".join(line for line in output.splitlines() if line.startswith(("libyang err", "YANGLINT")))


def _run(arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(find("yanglint")), *arguments], capture_output=True, text=True, check=False)
