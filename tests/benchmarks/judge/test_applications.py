"""The times of applications: no limit of a network is one of them, so nothing of them is judged."""

from __future__ import annotations

import pytest
from judge_support import CLUSTER, plan

from wirespeed.benchmarks import parse
from wirespeed.benchmarks.judge.runs import judge
from wirespeed.results.verdicts import Judgement

SAMPLES = CLUSTER.parents[2] / "tests" / "samples"
NOT_JUDGED = "not judged: an application's time has no network limit"


@pytest.mark.parametrize("name", ["gromacs/md.txt", "openfoam/simpleFoam.txt", "cp2k/h2o-dft-ls.txt", "wrf/conus.txt"])
def test_no_time_of_an_application_is_judged(name: str) -> None:
    (run,) = parse((SAMPLES / name).read_text(encoding="utf-8"))
    judged = judge(run, plan())
    assert {verdict.judgement for verdict in judged.verdicts} == {Judgement.SKIP}
    assert len(judged.verdicts) == len(run.measurements) > 0
    assert judged.notes == ("nothing of this run is judged; `wirespeed bench parse` shows its values", NOT_JUDGED)


@pytest.mark.parametrize(
    "name", ["gromacs/md-cut.txt", "openfoam/simpleFoam-cut.txt", "cp2k/cut-after-the-table.txt", "wrf/conus-cut.txt"]
)
def test_a_cut_log_of_an_application_has_no_verdict(name: str) -> None:
    (run,) = parse((SAMPLES / name).read_text(encoding="utf-8"))
    judged = judge(run, plan())
    assert judged.verdicts == ()
    assert judged.notes == ("the log is truncated: it contains no result to judge", NOT_JUDGED)
