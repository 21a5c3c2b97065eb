"""Series over campaigns, with the changes of their level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

from wirespeed.results.campaign_history import Campaign, Difference, Point, SeriesHistory, Step
from wirespeed.results.series import Series
from wirespeed.store import change_points
from wirespeed.store.comparison import AT_LEAST, direction, relative
from wirespeed.store.significance import median

SIGNIFICANCE: Final = change_points.SIGNIFICANCE


def series_history(
    series: Series,
    campaigns: Sequence[Campaign],
    values: Mapping[int, Sequence[float]],
    significance: float = SIGNIFICANCE,
    at_least: float = AT_LEAST,
) -> SeriesHistory:
    """The medians of a series in the campaigns that contain it, in their order."""
    points = tuple(
        Point(
            campaign.id,
            len(values_of_campaign),
            median(values_of_campaign),
            min(values_of_campaign),
            max(values_of_campaign),
        )
        for campaign in campaigns
        if campaign.id is not None and (values_of_campaign := values.get(campaign.id))
    )
    return SeriesHistory(series, points, tuple(_find_steps(series, points, significance, at_least)))


def _find_steps(series: Series, points: Sequence[Point], significance: float, at_least: float) -> list[Step]:
    levels = [point.median for point in points]
    splits = change_points.change_points(levels, significance)
    bounds = [0, *(split.index for split in splits), len(levels)]
    medians = [median(levels[start:end]) for start, end in pairwise(bounds)] if levels else []
    steps = []
    for split, (before, after) in zip(splits, pairwise(medians), strict=True):
        change = relative(before, after)
        difference = direction(series, before, after)
        if difference is Difference.NONE or (change is not None and abs(change) < at_least):
            continue
        first = points[split.index].campaign
        steps.append(Step(points[split.index - 1].campaign, first, before, after, change, split.p, difference))
    return steps


def notable(history: SeriesHistory) -> tuple[object, ...]:
    """A sort key: series that got worse first, then by the size of the change, then by name."""
    worst = min((0 if step.difference is Difference.WORSE else 1 for step in history.steps), default=2)
    maximum = max((abs(step.change or 0.0) for step in history.steps), default=0.0)
    series = history.series
    size = -1 if series.size_bytes is None else series.size_bytes
    identity = (series.tool, series.test or "", series.ends or "", str(series.workload), series.metric.value)
    return (worst, -maximum, identity, size, series.label or "", series.ranks or 0)
