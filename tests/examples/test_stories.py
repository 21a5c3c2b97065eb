"""Every example's story: healthy it passes, each fault alone gives its findings and no other, and all together.

``faults/<example>.txt`` holds what each fault changes in what devices print, and the findings it must give, commands
included. After a change of wording ``WIRESPEED_ACCEPT=1 pytest tests/examples`` writes it again; read the difference.
"""

from __future__ import annotations

import difflib
import json
import os
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import inject_faults
import pytest
from typer.testing import CliRunner

from wirespeed.cli.app import app

EXAMPLES = Path(__file__).parents[2] / "examples"
STORIES = sorted(path.parent for path in EXAMPLES.glob("*/faults.py"))
LARGE = {"bluebonnet-64node"}
"""Their faults are tried together only: a check of a hundred hosts takes seconds."""

GOLDEN = Path(__file__).parent / "faults"

Finding = dict[str, Any]


@pytest.fixture(scope="module", params=STORIES, ids=lambda path: path.name)
def story(request: pytest.FixtureRequest) -> Path:
    """An example with faults."""
    example: Path = request.param
    return example


def test_the_healthy_bundle_passes(story: Path, healthy_bundle: Callable[[str], Path]) -> None:
    assert check(story, healthy_bundle(story.name)) == (0, [])


@pytest.mark.slow
def test_each_fault_gives_its_findings_and_no_other(
    story: Path, healthy_bundle: Callable[[str], Path], tmp_path: Path
) -> None:
    healthy = healthy_bundle(story.name)
    module = inject_faults.load_faults(story)
    faults = list(module.FAULTS.items())
    combinable = [fault for fault in faults if fault[0].startswith(module.COMBINABLE)]
    separate: list[Finding] = []
    sections: list[str] = []
    for fault in faults:
        sections.append(f"=== {fault[0]}\n{changes(healthy, fault)}")
        if story.name in LARGE or fault not in combinable:
            continue
        code, findings = check_faults(story, healthy, tmp_path / fault[0], [fault])
        assert code == 1
        separate += findings
        sections[-1] += "".join(map(format_finding, findings))
    code, joint_findings = check_faults(story, healthy, tmp_path / "together", combinable)
    assert code == 1
    if story.name in LARGE:
        sections.append(f"=== together\n{''.join(map(format_finding, joint_findings))}")
    else:
        assert Counter(map(key, joint_findings)) == Counter(map(key, separate))
    text = "\n".join(sections)
    golden = GOLDEN / f"{story.name}.txt"
    if os.environ.get("WIRESPEED_ACCEPT"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


WARNINGS = {
    "esnet-400g": """\
warning: {example}/cluster.yaml:14: found a breakout of 2 on edgecore-as9716-32d: \
public releases of Community SONiC cannot split its ports; expected an image of the switch's vendor \
with dynamic port breakout
  hint: use such an image; a port that is not split needs NICs with 8 lanes; \
source: sonic-buildimage 202205 to 202605 and master, \
device/accton/x86_64-accton_as9716_32d-r0: no platform.json, \
without which sonic-utilities refuses `config interface breakout`
""",
    "bluebonnet-64node": """\
warning: {example}/cluster.yaml:19: found up to 229,376 queue pairs on a host if every rank sends to every other: \
jobs on 6 to 15 hosts with 128 ranks per host use RC alone (fewer than 2,048 ranks); \
expected at most 65,537, the limit of its NICs: Broadcom BCM957508-P2100G, 2 x 100G PCIe card (Thor)
  hint: set hybrid_from: 641, so that jobs on 6 or more hosts use UD too
""",
}
"""The only warnings of the examples: a document does not name the system of its switch; another document has the limit
of 16 hosts, and no number of queue pairs."""


def check(example: Path, bundle: Path) -> tuple[int, list[Finding]]:
    """Exit code, and every finding that is no pass and no skip."""
    result = CliRunner().invoke(app, ["check", str(example / "cluster.yaml"), str(bundle), "--format", "json"])
    assert result.stderr == WARNINGS.get(example.name, "").format(example=example)
    findings = json.loads(result.stdout)["findings"]
    assert findings
    return result.exit_code, [finding for finding in findings if finding["status"] not in ("pass", "skip")]


def check_faults(
    example: Path, healthy: Path, bundle: Path, faults: Sequence[inject_faults.Fault]
) -> tuple[int, list[Finding]]:
    """Exit code and findings of a bundle with these faults."""
    shutil.copytree(healthy, bundle)
    inject_faults.edit_bundle(bundle, faults)
    return check(example, bundle)


def changes(healthy: Path, fault: inject_faults.Fault) -> str:
    """What a fault changes in what devices print, as a unified diff."""
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
        for file, edit in fault[1].items()
        for text in [(healthy / file).read_text(encoding="utf-8")]
        for line in difflib.unified_diff(
            text.splitlines(keepends=True), edit(text).splitlines(keepends=True), f"healthy/{file}", f"faulty/{file}"
        )
    )


def format_finding(finding: Finding) -> str:
    """A finding as one reads it."""
    lines = [
        f"{finding['status'].upper()} {finding['check']} on {finding['device']}, {finding['place']}",
        f"  {finding['summary']}",
        f"  expected {finding['expected']}",
        f"  found    {finding['found']}",
        *(f"  why a warning: {reason}" for reason in finding["warning_reasons"]),
        *(f"  read     {source}" for source in finding["evidence"]),
    ]
    if finding["impact"]:
        lines.append(
            f"  impact   {finding['impact']['value']} {finding['impact']['unit']}: {finding['impact']['basis']}"
        )
    for fix in finding["fix"]:
        consequence = f" ({fix['consequence']})" if fix["consequence"] else ""
        lines.append(f"  fix      {fix['sentence']}{consequence}")
        lines.extend(f"             {command}" for command in fix["commands"])
    return "\n".join(lines) + "\n"


def key(finding: Finding) -> tuple[str, ...]:
    """What makes a finding the same as another's."""
    return tuple(finding[name] for name in ("check", "status", "device", "place", "expected", "found"))
