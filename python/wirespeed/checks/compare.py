"""The comparison of intended and found settings, which most checks use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import replace
from typing import Any

from wirespeed.checks.model import (
    CheckContext,
    ElsewhereError,
    InapplicableError,
    NoIntentError,
    Outcome,
    UnreadError,
    failure,
    success,
)
from wirespeed.checks.wording import LONGEST_LIST, differences, format_expected, format_value
from wirespeed.facts import State
from wirespeed.results.findings import Fix, Impact
from wirespeed.settings import ENTITIES, Compare, Place, Setting, list_settings

_KINDS: Mapping[str, type[Any]] = {entity.kind: entity for entity in ENTITIES}

Labels = Mapping[Any, str] | Callable[[Any], str]

ImpactOf = Callable[[CheckContext, Any, Any], Impact | None]


def compare(
    *paths: str,
    wrong: str,
    fix: str,
    consequence: str | None = None,
    by_hand: bool = False,
    labels: Labels | None = None,
    impact: ImpactOf | None = None,
    applies: Callable[[CheckContext], bool] | None = None,
    place: Callable[[CheckContext], Place] | None = None,
    all_expected: bool = False,
    configured: bool = False,
    override: str | None = None,
    absent: str | None = None,
) -> Callable[[CheckContext], Outcome]:
    """A check that these settings are as intended, each compared as its annotation requires.

    Args:
        paths: settings of the check's entity.
        wrong: summary of the finding, such as ``the MTU of the interface is too small``.
        fix: the fix as a sentence. The change of the setting is added unless ``by_hand``.
        by_hand: no command makes the change.
        consequence: consequence of the change, ``reboot``.
        labels: texts for values, such as ``{True: "loaded"}``, or a function that gives the text of each value.
        impact: the estimated impact, from the place, the intended and the found value (None: the entity is absent).
        applies: whether the check concerns a place; default: all of the kind.
        all_expected: a finding contains the expected values of all settings, not only of those that differ.
        configured: a configured value that is not yet in effect is compared too.
        override: the fix of a running value that takes precedence over the configured one. The change of the setting is
            added only if the configured value, which it changes, is not as intended.
        absent: summary of the finding if the entity is absent; default: one made from ``wrong``.
        place: place of the settings, if not the place of the check; ``paths`` are settings of that entity.

    Raises:
        TypeError: a setting is identity or evidence and not compared, so that the check could never fail.
    """
    for path in paths:
        if _find_setting(path).compare is Compare.NONE:
            raise TypeError(f"{path} is not compared: the check could never fail")

    def check(context: CheckContext) -> Outcome:
        if applies is not None and not applies(context):
            raise ElsewhereError
        target = None if place is None else place(context)
        intended_values = _get_intended_values(context, paths, target)
        if context.check.presence and not context.is_present():
            expected = "; ".join(
                _label_value(path, _format_expected(path, value, labels)) for path, value in intended_values.items()
            )
            return failure(
                absent or _describe_absence(wrong),
                expected,
                "absent",
                *_list_fixes(context, intended_values, target),
                impact=None if impact is None else impact(context, next(iter(intended_values.values())), None),
            )
        differences: dict[str, tuple[Any, Any]] = {}
        both_values: dict[str, tuple[Any, Any]] = {}
        unread: UnreadError | None = None
        equal_values: dict[str, Any] = {}
        for path, intended in intended_values.items():
            try:
                found = context.get_found_value(path, target)
            except UnreadError as error:
                unread = unread or error
                continue
            if _find_setting(path).compare.holds(intended, found):
                equal_values[path] = found
            else:
                differences[path] = (intended, found)
            if configured and (pending := _find_configured(context, path, target, found)) is not None:
                both_values[path] = (found, pending)
                if path in equal_values and not _find_setting(path).compare.holds(intended, pending):
                    differences[path] = (intended, equal_values.pop(path))
        if differences:
            context.used.sort(key=lambda use: use[1] not in differences)  # what differs is the first evidence
            only_in_effect = {
                path
                for path in differences.keys() & both_values.keys()
                if _find_setting(path).compare.holds(intended_values[path], both_values[path][1])
            }
            all_values = intended_values if all_expected else {}
            outcome = _build_failure(context, differences, target, all_values, only_in_effect)
            return replace(outcome, found=_append_configured(outcome.found, differences, both_values))
        if unread is not None:
            raise unread
        return success(
            "; ".join(
                _label_value(path, _format_expected(path, value, labels)) for path, value in intended_values.items()
            ),
            "; ".join(
                _label_value(path, _format_found(path, intended_values[path], value, labels))
                + _mark_default(context, path, target)
                for path, value in equal_values.items()
            ),
        )

    def _build_failure(
        context: CheckContext,
        differences: Mapping[str, tuple[Any, Any]],
        target: Place | None,
        all_values: Mapping[str, Any],
        only_in_effect: Set[str],
    ) -> Outcome:
        expected = [_label_value(path, _format_expected_text(path, *pair)) for path, pair in differences.items()]
        expected += [
            _label_value(path, _format_expected(path, value, labels))
            for path, value in all_values.items()
            if path not in differences
        ]
        found = [
            _label_value(path, _format_found_text(path, *pair)) + _mark_default(context, path, target)
            for path, pair in differences.items()
        ]
        intended, got = next(iter(differences.values()))
        outcome = failure(
            wrong,
            "; ".join(expected),
            "; ".join(found),
            *_list_fixes(context, {path: pair[0] for path, pair in differences.items()}, target, only_in_effect),
            impact=None if impact is None else impact(context, intended, got),
        )
        return replace(outcome, differences=tuple(differences))

    def _append_configured(
        text: str, differences: Mapping[str, tuple[Any, Any]], both_values: Mapping[str, tuple[Any, Any]]
    ) -> str:
        """The values in effect, and the configured ones that differ from them."""
        parts = [
            _label_value(path, _format_found_text(path, differences[path][0], values[1]))
            for path, values in both_values.items()
            if path in differences
        ]
        return f"{text} in effect; {'; '.join(parts)} configured" if parts else text

    def _list_fixes(
        context: CheckContext,
        intended_values: Mapping[str, Any],
        target: Place | None,
        only_in_effect: Set[str] = frozenset(),
    ) -> tuple[Fix, ...]:
        if by_hand:
            return (Fix(fix, consequence=consequence),)
        fixes: list[Fix] = []
        for path, value in intended_values.items():
            sentence = _ENTER_AGAIN if path in only_in_effect else fix
            is_overridden = override is not None and _is_running(context, path, target)
            if override is not None and is_overridden:
                fixes.append(Fix(override))
            if not is_overridden or not _is_configured(context, path, target, value):
                fixes.append(context.build_change(sentence, path, value, target, consequence=consequence))
        return tuple(dict.fromkeys(fixes))

    def _label_value(path: str, text: str) -> str:
        words = (_TERMS.get(part, part) for part in path.rpartition(".")[2].split("_"))
        name = _NAMES[path] if path in _NAMES else " ".join(words)
        unit = _find_setting(path).unit
        if unit and name.endswith(unit):
            text = text.removesuffix(f" {unit}")  # "maximum paths 4", not "maximum paths 4 paths"
        return f"{name} {text}" if name and len(paths) > 1 else text

    def _format_expected_text(path: str, intended: Any, got: Any) -> str:
        return _format_expected(path, differences(_find_setting(path), intended, got)[0], labels)

    def _format_found_text(path: str, intended: Any, got: Any) -> str:
        return _format_found(path, intended, got, labels)

    return check


def _describe_absence(wrong: str) -> str:
    """``the route is not present``, from ``the route is not as planned``."""
    subject = wrong.removesuffix(" is not as planned")
    return f"{wrong}: not present" if subject == wrong else f"{subject} is not present"


_ENTER_AGAIN = (
    "the planned value is configured, but another one is in effect: enter the configured line again, then compare the"
    " value in effect; if it stays, ask the vendor of the switch"
)
"""No public source describes why a switch does not use a configured value."""
_NAMES = {"queue.ecn.enabled": "ECN marking", "port.qos.watchdog.enabled": "watchdog", "package.installed": ""}
"""Settings whose last word needs its group, or whose labels contain it."""
_TERMS = {
    **{
        part: part.upper()
        for part in ("asn", "bfd", "cnp", "cuda", "dma", "dscp", "ect", "gpu", "id", "lldp", "pfc", "rc", "sgl", "tc")
    },
    "ipv4": "IPv4",
    "ipv6": "IPv6",
    "roce": "RoCE",
}
"""Parts of names as the field writes them."""


def _find_configured(context: CheckContext, path: str, target: Place | None, found: Any) -> Any:
    """The configured value, if it is not the one in effect."""
    try:
        value = context.get_found_value(path, target, State.CONFIGURED)
    except UnreadError:
        return None
    return None if value == found else value


def _mark_default(context: CheckContext, path: str, target: Place | None) -> str:
    """What follows a value that no output contains: the program is known to use it where nothing sets another."""
    reading = context.facts.reading(target or context.place, path)
    return " (default)" if reading is not None and reading.is_default else ""


def _is_running(context: CheckContext, path: str, target: Place | None) -> bool:
    """Whether the value in effect was read from a running process."""
    reading = context.facts.reading(target or context.place, path)
    return reading is not None and reading.state is State.RUNNING


def _is_configured(context: CheckContext, path: str, target: Place | None, intended: Any) -> bool:
    """Whether the configured value is as intended."""
    readings = context.facts.readings.get((target or context.place, path), ())
    configured_values = [reading.value for reading in readings if reading.state is State.CONFIGURED]
    return bool(configured_values) and _find_setting(path).compare.holds(intended, configured_values[0])


def _get_intended_values(context: CheckContext, paths: tuple[str, ...], target: Place | None) -> dict[str, Any]:
    values: dict[str, Any] = {}
    automatic: list[str] = []
    for path in paths:
        try:
            value = context.get_intended_value(path, target)
        except NoIntentError:
            if len(paths) == 1:
                raise
            continue
        if context.is_automatic(path, target):
            automatic.append(path)
        else:
            values[path] = value
    if not values and automatic:
        raise InapplicableError(f"the device sets it without configuration: {', '.join(automatic)}")
    if not values:
        raise NoIntentError(f"not planned: {', '.join(paths)}")
    return values


def _find_setting(path: str) -> Setting:
    return list_settings(_KINDS[path.partition(".")[0]])[path]


def _format_expected(path: str, value: Any, labels: Labels | None) -> str:
    return _find_label(value, labels) or format_expected(_find_setting(path), value)


def _format_found(path: str, intended: Any, value: Any, labels: Labels | None) -> str:
    setting = _find_setting(path)
    if text := _find_label(differences(setting, intended, value)[1] if callable(labels) else value, labels):
        return text
    surplus = _format_surplus(intended, value) if setting.compare is Compare.WITHIN else ""
    return (
        format_value(differences(setting, intended, value)[1], setting.unit)
        + surplus
        + _format_missing(intended, value)
    )


def _format_surplus(intended: Any, found: Any) -> str:
    """The members of a long set that are not expected."""
    if not isinstance(intended, frozenset) or not isinstance(found, frozenset) or len(found) <= LONGEST_LIST:
        return ""
    surplus = found - intended
    return f"; not planned: {format_value(surplus)}" if surplus and len(surplus) < len(found) else ""


def _format_missing(intended: Any, found: Any) -> str:
    """The expected members that are missing from a long list."""
    if not isinstance(intended, tuple | frozenset) or not isinstance(found, tuple | frozenset) or len(intended) < 2:
        return ""
    missing_members = [value for value in intended if value not in found and not isinstance(value, tuple)]
    return (
        f"; missing: {format_value(tuple(missing_members))}"
        if missing_members and len(missing_members) < len(intended)
        else ""
    )


def _find_label(value: Any, labels: Labels | None) -> str | None:
    if callable(labels):
        return labels(value)
    if labels is None or not isinstance(value, bool | int | str | frozenset):
        return None
    return next(
        (text for key, text in labels.items() if key == value and isinstance(key, bool) is isinstance(value, bool)),
        None,
    )
