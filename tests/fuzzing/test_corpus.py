"""The inputs that fuzzing kept, once more."""

from __future__ import annotations

from pathlib import Path

import pytest

from fuzzing.platform_outputs import decode
from fuzzing.targets import targets

CORPUS = Path(__file__).parents[2] / "fuzz" / "corpus"
RUST = {path.stem for path in (CORPUS.parent / "targets").glob("*.rs")}
"""Their inputs are replayed by ``cargo test`` (fuzz/README.md)."""


def test_every_target_has_a_corpus() -> None:
    assert {path.stem for path in CORPUS.glob("*.txt")} == targets().keys() | RUST


@pytest.mark.parametrize("path", sorted(CORPUS.glob("*.txt")), ids=lambda path: path.stem)
def test_a_corpus_is_written_by_a_run(path: Path) -> None:
    """A run keeps more inputs than the one of an added fault, and no more than fit."""
    content = path.read_text(encoding="ascii")
    assert content.count("\n") > 5
    assert len(content) <= 24 * 1024


@pytest.mark.parametrize("name", [name for name in targets() if name.startswith("platform_switch")])
def test_the_corpus_of_a_switch_has_outputs_of_its_commands(name: str) -> None:
    lines = (CORPUS / f"{name}.txt").read_text(encoding="ascii").splitlines()
    inputs = [line.encode().decode("unicode_escape").encode("latin-1") for line in lines]
    commands, names = (
        {command for content in part for command in decode(content)} for part in (targets()[name].seeds(), inputs)
    )
    assert len(commands & names) > len(commands) / 2


@pytest.mark.parametrize("name", targets())
def test_kept_inputs_hold_every_property(name: str) -> None:
    check = targets()[name].check
    for line in (CORPUS / f"{name}.txt").read_text(encoding="ascii").splitlines():
        check(line.encode().decode("unicode_escape").encode("latin-1"))
