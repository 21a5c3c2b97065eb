"""Notes on a failed run: whether its values can be used, and where its cause is."""

from __future__ import annotations

from wirespeed.benchmarks.logs.error_causes import causes, is_flushed
from wirespeed.results.benchmarks import Run, RunStatus

OTHER_END = "APP-06"  # of the failure catalogue

_ROW_AFTER_ITERATIONS = frozenset({"perftest"})
"""Tools that print a row after all its iterations have completed (perftest, src/send_bw.c and the other tests:
``print_report_bw`` follows ``run_iter_bw``, whose error ends the program)."""


def list_notes(run: Run) -> tuple[str, ...]:
    """Notes for a person; none for a run that did not fail."""
    if run.status is not RunStatus.FAILED:
        return ()
    notes = []
    if OTHER_END in run.failures:
        notes.append("read the log of the other end: its first error is the cause; without a log, start it first")
    elif run.error and is_flushed(run.error) and causes(run.error) == run.failures:
        notes.append(
            "status 5 follows another error: requests are flushed after the connection has failed or the other end "
            "has ended; the first error in the logs of all ranks is the cause"
        )
    if run.measurements and run.tool in _ROW_AFTER_ITERATIONS:
        notes.append(
            f"the values are usable: {run.tool} prints a row after all its iterations, and the error came later"
        )
    if run.error and not run.failures:
        notes.append("no cause of this error is known")
    return tuple(notes)
