"""``wirespeed bench chart``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wirespeed.cli.bench_app import bench

if TYPE_CHECKING:
    from wirespeed.report.series_chart import SizeSeries
    from wirespeed.results.benchmarks import Metric, Run


class Axis(StrEnum):
    """The scale of an axis."""

    LINEAR = "linear"
    LOG = "log"


@bench.command(short_help="Draw the results of several logs in one chart.")
def chart(
    logs: Annotated[
        list[str],
        typer.Argument(
            metavar="[NAME=]FILE...", help="Benchmark logs, each with the name of its series. Default: the file name."
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Picture to write: .svg or .png.")],
    metric: Annotated[
        str | None,
        typer.Option(
            "--metric",
            metavar="NAME",
            help="Metric to draw, such as busbw or time. Default: the first bandwidth that all logs contain.",
        ),
    ] = None,
    label: Annotated[
        str | None,
        typer.Option(
            "--value-label",
            metavar="LABEL",
            help="Label of the values, such as in-place. Default: the first of each log.",
        ),
    ] = None,
    title: Annotated[str | None, typer.Option("--title", metavar="TEXT", help="Title. Default: the test.")] = None,
    size_axis: Annotated[Axis, typer.Option("--size-axis", help="Axis of the message size.")] = Axis.LOG,
    value_axis: Annotated[Axis, typer.Option("--value-axis", help="Axis of the values.")] = Axis.LINEAR,
) -> None:
    """Draw the results of several logs in one chart, by message size.

    Each run with several message sizes is one series. All values have the unit of the first series. `--value-axis log`
    shows a slow network below another; `--metric time` shows times.

    Examples:

    \b
      wirespeed bench chart QPI=abel1.log P2P=abel2.log -o qpi-p2p.svg
      wirespeed bench chart GigE=eth0.log IPoPCIe=dis0.log SmartIO=lent.log --value-axis log -o interconnects.png
      wirespeed bench chart before.log after.log --metric time --value-axis log -o time.svg
    """
    from wirespeed.cli.console import show_problems
    from wirespeed.errors import Problem, refuse
    from wirespeed.report import series_chart

    if output.suffix.lower() not in (".svg", ".png"):
        raise refuse("--output", f"no format for the name {output}", hint="use a name that ends in .svg or .png")
    curves = list(_read_curves(logs))
    wanted = _select_metric(curves, metric)
    series, unit, labels = _build_series(curves, wanted, label)
    tests = dict.fromkeys(curve.run.test or curve.run.tool for curve in curves)
    if len(tests) > 1:
        found = f"logs of {len(tests)} tests: {', '.join(tests)}"
        show_problems([Problem("logs", found, hint="compare the definitions of their values first")], label="warning")
    picture = series_chart.svg(
        series_chart.draw(
            title or ", ".join(tests),
            f"{', '.join([wanted.value, *labels])} in {unit}",
            series,
            sizes=series_chart.Axis(size_axis.value),
            values=series_chart.Axis(value_axis.value),
        )
    )
    if output.suffix.lower() == ".png":
        from wirespeed.report.simulation.pictures import png

        output.write_bytes(png(picture, "--output"))
    else:
        output.write_text(picture, encoding="utf-8", newline="\n")
    typer.echo(output)


@dataclass(frozen=True, slots=True)
class _Curve:
    """A run with several message sizes, and the name of its series."""

    name: str
    run: Run


def _read_curves(arguments: Sequence[str]) -> Iterator[_Curve]:
    """The runs of logs, named as the user wants, else by their file; several runs of a log also by their test.

    Raises:
        Refusal: a log cannot be read, or contains no run with several message sizes.
    """
    from wirespeed.cli.log_files import log_files
    from wirespeed.cli.logs import read
    from wirespeed.errors import refuse

    names: set[str] = set()
    for argument in arguments:
        given_name, file_name = _split_name(argument)
        runs = [run for file in log_files([file_name]) for run in read(file, file.content()).runs]
        runs = [run for run in runs if len({row.size_bytes for row in run.measurements if row.size_bytes}) > 1]
        if not runs:
            raise refuse(file_name, "no values of several message sizes", "a test that sweeps over message sizes")
        name = given_name or Path(file_name).stem
        tests = Counter(run.test for run in runs)
        counted: Counter[str | None] = Counter()
        for run in runs:
            counted[run.test] += 1
            of_test = f" {run.test}" if len(tests) > 1 and run.test else ""
            number = f" ({counted[run.test]})" if tests[run.test] > 1 else ""
            curve = _Curve(f"{name}{of_test}{number}", run)
            if curve.name in names:
                hint = "give each log a name of its series, as NAME=FILE"
                raise refuse(argument, f"a second series named {curve.name!r}", "a name for each series", hint)
            names.add(curve.name)
            yield curve


def _split_name(argument: str) -> tuple[str | None, str]:
    """``NAME=FILE``; a file whose own name contains = is a file.

    Raises:
        Refusal: the name is empty.
    """
    from wirespeed.errors import refuse

    name, separator, file_name = argument.partition("=")
    if not separator or Path(argument).exists():
        return None, argument
    if not name:
        raise refuse(argument, "an empty name before '='", "NAME=FILE or FILE")
    return name, file_name


def _select_metric(curves: Sequence[_Curve], name: str | None) -> Metric:
    """The metric to draw, which every curve contains.

    Raises:
        Refusal: there is none, or a curve lacks the one that the user names.
    """
    from wirespeed.errors import did_you_mean, refuse
    from wirespeed.results.benchmarks import Metric

    present = [dict.fromkeys(row.metric for row in curve.run.measurements if row.size_bytes) for curve in curves]
    if name is not None:
        names = list(dict.fromkeys(metric.value for metrics in present for metric in metrics))
        if name not in names:
            raise refuse("--metric", repr(name), f"one of {', '.join(names)}", did_you_mean(name, names))
        lacking = [curve.name for curve, metrics in zip(curves, present, strict=True) if Metric(name) not in metrics]
        if lacking:
            raise refuse("--metric", f"{name} is not in {lacking[0]}", hint=_describe_metrics(curves, present))
        return Metric(name)
    preferred = (Metric.BUSBW, Metric.BW_AVG, Metric.BW_PEAK, Metric.BITRATE)
    common = [metric for metric in present[0] if all(metric in metrics for metrics in present)]
    if not common:
        raise refuse("logs", "no metric that all of them contain", hint=_describe_metrics(curves, present))
    return next((metric for metric in preferred if metric in common), common[0])


def _describe_metrics(curves: Sequence[_Curve], present: Sequence[Iterable[Metric]]) -> str:
    """A hint with the metrics of each curve."""
    metrics = "; ".join(
        f"{curve.name} contains {', '.join(metric.value for metric in metrics)}"
        for curve, metrics in zip(curves, present, strict=True)
    )
    return f"draw logs with a common metric: {metrics}"


def _build_series(
    curves: Sequence[_Curve], metric: Metric, label: str | None
) -> tuple[list[SizeSeries], str, list[str]]:
    """The series in the unit of the first one, that unit, and the labels of the values.

    Raises:
        Refusal: a curve has no value with the label.
    """
    from wirespeed.benchmarks.logs.numbers import SECONDS
    from wirespeed.errors import refuse
    from wirespeed.limits.bound import convert
    from wirespeed.report.series_chart import SizeSeries
    from wirespeed.units import format_unit

    series = []
    drawn_labels: dict[str, None] = {}
    unit: str | None = None
    for curve in curves:
        rows = [row for row in curve.run.measurements if row.metric is metric and row.size_bytes]
        labels = list(dict.fromkeys(row.label for row in rows))
        chosen = label if label is not None else labels[0]
        drawn_labels |= {chosen: None} if chosen else {}
        rows = [row for row in rows if row.label == chosen]
        if not rows:
            names = ", ".join(text or "none" for text in labels)
            raise refuse("--label", repr(label), f"a label of {curve.name}: {names}")
        unit = unit or rows[0].unit
        points: dict[int, float] = {}
        for row in rows:
            value = float(row.value)
            if row.unit != unit:
                in_time = row.unit in SECONDS and unit in SECONDS
                value = value * SECONDS[row.unit] / SECONDS[unit] if in_time else convert(value, row.unit, unit)
            points[row.size_bytes or 0] = value
        series.append(SizeSeries(curve.name, tuple(points.items())))
    return series, format_unit(unit or ""), list(drawn_labels)
