"""Where points, limits and ticks of a chart stand."""

import dataclasses
import itertools
import math

import pytest
import report_sample as sample
from hypothesis import example, given
from hypothesis import strategies as st

from wirespeed.report import chart
from wirespeed.results.benchmarks import Measurement, Metric
from wirespeed.results.verdicts import JudgedRun, Judgement, Verdict


def run(*verdicts):
    return JudgedRun("a.log", "perftest", "ib_write_bw", "A run", None, verdicts)


def bare(size, value, metric=Metric.BUSBW, label=None, unit="GB/s"):
    return Verdict(Measurement(metric, unit, value, size, label, 1), Judgement.SKIP, "", None, None, None, None)


def test_a_curve_has_a_series_per_label_and_both_limits():
    (curve,) = chart.charts(sample.RUN)
    assert isinstance(curve, chart.Curve)
    assert [(series.name, len(series.points)) for series in curve.series] == [("out-of-place", 11), ("in-place", 3)]
    assert [(limit.kind, limit.label) for limit in curve.limits] == [
        ("physical", "physical limit 391.2 GB/s (line)"),
        ("reachable", "reachable limit 371.6 GB/s (ring)"),
    ]


def test_equal_factors_of_size_are_equal_steps_and_equal_values_equal_heights():
    (curve,) = chart.charts(run(*(bare(2**power, 10.0 * (power - 9)) for power in (10, 11, 12, 13))))
    points = curve.series[0].points
    steps = [after.x - before.x for before, after in itertools.pairwise(points)]
    rises = [before.y - after.y for before, after in itertools.pairwise(points)]
    assert steps == pytest.approx([steps[0]] * 3, abs=0.11)
    assert rises == pytest.approx([rises[0]] * 3, abs=0.11)
    assert (points[0].x, points[-1].x) == (curve.left, curve.right)


def test_a_point_is_where_the_axis_shows_its_value():
    """The height of a value is that of the tick with its number, and zero is on the frame."""
    (curve,) = chart.charts(run(*(bare(2**power, value) for power, value in ((20, 0.0), (21, 100.0), (22, 200.0)))))
    heights = {tick.label: tick.position for tick in curve.y_ticks}
    assert [point.y for point in curve.series[0].points] == [heights["0"], heights["100"], heights["200"]]
    assert heights["0"] == curve.bottom


def test_the_text_of_the_lower_limit_is_below_its_line():
    (curve,) = chart.charts(run(*(sample.verdict(2**power, 10.0) for power in (20, 21, 22))))
    for limit, offset in zip(curve.limits, (-8, 18), strict=True):
        line = float(limit.path.split("L")[0].replace("M", "").split(",")[-1].split()[-1])
        assert limit.label_y == line + offset


def test_a_limit_that_depends_on_size_is_drawn_as_it_is():
    rows = [sample.verdict(2**power, 10.0) for power in (20, 21, 22)]
    rows[0] = dataclasses.replace(rows[0], physical=dataclasses.replace(rows[0].physical, value=100.0))
    (curve,) = chart.charts(run(*rows))
    physical, reachable = curve.limits
    assert physical.path.count("L") == 2
    assert reachable.path.count("L") == 1


@given(
    st.lists(st.tuples(st.integers(1, 2**40), st.floats(0, 1e6)), min_size=3, max_size=40, unique_by=lambda row: row[0])
)
@example([(1, 0.0), (2, 0.0), (4, 6.5e-149)])
@example([(1, 0.0), (2, 0.0), (4, 5e-324)])
def test_everything_stays_inside_the_frame_and_ticks_rise(rows):
    (curve,) = chart.charts(run(*(bare(size, value) for size, value in rows)))
    for point in curve.series[0].points:
        assert curve.left <= point.x <= curve.right
        assert curve.top - 0.1 <= point.y <= curve.bottom
    heights = [tick.position for tick in curve.y_ticks]
    assert heights == sorted(heights, reverse=True)
    assert len({tick.label for tick in curve.y_ticks}) == len(heights)
    assert 1 <= len(curve.x_ticks) <= 9
    assert all(not math.isnan(tick.position) for tick in curve.x_ticks)


def test_few_sizes_are_bars():
    (bars,) = chart.charts(run(sample.verdict(65536, 97.8), bare(None, 48.9)))
    assert isinstance(bars, chart.Bars)
    assert [(bar.label, bar.value, bar.judgement) for bar in bars.bars] == [
        ("64 KiB out-of-place", "97.80 GB/s", "pass"),
        ("busbw", "48.90 GB/s", "skip"),
    ]
    first, second = bars.bars
    assert first.length == pytest.approx(2 * second.length, abs=0.11)
    assert first.physical == bars.width - 2
    assert second.physical is None


def test_the_legend_counts_the_points_of_each_mark():
    judgements = (Judgement.PASS, Judgement.WARN, Judgement.WARN, Judgement.FAIL, Judgement.SKIP)
    rows = [sample.verdict(2**power, 10.0, judgement) for power, judgement in enumerate(judgements, 20)]
    (curve,) = chart.charts(run(*rows))
    assert curve.marks == (("fail", "fail: 1 measurement"), ("warn", "warn: 2 measurements"))
    (bars,) = chart.charts(run(rows[0], rows[4]))
    assert bars.marks == (("pass", "pass: 1 measurement"), ("skip", "not judged: 1 measurement"))


def test_only_bandwidth_that_has_a_limit_is_drawn_where_any_has():
    rows = [bare(2**power, 1.0, Metric.ALGBW) for power in range(10, 14)]
    rows += [bare(2**power, 30.0, Metric.TIME, unit="us") for power in range(10, 14)]
    assert [curve.title for curve in chart.charts(run(*rows))] == ["A run: algbw in GB/s"]
    rows += [sample.verdict(2**power, 2.0) for power in range(10, 14)]
    rows += [bare(None, 2.0, Metric.AVG_BUSBW)]
    assert [curve.title for curve in chart.charts(run(*rows))] == ["A run: busbw in GB/s"]


def test_latency_alone_is_no_bandwidth_chart():
    assert chart.charts(run(bare(2, 1.5, Metric.LATENCY_AVG, unit="us"))) == ()


def test_the_time_of_a_collective_is_a_second_chart_with_decades():
    sizes = (8, 1 << 14, 1 << 27)
    times = tuple(
        Measurement(Metric.TIME, "us", value, size, "in-place", 1)
        for size, value in zip(sizes, (60.0, 100.0, 1e6), strict=True)
    )
    judged = dataclasses.replace(run(*(bare(size, 0.1) for size in sizes)), times=times)
    _, curve = chart.charts(judged)
    assert curve.title == "A run: time in µs"
    assert [tick.label for tick in curve.y_ticks] == ["10", "100", "1,000", "10,000", "100,000", "1,000,000"]
    heights = {tick.label: tick.position for tick in curve.y_ticks}
    assert [point.y for point in curve.series[0].points[1:]] == [heights["100"], heights["1,000,000"]]
    rises = [before.position - after.position for before, after in itertools.pairwise(curve.y_ticks)]
    assert rises == pytest.approx([rises[0]] * 5, abs=0.11)
    assert heights["1,000,000"] == curve.top


def test_latencies_are_drawn_over_at_least_three_sizes():
    rows = [bare(2**power, 1.0 + power, Metric.LATENCY_AVG, unit="us") for power in (3, 4, 5)]
    (curve,) = chart.charts(run(*rows))
    assert curve.title == "A run: latency_avg in µs"
    assert chart.charts(run(*rows[:2])) == ()
