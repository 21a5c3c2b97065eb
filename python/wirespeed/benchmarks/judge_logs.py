"""Logs judged together: each run in the light of its log's debug lines, and of other runs of the same test."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.benchmarks.judge import judge
from wirespeed.benchmarks.judge_limits import Asked
from wirespeed.benchmarks.judge_profile import Profile
from wirespeed.benchmarks.judge_retest import settled
from wirespeed.benchmarks.nccl_evidence import evidence
from wirespeed.benchmarks.reading import Reading
from wirespeed.plan import Plan
from wirespeed.plan.found import AsFound
from wirespeed.results.verdicts import JudgedRun


def judge_logs(
    readings: Sequence[tuple[str, Reading]],
    plan: Plan,
    asked: Asked | None = None,
    profile: Profile | None = None,
    found: AsFound | None = None,
) -> tuple[JudgedRun, ...]:
    """The runs of logs, each with the name of its file, judged.

    Raises:
        Refused: the user names what there is not.
    """
    asked = asked or Asked()
    runs = [(file, run, evidence(run, reading.communicators)) for file, reading in readings for run in reading.runs]
    judged = [
        judge(
            run,
            plan,
            file=file,
            source=asked.source,
            target=asked.target,
            algorithm=asked.algorithm,
            collective=asked.collective,
            profile=profile,
            found=found,
            evidence=proven,
        )
        for file, run, proven in runs
    ]
    return settled(judged, [run for _, run, _ in runs], asked)
