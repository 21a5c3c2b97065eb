"""Series over campaigns: where their level changed."""

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
    """A series over the campaigns that have it, in their order, by its median in each."""
    points = tuple(
        Point(campaign.id, len(found), median(found), min(found), max(found))
        for campaign in campaigns
        if campaign.id is not None and (found := values.get(campaign.id))
    )
    return SeriesHistory(series, points, tuple(_steps(series, points, significance, at_least)))


def _steps(series: Series, points: Sequence[Point], significance: float, at_least: float) -> list[Step]:
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


def notable(found: SeriesHistory) -> tuple[object, ...]:
    """What a reader looks at first: what got worse, then what changed most, then by name."""
    worst = min((0 if step.difference is Difference.WORSE else 1 for step in found.steps), default=2)
    maximum = max((abs(step.change or 0.0) for step in found.steps), default=0.0)
    series = found.series
    size = -1 if series.size_bytes is None else series.size_bytes
    identity = (series.tool, series.test or "", series.location or "", str(series.workload), series.metric.value)
    return (worst, -maximum, identity, size, series.place or "", series.ranks or 0)
