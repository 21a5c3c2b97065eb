"""What was wrong in a run, on its page and pictures: stretches of time in red, devices and cables dashed."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest
from result_view_sample import VICTIM, build_sample

from wirespeed.report.simulation import pictures
from wirespeed.report.simulation.fault_intervals import spans
from wirespeed.report.simulation.page import page
from wirespeed.results.simulation_types import Fault
from wirespeed.results.simulation_view import SimulationView
from wirespeed.simulation.result_view import view_result


def fault(start: float, end: float | None) -> Fault:
    return Fault("link-down", "spine1", (0,), (), start, end)


@pytest.mark.parametrize(
    ("faults", "expected"),
    [
        ([], []),
        ([fault(0, None)], []),
        ([fault(0, 100)], []),
        ([fault(100, None)], []),
        ([fault(25, 50)], [(150, 50, "1")]),
        ([fault(25, None)], [(150, 150, "1")]),
        ([fault(0, 50)], [(100, 100, "1")]),
        ([fault(50, 900)], [(200, 100, "1")]),
        ([fault(50, 50.001)], [(200, 1, "1")]),
        ([fault(0, None), fault(50, 75)], [(200, 50, "2")]),
        ([fault(50, 75), fault(25, 50)], [(150, 50, "2"), (200, 50, "1")]),
        ([fault(50, 75), fault(51, 80)], [(200, 50, "1, 2"), (202, 58, "")]),
        ([fault(50, 60), fault(50, 60)], [(200, 20, "1, 2"), (200, 20, "")]),
    ],
)
def test_stretches(faults: list[Fault], expected: list[tuple[float, float, str]]) -> None:
    """100 µs, drawn from 100 to 300; a label names the values that begin there."""
    found = spans(faults, 100_000_000, 100, 300)
    assert [(entry.x, entry.width, entry.label) for entry in found] == expected


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> SimulationView:
    return view_result(build_sample(tmp_path_factory.mktemp("view"), VICTIM, "all"))


@pytest.fixture(scope="module")
def faulty(view: SimulationView) -> SimulationView:
    half = view.summary.end_us / 2
    faults = (
        Fault("link-down", "switch 6", (6,), (), half, None),
        Fault("bit-errors", "<b>0-6", (), (0,), 0.0, None),
    )
    return dataclasses.replace(view, summary=dataclasses.replace(view.summary, faults=faults))


def test_on_the_page(view: SimulationView, faulty: SimulationView) -> None:
    healthy_page, text = page([view]), page([faulty])
    assert "Red areas" not in healthy_page
    assert "Dashed: devices" not in healthy_page
    assert 'class="span"' not in healthy_page
    half = f"{view.summary.end_us / 2:,.1f}"
    assert (
        f"<dt>fault</dt><dd>1: link-down at switch 6, from {half} µs</dd><dd>2: bit-errors at &lt;b&gt;0-6</dd>" in text
    )
    charts = len(re.findall(r'<figure class="chart">', text)) - len(faulty.distributions)
    assert text.count('<g class="span">') == charts + 1  # and the stripes
    assert text.count("Red areas: faults, with their numbers in the summary.") == charts + 1
    assert text.count("Dashed: devices and links with faults.") == 2
    boxes = re.findall(r'<g class="node faulty">.*?<title>(.*?)</title>', text)
    assert boxes == ["switch 6"] * 2
    assert sorted(set(re.findall(r'class="path h\d faulty" data-port="(\d+)"', text))) == ["0", "1"]


def test_on_pictures(view: SimulationView, faulty: SimulationView, tmp_path: Path) -> None:
    for name, svg in pictures.pictures([view]):
        assert 'class="span"' not in svg, name
    svg_by_name = dict(pictures.pictures([faulty]))
    texts = {name: " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", svg)) for name, svg in svg_by_name.items()}
    for name in ("pause-map", "network"):
        assert "; dashed: 1: link-down at switch 6, from " in texts[name], name
    for name in ("pauses", "deepest-queues"):
        assert svg_by_name[name].count('<g class="span">') == 1
        assert "ed areas: 1: link-down at switch 6, from " in texts[name], name
    assert 'class="span"' not in svg_by_name["completion-time"]
