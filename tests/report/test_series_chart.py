"""Several series over each other: positions, axes, and the command that draws them."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from wirespeed.cli.app import app
from wirespeed.errors import Refusal
from wirespeed.report.series_chart import COLORS, Axis, SizeSeries, draw, svg

KIB = 2**10
BENCH = Path(__file__).parents[2] / "examples" / "mi300x-4node" / "bench"
ONE_HOST, FOUR_HOSTS = BENCH / "all-reduce-1-node.log", BENCH / "all-reduce-4-nodes-32-processes.log"


def curve(name: str, factor: float) -> SizeSeries:
    return SizeSeries(name, tuple((KIB << step, factor * (step + 1)) for step in range(8)))


def test_each_series_has_its_color_and_name():
    picture = draw("QPI and P2P", "busbw in GB/s", [curve("QPI", 0.9), curve("P2P", 1.3)])
    assert [(line.name, line.color) for line in picture.lines] == [("QPI", COLORS[0]), ("P2P", COLORS[1])]
    document = ElementTree.fromstring(svg(picture))
    texts = [element.text for element in document.iter("{http://www.w3.org/2000/svg}text")]
    assert {"QPI and P2P", "busbw in GB/s", "QPI", "P2P", "message size"} <= set(texts)


def test_a_slow_network_under_a_fast_one_is_visible_on_a_logarithmic_axis_only():
    """0.11 GB/s of gigabit Ethernet beside 7 GB/s of a PCIe switch: a line on the frame when linear."""
    slow, fast = SizeSeries("GigE", ((KIB, 0.1), (2 * KIB, 0.11))), SizeSeries("SmartIO", ((KIB, 5.0), (2 * KIB, 7.0)))
    linear, logarithmic = (draw("", "", [slow, fast], values=axis) for axis in (Axis.LINEAR, Axis.LOG))
    assert linear.bottom - linear.lines[0].dots[1][1] < 8
    assert linear.bottom - linear.lines[0].dots[0][1] < 8
    assert logarithmic.lines[0].dots[0][1] - logarithmic.lines[1].dots[1][1] > 350
    assert [tick.label for tick in logarithmic.y_ticks] == ["0.1", "0.2", "0.5", "1", "2", "5", "10"]


def test_a_tick_is_where_its_value_is():
    for axis in Axis:
        picture = draw("", "", [SizeSeries("a", ((KIB, 1.0), (4 * KIB, 100.0)))], values=axis, sizes=axis)
        heights = {tick.label: tick.position for tick in picture.y_ticks}
        positions = {tick.label: tick.position for tick in picture.x_ticks}
        assert picture.lines[0].dots[1][1] == heights["100"]
        assert picture.lines[0].dots[1][0] == positions["4 KiB"]


@pytest.mark.parametrize("highest", [2.0, 333.45, 99999.0, 123456.0, 4e7])
def test_the_highest_value_is_not_above_the_last_tick(highest):
    for axis in Axis:
        picture = draw("", "", [SizeSeries("a", ((KIB, 1.1), (4 * KIB, highest)))], values=axis)
        heights = [tick.position for tick in picture.y_ticks]
        assert heights[0] == picture.bottom
        assert heights[-1] == picture.top
        assert 2 <= len(heights) <= 9
        assert picture.lines[0].dots[1][1] >= picture.top


def test_thousands_have_a_separator():
    picture = draw("", "", [SizeSeries("a", ((KIB, 1.0), (4 * KIB, 12800.0)))])
    assert [tick.label for tick in picture.y_ticks] == ["0", "5,000", "10,000", "15,000"]


def test_repeated_runs_are_a_line_with_an_area():
    """The area goes along the highest values and back along the lowest ones; a line of text explains it."""
    ranges = ((KIB, 1.0, 3.0), (2 * KIB, 2.0, 4.0))
    picture = draw("", "", [SizeSeries("a", ((KIB, 2.0), (2 * KIB, 3.0)), ranges), SizeSeries("b", ((KIB, 1.0),))])
    repeated, single = picture.lines
    heights = {tick.label: tick.position for tick in picture.y_ticks}
    corners = [tuple(map(float, corner.split())) for corner in repeated.band.strip("MZ ").split(" L")]
    assert [y for _, y in corners] == [heights["3"], heights["4"], heights["2"], heights["1"]]
    assert single.band == ""
    assert "lowest to highest value of the repeated runs" in svg(picture)
    assert draw("", "", [curve("b", 1.0)]).note == ""


def test_values_without_a_place_on_a_logarithmic_axis_are_left_out():
    picture = draw("", "", [SizeSeries("a", ((KIB, 0.0), (2 * KIB, 5.0)))], values=Axis.LOG)
    assert len(picture.lines[0].dots) == 1
    assert draw("", "", [SizeSeries("a", ((KIB, 0.0),))], values=Axis.LOG).lines[0].path == ""


def test_long_names_take_further_lines_of_the_legend():
    names = [f"a series with a name of some length, number {number}" for number in range(6)]
    picture = draw("", "", [curve(name, 1.0) for name in names])
    assert len({line.legend_y for line in picture.lines}) == 6
    assert all(line.legend_x == picture.left for line in picture.lines)
    assert picture.height > max(line.legend_y for line in picture.lines)


def chart(*arguments: object):
    return CliRunner().invoke(app, ["bench", "chart", *map(str, arguments)])


@pytest.mark.parametrize("name", ["both.svg", "both.png"])
def test_logs_become_a_picture(tmp_path, name):
    result = chart(f"one host={ONE_HOST}", f"four hosts={FOUR_HOSTS}", "-o", tmp_path / name)
    assert result.exit_code == 0, result.output
    content = (tmp_path / name).read_bytes()
    assert content.startswith(b"<svg" if name.endswith("svg") else b"\x89PNG")
    if name.endswith("svg"):
        assert b"busbw (out-of-place) in GB/s" in content
        assert b">one host<" in content


def test_repeated_runs_of_a_folder_are_one_curve(tmp_path):
    """Five copies of one log: one curve with the same values as one log alone, and its number of runs."""
    folder = tmp_path / "night"
    folder.mkdir()
    for number in range(5):
        (folder / f"{number}.log").write_bytes(ONE_HOST.read_bytes())
    assert chart(folder, FOUR_HOSTS, "-o", tmp_path / "a.svg").exit_code == 0
    texts = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert ">night (median of 5 runs)<" in texts
    assert texts.count("<title>night (median of 5 runs), 16 GiB: 316.5</title>") == 1
    assert "shaded area: lowest to highest value of the repeated runs" in texts


def test_times_are_drawn_too(tmp_path):
    arguments = (ONE_HOST, FOUR_HOSTS, "--metric", "time", "--value-axis", "log", "-o", tmp_path / "time.svg")
    assert chart(*arguments).exit_code == 0
    assert "time (out-of-place) in µs" in (tmp_path / "time.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((ONE_HOST, "-o", "a.jpeg"), "no format for the name"),
        ((ONE_HOST, "--metric", "bwavg", "-o", "a.svg"), "expected one of time, algbw, busbw"),
        ((ONE_HOST, "--value-label", "inplace", "-o", "a.svg"), "a label of all-reduce-1-node: out-of-place, in-place"),
        ((f"a={ONE_HOST}", f"a={FOUR_HOSTS}", "-o", "a.svg"), "a second curve named 'a'; expected a name for each"),
        ((f"={ONE_HOST}", "-o", "a.svg"), "an empty name before '='; expected NAME=FILE or FILE"),
        ((BENCH.parents[1] / "esnet-400g/bench/iperf3-8-streams.log", "-o", "a.svg"), "no values of several message"),
    ],
)
def test_what_cannot_be_drawn_is_refused(tmp_path, monkeypatch, arguments, problem):
    monkeypatch.chdir(tmp_path)
    result = chart(*arguments)
    assert isinstance(result.exception, Refusal)
    assert problem in str(result.exception)
