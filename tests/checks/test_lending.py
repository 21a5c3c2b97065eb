"""Missing borrowed GPUs: the first cause is fixed first, because a reboot for the bridge's memory ends loans."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirespeed.catalogue import load
from wirespeed.checks import run
from wirespeed.cluster import read
from wirespeed.collect import read_facts, write_planned_bundle
from wirespeed.plan import build
from wirespeed.plan.locate import locate
from wirespeed.report.ranking import rank_first_steps
from wirespeed.results.findings import Status

EXAMPLE = Path(__file__).parents[2] / "examples/pcie-lending/cluster.yaml"
LOANS = "80400: 3D controller NVIDIA Corporation Device 1021 [available]\n"
BORROW = "run return.sh on the borrower, wait for it, then borrow.sh; before, lend.sh on a lender that lists no device"


@pytest.mark.parametrize(
    ("prefetch", "loans", "steps", "cause", "fix"),
    [
        (
            *(512, "", ["lending.prefetch", "lending.device"], "lending.prefetch"),
            "fix lending.prefetch first, then check again",
        ),
        (4096, "", ["lending.device"], "lending.device", "fix lending.device first, then check again"),
        (4096, LOANS, ["lending.device"], "lending.device", "fix lending.device first, then check again"),
        (4096, LOANS + LOANS.replace("80400", "80500"), ["lending.gpus"], None, BORROW),
    ],
)
def test_steps_for_missing_borrowed_gpus_begin_with_their_cause(
    prefetch: int, loans: str, steps: list[str], cause: str | None, fix: str, tmp_path: Path
) -> None:
    plan = build(read(EXAMPLE), load())
    write_planned_bundle(plan, tmp_path)
    (tmp_path / "abel1/ntb-prefetch.out").write_text(f"Card 1 - Prefetch memory space size: {prefetch}\n")
    (tmp_path / "abel1/usable-gpus.out").write_text("00000000:05:00.0\n00000000:06:00.0\n")
    (tmp_path / "abel2/loans.out").write_text(loans)
    facts = read_facts(tmp_path)
    findings = run(locate(plan, facts), facts)
    assert [group.check for group in rank_first_steps(findings)] == steps
    (gpus,) = (finding for finding in findings if finding.check == "lending.gpus" and finding.status is Status.FAIL)
    assert (gpus.cause, [step.sentence for step in gpus.fix]) == (cause, [fix])
