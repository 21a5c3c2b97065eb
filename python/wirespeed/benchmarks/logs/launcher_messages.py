"""Messages that MPI launchers and libraries print: lines inside a benchmark's tables, and why a job ended.

From Open MPI's orte/tools/orterun/help-orterun.txt and PRRTE's help texts, MPICH's Hydra, Slurm's srun and slurmstepd,
and UCX's src/ucs/debug/log.c.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from wirespeed.benchmarks.logs.run_draft import Draft

NCCL_DEBUG = re.compile(
    r"(?:(?<=\s)|^)[A-Za-z][\w.-]*:\d+:\d+ \[-?\d+\] (?:\S+:\d+ )?NCCL (?:INFO|WARN|TRACE|ERROR|VERSION)\b.*"
)
UCX_LOG = re.compile(r"\[\d{6,}\.\d+\] +\[[^\]\s]+(?: +:)?[^\]]*\] .*")  # [seconds] [host:pid:thread] file:line level
MESSAGE = re.compile(rf"{NCCL_DEBUG.pattern}|{UCX_LOG.pattern}|\[[\w.-]+:\d+\] (?:\*\*\* |mca_|PMIX |btl_|\d+ more).*")
"""Messages that another stream writes into the middle of a line of a table."""

FAILURE = re.compile(
    r".*(?:\bSignal: |Caught signal \d|MPI_ABORT was invoked|MPI_Abort\(|srun: error:|slurmstepd: error:"
    r"|\*\*\* STEP \S+ ON |Segmentation fault|Bus error\b|An error occurred in MPI_|There are not enough slots"
    r"|Fatal error in |Assertion failed in file |UCX +(?:ERROR|FATAL) |\bFatal: |BAD TERMINATION OF|KILLED BY SIGNAL"
    r"|was unable to launch|An ORTE daemon has unexpectedly failed|DUE TO TIME LIMIT|Cannot allocate memory"
    r"|(?:CUDA|ROCM|HIP) call '.*' failed with).*"
)
ENDED = re.compile(
    r"(?:mpirun|mpiexec|prterun|srun) (?:noticed that|detected that) .*|Primary job +terminated normally, but .*"
)
"""Messages of a launcher about a process that failed; the process itself often printed the reason."""


def fail(draft: Draft, text: str) -> bool:
    """Note a message of a launcher or a library that a job failed; return whether ``text`` was one."""
    if FAILURE.match(text):
        draft.fail(text)
        return True
    if ENDED.match(text):
        if not draft.errors and not text.startswith("Primary job"):
            draft.fail(text)
        return True
    return False


def is_failure(text: str) -> bool:
    """Whether ``text`` is a message of a launcher or a library that a job failed."""
    return bool(FAILURE.match(text) or ENDED.match(text))


def note_failures(draft: Draft, texts: Iterable[str]) -> None:
    """Note every message with the reason of a failed job."""
    for text in texts:
        fail(draft, text)
