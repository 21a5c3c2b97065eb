"""Cluster files beside their exact messages, by subject.

A row of ``<subject>.txt`` is the cluster file, other files that it names, and every message, refusal or warning.
``WIRESPEED_ACCEPT=1 pytest tests/refusals`` writes the messages again; read the difference.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from wirespeed import render
from wirespeed.cluster import read
from wirespeed.errors import Problem, Refusal
from wirespeed.plan import build

FOLDER = Path(__file__).parent
SUBJECTS = sorted(path.stem for path in FOLDER.glob("*.txt"))
ROW = re.compile(r"^=== (\S+)\n", re.MULTILINE)
FILE = re.compile(r"^--- (\S+)\n", re.MULTILINE)

Row = dict[str, str]
"""Text by file name; the cluster file is the first, ``messages`` the last."""


@pytest.mark.parametrize("subject", SUBJECTS)
def test_messages_are_exact(subject: str, tmp_path: Path) -> None:
    path = FOLDER / f"{subject}.txt"
    rows = parse_rows(path)
    if os.environ.get("WIRESPEED_ACCEPT"):
        path.write_text("".join(format_row(row, messages(row, tmp_path)) for row in rows), encoding="utf-8")
    assert {next(iter(row)): messages(row, tmp_path) for row in rows} == {
        next(iter(row)): row["messages"] for row in parse_rows(path)
    }


def test_cluster_files_have_different_names() -> None:
    names = [next(iter(row)) for subject in SUBJECTS for row in parse_rows(FOLDER / f"{subject}.txt")]
    assert len(names) == len(set(names)) > 130


def test_no_message_ends_in_a_full_stop() -> None:
    for subject in SUBJECTS:
        for row in parse_rows(FOLDER / f"{subject}.txt"):
            for line in row["messages"].splitlines():
                assert line and not line.endswith("."), next(iter(row))


def test_another_encoding_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "not-utf-8.yaml"
    path.write_bytes("version: 1\nname: smäll\n".encode("iso-8859-1"))
    with pytest.raises(Refusal) as refusal:
        read(path)
    assert format_problems("error", refusal.value.problems, tmp_path) == (
        "error: not-utf-8.yaml:2: found the byte 0xe4; expected text in UTF-8\n"
    )


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refusal) as refusal:
        read(tmp_path / "no-such.yaml")
    assert format_problems("error", refusal.value.problems, tmp_path) == (
        "error: no-such.yaml: no such file; expected a cluster file\n"
        "  hint: `wirespeed init` writes one to start from\n"
    )


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refusal) as refusal:
        read(tmp_path)
    assert str(refusal.value) == (f"{tmp_path}: found a folder; expected a cluster file\n  hint: name the file in it")


def parse_rows(path: Path) -> list[Row]:
    """The rows of a subject."""
    _, *parts = ROW.split(path.read_text(encoding="utf-8"))
    rows = []
    for name, text in zip(parts[::2], parts[1::2], strict=True):
        cluster, *files = FILE.split(text.removesuffix("\n"))
        rows.append({name: cluster, **dict(zip(files[::2], files[1::2], strict=True))})
        assert list(rows[-1])[-1] == "messages", name
    return rows


def format_row(row: Row, messages: str) -> str:
    """A row as it is in the file of its subject."""
    (name, cluster), *files = row.items()
    return (
        f"=== {name}\n{cluster}"
        + "".join(f"--- {file}\n{messages if file == 'messages' else text}" for file, text in files)
        + "\n"
    )


def messages(row: Row, folder: Path) -> str:
    """Every message about a row's cluster file, without the folder it is in."""
    for name, text in row.items():
        (folder / name).write_text(text, encoding="utf-8")
    try:
        plan = build(read(folder / next(iter(row))))
        render.check(plan)
    except Refusal as refusal:
        return format_problems("error", refusal.problems, folder)
    return format_problems("warning", plan.warnings, folder)


def format_problems(label: str, problems: tuple[Problem, ...], folder: Path) -> str:
    """A line for each problem, without the folder of the cluster file."""
    return "".join(f"{label}: {problem}\n" for problem in problems).replace(f"{folder}/", "")
