"""Every file rendered for community SONiC, read by yanglint on a YANG module of ``tables.yaml``.

``tools/sonic_models.py`` does the same with SONiC's own modules, which are in no package.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from needs import needs
from platforms.switch.sonic_yang import find_objections, list_files, render_file, write_module
from platforms.switch.test_sonic import CASES
from platforms.switch.test_sonic_models import REFUSED, change_row
from render.test_render_golden import CLUSTERS
from wirespeed.cluster import read
from wirespeed.plan import build

WITH_SONIC = [cluster for cluster in CLUSTERS if "os: sonic" in cluster.read_text(encoding="utf-8")]


@pytest.fixture(autouse=True)
def _yanglint() -> None:
    needs("yanglint")


def find_objections_of_release(files: dict[str, str], release: str | None, folder: Path) -> dict[str, str]:
    return find_objections(write_module(release, folder), files, folder)


@pytest.mark.parametrize("cluster", WITH_SONIC, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_yanglint_accepts_the_files_of_an_example(cluster: Path, tmp_path: Path) -> None:
    files = list_files(build(read(cluster)))
    assert files
    for release, texts in files.items():
        assert find_objections_of_release(texts, release, tmp_path) == {}


@pytest.mark.parametrize("case", CASES)
def test_yanglint_accepts_every_case(case: str, tmp_path: Path) -> None:
    files = {case: render_file("leaf1", CASES[case])}
    assert find_objections_of_release(files, CASES[case].os_version, tmp_path) == {}


@pytest.mark.parametrize(("table", "key", "field", "value", "release"), REFUSED)
def test_yanglint_refuses_the_same(
    table: str, key: str, field: str, value: Any, release: str | None, tmp_path: Path
) -> None:
    files = {"leaf1": json.dumps(change_row(table, key, field, value))}
    assert table in find_objections_of_release(files, release, tmp_path)["leaf1"]
