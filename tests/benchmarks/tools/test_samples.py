"""Logs of real and of made runs against what must be read from each, in ``expected.json`` beside them.

WIRESPEED_ACCEPT=1 writes these files anew; read them against the logs before committing.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.benchmarks.tools.samples import LOGS, compare_expected, readable, reading

from wirespeed.benchmarks.logs.log import source
from wirespeed.benchmarks.tools.reader import find_tools, tools


@pytest.mark.parametrize("folder", sorted({log.parent for log in LOGS}), ids=lambda folder: folder.name)
def test_every_log_gives_what_stands_beside_it(folder: Path) -> None:
    texts = {log.name: readable(reading(log)) for log in LOGS if log.parent == folder}
    assert compare_expected(folder, texts) == []


@pytest.mark.slow
@pytest.mark.parametrize("log", LOGS, ids=lambda log: f"{log.parent.name}/{log.name}")
def test_what_a_tool_reads_has_one_of_its_signs(log: Path) -> None:
    text = log.read_text()
    for part in (text, *text.splitlines(keepends=True)):
        part_log = source(part)
        signed = find_tools(part_log)
        for tool in tools():
            assert tool in signed or not tool.read(part_log), (tool.name, part)
