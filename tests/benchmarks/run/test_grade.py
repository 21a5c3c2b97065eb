"""What the log of a step contains about its ends: against the plan, a profile, and the cluster as found."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from judge_support import plan
from nccl_log_support import MI300X, write_log
from tests.benchmarks.judge.test_cli import write_bw
from tests.benchmarks.judge.test_overlay_verdicts import X8, overlay_plan

from wirespeed.benchmarks.judge.profile import read
from wirespeed.benchmarks.run import GradeOptions, build_fabric, create_folder, grade
from wirespeed.cli.campaign_folder import list_logs
from wirespeed.cli.flows import judge_logs
from wirespeed.results.campaign import Attempt, Campaign, Command, Grade, Outcome, Step
from wirespeed.results.verdicts import Judgement

STEP = Step(
    "1.1",
    "ib_write_bw",
    "node1:bnxt_re0 -> node2:bnxt_re0",
    Command("node1", ("ib_write_bw",)),
    limit_s=20.0,
    seconds=10.0,
    source="node1:bnxt_re0",
    target="node2:bnxt_re0",
)
LIMIT = "(line rate × RoCEv2 framing)"


@pytest.mark.parametrize(
    ("average", "bar", "expected"),
    [
        (391.0, None, (Grade.GOOD, f"391 Gb/s, 100 % of 392.06 {LIMIT}")),
        (228.0, None, (Grade.BAD, f"228 Gb/s, 58 % of 392.06 {LIMIT}")),
        (
            228.0,
            GradeOptions(observed=overlay_plan(X8)),
            (
                Grade.BAD,
                f"228 Gb/s, 58 % of 392.06 {LIMIT}; "
                "99 % of what the cluster as found allows (NIC slot of node1:bnxt_re0)",
            ),
        ),
        (228.0, GradeOptions(profile=read("loose")), (Grade.BAD, f"228 Gb/s, 58 % of 392.06 {LIMIT}")),
        (
            330.0,
            None,
            (
                Grade.WARN,
                f"330 Gb/s, 84 % of 392.06 {LIMIT}: below 95 % of the reachable limit "
                "(limit: line rate × RoCEv2 framing)",
            ),
        ),
        (330.0, GradeOptions(profile=read("strict")), (Grade.BAD, f"330 Gb/s, 84 % of 392.06 {LIMIT}")),
    ],
)
def test_a_figure_is_compared_with_what_is_required(
    average: float, bar: GradeOptions | None, expected: tuple[Grade, str]
) -> None:
    whole = plan()
    assert grade(whole, build_fabric(whole), STEP, Outcome.DONE, write_bw(average), bar) == expected


_ALL_REDUCE = Step(
    "nic-only.all_reduce_perf.node1",
    "all_reduce_perf over NICs alone",
    "node1",
    Command("node1", ("all_reduce_perf",)),
    limit_s=60.0,
    seconds=30.0,
    collective="all_reduce_perf",
    nics_only=True,
)


@pytest.mark.parametrize(
    ("step", "grade_of_step", "judgement"),
    [(_ALL_REDUCE, Grade.GOOD, Judgement.PASS), (replace(_ALL_REDUCE, nics_only=False), Grade.BAD, Judgement.FAIL)],
)
def test_a_step_over_nics_is_compared_with_nics(
    step: Step, grade_of_step: Grade, judgement: Judgement, tmp_path: Path
) -> None:
    """Its log has no debug lines: the suite itself states how the GPUs reach each other."""
    whole, text = plan(), write_log(["node1"] * 8, 44.0, gpu=MI300X)
    assert grade(whole, build_fabric(whole), step, Outcome.DONE, text)[0] is grade_of_step
    folder = create_folder(tmp_path / "run", Campaign("", "nic-only", "mi300x-4node", (step,)))
    log = folder.keep(step, 1, text.encode(), None)
    folder.note(Attempt(step.id, 1, Outcome.DONE, 0, "2026-01-02T03:04:05.678Z", 13.1, grade_of_step, log))
    judged, _, _ = judge_logs(whole, list_logs(tmp_path / "run"))
    assert judgement in {verdict.judgement for run in judged.runs for verdict in run.verdicts}
    assert len(judged.runs) == 1
