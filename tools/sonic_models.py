"""Check the files rendered for community SONiC with SONiC's own YANG modules, which are in no package registry.

    python tools/sonic_models.py FOLDER RELEASE

FOLDER is src/sonic-yang-models of sonic-net/sonic-buildimage, checked out at the branch of the release. The switches of
examples, tests and random clusters are rendered for the release; yanglint (package libyang2-tools) reads them. Ends of
ranges and keywords of ``tables.yaml`` are tried as well: modules that refuse one contradict it.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from needs import PACKAGES, find  # noqa: E402
from platforms.switch.sonic_yang import find_objections, list_files, render_file  # noqa: E402
from platforms.switch.test_sonic import CASES  # noqa: E402
from random_clusters.generator import make_cluster  # noqa: E402
from render.test_render_golden import CLUSTERS  # noqa: E402
from wirespeed.cluster import read  # noqa: E402
from wirespeed.errors import Refusal  # noqa: E402
from wirespeed.plan import build  # noqa: E402
from wirespeed.platforms.switch.sonic.table_models import FieldModel, find_model_problems, load_models  # noqa: E402

Tables = Mapping[str, Any]

IMAGE_FIELDS = {"lanes": "1", "speed": "400000"}
"""Mandatory leaves of a port that the image of the switch sets, and the rendered file need not."""


def main() -> None:
    """Read the command line, print what the modules refuse."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="src/sonic-yang-models of sonic-buildimage")
    parser.add_argument("release", metavar="RELEASE", help="release of these modules, as in a cluster file: 202505")
    parser.add_argument("--clusters", type=int, default=100, metavar="N", help="number of random clusters")
    arguments = parser.parse_args()
    if find("yanglint") is None:
        sys.exit(f"no yanglint here; hint: install the package {PACKAGES['yanglint']}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        modules = write_modules(arguments.folder, folder)
        files = dict(list_rendered(arguments.release, arguments.clusters))
        values = dict(list_values(arguments.release))
        texts = {key: complete(tables) for key, tables in (files | values).items()}
        objections = find_objections(modules, texts, folder)
    lines = [f"{key}:\n{text}" for key, text in objections.items()]
    lines += [
        f"{len(modules)} modules of {arguments.release}: {len(files)} rendered files, "
        f"{len(values)} values of tables.yaml, {len(objections)} refused",
        f"tables of which only rendered values were read: {', '.join(find_untried(values)) or 'none'}",
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    sys.exit(1 if objections else 0)


def write_modules(source: Path, folder: Path) -> list[Path]:
    """The modules in one folder, with those that the build of the image makes of templates (its setup.py)."""
    templates = Environment(loader=FileSystemLoader(source / "yang-templates"), trim_blocks=True)
    texts = {path.name: path.read_text(encoding="utf-8") for path in (source / "yang-models").glob("*.yang")}
    texts |= {
        name.removesuffix(".j2"): templates.get_template(name).render(yang_model_type="py")
        for name in templates.list_templates(["j2"])
    }
    if not texts:
        sys.exit(f"{source} has no YANG modules; hint: name src/sonic-yang-models of a checkout of sonic-buildimage")
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in sorted(texts)]


def list_rendered(release: str, clusters: int) -> Iterator[tuple[str, Tables]]:
    """The tables of every switch that the release can configure, by where it is from."""
    for cluster in CLUSTERS:
        for name, text in list_files(build(read(cluster)), release).get(release, {}).items():
            yield f"{cluster.parent.name} {cluster.stem} {name}", json.loads(text)
    for seed in range(clusters):
        for name, text in list_files(make_cluster(seed).plan, release).get(release, {}).items():
            yield f"random cluster {seed} {name}", json.loads(text)
    for case, switch in CASES.items():
        with suppress(Refusal):
            yield f"test case {case}", json.loads(render_file("leaf1", replace(switch, os_version=release)))


def list_values(release: str) -> Iterator[tuple[str, Tables]]:
    """Tables with one value changed, of those that ``tables.yaml`` accepts: ends of ranges and keywords."""
    cases: list[dict[str, Any]] = [
        json.loads(render_file("leaf1", replace(case, os_version=None))) for case in CASES.values()
    ]
    for table, model in load_models().items():
        tables = next((tables for tables in cases if tables.get(table)), cases[0])
        rows = tables.get(table) or ({"ROCE": {"0": "0"}} if model.every_field else {})
        for key, row in list(rows.items())[-2:]:
            fields = dict.fromkeys(row, model.every_field) if model.every_field else model.rows.get(key, model.fields)
            for field, field_model in fields.items():
                for value in list_ends(field_model) if field_model else ():
                    changed = {**tables, table: {**rows, key: {**row, field: value}}}
                    if not list(find_model_problems("leaf1", changed, release)):
                        yield f"tables.yaml: {table}|{key} {field} {value}", changed


def find_untried(values: Mapping[str, Tables]) -> list[str]:
    """Tables without ranges and keywords, and those of which no case has a row."""
    tried = {key.split()[1].partition("|")[0] for key in values}
    return sorted({table for table, model in load_models().items() if model.fields or model.every_field} - tried)


def list_ends(model: FieldModel) -> tuple[str, ...]:
    """The keywords and the ends of the range that a field accepts."""
    return (*model.values, *(str(end) for end in (model.first, model.last) if end is not None))


def complete(tables: Tables) -> str:
    """The tables as JSON, with what the image of the switch adds."""
    ports = {name: IMAGE_FIELDS | row for name, row in tables["PORT"].items()}
    return json.dumps({**tables, "PORT": ports})


if __name__ == "__main__":
    main()
