"""Where comparisons and histories are drawn."""

import dataclasses
from xml.etree import ElementTree

import history_sample
import pytest
import report_sample as sample

from wirespeed.report import change_chart, history_chart, junit, prometheus
from wirespeed.results.campaign_history import Summary


def test_the_median_before_stands_on_the_line_of_no_change():
    picture = change_chart.draw(history_sample.COMPARISON)
    assert {row.before.median for row in picture.rows} == {picture.baseline_x}
    assert [row.status for row in picture.rows] == ["fail", "pass", "skip", "unknown"]
    ticks = {tick.label: tick.position for tick in picture.ticks}
    assert ticks["0 %"] == picture.baseline_x
    assert ticks["-8 %"] - ticks["-6 %"] == pytest.approx(ticks["+2 %"] - ticks["+4 %"], abs=0.11)


def test_a_change_is_where_the_axis_shows_it():
    picture = change_chart.draw(history_sample.COMPARISON)
    ticks = {tick.label: tick.position for tick in picture.ticks}
    per_percent = (ticks["+2 %"] - picture.baseline_x) / 2
    for row, drawn_row in zip(history_sample.COMPARISON.series, picture.rows, strict=True):
        change = row.b.median / row.a.median - 1
        assert drawn_row.after.median == pytest.approx(picture.baseline_x + 100 * change * per_percent, abs=0.3)
        assert drawn_row.after.low <= drawn_row.after.median <= drawn_row.after.high


def test_tiny_changes_are_not_blown_up():
    constant = Summary(3, 100.0, 99.99, 100.01, 0.01)
    row = dataclasses.replace(history_sample.COMPARISON.series[2], a=constant, b=constant)
    picture = change_chart.draw(dataclasses.replace(history_sample.COMPARISON, series=(row,)))
    assert picture.rows[0].after.high - picture.rows[0].after.low < 10


def test_nothing_above_zero_is_no_picture():
    zero = Summary(3, 0.0, 0.0, 0.0, 0.0)
    row = dataclasses.replace(history_sample.COMPARISON.series[0], a=zero)
    assert change_chart.draw(dataclasses.replace(history_sample.COMPARISON, series=(row,))) is None


def test_a_change_point_stands_between_its_campaigns_and_levels_on_their_sides():
    line, flat = history_chart.draw(history_sample.HISTORY)
    (turn,) = line.turns
    assert line.dots[6].x < turn.x < line.dots[7].x
    assert (turn.number, turn.worse) == (1, True)
    assert turn.before[:2] == (line.dots[0].x, line.dots[6].x)
    assert turn.after[:2] == (line.dots[7].x, line.dots[12].x)
    assert turn.before[2] < turn.after[2]  # lower on the page is less
    assert flat.turns == ()


def test_all_of_a_history_is_inside_its_frame():
    for line in history_chart.draw(history_sample.HISTORY):
        for dot in line.dots:
            assert line.left <= dot.x <= line.right
            assert line.top <= dot.high <= dot.y <= dot.low <= line.bottom
        assert all(line.top <= tick.position <= line.bottom for tick in line.y_ticks)
        assert len(line.y_ticks) >= 2


def test_a_single_campaign_is_a_point():
    series = dataclasses.replace(history_sample.HISTORY.series[1], points=history_sample.HISTORY.series[1].points[:1])
    (line,) = history_chart.draw(dataclasses.replace(history_sample.HISTORY, series=(series,)))
    assert len(line.dots) == 1


@pytest.mark.parametrize(("significance", "fewest"), [(0.05, 8), (0.01, 10), (0.001, 14)])
def test_how_many_campaigns_it_takes(significance, fewest):
    assert dataclasses.replace(history_sample.HISTORY, significance=significance).fewest == fewest


def test_a_history_as_junit():
    """What got worse and stayed so has failed; what too few campaigns have is not known."""
    short = history_sample._history([48.0] * 9, (), 1 << 10)
    history = dataclasses.replace(history_sample.HISTORY, series=(*history_sample.HISTORY.series, short))
    root = ElementTree.fromstring(
        junit.text(dataclasses.replace(sample.REPORT, findings=(), runs=(), histories=(history,)))
    )
    (suite,) = root.iter("testsuite")
    assert suite.get("name") == "history of 13 campaigns"
    cases = [
        (case.get("name"), [(child.tag, child.get("message")) for child in case]) for case in suite.iter("testcase")
    ]
    name = "all_reduce, 32 ranks, reduction=sum busbw"
    assert cases == [
        (f"{name} 1 GiB", [("failure", "worse since campaign week-8: 371.0 to 344.2 GB/s, -7.2 %")]),
        (f"{name} 1 MiB", []),
        (f"{name} 1 KiB", [("error", "9 campaigns of the 10 needed to find a change point")]),
    ]


def test_a_history_for_prometheus():
    text = prometheus.text(
        dataclasses.replace(sample.REPORT, findings=(), runs=(), histories=(history_sample.HISTORY,))
    )
    labels = 'metric="busbw",{}series="all_reduce, 32 ranks, reduction=sum",{}size="1073741824"'
    lines = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    plain = 'cluster="two-nodes",' + labels.format("", "")
    name = "wirespeed_history_bandwidth_bytes_per_second"
    assert float(lines[f"{name}{{{plain}}}"]) == pytest.approx(history_sample.LEVELS[-1] * 1e9)
    step = 'cluster="two-nodes",difference="worse",' + labels.format("", 'since="week-8",')
    assert float(lines[f"wirespeed_history_step_ratio{{{step}}}"]) == pytest.approx(1 - 0.072)
    assert [line for line in lines if line.startswith("wirespeed_history_step") and '"1048576"' in line] == []


def test_rows_of_a_comparison_name_their_metric():
    for row, series in zip(
        change_chart.draw(history_sample.COMPARISON).rows, history_sample.COMPARISON.series, strict=True
    ):
        assert f" {series.series.metric.value} " in f"{row.label} "
