"""What the log of a step contains about its ends: against the plan, a profile, and the cluster as found."""

from __future__ import annotations

import pytest
from judge_support import plan
from tests.benchmarks.judge.test_cli import write_bw
from tests.benchmarks.judge.test_overlay_verdicts import X8, overlay_plan

from wirespeed.benchmarks.judge.profile import read
from wirespeed.benchmarks.run import GradeOptions, build_fabric, grade
from wirespeed.results.campaign import Command, Grade, Outcome, Step

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
                "(limited by line rate × RoCEv2 framing)",
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
