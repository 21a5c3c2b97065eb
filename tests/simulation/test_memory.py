"""How much memory a stretch of work takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirespeed.simulation import memory
from wirespeed.simulation.memory import Memory

MIB = 1 << 20


def status(folder: Path, peak: int, resident: int) -> Path:
    """A /proc/self/status."""
    path = folder / "status"
    path.write_text(f"Name:\tpython\nVmHWM:\t{peak:8} kB\nVmRSS:\t{resident:8} kB\n")
    return path


def test_what_was_given_back_counts() -> None:
    measured = Memory()
    block = bytearray(64 * MIB)
    del block
    growth = measured.growth()
    peak = measured.peak()
    assert growth is not None
    assert peak is not None
    assert 60 * MIB < growth < 80 * MIB
    assert peak >= growth


def test_what_was_there_before_does_not_count() -> None:
    block = bytearray(64 * MIB)
    measured = Memory()
    del block
    growth = measured.growth()
    assert growth is not None
    assert growth < 16 * MIB


@pytest.mark.parametrize(
    ("can_reset", "peak_after", "growth"),
    [(True, 900, 400), (True, 700, 200), (False, 900, 400), (False, 800, None)],
)
def test_where_the_peak_cannot_be_reset_only_a_new_one_is_evidence(
    can_reset: bool, peak_after: int, growth: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "_STATUS", status(tmp_path, peak=800, resident=500))
    monkeypatch.setattr(memory, "_CLEAR_REFS", tmp_path / "clear_refs" if can_reset else tmp_path / "no" / "file")
    measured = Memory()
    status(tmp_path, peak=peak_after, resident=500)
    assert measured.growth() == (None if growth is None else growth * 1024)
    assert measured.peak() == max(800, peak_after) * 1024


def test_a_system_without_proc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_STATUS", tmp_path / "none")
    measured = Memory()
    assert (measured.peak(), measured.growth()) == (None, None)
