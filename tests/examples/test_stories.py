"""Every example's story: healthy it passes, each fault alone gives its findings and no other, and all together.

``<example>.txt`` holds what each fault must give, commands included. After a change of words
``WIRESPEED_ACCEPT=1 pytest tests/examples`` writes it again; read the difference.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from pathlib import Path
from typing import Any

import inject_faults
import make_bundles
import pytest
from typer.testing import CliRunner

from wirespeed.cli.app import app

EXAMPLES = Path(__file__).parents[2] / "examples"
STORIES = sorted(path.parent for path in EXAMPLES.glob("*/faults.py"))
SMALL = [story for story in STORIES if (story / "bundles" / "healthy").is_dir()]
"""Those whose faults are also tried one by one: a check of a hundred hosts takes its seconds."""

GOLDEN = Path(__file__).parent

Finding = dict[str, Any]


def check(example: Path, bundle: Path) -> tuple[int, list[Finding]]:
    """Exit code, and every finding that is no pass and no skip."""
    result = CliRunner().invoke(app, ["check", str(example / "cluster.yaml"), str(bundle), "--format", "json"])
    assert result.stderr == ""
    findings = json.loads(result.stdout)["findings"]
    assert findings
    return result.exit_code, [one for one in findings if one["status"] not in ("pass", "skip")]


def told(finding: Finding) -> str:
    """A finding as one reads it."""
    lines = [
        f"{finding['status'].upper()} {finding['check']} on {finding['device']}, {finding['place']}",
        f"  {finding['summary']}",
        f"  expected {finding['expected']}",
        f"  found    {finding['found']}",
        *(f"  read     {source}" for source in finding["evidence"]),
    ]
    if finding["cost"]:
        lines.append(f"  costs    {finding['cost']['value']} {finding['cost']['unit']}: {finding['cost']['basis']}")
    for fix in finding["fix"]:
        consequence = f" ({fix['consequence']})" if fix["consequence"] else ""
        lines.append(f"  fix      {fix['sentence']}{consequence}")
        lines.extend(f"             {command}" for command in fix["commands"])
    return "\n".join(lines) + "\n"


def key(finding: Finding) -> tuple[str, ...]:
    """What makes a finding the same as another's."""
    return tuple(finding[name] for name in ("check", "status", "device", "place", "expected", "found"))


def files(folder: Path) -> dict[str, str]:
    """Content by name, whatever version of wirespeed wrote the manifest."""
    return {
        str(path.relative_to(folder)): re.sub('"tool": ".*"', '"tool": ""', path.read_text(encoding="utf-8"))
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture(scope="module", params=STORIES, ids=lambda path: path.name)
def story(request: pytest.FixtureRequest) -> Path:
    """An example with faults."""
    example: Path = request.param
    return example


@pytest.fixture(scope="module")
def healthy(story: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its bundle when everything is as planned."""
    out = tmp_path_factory.mktemp(story.name) / "healthy"
    inject_faults.healthy_of(story, out)
    return out


def test_the_healthy_bundle_passes(story: Path, healthy: Path) -> None:
    assert check(story, healthy) == (0, [])


def test_the_bundles_are_as_their_script_makes_them(story: Path, healthy: Path, tmp_path: Path) -> None:
    made = tmp_path / "made"
    make_bundles.as_planned_of(story, made)
    assert files(made) == files(healthy), f"run examples/make_bundles.py examples/{story.name}"
    patches = make_bundles.patches(made, inject_faults.faults_of(story).FAULTS)
    kept = {path.stem: path.read_text(encoding="utf-8") for path in (story / "bundles" / "faults").glob("*.patch")}
    assert patches == kept, f"run examples/make_bundles.py examples/{story.name}"


def test_each_fault_gives_its_findings_and_no_other(story: Path, tmp_path: Path) -> None:
    module = inject_faults.faults_of(story)
    names = {name.partition("-")[0]: name for name in module.FAULTS}
    tried = [(one,) for one in module.TOGETHER] if story in SMALL else [tuple(module.TOGETHER)]
    alone: list[Finding] = []
    told_of: list[str] = []
    for faults in tried:
        out = tmp_path / "-".join(faults)
        inject_faults.apply(story, out, faults)
        code, bad = check(story, out)
        assert code == 1
        alone += bad
        title = names[faults[0]] if len(faults) == 1 else "together"
        told_of.append(f"=== {title}\n{''.join(told(one) for one in bad)}")
    golden = GOLDEN / f"{story.name}.txt"
    text = "\n".join(told_of)
    if os.environ.get("WIRESPEED_ACCEPT"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")
    if story in SMALL:
        inject_faults.apply(story, tmp_path / "together", tuple(module.TOGETHER))
        _, together = check(story, tmp_path / "together")
        assert Counter(map(key, together)) == Counter(map(key, alone))
