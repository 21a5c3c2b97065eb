"""Compare one measurement with its limits: the verdict and its reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from wirespeed.benchmarks.judge.limits import Alternative, ComputedBandwidth, Fingerprints, Limit, Limits
from wirespeed.benchmarks.judge.profile import Profile, Thresholds
from wirespeed.benchmarks.logs.numbers import SECONDS
from wirespeed.limits.bound import GIGABYTES, convert, number
from wirespeed.limits.nic_losses import REACHED
from wirespeed.results.benchmarks import Measurement, Metric, Run, count_shown_decimals
from wirespeed.results.printed_digits import find_bandwidth_digit, find_time_digits, is_rounded
from wirespeed.results.verdicts import Bound, Judgement, Term, Verdict
from wirespeed.units import BITS_PER_SECOND, Size, format_percent, format_unit

_MARGIN = 1 - REACHED  # relative distance from the bandwidth of a loss

_SMALLEST_FINGERPRINT = 2**16  # bytes: smaller messages have other limits

_FLAT_SIZES = 3  # largest sizes that show whether a table is flat
_FLAT = 0.005  # relative difference of a flat table: a healthy one still rises by about 1 % (957608-AN210, 8.5.1)

_SHORTEST = 0.01  # a time that two decimals show

_BELOW = "below "  # begins the reason of a bandwidth below a threshold
BELOW_PLATEAU = "can fail only at a dip or a step of the curve"
_BITS_FOR_BYTES = 4.0  # between 1 and 8, on a scale of factors nearer to 8
_HIGHER_LIMIT = 1.001  # of the design's limit: from here on, the limit as found is a higher one
_EQUAL_LIMIT = 0.99  # from this fraction of the design's limit on, the limit as found explains no loss


@dataclass(frozen=True, slots=True)
class Scale:
    """The scale of a run: its limits, the profile, and the smallest size of the plateau."""

    limits: Limits
    profile: Profile
    plateau: float


def compare_bandwidth(
    measurement: Measurement,
    limit: Limit,
    scale: Scale,
    rounding: float | None = None,
    computed: ComputedBandwidth | None = None,
) -> Verdict:
    """The verdict of a bandwidth against the limits of the design.

    ``rounding``: half of its last printed digit; ``computed``: the bandwidth by the time of its row.
    """
    if limit.unknown is not None:
        return make_verdict(measurement, Judgement.UNKNOWN, limit.unknown)
    beyond = limit.physical is not None and is_above(measurement, limit.physical, scale.profile, rounding)
    excess = None
    if limit.physical is not None and not beyond and computed is not None:
        exact = measurement._replace(value=computed.value)
        beyond = is_above(exact, limit.physical, scale.profile, computed.rounding)
        excess = _describe_computed(measurement, computed) if beyond else None
    if limit.skip_reason is not None and not (beyond and limit.bounded):
        return make_verdict(measurement, Judgement.SKIP, limit.skip_reason, limit)
    if limit.physical is not None and beyond:
        explanation = _explain_excess(measurement, limit.physical, scale.limits)
        reason = f"{excess}: {explanation}" if excess else explanation
        return make_verdict(measurement, Judgement.UNKNOWN, reason, limit)
    small = scale.limits.bandwidth_bound(measurement, limit)
    if small is not None:
        return make_verdict(measurement, Judgement.SKIP, small, limit)
    bound = limit.reachable or limit.physical
    if bound is None:
        return make_verdict(measurement, Judgement.UNKNOWN, "no limit is known", limit)
    return _compare_thresholds(measurement, limit, bound, scale)


def _describe_computed(measurement: Measurement, computed: ComputedBandwidth) -> str:
    """A bandwidth by its time, in a sentence that explains why it is more than the printed one."""
    size, time = Size(measurement.size_bytes or 0), computed.time
    return (
        f"{size} in {number(float(time.value))} {format_unit(time.unit)} is {computed.value:.3g} "
        f"{format_unit(measurement.unit)}, printed as {number(float(measurement.value))}"
    )


def doubt_smaller_sizes(verdicts: Mapping[int, Verdict]) -> dict[int, Verdict]:
    """The verdicts with passes and warnings as unknown where a larger size of the table is above the physical limit.

    That size shows that the limits are not those of the measured hosts.
    """
    largest: dict[tuple[Metric, str | None], int] = {}
    for verdict in verdicts.values():
        if verdict.judgement is Judgement.UNKNOWN and _ABOVE in verdict.reason:
            key = (verdict.measurement.metric, verdict.measurement.label)
            largest[key] = max(largest.get(key, 0), verdict.measurement.size_bytes or 0)
    return {
        position: replace(verdict, judgement=Judgement.UNKNOWN, reason=_LARGER_IS_ABOVE)
        if verdict.judgement in (Judgement.PASS, Judgement.WARN)
        and verdict.physical is not None
        and (verdict.measurement.size_bytes or 0)
        < largest.get((verdict.measurement.metric, verdict.measurement.label), 0)
        else verdict
        for position, verdict in verdicts.items()
    }


_ABOVE = "above the physical limit ("
_LARGER_IS_ABOVE = (
    "larger sizes of this table are above the physical limit: the limit is not that of the measured hosts or path"
)


def _compare_thresholds(measurement: Measurement, limit: Limit, bound: Bound, scale: Scale) -> Verdict:
    """Compare with the thresholds; a size below the plateau that does not pass is not judged."""
    bound_name = "the reachable limit" if bound is limit.reachable else "the physical limit"
    thresholds: Thresholds = limit.thresholds or scale.limits.thresholds
    passes, warns = thresholds.passes.value, thresholds.warns.value
    fraction = measurement.value / bound.value
    if fraction >= passes:
        reached = f"the required {format_percent(passes, 0)} of {bound_name} is reached"
        return make_verdict(measurement, Judgement.PASS, reached, limit)
    if limit.refuted is not None and measurement.value > limit.refuted.value:
        return make_verdict(measurement, Judgement.PASS, _describe_refuted(measurement, limit.refuted), limit)
    below_plateau = measurement.size_bytes is not None and measurement.size_bytes < scale.plateau
    if below_plateau and limit.thresholds is None:
        return make_verdict(measurement, Judgement.SKIP, _describe_plateau(scale), limit)
    alternative = _find_alternative(measurement, limit, thresholds, fails=fraction < warns)
    if alternative is not None:
        return make_verdict(
            measurement, Judgement.UNKNOWN, _describe_alternative(measurement, bound, bound_name, alternative), limit
        )
    below = f"{_BELOW}{format_percent(passes, 0)} of {bound_name} (limit: {bound.bottleneck})"
    if fraction >= warns:
        return make_verdict(measurement, Judgement.WARN, below, limit)
    below = below.replace(format_percent(passes, 0), format_percent(warns, 0))
    return make_verdict(measurement, Judgement.FAIL, below, limit)


def _describe_refuted(measurement: Measurement, refuted: Bound) -> str:
    """Why a value passes that is below the thresholds of the limit which the log leaves."""
    return (
        f"above the {number(refuted.value)} {format_unit(measurement.unit)} of the limit that the log refutes "
        f"({'; '.join(refuted.assumptions[:1])})"
    )


def _describe_plateau(scale: Scale) -> str:
    """Why a size below the plateau is not judged."""
    share = format_percent(scale.profile.plateau.value, 0)
    return f"sizes below {Size(round(scale.plateau))} ({share} of the largest size) {BELOW_PLATEAU}"


def _find_alternative(
    measurement: Measurement, limit: Limit, thresholds: Thresholds, *, fails: bool
) -> Alternative | None:
    """The first other limit with which a value that fails at least warns, or one that warns passes."""
    for alternative in limit.alternatives:
        of_alternative = alternative.thresholds or thresholds
        required = of_alternative.warns.value if fails else of_alternative.passes.value
        if measurement.value >= required * alternative.reachable.value:
            return alternative
    return None


def _describe_alternative(measurement: Measurement, bound: Bound, bound_name: str, alternative: Alternative) -> str:
    """Why a value is unknown: both limits, and what would decide between them."""
    return (
        f"{format_percent(measurement.value / bound.value, 0)} of {bound_name} (limit: {bound.bottleneck}), "
        f"but that is {number(alternative.reachable.value)} {format_unit(measurement.unit)} "
        f"if {alternative.condition}: {alternative.action}"
    )


def explain_dip(verdict: Verdict, verdicts: Iterable[Verdict], scale: Scale) -> Verdict:
    """Note a size that is not judged although a smaller one passes: the bandwidth drops there."""
    if not verdict.reason.endswith(BELOW_PLATEAU):
        return verdict
    measurement = verdict.measurement
    smaller = [
        smaller.measurement.size_bytes or 0
        for smaller in verdicts
        if smaller.judgement is Judgement.PASS
        and (smaller.measurement.metric, smaller.measurement.label) == (measurement.metric, measurement.label)
        and (smaller.measurement.size_bytes or 0) < (measurement.size_bytes or 0)
    ]
    bound = verdict.reachable or verdict.physical
    if not smaller or bound is None:
        return verdict
    dip = f"{_describe_share([verdict])}{_ALTHOUGH}{Size(max(smaller))} passes; "
    return replace(verdict, reason=f"{dip}{_describe_plateau(scale)}")


def find_common_reason(verdict: Verdict) -> tuple[str, bool]:
    """The reason of a verdict without the figures of its size, and whether there are such figures (`explain_dip`)."""
    is_dip = verdict.reason.endswith(BELOW_PLATEAU) and _ALTHOUGH in verdict.reason
    return (verdict.reason.rpartition("; ")[2] if is_dip else verdict.reason), is_dip


def describe_dips(verdicts: Sequence[Verdict]) -> str:
    """The common reason of sizes that are not judged although smaller ones pass (`explain_dip`)."""
    if len(verdicts) == 1:
        return verdicts[0].reason
    return f"{_describe_share(verdicts)}{_ALTHOUGH}smaller sizes pass; {find_common_reason(verdicts[0])[0]}"


def _describe_share(verdicts: Sequence[Verdict]) -> str:
    """The share of a limit that measurements reach, all of the same limit."""
    reachable = [verdict.fraction_of_reachable for verdict in verdicts if verdict.fraction_of_reachable is not None]
    physical = [verdict.fraction_of_physical for verdict in verdicts if verdict.fraction_of_physical is not None]
    shares = [format_percent(share, 0) for share in sorted(reachable or physical)]
    interval = shares[0] if shares[0] == shares[-1] else f"{shares[0]} to {shares[-1]}"
    return f"{interval} of the {'reachable' if reachable else 'physical'} limit"


_ALTHOUGH = ", although "


def add_causes(verdict: Verdict, causes: Sequence[str]) -> Verdict:
    """Add to a bandwidth below its limit the causes that the log proves, before the limit."""
    if not causes or verdict.judgement not in (Judgement.WARN, Judgement.FAIL) or verdict.physical is None:
        return verdict
    return replace(verdict, reason=f"the log proves: {'; '.join(causes)}; {verdict.reason}")


def keep_possible_losses(verdicts: Iterable[Verdict], fingerprints: Fingerprints | None) -> Fingerprints | None:
    """The losses whose bandwidth no size of the run exceeds: a slot or a NIC is as slow for all sizes."""
    rows = [row for verdict in verdicts if (row := verdict.measurement).metric in (Metric.BUSBW, Metric.BW_AVG)]
    rows = [row for row in rows if row.unit in BITS_PER_SECOND and row.size_bytes]
    if fingerprints is None or not rows:
        return fingerprints
    highest = max(convert(float(row.value), row.unit, fingerprints.planned.unit) for row in rows)
    remaining = [
        rate for rate in fingerprints.rates if highest <= rate.fraction * fingerprints.planned.value * (1 + _MARGIN)
    ]
    return replace(fingerprints, rates=remaining)


def name_fingerprints(verdict: Verdict, fingerprints: Fingerprints | None) -> Verdict:
    """A bandwidth below its limit, with the known losses that have the same bandwidth."""
    measurement = verdict.measurement
    if (
        fingerprints is None
        or verdict.judgement not in (Judgement.WARN, Judgement.FAIL)
        or verdict.reachable is None
        or measurement.unit not in BITS_PER_SECOND
        or (measurement.size_bytes or _SMALLEST_FINGERPRINT) < _SMALLEST_FINGERPRINT
    ):
        return verdict
    matches = _match_fingerprints(measurement, fingerprints)
    if matches:
        text = f"{POSSIBLE_CAUSES} {', or '.join(matches)}"
        return replace(verdict, reason=f"{verdict.reason}; {text}")
    if not verdict.reason.startswith(_BELOW):  # no dip or step, which pass such bandwidths by chance
        return verdict
    nearby = _find_slot_in_use(measurement, fingerprints)
    texts = (verdict.reason, nearby, fingerprints.queue_pair_hint)
    return replace(verdict, reason="; ".join(text for text in texts if text))


POSSIBLE_CAUSES = "possible causes of exactly this rate:"
_PATH = "the rate of a path with"


def compare_published_range(
    verdict: Verdict, fingerprints: Fingerprints | None, verdicts: Iterable[Verdict] = ()
) -> Verdict:
    """A bus bandwidth below all published runs of healthy hosts, with the number of NICs that leaves so much of them.

    It warns where it passes: the algorithm reaches more than the fraction of the limit that passes for others. A
    missing NIC is missing at all sizes: a larger size of ``verdicts`` within the published range refutes it, and one
    beyond the range of a number of NICs refutes that number.
    """
    published = fingerprints.published if fingerprints is not None else None
    share, measurement = verdict.fraction_of_reachable, verdict.measurement
    if (
        fingerprints is None
        or published is None
        or share is None
        or verdict.judgement not in (Judgement.PASS, Judgement.WARN, Judgement.FAIL)
        or measurement.metric is not Metric.BUSBW
        or (measurement.size_bytes or 0) < published.from_bytes.value
        or share >= REACHED * published.lowest.value
        or (highest_share := _find_share_of_larger_sizes(verdict, verdicts, share)) >= REACHED * published.lowest.value
    ):
        return verdict
    lowest, highest = published.lowest.value, published.highest.value
    text = (
        f"published runs of such hosts reach {format_percent(lowest, 0)} to {format_percent(highest, 0)} of the "
        "reachable limit"
    )
    limit = measurement.value / share
    for count in range(fingerprints.nics - 1, 0, -1):
        fraction = count / fingerprints.nics
        of_nics = REACHED * lowest * fraction <= share <= highest_share <= highest * fraction / REACHED
        if of_nics and POSSIBLE_CAUSES not in verdict.reason and _PATH not in verdict.reason:
            reached = f"{lowest * fraction * limit:.3g} to {highest * fraction * limit:.3g}"
            text += (
                f"; with {count} of {fingerprints.nics} NICs {reached} {format_unit(measurement.unit)} are expected "
                "(scaled from these runs, not measured): check that every NIC of both hosts was in use"
            )
            break
    if verdict.judgement is Judgement.PASS:
        return replace(verdict, judgement=Judgement.WARN, reason=text)
    return replace(verdict, reason=f"{verdict.reason}; {text}")


def _find_share_of_larger_sizes(verdict: Verdict, verdicts: Iterable[Verdict], share: float) -> float:
    """The highest share of the reachable limit at this size, which is ``share``, and at larger ones of the run."""
    size = verdict.measurement.size_bytes or 0
    larger = (
        row.fraction_of_reachable or 0.0
        for row in verdicts
        if row.measurement.metric is Metric.BUSBW and (row.measurement.size_bytes or 0) > size
    )
    return max((share, *larger))


def _find_slot_in_use(measurement: Measurement, fingerprints: Fingerprints) -> str | None:
    """The smallest loss whose bandwidth leaves room for this one, if transfers with it reach such a fraction of it."""
    planned = convert(fingerprints.planned.value, fingerprints.planned.unit, measurement.unit)
    fractions = {rate: measurement.value / (planned * rate.fraction) for rate in fingerprints.rates}
    possible = [rate for rate, fraction in fractions.items() if rate.reached <= fraction <= 1]
    if not possible:
        return None
    rate = min(possible, key=lambda rate: rate.fraction)
    return (
        f"{format_percent(fractions[rate], 0)} of {_PATH} {rate.name} "
        f"({number(planned * rate.fraction)} {format_unit(measurement.unit)}), where runs reach "
        f"{format_percent(rate.reached, 0)} or more"
    )


def describe_passing_fingerprints(verdicts: Iterable[Verdict], fingerprints: Fingerprints | None) -> tuple[str, ...]:
    """Notes on plateaus that pass and are flat at the bandwidth of a known loss, such as a missing NIC.

    Notes only: healthy runs reach these bandwidths too, with a fraction of the limit that is the same by chance. None
    on collectives, whose healthy runs reach so different fractions that an equal one is chance.
    """
    if fingerprints is None or fingerprints.published is not None:
        return ()
    series: dict[tuple[Metric, str | None], list[Verdict]] = {}
    for verdict in verdicts:
        measurement = verdict.measurement
        large = (measurement.size_bytes or 0) >= _SMALLEST_FINGERPRINT
        if measurement.metric is Metric.BW_AVG and large and measurement.unit in BITS_PER_SECOND:
            series.setdefault((measurement.metric, measurement.label), []).append(verdict)
    matches = (_match_plateau(rows, fingerprints) for rows in series.values())
    return tuple(
        dict.fromkeys(
            f"the largest sizes pass, but their rate is also that of a loss: {', or '.join(names)}; check that the "
            "whole path was in use"
            for names in matches
            if names
        )
    )


def _match_plateau(series: Sequence[Verdict], fingerprints: Fingerprints) -> list[str]:
    """The losses whose bandwidth all of the largest sizes have, if all pass and none rises."""
    plateau = sorted(series, key=lambda verdict: verdict.measurement.size_bytes or 0)[-_FLAT_SIZES:]
    values = [verdict.measurement.value for verdict in plateau]
    if (
        len(plateau) < _FLAT_SIZES
        or any(verdict.judgement is not Judgement.PASS or verdict.reachable is None for verdict in plateau)
        or max(values) > min(values) * (1 + _FLAT)
    ):
        return []
    matches = [_match_fingerprints(verdict.measurement, fingerprints) for verdict in plateau]
    return [name for name in matches[-1] if all(name in names for names in matches)]


def _match_fingerprints(measurement: Measurement, fingerprints: Fingerprints) -> list[str]:
    """The losses within the margin of a measurement, with their bandwidth."""
    planned = convert(fingerprints.planned.value, fingerprints.planned.unit, measurement.unit)
    unit, margin = format_unit(measurement.unit), format_percent(_MARGIN, 0)
    return [
        f"{rate.name} ({number(planned * rate.fraction)} {unit} ± {margin})"
        for rate in fingerprints.rates
        if abs(measurement.value / (planned * rate.fraction) - 1) <= _MARGIN
    ]


def compare_latency(measurement: Measurement, bound: Bound) -> Verdict:
    """Compare a latency with its minimum possible value; ``bound`` is in µs."""
    factor = 1e-6 / SECONDS[measurement.unit]
    terms = tuple(replace(term, value=term.value * factor, unit=measurement.unit) for term in bound.terms)
    floor = replace(bound, value=bound.value * factor, unit=measurement.unit, terms=terms)
    impossible = is_below(measurement, floor)
    judgement = Judgement.UNKNOWN if impossible else Judgement.SKIP
    value = number(floor.value) if floor.value >= _SHORTEST else f"below {number(_SHORTEST)}"
    minimum = f"{value} {format_unit(floor.unit)}"
    cause = "serialization and cable propagation"
    if impossible:
        reason = f"below the minimum of {minimum} ({cause}); likely both ends on one host, or the wrong cluster file"
    else:
        reason = f"a latency: the minimum is {minimum} ({cause})"
    return replace(
        make_verdict(measurement, judgement, reason),
        physical=floor,
        fraction_of_physical=floor.value / measurement.value,
    )


def add_observed_limit(verdict: Verdict, limit: Limit, profile: Profile) -> Verdict:
    """Add to a verdict the limit of the cluster as found, and how much of a loss it explains."""
    bound = limit.reachable or limit.physical
    if bound is None or not bound.value or verdict.measurement.unit != bound.unit:
        return verdict
    fraction = verdict.measurement.value / bound.value
    is_higher = exceeds_plan(verdict, bound)
    compared_verdict = verdict if is_higher else replace(verdict, found=bound, fraction_of_found=fraction)
    if verdict.judgement is Judgement.SKIP:
        return compared_verdict
    if (
        verdict.judgement is not Judgement.UNKNOWN
        and limit.physical
        and is_above(verdict.measurement, limit.physical, profile)
    ):
        reason = (
            f"above the limit of the cluster as found ({limit.physical.bottleneck}): "
            "the bundle was not collected at the time of this run"
        )
        return replace(compared_verdict, judgement=Judgement.UNKNOWN, reason=reason)
    if verdict.judgement in (Judgement.WARN, Judgement.FAIL):
        return replace(compared_verdict, reason=f"{verdict.reason}; {_explain_loss(verdict, limit, bound, fraction)}")
    return compared_verdict


def exceeds_plan(verdict: Verdict, observed_limit: Bound) -> bool:
    """Whether the cluster as found has a higher limit than the planned one: it then explains no loss."""
    design = verdict.reachable or verdict.physical
    return design is not None and observed_limit.value > design.value * _HIGHER_LIMIT


def _explain_loss(verdict: Verdict, limit: Limit, observed_limit: Bound, fraction: float) -> str:
    design = verdict.reachable or verdict.physical
    if design is None or observed_limit.value >= design.value * _EQUAL_LIMIT:
        lower = [
            f", or is {number(alternative.reachable.value)} {format_unit(alternative.reachable.unit)} if "
            f"{alternative.condition} ({alternative.action})"
            for alternative in limit.alternatives
        ]
        relation = "is above" if design is not None and exceeds_plan(verdict, observed_limit) else "equals"
        return f"the limit of the cluster as found {relation} the planned limit" + "".join(lower)
    of_design = verdict.measurement.value / design.value
    smallest = next(term for term in observed_limit.terms if term.name == observed_limit.bottleneck)
    return (
        f"{format_percent(of_design, 0)} of the planned limit, "
        f"{format_percent(fraction, 0)} of the limit of the cluster as found: "
        f"{observed_limit.bottleneck}, {_shorten_formula(smallest)}"
    )


def _shorten_formula(term: Term) -> str:
    """A term's formula without what `in_unit` adds to it."""
    return term.formula.rpartition(" = ")[0] or term.formula


def is_above(measurement: Measurement, physical: Bound, profile: Profile, rounding: float | None = None) -> bool:
    """Whether a value is above a limit by more than the error of its printed digits and of clocks.

    ``rounding``: half of the last digit of its column; None: that of the value, without the zeros at its end.
    """
    error = _compute_rounding_error(measurement) if rounding is None else rounding
    return measurement.value - error > physical.value * (1 + profile.clock_tolerance.value)


def compute_roundings(measurements: Mapping[int, Measurement]) -> dict[int, float]:
    """Half of the last printed digit of each value, by position.

    The zeros at the end of a value are not kept: 0.10 has the two decimals of 0.11 and 0.09 in its column. A value has
    the decimals of those with as many digits before the point, and at least those of larger values.
    """
    columns: dict[tuple[Metric, str, str | None], dict[int, int]] = {}
    for measurement in measurements.values():
        by_digits = columns.setdefault((measurement.metric, measurement.unit, measurement.label), {})
        digits = len(str(int(measurement.value)))
        by_digits[digits] = max(by_digits.get(digits, 0), count_shown_decimals(measurement.value))
    return {
        position: 0.5
        * 10.0
        ** -max(
            decimals
            for digits, decimals in columns[measurement.metric, measurement.unit, measurement.label].items()
            if digits >= len(str(int(measurement.value)))
        )
        for position, measurement in measurements.items()
    }


def compute_from_times(run: Run, factor: float) -> dict[int, ComputedBandwidth]:
    """The bus bandwidths of a collective by the times of their rows, by position, where these have more digits.

    nccl-tests divides the size by the time and multiplies it by the bus factor, then prints two decimals
    (src/common.cu, BenchTime): 0.10 GB/s has two digits, the 1932.46 µs beside it six. A column is left
    out unless each of its values is the computed one, rounded: other times, such as those of the CPU, are not those of
    the bandwidth.
    """
    times = {
        (row.line, row.label): row for row in run.measurements if row.metric is Metric.TIME and row.unit in SECONDS
    }
    columns: dict[str | None, dict[int, tuple[Measurement, Measurement]]] = {}
    for position, row in enumerate(run.measurements):
        time = times.get((row.line, row.label))
        if row.metric is Metric.BUSBW and row.unit == GIGABYTES and row.size_bytes and time is not None and time.value:
            columns.setdefault(row.label, {})[position] = (row, time)
    computed: dict[int, ComputedBandwidth] = {}
    for column in columns.values():
        computed |= _compute_column(column, factor)
    return computed


def _compute_column(
    column: Mapping[int, tuple[Measurement, Measurement]], factor: float
) -> dict[int, ComputedBandwidth]:
    values = {
        position: factor * (row.size_bytes or 0) / (time.value * SECONDS[time.unit] * 1e9)
        for position, (row, time) in column.items()
    }
    printed, times = zip(*((row.value, time.value) for row, time in column.values()), strict=True)
    if not is_rounded(printed, list(values.values()), times):
        return {}
    digits = {
        position: values[position] * digit / time.value
        for (position, (_, time)), digit in zip(column.items(), find_time_digits(times), strict=True)
    }
    return {
        position: ComputedBandwidth(values[position], 0.5 * digits[position], time)
        for position, (row, time) in column.items()
        if digits[position] < find_bandwidth_digit(row.value)
    }


def is_below(measurement: Measurement, minimum: Bound) -> bool:
    """Whether a time is below its minimum by more than the error of its printed digits."""
    return measurement.value + _compute_rounding_error(measurement) < minimum.value


def _compute_rounding_error(measurement: Measurement) -> float:
    exponent = Decimal(str(measurement.value)).as_tuple().exponent
    return 0.5 * 10.0**exponent if isinstance(exponent, int) else 0.0


def _explain_excess(measurement: Measurement, physical: Bound, limits: Limits) -> str:
    """Likely reasons for a measurement above the physical limit, likeliest first."""
    ratio = measurement.value / physical.value
    reasons = list(limits.reasons_above)
    if ratio > _BITS_FOR_BYTES:
        reasons.insert(0, f"bits read as bytes: the values are {number(_BITS_FOR_BYTES)} or more times the limit")
    reasons.append("the cluster file describes another cluster")
    return f"{_ABOVE}{physical.bottleneck}); likely causes: {'; '.join(dict.fromkeys(reasons))}"


def make_verdict(measurement: Measurement, judgement: Judgement, reason: str, limit: Limit | None = None) -> Verdict:
    """A verdict with its fractions."""
    physical = limit.physical if limit else None
    reachable = limit.reachable if limit else None
    return Verdict(
        measurement=measurement,
        judgement=judgement,
        reason=reason,
        physical=physical,
        reachable=reachable,
        fraction_of_physical=measurement.value / physical.value if physical and physical.value else None,
        fraction_of_reachable=measurement.value / reachable.value if reachable and reachable.value else None,
    )
