"""Logs read by several processes: the same shares, in the same order, as one process reads."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from wirespeed.cli import log_reader
from wirespeed.cli.log_files import log_files
from wirespeed.cli.log_reader import Readers
from wirespeed.cli.logs import LogFile
from wirespeed.errors import Refusal

SAMPLES = Path(__file__).parents[1] / "samples"


@pytest.fixture(autouse=True)
def small_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_reader, "SHARE", 4000)
    monkeypatch.setattr(log_reader, "_WORTH_IT", 0)


def logs(folder: Path) -> list[LogFile]:
    for tool in ("perftest", "nccl_tests", "iperf3"):
        shutil.copytree(SAMPLES / tool, folder / tool)
    return list(log_files([str(folder)]))


@pytest.mark.slow
def test_several_processes_read_what_one_reads(tmp_path: Path) -> None:
    files = logs(tmp_path)
    with Readers(files, 1) as single, Readers(files, 3) as three:
        serial_shares, parallel_shares = list(single), list(three)
    assert len(serial_shares) > 10
    assert sum(len(share.batch) for share in serial_shares) > 900
    assert any(share.notices for share in serial_shares)
    assert serial_shares == parallel_shares


@dataclass(frozen=True, slots=True)
class Deadly(LogFile):
    """A log whose reader dies, as the kernel kills one for its memory."""

    def content(self) -> bytes:
        os._exit(1)


def test_a_killed_reader_is_reported(tmp_path: Path) -> None:
    files = [*logs(tmp_path), Deadly("huge.log", tmp_path / "perftest")]
    with Readers(files, 2) as readers, pytest.raises(Refusal) as refusal:
        list(readers)
    assert str(refusal.value) == (
        "parsing logs: a process was killed\n"
        "  hint: probably out of memory; --jobs 1 needs less and continues after the logs stored so far"
    )
