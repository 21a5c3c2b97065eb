"""Logs of real and of made runs against what must be read from each, in the file beside it.

WIRESPEED_ACCEPT=1 writes those files anew; read them against the log before committing.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tests.benchmarks.tools.samples import LOGS, expected_path, readable, reading

from wirespeed.benchmarks.logs.log import source
from wirespeed.benchmarks.tools.reader import find_tools, tools


@pytest.mark.parametrize("log", LOGS, ids=lambda log: f"{log.parent.name}/{log.name}")
def test_every_log_gives_what_stands_beside_it(log: Path) -> None:
    text = readable(reading(log))
    if os.environ.get("WIRESPEED_ACCEPT"):
        expected_path(log).write_text(text)
    assert json.loads(text)
    assert text == expected_path(log).read_text()


@pytest.mark.parametrize("log", LOGS, ids=lambda log: f"{log.parent.name}/{log.name}")
def test_what_a_tool_reads_has_one_of_its_signs(log: Path) -> None:
    text = log.read_text()
    for part in (text, *text.splitlines(keepends=True)):
        part_log = source(part)
        signed = find_tools(part_log)
        for tool in tools():
            assert tool in signed or not tool.read(part_log), (tool.name, part)
