"""Pair series of two campaigns that differ only in their path: the hosts, their number, the interfaces of sockets, the
RDMA transport.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from typing import NamedTuple

from wirespeed.errors import format_first
from wirespeed.results.campaign_history import Change
from wirespeed.results.series import ON_GPUS, RANKS_BY_HOST, Series
from wirespeed.units import Size

PATH_PARAMETERS = frozenset({"nodes", "sockets", ON_GPUS, RANKS_BY_HOST})
"""Parameters of the workload that state over which path it ran."""

_TRANSPORT = "connection_type"
"""RC or UD: part of the path between two campaigns of one transport each; a campaign may also measure both."""

SeriesValues = Mapping[Series, Sequence[float]]

_NAMED = 3


class PathPairs(NamedTuple):
    """Values of both campaigns by series without their path, what differs in the paths, and what was left out."""

    before: SeriesValues
    after: SeriesValues
    changed: tuple[Change, ...]
    notes: tuple[str, ...]


def pair_across_paths(before: SeriesValues, after: SeriesValues) -> PathPairs:
    """Drop the path from the series of both campaigns. A series that one campaign has over several paths is left out.

    Tool, test, number of ranks, the other parameters, metric, size and label must agree.
    """
    dropped = PATH_PARAMETERS | ({_TRANSPORT} if _has_two_transports(before, after) else set())
    sides = [_group_by_test(values, dropped) for values in (before, after)]
    paired_before, paired_after = (
        {key: values[group[0]] for key, group in groups.items() if len(group) == 1}
        for groups, values in zip(sides, (before, after), strict=True)
    )
    notes = tuple(
        f"{letter} has {count} series over several paths: compare logs of one path each"
        for letter, groups in zip("AB", sides, strict=True)
        if (count := sum(len(group) > 1 for group in groups.values()))
    )
    return PathPairs(paired_before, paired_after, _list_path_changes(sides[0], sides[1], dropped), notes)


def explain_unpaired(before: Iterable[Series], after: Iterable[Series]) -> str | None:
    """Why series of two campaigns differ even without their paths: the parts of their identity without a common value.

    None if a campaign has no series, or if each part has a common value.
    """
    sides = [_gather_parts(series) for series in (before, after)]
    if not all(sides):
        return None
    differing = [
        (name, *(_format_values(side.get(name, {"none"})) for side in sides))
        for name in dict.fromkeys((*sides[0], *sides[1]))
        if sides[0].get(name, {"none"}).isdisjoint(sides[1].get(name, {"none"}))
    ]
    return format_first([f"{name} (A {old}, B {new})" for name, old, new in differing], _NAMED) if differing else None


def _gather_parts(series: Iterable[Series]) -> dict[str, set[str]]:
    """The values of each part of the identity of series, without the path."""
    parts: dict[str, set[str]] = {}
    for member in series:
        identity = (
            ("tool", member.tool),
            ("test", member.test),
            ("ranks", member.ranks),
            ("metric", member.metric.value),
        )
        values = (("size", member.size_bytes), ("label", member.label))
        for name, value in (*identity, *member.workload, *values):
            if value is not None and name not in PATH_PARAMETERS:
                parts.setdefault(name, set()).add(str(Size(int(value)) if name == "size" else value))
    return parts


def _has_two_transports(before: SeriesValues, after: SeriesValues) -> bool:
    """Whether each campaign has transports, and none of the other's."""
    transports = [
        {value for series in values for name, value in series.workload if name == _TRANSPORT}
        for values in (before, after)
    ]
    return all(transports) and transports[0].isdisjoint(transports[1])


def _group_by_test(values: SeriesValues, dropped: Set[str]) -> dict[Series, list[Series]]:
    groups: dict[Series, list[Series]] = {}
    for series in values:
        workload = tuple(entry for entry in series.workload if entry[0] not in dropped)
        groups.setdefault(replace(series, ends=None, workload=workload), []).append(series)
    return groups


def _list_path_changes(
    before: Mapping[Series, list[Series]], after: Mapping[Series, list[Series]], dropped: Set[str]
) -> tuple[Change, ...]:
    """The parts of the identity that differ, once for each tool and test."""
    paths: dict[tuple[str, str], dict[str, set[str]]] = {}
    for key in before.keys() & after.keys():
        if len(before[key]) > 1 or len(after[key]) > 1:
            continue
        test = f"{key.tool} {key.test or ''}".strip()
        old, new = (_describe_path(side[key][0], dropped) for side in (before, after))
        for name in sorted(old.keys() | new.keys()):
            if old.get(name) != new.get(name):
                paths.setdefault((test, name), {"before": set(), "after": set()})
                paths[test, name]["before"].add(old.get(name, "-"))
                paths[test, name]["after"].add(new.get(name, "-"))
    return tuple(
        Change(test, name, _format_values(values["before"]), _format_values(values["after"]))
        for (test, name), values in sorted(paths.items())
    )


def _describe_path(series: Series, dropped: Set[str]) -> dict[str, str]:
    parts = {name: str(value) for name, value in series.workload if name in dropped}
    return parts | ({"endpoints": series.ends.replace(" -> ", " to ")} if series.ends is not None else {})


def _format_values(values: set[str]) -> str:
    return format_first(sorted(values), _NAMED)
