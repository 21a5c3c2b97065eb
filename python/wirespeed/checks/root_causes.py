"""Findings that follow from others: the cause is confirmed, and its consequences name it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from wirespeed.plan import Cable, End
from wirespeed.results.findings import Finding, Fix, Status
from wirespeed.settings import Place

UNVERIFIED_FORMAT = "the output format was not verified on a device"
"""Beginning of the reason for which a failure is only a warning. A consequence that was seen confirms the reading."""

_PROBLEMS = (Status.FAIL, Status.WARN)


@dataclass(frozen=True, slots=True)
class PlacedFinding:
    """A finding with its place in the plan, and the checks whose findings would cause it at ``cause_place``.

    Without ``cause_place`` that is the same place.
    """

    place: Place
    finding: Finding
    causes: tuple[str, ...] = ()
    cause_place: Place | None = None


def mark_consequences(results: Sequence[PlacedFinding], cables: Mapping[End, Cable]) -> tuple[Finding, ...]:
    """The findings in their order; one that follows from another names it, and a doubtful cause is a failure.

    A cause is at the same place, at the other end of its cable, or, of a finding about a host, at one of its NICs. Of
    two findings of one check that cause each other the first is the cause.
    """
    positions: dict[tuple[str, Place], int] = {}
    for position, result in enumerate(results):
        if result.finding.status in _PROBLEMS:
            positions.setdefault((result.finding.check, result.place), position)
    findings = [result.finding for result in results]
    first_causes: dict[int, int] = {}
    for position, result in enumerate(results):
        if not result.causes or result.finding.status not in (*_PROBLEMS, Status.UNKNOWN):
            continue
        causes = [
            cause
            for cause in _find_causes(result, positions, findings, cables)
            if cause < position or findings[cause].check != result.finding.check
        ]
        for cause in causes:
            findings[cause] = _confirm(findings[cause], result.finding)
        if causes:
            first_causes[position] = causes[0]
    for position, cause in first_causes.items():
        while cause in first_causes:
            cause = first_causes[cause]
        findings[position] = _subordinate(findings[position], findings[cause])
    return tuple(findings)


def _find_causes(
    result: PlacedFinding,
    positions: Mapping[tuple[str, Place], int],
    findings: Sequence[Finding],
    cables: Mapping[End, Cable],
) -> Iterator[int]:
    for check in result.causes:
        for place in _list_places(check, result.cause_place or result.place, positions, cables):
            position = positions.get((check, place))
            if position is not None and _can_be_cause(findings[position]):
                yield position


def _list_places(
    check: str, place: Place, positions: Iterable[tuple[str, Place]], cables: Mapping[End, Cable]
) -> Iterator[Place]:
    yield place
    if not place.entities:
        yield from (inner for name, inner in positions if name == check and inner.device == place.device)
        return
    cable = cables.get(End(place.device, place.entities[0][1]))
    if cable is not None:
        end = cable.other_end(place.device)
        yield from (Place(end.device).child(kind, end.port) for kind in ("nic", "port"))


def _can_be_cause(finding: Finding) -> bool:
    """A warning with another reason than the format may be no fault at all."""
    return finding.status is Status.FAIL or all(
        reason.startswith(UNVERIFIED_FORMAT) for reason in finding.warning_reasons
    )


def _confirm(cause: Finding, consequence: Finding) -> Finding:
    impact = cause.impact or consequence.impact
    if consequence.status is not Status.FAIL:
        return replace(cause, impact=impact)
    return replace(cause, status=Status.FAIL, warning_reasons=(), impact=impact)


def _subordinate(consequence: Finding, cause: Finding) -> Finding:
    fix = Fix(f"fix {cause.check} first, then check again")
    is_elsewhere = (cause.device, cause.place) != (consequence.device, consequence.place)
    return replace(
        consequence,
        cause=cause.check,
        cause_device=cause.device if is_elsewhere else None,
        cause_place=cause.place if is_elsewhere else None,
        impact=None,
        fix=(fix,),
    )
