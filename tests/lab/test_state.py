"""The state of a lab on disk, which needs no root."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirespeed.lab import state
from wirespeed.results.lab import LabDevice, LabState, Phase, Role


def test_a_saved_state_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(state, "ROOT", tmp_path)
    lab = LabState("a", "c", "c.yaml", "2026-01-01T00:00:00Z", Phase.UP, (LabDevice("h1", Role.HOST, "wsl-a-h1"),), ())
    state.save(lab)
    assert state.load("a") == lab
