"""From samples of one measurement to a matrix: low cells, their causes, and the runs to repeat."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from wirespeed.benchmarks.endpoints.members import MemberDirectory, add_rails, natural
from wirespeed.benchmarks.peers import spread
from wirespeed.benchmarks.peers.causes import Cause, Ends, Rule, candidates, explain
from wirespeed.benchmarks.peers.median_polish import polish
from wirespeed.benchmarks.peers.retest import ENOUGH_CELLS, ComparisonOptions, commands, select_hosts
from wirespeed.benchmarks.peers.samples import RECEIVED_SIDE, Key, Sample, SampleSet
from wirespeed.benchmarks.peers.wording import because, title
from wirespeed.results.parameters import Parameters
from wirespeed.results.peers import Cell, CellPattern, Kind, Margin, Matrix, Member, PeerGroup, Peers, Reading, Suspect
from wirespeed.units import format_unit

_FEWEST_LIKE = 4
"""Least number of comparable cells: of three, one outlier cannot be distinguished from two."""
_FEWEST_HOSTS = 4  # hosts with the same internal pairs: minimum number for comparing them with each other
_LIKE_HOSTS = "the same pair in every host"
_EVIDENCE = 12  # cells of a suspect whose readings are listed, the slowest first


def compare_samples(
    gathered: SampleSet, directory: MemberDirectory, options: ComparisonOptions, tolerance: float = spread.TOLERANCE
) -> Peers:
    """A matrix for each measurement that was gathered, with the retest commands of each suspect."""
    matrices: dict[Key, Matrix] = {}
    for key, samples in gathered.samples.items():
        matrix = compare(key, samples, directory, tolerance)
        parameters = gathered.parameters.get(key, Parameters())
        suspects = tuple(
            _add_retest(suspect, key, matrix, parameters, options, directory) for suspect in matrix.suspects
        )
        matrices[key] = replace(matrix, suspects=suspects)
    return Peers(tuple(_confirm_by_other_end(matrices)), tuple(gathered.notes))


def _confirm_by_other_end(matrices: Mapping[Key, Matrix]) -> Iterator[Matrix]:
    """The matrices, each with its suspects that the values of the other end of the same transfers confirm.

    A log may contain the values of one end alone, so that those of the other end were measured once.
    """
    for key, matrix in matrices.items():
        sides = {None: RECEIVED_SIDE, RECEIVED_SIDE: None}
        other_end = matrices.get(replace(key, side=sides[key.side])) if key.side in sides else None
        confirmed = {
            (suspect.kind, suspect.name): suspect
            for suspect in (other_end.suspects if other_end is not None else ())
            if suspect.confirmed
        }
        yield replace(
            matrix,
            suspects=tuple(
                replace(
                    suspect,
                    confirmed=True,
                    because=f"{suspect.because}; confirmed by the values of the other end",
                    retest=confirmed[suspect.kind, suspect.name].retest,
                )
                if not suspect.confirmed and (suspect.kind, suspect.name) in confirmed
                else suspect
                for suspect in matrix.suspects
            ),
        )


def _add_retest(
    suspect: Suspect,
    key: Key,
    matrix: Matrix,
    parameters: Parameters,
    options: ComparisonOptions,
    directory: MemberDirectory,
) -> Suspect:
    """Add to a suspect its retest commands and the cables of its NICs."""
    members = {member.name: member for member in matrix.members}
    slow = [cell for cell in matrix.cells if (cell.source, cell.target) in suspect.slow]
    hosts = select_hosts(slow, members, suspect.kind, matrix.cells)
    pairs = [(members[source], members[target]) for source, target in suspect.slow if target is not None]
    logs = {reading.file for cell in matrix.cells for reading in cell.readings}
    retest = commands(key, parameters, hosts, pairs, options, suspect.name, logs)
    return replace(suspect, retest=retest, cables=tuple(_list_cables(suspect, members, directory)))


def _list_cables(suspect: Suspect, members: Mapping[str, Member], directory: MemberDirectory) -> list[str]:
    """The cables of a suspected host or NIC, or of both ends of a suspected pair."""
    if suspect.kind in (Kind.HOST, Kind.NIC):
        ends = [member for member in members.values() if suspect.name in (member.name, member.host)]
    elif suspect.kind in (Kind.PAIR, Kind.PATH):
        ends = [members[end] for end in dict.fromkeys(end for pair in suspect.slow for end in pair) if end is not None]
    else:
        ends = []
    return [cable for member in ends if (cable := directory.cable(member)) is not None]


def compare(
    key: Key, samples: Sequence[Sample], directory: MemberDirectory, tolerance: float = spread.TOLERANCE
) -> Matrix:
    """The matrix of a key's samples."""
    members = _collect_members(samples)
    groups = _peer_groups(key, samples, directory)
    readings: dict[Ends, list[Reading]] = defaultdict(list)
    for sample in samples:
        readings[_name_ends(sample)].append(sample.reading)
    values = {ends: _compute_median(pair_readings) for ends, pair_readings in readings.items()}
    described: list[PeerGroup] = []
    fractions: dict[Ends, float] = {}
    deviations: dict[Ends, float] = {}
    z = spread.threshold_z(len(values))
    rule = Rule(tolerance, z)
    for name, group_ends in _group_peers(groups).items():
        group, group_fractions = _compare_group(name, group_ends, values, key.lower_is_better, rule)
        described.append(group)
        fractions |= group_fractions
        deviations |= dict.fromkeys(group_fractions, group.spread or 0.0)
    symmetric = bool(dict(key.workload).get("bidirectional"))
    causes = candidates(members, [ends for ends in values if ends in fractions], symmetric)
    explanations = explain(fractions, deviations, causes, rule)
    cells = tuple(
        Cell(
            *ends,
            groups[ends],
            values[ends],
            _round_value(fractions.get(ends)),
            ends in fractions and rule.low(fractions[ends], deviations[ends]),
            tuple(readings[ends]),
        )
        for ends in sorted(values, key=lambda value: (natural(value[0]), natural(value[1] or "")))
    )
    cells_by_ends = {(cell.source, cell.target): cell for cell in cells}
    suspects = tuple(
        _build_suspect(cause, middle, cells_by_ends, described, key, rule) for cause, middle in explanations
    )
    notes: list[str] = []
    strangers = (
        [member.name for member in members.values() if not directory.is_planned(member)] if directory.has_plan else []
    )
    if strangers:
        notes.append(f"not in the cluster file: {', '.join(strangers[:6])}{' …' if len(strangers) > 6 else ''}")
    if not directory.has_plan:
        notes += _note_equally_slow(suspects)
    return Matrix(
        title=title(key),
        tool=key.tool,
        test=key.test,
        metric=key.metric,
        unit=key.unit,
        size_bytes=key.size_bytes,
        lower_is_better=key.lower_is_better,
        members=tuple(members.values()),
        cells=cells,
        groups=tuple(described),
        suspects=suspects,
        margins=_compute_margins(members, fractions),
        notes=tuple(notes),
    )


def _note_equally_slow(suspects: Sequence[Suspect]) -> list[str]:
    """Note that several hosts are slow by the same factor, which a shared cause would explain."""
    hosts = [suspect for suspect in suspects if suspect.kind is Kind.HOST and suspect.pattern is CellPattern.ALL]
    fractions = [suspect.fraction for suspect in hosts]
    if len(hosts) < 2 or max(fractions) - min(fractions) > _SAME_FACTOR:
        return []
    names = " and ".join(suspect.name for suspect in hosts)
    return [f"{names} are slow by the same factor: they may share a leaf; with --cluster leaves are compared"]


_SAME_FACTOR = 0.03


def _collect_members(samples: Sequence[Sample]) -> dict[str, Member]:
    every = {
        member.name: member for sample in samples for member in (sample.source, sample.target) if member is not None
    }
    ordered = sorted(
        every.values(),
        key=lambda member: (member.leaf is None, member.leaf or "", natural(member.host), natural(member.name)),
    )
    return {member.name: member for member in add_rails(ordered)}


def _name_ends(sample: Sample) -> Ends:
    return sample.source.name, sample.target.name if sample.target else None


def _peer_groups(key: Key, samples: Sequence[Sample], directory: MemberDirectory) -> dict[Ends, str]:
    """The peer group of each cell. With enough hosts, an internal pair is a peer of the same pair in other hosts."""
    hosts = {sample.source.host for sample in samples}
    if key.shape == "pairs inside of hosts":
        if len(hosts) < _FEWEST_HOSTS:
            return {_name_ends(sample): _describe_host_path(sample) for sample in samples}
        return {_name_ends(sample): f"{_LIKE_HOSTS}, {sample.label}" for sample in samples}
    return {
        _name_ends(sample): _describe_host_path(sample)
        if _find_device(sample.source)
        else directory.peer_group(sample.source, sample.target)
        for sample in samples
    }


def _describe_host_path(sample: Sample) -> str:
    """The peer group inside a host: GPU to GPU, GPU to itself, CPU to GPU. The links between them are not known."""
    near, far = _find_device(sample.source), _find_device(sample.target) if sample.target else None
    other_end = "itself" if sample.source == sample.target else f"another {far}" if near == far else far or "another"
    return f"{near or 'device'} to {other_end} inside {sample.source.host}"


def _find_device(member: Member) -> str | None:
    """GPU or CPU; None for hosts and NICs."""
    return member.device[:3] if member.device is not None and member.device.startswith(("GPU", "CPU")) else None


def _group_peers(groups: Mapping[Ends, str]) -> dict[str, list[Ends]]:
    ends_by_group: dict[str, list[Ends]] = defaultdict(list)
    for ends, name in sorted(groups.items(), key=lambda entry: (entry[1], entry[0][0], entry[0][1] or "")):
        ends_by_group[name].append(ends)
    return ends_by_group


def _compute_median(readings: Sequence[Reading]) -> float | None:
    values = [reading.value for reading in readings if reading.value is not None]
    return spread.middle(values) if values else None


def _compare_group(
    name: str, pairs: Sequence[Ends], values: Mapping[Ends, float | None], lower_is_better: bool, rule: Rule
) -> tuple[PeerGroup, dict[Ends, float]]:
    """The expected value of a peer group, and each cell as a fraction of it; a failed run counts as zero."""
    measured = {ends: value for ends in pairs if (value := values[ends]) is not None and value > 0}
    ordered = sorted(measured.values())
    lowest, highest = (ordered[0], ordered[-1]) if ordered else (None, None)
    if len(pairs) < _FEWEST_LIKE or len(measured) < 2:
        return PeerGroup(name, len(pairs), None, lowest, highest, None, None), {}
    goodness = {ends: 1 / value if lower_is_better else value for ends, value in measured.items()}
    by_member: dict[str, list[float]] = defaultdict(list)
    for ends in pairs:
        for member in ends:
            if member is not None:
                by_member[member].append(goodness.get(ends, 0.0))
    reached = spread.compute_expected_value(by_member)
    statistic = "median" if all(far is None for _, far in pairs) else "median over endpoints"
    if reached <= 0:  # most of them failed
        reached, statistic = spread.middle(goodness.values()), "median of the results that did not fail"
    fractions = {ends: goodness.get(ends, 0.0) / reached for ends in pairs}
    deviation = spread.spread(fractions.values())
    expected = 1 / reached if lower_is_better else reached
    group = PeerGroup(
        name,
        len(pairs),
        expected,
        lowest,
        highest,
        deviation,
        rule.bound(deviation),
        rule.describe_margin(deviation),
        statistic,
    )
    return group, fractions


def _compute_margins(members: Mapping[str, Member], fractions: Mapping[Ends, float]) -> tuple[Margin, ...]:
    table = {(a, b): math.log(value) for (a, b), value in fractions.items() if b is not None and value > 0}
    if not table:
        return ()
    rows, columns = polish(table)
    return tuple(
        Margin(name, _relative_effect(rows.get(name)), _relative_effect(columns.get(name))) for name in members
    )


def _relative_effect(effect: float | None) -> float | None:
    return None if effect is None else round(math.expm1(effect), 6)


def _build_suspect(
    cause: Cause, middle: float, cells: Mapping[Ends, Cell], groups: Sequence[PeerGroup], key: Key, rule: Rule
) -> Suspect:
    expected = {group.name: group.expected for group in groups}
    cells_of_cause = [cells[ends] for ends in cause.cells if ends in cells]
    slow = sorted(
        (cell for cell in cells_of_cause if _is_slow(cell, middle)),
        key=lambda cell: (cell.fraction or 0.0, cell.source),
    )
    low = [cell for cell in cells_of_cause if cell.low]
    slowest = slow[:_EVIDENCE]
    return Suspect(
        kind=cause.kind,
        pattern=cause.pattern,
        name=cause.name,
        because="; ".join(
            [
                because(cause, middle, slow, cells_of_cause, key, expected),
                *_describe_repetitions(slow, expected, key, rule),
            ]
        ),
        fraction=round(middle, 6),
        low=len(low),
        cells=len(cells_of_cause),
        times=min((_count_logs(cell) for cell in slow), default=1),
        confirmed=_is_confirmed(slow, expected, key, rule),
        other_causes=cause.other_causes,
        slow=tuple(
            (cell.source, cell.target) for cell in sorted(slow, key=lambda cell: (cell.source, cell.target or ""))
        ),
        evidence=tuple(_format_evidence(cell, reading, key) for cell in slowest for reading in cell.readings),
        results=sum(len(cell.readings) for cell in slow),
    )


def _count_logs(cell: Cell) -> int:
    return len({reading.file for reading in cell.readings})


def _describe_repetitions(
    slow: Sequence[Cell], expected: Mapping[str, float | None], key: Key, rule: Rule
) -> list[str]:
    """For a cell that was measured several times and not always slow: how often it was, and what is compared."""
    if len(slow) != 1 or _count_logs(slow[0]) < 2:
        return []
    (cell,) = slow
    low = sum(_is_low(reading, expected[cell.group], key, rule.minimum) for reading in cell.readings)
    count = len(cell.readings)
    return (
        [f"measured {count} times, slow in {low}, normal in {count - low}; the median is compared"]
        if low < count
        else []
    )


def _is_slow(cell: Cell, middle: float) -> bool:
    return cell.fraction is not None and cell.fraction <= math.sqrt(max(middle, 1e-3))


def _is_confirmed(slow: Sequence[Cell], expected: Mapping[str, float | None], key: Key, rule: Rule) -> bool:
    """Whether slow cells, or a few of many, were measured again and were slow each time.

    Only another log is another measurement: one log may contain the same pair under several conditions.
    """
    repeated = [cell for cell in slow if _count_logs(cell) > 1]
    if not slow or len(repeated) < min(len(slow), ENOUGH_CELLS):
        return False
    return all(
        _is_low(reading, expected[cell.group], key, rule.minimum) for cell in repeated for reading in cell.readings
    )


def _is_low(reading: Reading, expected: float | None, key: Key, tolerance: float) -> bool:
    if reading.value is None or reading.value <= 0 or expected is None:
        return True
    fraction = expected / reading.value if key.lower_is_better else reading.value / expected
    return fraction < 1 - tolerance


def _format_evidence(cell: Cell, reading: Reading, key: Key) -> str:
    ends = cell.source if cell.target is None else f"{cell.source} -> {cell.target}"
    value = reading.error or "failed" if reading.value is None else f"{reading.value:,.6g} {format_unit(key.unit)}"
    return f"{ends}: {value} ({reading.file}:{reading.line})"


def _round_value(value: float | None) -> float | None:
    return None if value is None else round(value, 6)
