"""The inputs that fuzzing kept, once more."""

from __future__ import annotations

from pathlib import Path

import pytest

from fuzzing.targets import targets

CORPUS = Path(__file__).parents[2] / "fuzz" / "corpus"
TARGETS = {name: target for name, target in targets().items() if (CORPUS / f"{name}.txt").is_file()}


@pytest.mark.parametrize("name", TARGETS)
def test_kept_inputs_hold_every_property(name: str) -> None:
    for line in (CORPUS / f"{name}.txt").read_text(encoding="ascii").splitlines():
        TARGETS[name].check(line.encode().decode("unicode_escape").encode("latin-1"))
