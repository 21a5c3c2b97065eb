"""``wirespeed bench chart``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Annotated

import typer

from wirespeed.cli.bench_app import bench

if TYPE_CHECKING:
    from wirespeed.report.series_chart import SizeSeries
    from wirespeed.results.benchmarks import Measurement, Metric, Run


class Axis(StrEnum):
    """The scale of an axis."""

    LINEAR = "linear"
    LOG = "log"


@bench.command(short_help="Draw the results of several logs in one chart.")
def chart(
    logs: Annotated[
        list[str],
        typer.Argument(
            metavar="[NAME=]FILE...", help="Benchmark logs. NAME is the name in the legend. Default: the file name."
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

    Each log is one curve. Of repeated runs, in one log or in a folder of logs, the curve shows the median and a shaded
    area from the lowest to the highest value. All values have the unit of the first curve. `--value-axis log` makes a
    slow network visible beside a fast one. `--metric time` draws times.

    Examples:

    \b
      wirespeed bench chart 4_nodes=node4.log 8_nodes=node8.log -o nodes.svg
      wirespeed bench chart NVLink=h1.log RoCE=h2.log TCP=h2-tcp.log --value-axis log -o interconnects.png
      wirespeed bench chart before=results/monday after=results/tuesday -o update.svg
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
    tests = dict.fromkeys(run.test or run.tool for curve in curves for run in curve.runs)
    if len(tests) > 1:
        found = f"logs of {len(tests)} tests: {', '.join(tests)}"
        show_problems([Problem("logs", found, hint="compare the definitions of their values first")], label="warning")
    suffix = f" ({', '.join(labels)})" if labels else ""
    picture = series_chart.svg(
        series_chart.draw(
            title or ", ".join(tests),
            f"{wanted.value}{suffix} in {unit}",
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
    """A run with several message sizes, or its repetitions, and the name of the curve."""

    name: str
    runs: tuple[Run, ...]

    @property
    def legend(self) -> str:
        """The name, and of how many runs the values are the median."""
        return self.name if len(self.runs) == 1 else f"{self.name} (median of {len(self.runs)} runs)"


def _read_curves(arguments: Sequence[str]) -> Iterator[_Curve]:
    """The curves of logs, named as the user wants, else by their file; several curves of a log also by test or ends.

    Runs of one test between the same ends with the same settings are repetitions: one curve.

    Raises:
        Refusal: a log cannot be read, or contains no run with several message sizes.
    """
    from wirespeed.cli.log_files import log_files
    from wirespeed.cli.logs import read
    from wirespeed.errors import refuse
    from wirespeed.results.series import Experiment, experiment

    names: set[str] = set()
    for argument in arguments:
        given_name, file_name = _split_name(argument)
        runs = [run for file in log_files([file_name]) for run in read(file, file.content()).runs]
        runs = [run for run in runs if len({row.size_bytes for row in run.measurements if row.size_bytes}) > 1]
        if not runs:
            raise refuse(file_name, "no values of several message sizes", "a test that sweeps over message sizes")
        repetitions: dict[Experiment, list[Run]] = {}
        for run in runs:
            repetitions.setdefault(experiment(run), []).append(run)
        tests = Counter(key.test for key in repetitions)
        ends = Counter((key.test, key.ends) for key in repetitions)
        counted: Counter[str | None] = Counter()
        for key, repeated in repetitions.items():
            counted[key.test] += 1
            name = given_name or Path(file_name).stem
            if len(tests) > 1 and key.test:
                name += f" {key.test}"
            if tests[key.test] > 1:
                name += f" {key.ends}" if key.ends and ends[key.test, key.ends] == 1 else f" ({counted[key.test]})"
            if name in names:
                hint = "give each log a name in the legend, as NAME=FILE"
                raise refuse(argument, f"a second curve named {name!r}", "a name for each curve", hint)
            names.add(name)
            yield _Curve(name, tuple(repeated))


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

    present = [
        dict.fromkeys(row.metric for run in curve.runs for row in run.measurements if row.size_bytes)
        for curve in curves
    ]
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
    """The curves in the unit of the first one, that unit, and the labels of the values.

    Raises:
        Refusal: a curve has no value with the label.
    """
    from wirespeed.errors import refuse
    from wirespeed.report.series_chart import SizeSeries
    from wirespeed.units import format_unit

    series = []
    drawn_labels: dict[str, None] = {}
    unit: str | None = None
    for curve in curves:
        runs = [[row for row in run.measurements if row.metric is metric and row.size_bytes] for run in curve.runs]
        labels = list(dict.fromkeys(row.label for rows in runs for row in rows))
        chosen = label if label is not None else labels[0]
        drawn_labels |= {chosen: None} if chosen else {}
        runs = [[row for row in rows if row.label == chosen] for rows in runs]
        unit = unit or next((row.unit for rows in runs for row in rows), None)
        if unit is None or not any(runs):
            names = ", ".join(text or "none" for text in labels)
            raise refuse("--value-label", repr(label), f"a label of {curve.name}: {names}")
        values: dict[int, list[float]] = {}
        for rows in runs:
            of_run = {row.size_bytes or 0: _convert(row, unit) for row in rows}
            for size, value in of_run.items():
                values.setdefault(size, []).append(value)
        points = tuple((size, median(numbers)) for size, numbers in values.items())
        ranges = tuple((size, min(numbers), max(numbers)) for size, numbers in values.items())
        series.append(SizeSeries(curve.legend, points, ranges if len(curve.runs) > 1 else ()))
    return series, format_unit(unit or ""), list(drawn_labels)


def _convert(row: Measurement, unit: str) -> float:
    """The value of a measurement in this unit."""
    from wirespeed.benchmarks.logs.numbers import SECONDS
    from wirespeed.limits.bound import convert

    value = float(row.value)
    if row.unit == unit:
        return value
    if row.unit in SECONDS and unit in SECONDS:
        return value * SECONDS[row.unit] / SECONDS[unit]
    return convert(value, row.unit, unit)
