"""Check the subjects of the latest commits: ``area: verb object``, 72 characters at most.

    python tools/commit_subjects.py

Nothing is checked without git.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable

LONGEST = 72
LATEST = 50
"""Commits that are checked. Some older subjects, which are on the main branch and cannot change, are longer."""

_SUBJECT = re.compile(r"[a-z][a-z0-9_/., -]*: \S.*[^.\s]")


def main() -> None:
    """Check the subjects of the latest commits."""
    command = ["git", "log", "--no-merges", "--format=%s", f"--max-count={LATEST}"]
    try:
        completed = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return
    problems = list(find_problems(completed.stdout.splitlines()))
    if problems:
        sys.exit("\n".join(problems))


def find_problems(subjects: Iterable[str]) -> Iterable[str]:
    """A message for each subject that does not fit."""
    for subject in subjects:
        if len(subject) > LONGEST:
            yield f"commit subject of {len(subject)} characters, expected {LONGEST} at most: {subject}"
        elif not _SUBJECT.fullmatch(subject):
            yield f"commit subject without `area: verb object`: {subject}"


if __name__ == "__main__":
    main()
