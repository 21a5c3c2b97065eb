"""Scenarios small enough for a test, and the command line run on them."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import command_line

FLOW = {"src": 0, "dst": 2, "bytes": 1 << 20, "start_ns": 0}
INCAST: dict[str, Any] = {
    "name": "incast",
    "hosts": 3,
    "switches": 1,
    "link_gbps": 100,
    "link_delay_ns": 1000,
    "links": [[0, 3], [1, 3], [2, 3]],
    "flows": [FLOW, {**FLOW, "src": 1}],
}
"""Two hosts to one, 1 MiB each. Ports: 0-3 is 0, 3-0 is 1, 1-3 is 2, 3-1 is 3, 2-3 is 4, 3-2 is 5."""


def many_to_one(senders: int, size: int = 1 << 20, **options: Any) -> dict[str, Any]:
    """Hosts 0 to ``senders`` - 1 send to the next one through one switch."""
    return {
        **INCAST,
        "name": f"{senders} to 1",
        "hosts": senders + 1,
        "links": [[host, senders + 1] for host in range(senders + 1)],
        "flows": [{**FLOW, "src": host, "dst": senders, "bytes": size} for host in range(senders)],
        **options,
    }


def write_scenario(folder: Path, scenario: dict[str, Any]) -> Path:
    """The scenario as a file."""
    path = folder / "scenario.json"
    path.write_text(json.dumps(scenario))
    return path


def wirespeed(*arguments: str | Path, cwd: Path | None = None) -> CompletedProcess[str]:
    """``wirespeed sim run`` in this process."""
    return command_line.wirespeed("sim", "run", *arguments, cwd=cwd)


def command(*arguments: str | Path) -> list[str]:
    """The arguments that start it as a separate process."""
    return [sys.executable, "-m", "wirespeed", "sim", "run", *map(str, arguments)]


ENVIRONMENT = {**os.environ, "NO_COLOR": "1", "COLUMNS": "120"}
