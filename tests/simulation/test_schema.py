"""The schema of scenarios and results: what the simulator reads and writes fits it."""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from planned_scenarios import build_scenario
from small_scenarios import INCAST, write_scenario

from wirespeed.cluster import read
from wirespeed.plan import build
from wirespeed.results.simulation import to_json
from wirespeed.simulation import run, scenario_schema, summary_schema
from wirespeed.simulation.schema import table_columns

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples" / "simulator").glob("*.json"))
TRAFFIC = "version: 1\nname: pairs\ntraffic:\n  - {pattern: permutation, size: 64 kB, messages: 2}\n"
NAMES = {"node_names": ["node1", "node2", "node3", "leaf1"]}


@pytest.fixture(scope="module")
def validator() -> Draft202012Validator:
    return Draft202012Validator(scenario_schema())


def test_the_schema_is_a_json_schema() -> None:
    Draft202012Validator.check_schema(scenario_schema())


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_fits(path: Path, validator: Draft202012Validator) -> None:
    assert list(validator.iter_errors(json.loads(path.read_text(encoding="utf-8")))) == []


@pytest.mark.parametrize("example", ["arista-leaf-spine", "mi300x-4node"])
def test_a_scenario_made_from_a_plan_fits(example: str, tmp_path: Path, validator: Draft202012Validator) -> None:
    plan = build(read(ROOT / "examples" / example / "cluster.yaml"))
    _, document = build_scenario(plan, tmp_path, TRAFFIC)
    assert list(validator.iter_errors(document)) == []


@pytest.mark.parametrize(
    ("change", "location"),
    [
        ({"hosts": 0}, "$.hosts"),
        ({"hostss": 2}, "$"),
        ({"flows": [{"src": 0, "dst": 1, "bytes": 1, "priority": 8}]}, "$.flows[0].priority"),
        ({"flows": [{"src": 0, "dst": 1}]}, "$.flows[0]"),
        ({"parameters": {"transport": {"retry_count": 8}}}, "$.parameters.transport.retry_count"),
        ({"parameters": {"marking": {"at": "dequeues"}}}, "$.parameters.marking.at"),
        ({"faults": [{"kind": "cnp-loss", "link": 0, "probability": 2}]}, "$.faults[0]"),
    ],
)
def test_what_does_not_fit(change: dict[str, Any], location: str, validator: Draft202012Validator) -> None:
    assert [error.json_path for error in validator.iter_errors({**INCAST, **change})] == [location]


def test_every_description_is_there() -> None:
    assert [path for path, schema in properties(scenario_schema()) if not schema.get("description")] == []


def properties(schema: Any, path: str = "$") -> list[tuple[str, dict[str, Any]]]:
    """Every property of every object in a schema, with its path there."""
    if isinstance(schema, list):
        return [property_path for n, entry in enumerate(schema) for property_path in properties(entry, f"{path}[{n}]")]
    if not isinstance(schema, dict):
        return []
    entries = [(f"{path}.{key}", entry) for key, entry in schema.get("properties", {}).items() if "const" not in entry]
    return entries + [
        property_path
        for key, entry in schema.items()
        if key != "x-presets"
        for property_path in properties(entry, f"{path}.{key}")
    ]


def test_tables_have_the_columns_of_the_schema(tmp_path: Path) -> None:
    result = run(write_scenario(tmp_path, {**INCAST, **NAMES}), "roce", 1)
    optional = {"rnr_naks_sent", "messages_received"}
    for name, table in {**result.tables, **result.context}.items():
        assert [column for column in table_columns(name) if column not in optional] == table.column_names, name


@pytest.mark.parametrize(
    ("generator", "module"),
    [("scenario_types", "simulation/scenario_types.py"), ("result_types", "results/simulation_types.py")],
)
def test_the_types_for_python_are_fresh(generator: str, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "docs")
    text = (ROOT / "python" / "wirespeed" / module).read_text(encoding="utf-8")
    assert text == importlib.import_module(generator).module(), "run `make docs`"


@pytest.mark.parametrize("preset", ["roce", "hpcc"])
def test_a_summary_fits_its_schema(preset: str, tmp_path: Path) -> None:
    validator = Draft202012Validator(summary_schema())
    summary = json.loads(to_json(run(write_scenario(tmp_path, INCAST), preset, 1).summary, files=["flows.parquet"]))
    assert list(validator.iter_errors(summary)) == []
    assert set(summary) == set(summary_schema()["properties"])
    assert [error.json_path for error in validator.iter_errors({**summary, "hops": None})] == ["$.hops"]


def test_values_of_presets_have_sources() -> None:
    ecmp = scenario_schema()["$defs"]["Ecmp"]["properties"]
    assert ecmp["flowlet_gap_ns"]["x-source"]["roce"].startswith("Juniper Apstra 6.0")
    assert scenario_schema()["$defs"]["Sockets"]["properties"]["mtu_bytes"]["x-source"] == {
        "hpcc": "RFC 894",
        "roce": "RFC 894",
    }


def test_a_time_is_named_by_its_unit() -> None:
    units = {"ns": "ns", "us": "us", "bytes": "bytes", "gbps": "Gb/s", "bps": "bit/s", "mbps": "Mb/s", "percent": "%"}
    for path, schema in properties(scenario_schema()):
        suffix = re.split(r"[._]", path)[-1]
        if suffix in units and "integer" in str(schema.get("type")):
            assert schema["x-unit"] == units[suffix], path
