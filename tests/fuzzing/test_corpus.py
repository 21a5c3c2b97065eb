"""The inputs that fuzzing kept, once more."""

from __future__ import annotations

from pathlib import Path

import pytest

from fuzzing.targets import targets

CORPUS = Path(__file__).parents[2] / "fuzz" / "corpus"
RUST = {path.stem for path in (CORPUS.parent / "targets").glob("*.rs")}
"""Their inputs are replayed by ``cargo test`` (fuzz/README.md)."""


def test_every_target_has_a_corpus() -> None:
    assert {path.stem for path in CORPUS.glob("*.txt")} == targets().keys() | RUST


@pytest.mark.parametrize("name", targets())
def test_kept_inputs_hold_every_property(name: str) -> None:
    check = targets()[name].check
    for line in (CORPUS / f"{name}.txt").read_text(encoding="ascii").splitlines():
        check(line.encode().decode("unicode_escape").encode("latin-1"))
