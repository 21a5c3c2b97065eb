"""Bad input beside its exact message: every NAME.yaml is refused, or warned of, in the words of NAME.txt."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirespeed.cluster import read
from wirespeed.errors import Problem, Refused
from wirespeed.plan import build

HERE = Path(__file__).parent
CASES = sorted(path.stem for path in HERE.glob("*.yaml"))


def said(path: Path) -> str:
    """Everything wirespeed says of a cluster file, without the folder it is in."""
    try:
        plan = build(read(path))
    except Refused as refused:
        return _lines("refused", refused.problems)
    return _lines("warning", plan.warnings)


def _lines(label: str, problems: tuple[Problem, ...]) -> str:
    return "".join(f"{label}: {problem}\n" for problem in problems).replace(f"{HERE}/", "")


@pytest.mark.parametrize("name", CASES)
def test_says_exactly(name: str) -> None:
    assert said(HERE / f"{name}.yaml") == (HERE / f"{name}.txt").read_text(encoding="utf-8")


def test_every_message_has_its_input() -> None:
    assert sorted(path.stem for path in HERE.glob("*.txt")) == CASES


def test_no_message_ends_in_a_full_stop() -> None:
    for name in CASES:
        for line in (HERE / f"{name}.txt").read_text(encoding="utf-8").splitlines():
            assert line and not line.endswith("."), name


def test_a_missing_file_is_refused() -> None:
    with pytest.raises(Refused) as refused:
        read(HERE / "no-such.yaml")
    assert _lines("refused", refused.value.problems) == (
        "refused: no-such.yaml: found no such file; expected a cluster file\n"
        "  hint: `wirespeed init` writes one to start from\n"
    )


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused) as refused:
        read(tmp_path)
    assert str(refused.value) == (f"{tmp_path}: found a folder; expected a cluster file\n  hint: name the file in it")
