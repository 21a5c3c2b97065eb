"""A log cut anywhere, wrapped in anything, or no log at all."""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.benchmarks.tools.samples import LOGS

from wirespeed.benchmarks import parse
from wirespeed.errors import Refusal
from wirespeed.results.benchmarks import Measurement, Metric, Run, RunStatus
from wirespeed.results.json import document, plain
from wirespeed.results.parameters import flatten

TEXTS = [log.read_text() for log in LOGS]
PIECES = ['{"', '":', "{", "[", "]", "}", ",", "1e999", '"start"', "\n", '"\\ud800"']


def runs(text: str) -> tuple[Run, ...]:
    """The runs of a log; none when it is refused by its name."""
    try:
        return parse(text)
    except Refusal as refusal:
        assert [problem.location for problem in refusal.problems] == ["text"]
        return ()


def comparable_text(run: Run) -> str:
    """A run as comparable text, without where its lines came from."""
    body = plain(run)
    body["parameters"].pop("process_label", None)
    return json.dumps(body, sort_keys=True)


def flatten_parameters(run: Run) -> Iterator[tuple[str, object]]:
    """The parameters of a run, one entry for each entry of a mapping."""
    return flatten(plain(run.parameters))


class Whole:
    """A complete log, with which many others are compared."""

    def __init__(self, text: str) -> None:
        self.runs = runs(text)
        self.texts = [comparable_text(run) for run in self.runs]
        self._measurements = {measurement for run in self.runs for measurement in run.measurements}
        self._truncated = sum(run.status is RunStatus.TRUNCATED for run in self.runs)

    def assert_has(self, part: tuple[Run, ...]) -> None:
        """What was cut from it gives nothing else."""
        assert len(part) <= len(self.runs)
        for cut, full in zip(part, self.runs, strict=False):
            assert all(self._has_factor(measurement) for measurement in set(cut.measurements) - self._measurements)
            assert cut.status is not RunStatus.COMPLETE or comparable_text(cut) in self.texts
            assert cut.ranks in (None, full.ranks)
            assert dict(flatten_parameters(cut)).items() <= dict(flatten_parameters(full)).items()
        assert sum(run.status is RunStatus.TRUNCATED for run in part) <= 1 + self._truncated

    def _has_factor(self, computed: Measurement) -> bool:
        """Whether the log prints a factor that is computed from its tables where it is cut: to one decimal."""
        return computed.metric in (Metric.IMPACT_AVG, Metric.IMPACT_P99) and any(
            (printed.metric, printed.size_bytes, printed.label)
            == (computed.metric, computed.size_bytes, computed.label)
            and abs(float(printed.value) - float(computed.value)) <= 0.1
            for printed in self._measurements
        )


whole = cache(Whole)


# Reports of several processes of iperf3 are one run only where all are whole: test_iperf3_processes.py cuts them.
SINGLE_REPORTS = [log.read_text() for log in LOGS if log.name != "two-processes.json"]


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(SINGLE_REPORTS), st.data())
def test_a_cut_log_gives_no_number_the_whole_log_does_not(text: str, data: st.DataObject) -> None:
    end = data.draw(st.integers(0, len(text)))
    whole(text).assert_has(runs(text[:end]))


@pytest.mark.slow
@pytest.mark.parametrize("log", LOGS, ids=lambda log: f"{log.parent.name}/{log.name}")
def test_a_log_cut_in_every_number_of_its_last_lines(log: Path) -> None:
    text = log.read_text()
    for end in range(max(0, len(text) - 60), len(text)):
        whole(text).assert_has(runs(text[:end]))


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=400))
def test_arbitrary_bytes_are_refused_or_read(content: bytes) -> None:
    document("bench-runs", 1, runs=runs(content.decode(errors="replace")))


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(TEXTS), st.data())
def test_damaged_logs_never_break_the_reader(text: str, data: st.DataObject) -> None:
    start, end = sorted((data.draw(st.integers(0, len(text))), data.draw(st.integers(0, len(text)))))
    damage = data.draw(st.text(max_size=20))
    document("bench-runs", 1, runs=runs(text[:start] + damage + text[end:]))


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.sampled_from(['{"', '":', "{", "[", "]", "}", ",", "1e999", '"start"', "\n", '"\\ud800"']), max_size=60)
)
def test_damaged_json_never_breaks_the_reader(pieces: list[str]) -> None:
    document("bench-runs", 1, runs=runs("{" + "".join(pieces))).encode()


# Forms: moreutils ts(1); systemd journalctl(1); Open MPI mpirun(1) --timestamp-output (a public log with it:
# https://github.com/openucx/ucx/issues/4986); log4j PatternLayout; Python logging; Airflow 2; `gh run view --log`;
# GitLab job logs; Jenkins Timestamper; the log format of the Kubernetes container runtime interface; Docker's json-file
# driver.
WRAPPERS: dict[str, Callable[[str], str]] = {
    "carriage returns": lambda line: line + "\r",
    "quoted mail": lambda line: f"> {line}",
    "mail quoted twice": lambda line: f">> {line}",
    "mpirun --tag-output": lambda line: f"[1,0]<stdout>:{line}",
    "mpirun --tag-output of Open MPI 5": lambda line: f"[prterun-alpha-71@1,3]<stdout>: {line}",
    "srun --label": lambda line: f" 3: {line}",
    "mpiexec -prepend-rank": lambda line: f"[0] {line}",
    "kubectl logs --timestamps": lambda line: f"2026-01-02T10:11:12.123456Z {line}",
    "kubectl logs --prefix": lambda line: f"[pod/launcher-x7/main] {line}",
    "pdsh": lambda line: f"alpha: {line}",
    "docker compose": lambda line: f"worker-0  | {line}",
    "colours": lambda line: f"\x1b[1;32m{line}\x1b[0m",
    "ts": lambda line: f"Nov 22 10:15:01 {line}",
    "ts -s": lambda line: f"00:00:07 {line}",
    "journalctl": lambda line: f"Nov 22 10:15:01 alpha job.sh[4242]: {line}",
    "mpirun --timestamp-output": lambda line: f"Mon Apr  6 14:58:07 2020[1,1]<stdout>:{line}",
    "mpirun --timestamp-output without a tag": lambda line: f"Mon Apr  6 14:58:07 2020<stdout>:{line}",
    "log4j": lambda line: f"2026-01-02 10:11:12,123 INFO  [main] com.example.Job: {line}",
    "Python logging": lambda line: f"2026-01-02 10:11:12,123 - root - INFO - {line}",
    "Airflow": lambda line: f"[2026-01-02, 10:11:12 UTC] {{subprocess.py:93}} INFO - {line}",
    "GitHub Actions": lambda line: f"bench\tRun tests\t2026-01-02T10:11:12.1234567Z {line}",
    "GitLab": lambda line: f"2026-01-02T10:11:12.123456Z 00O {line}",
    "Jenkins": lambda line: f"10:11:12  {line}",
    "CRI": lambda line: f"2026-01-02T10:11:12.123456789Z stdout F {line}",
    "Docker json-file": lambda line: json.dumps({"log": f"{line}\n", "stream": "stdout"}),
    "standard output in brackets": lambda line: f"[STDOUT] {line}",
    "character references": lambda line: html.escape(line),
    "blanks of a web page": lambda line: line.replace(" ", "\u00a0"),
    "indented": lambda line: f"        {line}",
    "trailing blanks": lambda line: f"{line}   ",
}


@pytest.mark.slow
@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_what_a_wrapper_adds_changes_nothing(wrapper: str) -> None:
    for log, text in zip(LOGS, TEXTS, strict=True):
        if text.count("\n") < 2:  # a host's name before a single line makes it another
            continue
        wrapped = "".join(
            WRAPPERS[wrapper](line.removesuffix("\n")) + ("\n" if line.endswith("\n") else "")
            for line in text.splitlines(keepends=True)
        )
        assert [comparable_text(run) for run in runs(wrapped)] == whole(text).texts, log.name


@pytest.mark.slow
def test_the_order_of_logs_in_a_file_is_the_order_of_runs() -> None:
    def is_whole(log: Path) -> bool:
        return log.suffix == ".txt" and all(run.status is RunStatus.COMPLETE for run in runs(log.read_text()))

    whole = [log for log in LOGS if is_whole(log)]
    texts = [log.read_text() for log in whole]
    joint_runs = parse("\n".join(texts))
    separate_runs = [run for text in texts for run in parse(text)]
    assert [run.test for run in joint_runs] == [run.test for run in separate_runs]
    assert [[measurement.value for measurement in run.measurements] for run in joint_runs] == [
        [measurement.value for measurement in run.measurements] for run in separate_runs
    ]
