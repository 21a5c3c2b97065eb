"""The pages that list what `wirespeed sim compare` changes for an algorithm agree with the settings that it applies."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import typer

from wirespeed.cli.app import app
from wirespeed.settings import Congestion
from wirespeed.simulation.algorithm_settings import ALGORITHM_SETTINGS, ROWS, AlgorithmSettings

ROOT = Path(__file__).parents[2]


def list_kinds(settings: AlgorithmSettings) -> set[str]:
    """Which rows of a page apply to the settings of an algorithm."""
    kinds = {
        "slope": settings.plan is Congestion.DCQCN_P,
        "step": settings.step,
        "every marked packet": settings.every_mark,
        "no PFC": settings.ultra_ethernet,
    }
    return {kind for kind, applies in kinds.items() if applies}


EXPECTED = {row: list_kinds(settings) for row, settings in ALGORITHM_SETTINGS.items()}
LISTED = {"line-rate": set[str](), **EXPECTED}
"""The name line-rate is listed because it is no congestion control."""


def read_page(rows: list[tuple[str, str]]) -> dict[str, set[str]]:
    """The kinds of each algorithm, from rows of algorithms and changes."""
    settings_by_algorithm: dict[str, set[str]] = defaultdict(set)
    for algorithms, changes in rows:
        for algorithm in re.split(r",\s*", algorithms):
            settings_by_algorithm[algorithm] |= {
                kind
                for kind in ("slope", "step", "every marked packet", "no PFC")
                if re.search(rf"\b{kind}\b", changes)
            }
    return dict(settings_by_algorithm)


def test_settings_are_those_of_algorithms() -> None:
    assert set(ALGORITHM_SETTINGS) < set(ROWS)
    assert all(EXPECTED.values())


def test_the_help_lists_every_algorithm_with_settings() -> None:
    command = typer.main.get_command(app).commands["sim"].commands["compare"]  # type: ignore[attr-defined]
    (table,) = (part for part in command.help.split("\n\n") if "all others" in part)
    rows: list[tuple[str, str]] = []
    for line in table.replace("\b", "").strip("\n").splitlines():
        algorithms, changes = line[:24].strip(), line[24:].strip()
        if line.startswith("  ") or not algorithms:
            rows[-1] = (f"{rows[-1][0]} {algorithms}".strip(), f"{rows[-1][1]} {changes}")
        else:
            rows.append((algorithms, changes))
    assert rows.pop() == ("all others", "no changes")
    assert read_page(rows) == LISTED


def test_the_guide_lists_every_algorithm_with_settings() -> None:
    text = (ROOT / "docs" / "guides" / "simulate.md").read_text(encoding="utf-8")
    table = text.partition("| algorithm | changed settings |\n| --- | --- |\n")[2].partition("\n\n")[0]
    rows = [tuple(cell.strip().replace("`", "") for cell in line.strip("|").split("|")) for line in table.splitlines()]
    assert rows.pop() == ("all others", "none")
    assert read_page([(algorithms, changes) for algorithms, changes in rows]) == LISTED
