"""Run checks at every place of the plan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from wirespeed.checks.model import (
    Check,
    CheckContext,
    ElsewhereError,
    InapplicableError,
    NoIntentError,
    Outcome,
    UnreadError,
    failure,
    find_planned_entity,
    map_cables,
)
from wirespeed.checks.peers import find_nic_of_rule, find_peer_port
from wirespeed.checks.registry import checks as all_checks
from wirespeed.checks.root_causes import UNVERIFIED_FORMAT, PlacedFinding, mark_consequences
from wirespeed.checks.unread import list_reading_fixes, list_unread_causes
from wirespeed.checks.wording import format_place, format_remote_place, format_value
from wirespeed.facts import NOT_SHOWN, Facts, Reading, State, drop_other_launchers
from wirespeed.plan import Cable, End, Plan
from wirespeed.plan.source_verification import find_unverified_source
from wirespeed.results.findings import Finding, Fix, Status
from wirespeed.settings import Compare, Place, get, iterate_entities, list_settings

Absences = dict[tuple[str, tuple[str, ...]], tuple[str, Place]]
"""The check and the place that first miss the configuration files of a device."""


def run(plan: Plan, facts: Facts, checks: Iterable[Check] | None = None) -> tuple[Finding, ...]:
    """Every check at every place of its kind in the plan, by device in the plan's order, then by check id.

    A check that raises becomes one finding with status error; the others continue.
    """
    chosen = tuple(all_checks().values()) if checks is None else tuple(checks)
    cables = map_cables(plan)
    facts = drop_other_launchers(facts, plan.devices)
    results = [result for name in plan.devices for result in _check_device(plan, facts, name, chosen, cables)]
    return mark_consequences(results, cables)


def _check_device(
    plan: Plan, facts: Facts, name: str, checks: tuple[Check, ...], cables: Mapping[End, Cable]
) -> Iterator[PlacedFinding]:
    places: dict[type[Any], list[tuple[Place, Any]]] = {}
    for place, entity in iterate_entities(plan.devices[name], Place(name)):
        places.setdefault(type(entity), []).append((place, entity))
    absences: Absences = {}
    for check in checks:
        for place, entity in places.get(check.subject, ()):
            yield from _check_place(CheckContext(plan, facts, place, entity, check, cables), absences)


def _check_place(context: CheckContext, absences: Absences) -> tuple[PlacedFinding, ...]:
    """Run one check at one place: a finding, one for each problem, or none where the check does not apply."""
    try:
        if not context.check.presence and _is_absent(context):
            absence = _finding_without_verdict(context, Status.SKIP, "not present on this device")
            return (PlacedFinding(context.place, absence),)
        result = context.check.function(context)
        outcomes = result if isinstance(result, tuple) else (result,)
        return tuple(
            PlacedFinding(
                context.place,
                _build_finding(context, outcome),
                (*context.check.causes, *outcome.causes),
                outcome.cause_place,
            )
            for outcome in outcomes
        )
    except ElsewhereError:
        return ()
    except Exception as error:
        if isinstance(error, UnreadError) and (missing := _build_absence(context, error, absences)):
            return (missing,)
        causes = list_unread_causes(context, error) if isinstance(error, UnreadError) else ()
        return (PlacedFinding(context.place, _explain_missing_verdict(context, error), causes),)


def _explain_missing_verdict(context: CheckContext, reason: Exception) -> Finding:
    """The finding of a check that raised. The statuses unknown, skip and error come from here alone."""
    if isinstance(reason, NoIntentError | InapplicableError):
        return _finding_without_verdict(context, Status.SKIP, str(reason))
    if isinstance(reason, UnreadError):
        place = reason.place or context.place
        is_elsewhere = place.device != context.place.device
        setting = f"{reason.setting} of {format_remote_place(place)}" if is_elsewhere else reason.setting
        unread = _finding_without_verdict(context, Status.UNKNOWN, f"{setting} not read; {reason.reason}")
        files = (f"{source.device}: {source}" for gap in reason.gaps for source in gap.empty_files)
        return replace(
            unread,
            unread=reason.setting,
            unread_device=place.device if is_elsewhere else None,
            not_shown=reason.setting if reason.reason == NOT_SHOWN else None,
            evidence=tuple(dict.fromkeys((*unread.evidence, *files))),
            fix=list_reading_fixes(place.device, reason),
        )
    return _finding_without_verdict(
        context, Status.ERROR, f"internal error in the check: {type(reason).__name__}: {reason}"
    )


_LONGEST_VALUE = 60  # characters; a table of the cores of all ranks is longer


def _build_absence(context: CheckContext, unread: UnreadError, absences: Absences) -> PlacedFinding | None:
    """A failure if the plan has a value whose configuration file does not exist. None otherwise.

    The first failure of a file is the cause of the others.
    """
    place = unread.place or context.place
    planned = find_planned_entity(context.plan, place)
    files = context.facts.list_absent_files(place, unread.setting, planned)
    if not files or planned is None or get(planned, unread.setting) is None:
        return None
    names = " or ".join(files)
    gaps = context.facts.list_gaps(place, unread.setting)
    sources = (f"{source.device}: {source}" for gap in gaps if gap.absent_files for source in gap.files)
    fix = Fix(f"render the cluster file, and install the rendered {names} with apply.sh")
    setting = list_settings(type(planned)).get(unread.setting)
    value = format_value(get(planned, unread.setting), setting.unit if setting is not None else None)
    planned_value = f"{unread.setting} = {value}" if len(value) <= _LONGEST_VALUE else unread.setting
    outcome = failure("the rendered file is not installed", f"{names}, which sets {planned_value}", f"no {names}", fix)
    finding = replace(_build_finding(context, outcome), evidence=tuple(dict.fromkeys(sources)))
    cause = absences.setdefault((place.device, files), (context.check.id, context.place))
    if cause == (context.check.id, context.place):
        return PlacedFinding(context.place, finding)
    return PlacedFinding(context.place, finding, cause[:1], cause[1])


def _is_absent(context: CheckContext) -> bool:
    """Whether the entity is known to be absent; one that was not searched for is not."""
    try:
        return not context.is_present()
    except UnreadError:
        return False


def _build_finding(context: CheckContext, outcome: Outcome) -> Finding:
    status, reasons = outcome.status, outcome.warning_reasons
    if status in (Status.FAIL, Status.WARN):
        decisive = _decisive_readings(context, outcome)
        assumed_paths = dict.fromkeys(path for _, path, reading in decisive if reading.state is State.ASSUMED)
        unverified_paths = context.facts.unverified
        doubtful = dict.fromkeys(
            path
            for place, path, _ in decisive
            if (place.device, path) in unverified_paths and path not in assumed_paths
        )
        if doubtful and status is Status.FAIL:
            reasons = (*reasons, f"{UNVERIFIED_FORMAT} for {', '.join(doubtful)}")
        unread_sources = (find_unverified_source(context.plan, place, path) for place, path, _ in decisive)
        sources = dict.fromkeys(source for source in unread_sources if source is not None)
        if sources and status is Status.FAIL:
            reasons = (*reasons, f"the source of the planned value was not read: {'; '.join(sources)}")
        if assumed_paths:
            reasons = (*reasons, f"the output does not contain {', '.join(assumed_paths)}; the default is assumed")
        status = Status.WARN if reasons else status
    return Finding(
        check=context.check.id,
        status=status,
        device=context.place.device,
        place=_format_name(context),
        summary=outcome.summary or context.check.manual.title,
        expected=outcome.expected,
        found=outcome.found,
        warning_reasons=reasons,
        evidence=_list_evidence(context, outcome.members),
        impact=outcome.impact,
        fix=outcome.fix,
        failures=context.check.failures,
        source=context.check.manual.source,
    )


def _decisive_readings(context: CheckContext, outcome: Outcome) -> list[tuple[Place, str, Reading]]:
    """The readings that a verdict depends on: those that differ from the plan; all of them where none differs.

    A value that the plan does not contain may be the cause as well. Where several settings differ and each is a failure
    without the others, those that are certain decide.
    """
    decisive = [used for used in context.used if not _is_planned(context, *used)] or context.used
    certain = [used for used in decisive if used[1] in outcome.differences and _is_certain(context, *used)]
    return certain or decisive


def _is_certain(context: CheckContext, place: Place, path: str, reading: Reading) -> bool:
    """Whether the reading is of a verified format, no assumed default, and of a planned value with a source."""
    is_verified = (place.device, path) not in context.facts.unverified and reading.state is not State.ASSUMED
    return is_verified and find_unverified_source(context.plan, place, path) is None


def _is_planned(context: CheckContext, place: Place, path: str, reading: Reading) -> bool:
    entity = find_planned_entity(context.plan, place)
    setting = None if entity is None else list_settings(type(entity)).get(path)
    if setting is None or setting.compare is Compare.NONE:
        return False
    intended = get(entity, path)
    return intended is not None and setting.compare.holds(intended, reading.value)


def _finding_without_verdict(context: CheckContext, status: Status, reason: str) -> Finding:
    return Finding(
        check=context.check.id,
        status=status,
        device=context.place.device,
        place=_format_name(context),
        summary=context.check.manual.title,
        found=reason,
        evidence=_list_evidence(context),
        failures=context.check.failures,
        source=context.check.manual.source,
    )


def _list_evidence(context: CheckContext, members: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Where the readings were read; with ``members``, only where these keys of mappings were."""
    sources = [
        (place, source)
        for place, _, reading in context.used
        for key, source in reading.source.members
        if key in members
    ] or [(place, reading.source) for place, _, reading in context.used]
    return tuple(dict.fromkeys(f"{place.device}: {source}" for place, source in sources))


def _format_name(context: CheckContext) -> str:
    device, entities = context.place.device, context.place.entities
    if not entities:
        return str(context.check.subject.kind)
    kind, name = entities[0]
    if kind == "peer" and (peer_port := find_peer_port(context.plan, device, name)):
        port, far = peer_port
        return f"port {port} peer {name} ({far.device}:{far.port})"
    if kind == "route":
        table, _, route = name.partition(" ")
        return f"route {route} of table {table}"
    if kind == "rule" and (nic_name := find_nic_of_rule(context.plan, device, name)):
        return f"nic {nic_name} rule {name}"
    nic = (
        find_planned_entity(context.plan, Place(context.place.device, entities[:1]))
        if entities[0][0] == "nic"
        else None
    )
    return format_place(context.place, nic)
