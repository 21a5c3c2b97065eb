"""That the daemons of a switch find each other however slowly they start."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from labs import ROUTERS

from needs import needs
from wirespeed.lab import frr
from wirespeed.reach import has_ended

# Replaces the command that enters a namespace: zebra starts slowly, and bgpd reports whether zebra replies to it.
_STAND_IN = """
import pathlib, socket, sys, time
run, name = pathlib.Path(sys.argv[1]), sys.argv[5]
listening = socket.socket(socket.AF_UNIX)
if name == "zebra":
    time.sleep(0.5)
    listening.bind(str(run / "zserv.api"))
    listening.listen()
    time.sleep(60)
if name == "bgpd":
    answer = listening.connect_ex(str(run / "zserv.api"))
    (run / "asked").write_text("it answers" if answer == 0 else "it does not")
"""


def _start_daemons(folder: Path, daemons: tuple[str, ...], stand_in: str = _STAND_IN) -> dict[str, int]:
    run = folder / "run" / "frr"
    run.mkdir(parents=True)
    script = folder / "stand_in.py"
    script.write_text(stand_in)
    return frr.start((sys.executable, str(script), str(run)), folder, daemons, subprocess.DEVNULL)


def test_bgpd_starts_when_zebra_answers(tmp_path: Path) -> None:
    needs(*ROUTERS)
    started = _start_daemons(tmp_path, ("zebra", "bgpd"))
    while not has_ended(started["bgpd"]):
        time.sleep(0.01)
    os.kill(started["zebra"], 9)
    assert (tmp_path / "run" / "frr" / "asked").read_text() == "it answers"


def test_nothing_starts_after_a_zebra_that_ended(tmp_path: Path) -> None:
    needs(*ROUTERS)
    assert list(_start_daemons(tmp_path, ("zebra", "bgpd"), "raise SystemExit(1)")) == ["zebra"]
