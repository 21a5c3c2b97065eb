"""Applications that print the time of their run: what counts as a whole run, and what is no run."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirespeed.benchmarks import parse, read
from wirespeed.errors import Refusal
from wirespeed.results.benchmarks import RunStatus

SAMPLES = Path(__file__).parents[2] / "samples"
COMPLETE, TRUNCATED, FAILED = RunStatus.COMPLETE, RunStatus.TRUNCATED, RunStatus.FAILED


def sample(name: str) -> str:
    """A log of tests/samples."""
    return (SAMPLES / name).read_text(encoding="utf-8")


LAST_LINES = [
    ("gromacs/md.txt", "Finished mdrun on rank 0 Tue Mar  7 10:16:40 2023\n", 4),
    ("openfoam/simpleFoam.txt", "End\n", 2),
    ("cp2k/h2o-dft-ls.txt", "  **** **** ******  **  PROGRAM ENDED AT                 2023-03-07 10:12:55.870\n", 2),
    ("wrf/conus.txt", "d01 2019-11-26_12:01:00 wrf: SUCCESS COMPLETE WRF\n", 2),
]


@pytest.mark.parametrize(("name", "last_line", "results"), LAST_LINES)
def test_a_run_without_its_last_line_has_no_time(name: str, last_line: str, results: int) -> None:
    text = sample(name)
    assert text.count(last_line) == 1
    (whole,), (cut,) = parse(text), parse(text.replace(last_line, ""))
    assert (whole.status, len(whole.measurements)) == (COMPLETE, results)
    assert (cut.status, cut.measurements) == (TRUNCATED, ())


@pytest.mark.parametrize(("name", "last_line", "results"), LAST_LINES)
def test_runs_in_one_file_are_separate(name: str, last_line: str, results: int) -> None:
    text = sample(name)
    runs = parse(text.replace(last_line, "") + text)
    assert [(run.status, len(run.measurements)) for run in runs] == [(TRUNCATED, 0), (COMPLETE, results)]


ROWS = [
    (
        "wrf/conus.txt",
        "    0.36107 elapsed",
        "        NaN elapsed",
        TRUNCATED,  # the only domain has no sum: nothing is left
        {},
        ["log:31: found NaN as the time of a step of domain 1; expected a number; no sum, no mean"],
    ),
    (
        "wrf/conus.txt",
        "WRF V4.4.1 MODEL\n",
        "",
        TRUNCATED,
        {},
        ["log:28: found steps without the beginning of the log; expected all steps; no sum and no mean"],
    ),
    (
        "wrf/conus.txt",
        "Timing for main: time 2019-11-26_12:00:45 on domain   1:    0.36107 elapsed seconds",
        "...",
        TRUNCATED,
        {},
        ["log:31: found ... where lines were omitted; expected all steps; no sum and no mean"],
    ),
    (
        "openfoam/simpleFoam.txt",
        "ClockTime = 11 s",
        "ClockTime = 11",
        TRUNCATED,
        {},
        [
            "log:65: found 'ExecutionTime = 9.74 s  ClockTime = 11'; expected an execution and a clock time; left out, "
            "and those before it"
        ],
    ),
    (
        "gromacs/md.txt",
        "  134.400    25600.0",
        "      nan    25600.0",
        COMPLETE,
        {"core": 34406.4},
        ["log:70: found nan as run_time; expected a number; left out"],
    ),
    ("cp2k/h2o-dft-ls.txt", "T I M I N G", "E N E R G Y", TRUNCATED, {}, []),
    (
        "cp2k/h2o-dft-ls.txt",
        "   52.402   52.404",
        "   52.402 ********",
        COMPLETE,
        {"average of ranks": 52.402},
        ["log:52: found ******** as run_time; expected a number; left out"],
    ),
]


@pytest.mark.parametrize(("name", "printed", "changed", "status", "times", "notices"), ROWS)
def test_a_changed_log_gives_no_wrong_time(
    name: str, printed: str, changed: str, status: RunStatus, times: dict[str, float], notices: list[str]
) -> None:
    text = sample(name)
    assert text.count(printed) == 1
    reading = read(text.replace(printed, changed), "log")
    (run,) = reading.runs
    in_run = {row.label: row.value for row in run.measurements if row.metric.value == "run_time"}
    assert (run.status, in_run, [str(notice) for notice in reading.notices]) == (status, times, notices)


MESHER = """\
Build  : 10-c4cf895ad8fa
Exec   : blockMesh
Date   : Mar 07 2023
Case   : /scratch/run1/motorBike
nProcs : 1
Create time

Writing polyMesh

End

"""


def test_a_program_of_openfoam_without_a_time_is_no_run() -> None:
    with pytest.raises(Refusal):
        parse(MESHER)
    (run,) = parse(MESHER + MESHER.replace("End\n", "") + sample("openfoam/simpleFoam.txt"))
    assert (run.test, run.status) == ("simpleFoam", COMPLETE)
    (cut,) = parse(MESHER.replace("End\n", ""))
    assert (cut.test, cut.status) == ("blockMesh", TRUNCATED)


def test_the_end_time_of_a_solver_is_that_of_a_page_that_omits_steps() -> None:
    (run,) = parse(sample("openfoam/simpleFoam.txt").replace("Time = 3\n", "Time = 500s\n"))
    assert run.parameters.end_time == "500"


def test_other_tables_of_an_application_are_no_rows_of_a_benchmark() -> None:
    """Energies and routines are rows of numbers without a table that is known; beside a benchmark they stay so."""
    perftest = (SAMPLES / "perftest" / "ib_write_bw_D.client.txt").read_text(encoding="utf-8")
    expected = [notice.found for notice in read(perftest).notices]
    for name, *_ in LAST_LINES:
        assert read(sample(name)).notices == ()
        assert [notice.found for notice in read(f"{sample(name)}\n{perftest}").notices] == expected


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("gromacs/fatal.txt", "There is no domain decomposition for 61 ranks that is compatible with the"),
        ("openfoam/fatal.txt", "cannot find file"),
        ("cp2k/abort.txt", "Unknown subsection GGA_X_RPW86"),
        ("wrf/fatal.txt", "--- ERROR: Time step too large"),
    ],
)
def test_an_error_fails_the_run(name: str, error: str) -> None:
    (run,) = parse(sample(name))
    assert run.status is FAILED
    assert (run.error or "").startswith(error)
    assert run.measurements == ()


@pytest.mark.parametrize(
    ("printed", "changed", "steps"),
    [
        ("", "", 2000),  # the command line overrides the input
        ("Overriding nsteps with value passed on the command line: 2000 steps, 4 ps\n", "", 10000),
        ("command line: 2000 steps, 4 ps", "command line: -1 steps", None),  # until the time is over
    ],
)
def test_the_steps_of_mdrun_are_those_that_it_computes(printed: str, changed: str, steps: int | None) -> None:
    (run,) = parse(sample("gromacs/md.txt").replace(printed, changed))
    assert run.parameters.time_steps == steps


TASKS = " Ntasks in X            4 , ntasks in Y            8\n"
VERSION = "WRF V4.3 MODEL\n"


@pytest.mark.parametrize(
    ("beginning", "ranks"),
    [
        (TASKS + VERSION, 32),
        (VERSION + TASKS, 32),
        (VERSION + TASKS + TASKS.replace("8", "16"), 32),  # a second line is not of this run
        (VERSION + " Ntasks in X 4 , ntasks in Y 16\n", 64),
        (VERSION + " Ntasks in X ,  4,  , ntasks in Y ,  16\n", 64),  # list-directed with commas
        (VERSION, None),
    ],
)
def test_ranks_of_wrf_before_or_after_its_version(beginning: str, ranks: int | None) -> None:
    text = sample("wrf/nested.txt")
    assert text.startswith(TASKS + VERSION)
    (run,) = parse(beginning + text.removeprefix(TASKS + VERSION))
    assert run.ranks == ranks
