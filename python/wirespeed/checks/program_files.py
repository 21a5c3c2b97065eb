"""Which file or program of a host showed the version of a program of jobs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from wirespeed.checks.model import CheckContext, Outcome, UnreadError
from wirespeed.results.findings import Status

FIX = "run job-programs.sh as the user of the jobs, and put the lines that it prints at the top of ~/.bashrc"


def name_program_files(check: Callable[[CheckContext], Outcome]) -> Callable[[CheckContext], Outcome]:
    """The check, whose failures name the file or program that each of the wrong values was read from."""

    def check_and_name(context: CheckContext) -> Outcome:
        outcome = check(context)
        if outcome.status is not Status.FAIL:
            return outcome
        try:
            files = context.get_found_value("host.software.program_files")
        except UnreadError:
            return outcome
        names = [path.rpartition(".")[2] for path in outcome.differences]
        parts = [
            f"{name} from {files[name]}" if len(names) > 1 else f"from {files[name]}" for name in names if name in files
        ]
        return replace(outcome, found=f"{outcome.found} ({'; '.join(parts)})") if parts else outcome

    return check_and_name
