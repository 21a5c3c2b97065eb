"""Subjects of commits: ``area: verb object``, 72 characters at most."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

TOOL = runpy.run_path(str(Path(__file__).parents[2] / "tools" / "commit_subjects.py"))


@pytest.mark.parametrize("subject", ["checks: add path MTU check", "report, render: name ports", "docs: " + 66 * "x"])
def test_a_subject_of_the_form_is_accepted(subject: str) -> None:
    assert list(TOOL["find_problems"]([subject])) == []


@pytest.mark.parametrize(
    ("subject", "problem"),
    [
        ("docs: " + 67 * "x", "commit subject of 73 characters, expected 72 at most"),
        ("Add path MTU check", "commit subject without `area: verb object`"),
        ("checks: ", "commit subject without `area: verb object`"),
        ("Checks: add path MTU check", "commit subject without `area: verb object`"),
        ("checks: add path MTU check.", "commit subject without `area: verb object`"),
    ],
)
def test_another_subject_is_refused(subject: str, problem: str) -> None:
    assert list(TOOL["find_problems"](["sim: keep worker threads", subject])) == [f"{problem}: {subject}"]
