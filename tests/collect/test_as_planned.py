"""``collect --as-planned``: its bundle passes its own check; a plan that cannot be rendered is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from platforms.cluster_files import switch_files
from wirespeed.catalogue import load
from wirespeed.checks import checks, run
from wirespeed.cli.app import app
from wirespeed.cluster import read_text
from wirespeed.collect import read_facts, write_planned_bundle
from wirespeed.errors import Refused
from wirespeed.plan import Plan, build
from wirespeed.render import check
from wirespeed.results.findings import Status


def renderable(system: str) -> Iterator[tuple[str, Plan]]:
    """Plans with every option that the operating system has, by the line of the switch that has it."""
    for text in switch_files(system):
        try:
            plan = build(read_text(text, "one.yaml"))
            check(plan)
        except Refused:
            continue
        yield text, plan


@pytest.mark.parametrize("system", sorted(load().switch_systems))
def test_every_option_passes_its_own_check(system: str, tmp_path: Path) -> None:
    seen = 0
    for text, plan in renderable(system):
        write_planned_bundle(plan, tmp_path / "bundle")
        findings = run(plan, read_facts(tmp_path / "bundle"), checks().values())
        assert {(one.check, one.status) for one in findings if one.status not in (Status.PASS, Status.SKIP)} == set(), (
            text
        )
        seen += 1
    assert seen > 3


def test_what_no_device_can_be_is_refused(tmp_path: Path) -> None:
    """EOS has no watchdog that only alerts."""
    texts = [text for text in switch_files("eos") if "alert" in text]
    (tmp_path / "one.yaml").write_text(texts[0])
    result = CliRunner().invoke(app, ["collect", "--as-planned", str(tmp_path / "one.yaml"), "-o", str(tmp_path / "b")])
    assert isinstance(result.exception, Refused)
    assert "port.qos.watchdog.action" in str(result.exception)
    assert not (tmp_path / "b").exists()
