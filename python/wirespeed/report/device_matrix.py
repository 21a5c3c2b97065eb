"""A table of the pairs of devices inside a host: one row for each sending device, one column for each receiving one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from wirespeed.report import wording
from wirespeed.results.benchmarks import PAIR_ARROW
from wirespeed.results.verdicts import Bound, JudgedRun, Judgement, Verdict

FEWEST_PAIRS = 6
"""Fewer pairs are easier to read as rows: two GPUs, or the CPUs and one GPU."""

MARKS = {Judgement.FAIL: "✕", Judgement.WARN: "!", Judgement.UNKNOWN: "?", Judgement.PASS: "", Judgement.SKIP: ""}
"""Signs behind a value."""

_LISTED = 8  # pairs of one judgement


@dataclass(frozen=True, slots=True)
class DeviceMatrix:
    """The verdicts of pairs. ``variant``: the end of all labels after the pair, such as a direction."""

    heading: str
    variant: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: Mapping[tuple[str, str], Verdict]

    @property
    def limits(self) -> tuple[str, ...]:
        """Each limit with its range: ``physical limit 57.61 to 64.00 (xGMI links)``."""
        return tuple(_describe_limits(list(self.cells.values())))

    @property
    def summary(self) -> tuple[str, ...]:
        """The lowest and the highest pair that is judged, and the pairs of each judgement that is not a pass."""
        judged = [verdict for verdict in self.cells.values() if verdict.judgement is not Judgement.SKIP]
        if not judged:
            return ()
        lowest = min(judged, key=lambda verdict: verdict.measurement.value)
        highest = max(judged, key=lambda verdict: verdict.measurement.value)
        return (
            f"lowest {_format_pair(lowest)}, highest {_format_pair(highest)}",
            *(
                line
                for judgement in (Judgement.FAIL, Judgement.WARN, Judgement.UNKNOWN)
                if (line := _list_pairs(judgement, judged))
            ),
        )


def find_matrices(run: JudgedRun) -> tuple[DeviceMatrix, ...]:
    """The matrices of a run, one for each metric, unit, size and variant with enough pairs of devices."""
    return build_matrices(run.verdicts)


def build_matrices(verdicts: Iterable[Verdict]) -> tuple[DeviceMatrix, ...]:
    """The matrices of verdicts; each pair counts once."""
    groups: dict[tuple[str, str, int | None, str], dict[tuple[str, str], Verdict]] = {}
    repeated = set()
    for verdict in verdicts:
        measurement = verdict.measurement
        source, arrow, ends = (measurement.label or "").partition(PAIR_ARROW)
        target, _, variant = ends.partition(" ")
        if not arrow or not (_is_device(source) and _is_device(target)):
            continue
        key = (measurement.metric.value, wording.unit(measurement.unit), measurement.size_bytes, variant)
        pairs = groups.setdefault(key, {})
        if (source, target) in pairs:
            repeated.add(key)
        pairs[source, target] = verdict
    return tuple(
        _build_matrix(*key, pairs)
        for key, pairs in groups.items()
        if key not in repeated and sum(source != target for source, target in pairs) >= FEWEST_PAIRS
    )


def _build_matrix(
    metric: str, unit: str, size: int | None, variant: str, pairs: Mapping[tuple[str, str], Verdict]
) -> DeviceMatrix:
    heading = " ".join(filter(None, (metric, variant, f"in {unit}", f"at {wording.size(size)}" if size else "")))
    rows, columns = (dict.fromkeys(pair[end] for pair in pairs) for end in (0, 1))
    return DeviceMatrix(heading, variant, tuple(sorted(rows, key=_order)), tuple(sorted(columns, key=_order)), pairs)


def _is_device(name: str) -> bool:
    return name.rstrip("0123456789") in ("GPU", "CPU")


def _order(device: str) -> tuple[str, int]:
    kind = device.rstrip("0123456789")
    return kind, int(device[len(kind) :] or 0)


def _describe_limits(verdicts: Sequence[Verdict]) -> Iterable[str]:
    for kind in ("physical", "reachable"):
        bounds: list[Bound] = [bound for verdict in verdicts if (bound := getattr(verdict, kind)) is not None]
        if not bounds:
            continue
        values = sorted({bound.value for bound in bounds})
        ends = list(dict.fromkeys(wording.number(value) for value in (values[0], values[-1])))
        terms = ", ".join(dict.fromkeys(bound.bottleneck for bound in bounds))
        yield f"{kind} limit {' to '.join(ends)} ({terms})"


def _format_pair(verdict: Verdict) -> str:
    fraction = verdict.fraction_of_reachable or verdict.fraction_of_physical
    limit = f" ({wording.percent(fraction)})" if fraction else ""
    return f"{verdict.measurement.label} {wording.number(verdict.measurement.value)}{limit}"


def _list_pairs(judgement: Judgement, judged: Sequence[Verdict]) -> str:
    pairs = [verdict.measurement.label or "" for verdict in judged if verdict.judgement is judgement]
    if not pairs:
        return ""
    if len(pairs) == len(judged):
        return f"{judgement.value}: all {len(pairs)} pairs"
    further = f" and {len(pairs) - _LISTED} more" if len(pairs) > _LISTED else ""
    return f"{judgement.value} {MARKS[judgement]}: {', '.join(pairs[:_LISTED])}{further}"


def format_cell(verdict: Verdict | None) -> str:
    """``47.90``, ``30.00 ✕``; empty where nothing was measured or compared."""
    if verdict is None or _is_within_device(verdict):
        return ""
    mark = MARKS[verdict.judgement]
    value = wording.number(verdict.measurement.value)
    return f"{value} {mark}" if mark else value


def _is_within_device(verdict: Verdict) -> bool:
    source, _, target = (verdict.measurement.label or "").partition(PAIR_ARROW)
    return source == target.partition(" ")[0]


def find_shade(verdict: Verdict | None) -> str:
    """The class of a cell's colour: its judgement; without measurement, or within a device, none."""
    return "" if verdict is None or _is_within_device(verdict) else verdict.judgement.value
