"""The plain comparison of intended and found settings, which most checks are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from wirespeed.checks.model import ElsewhereError, Here, NoIntentError, Outcome, UnreadError, failed, passed
from wirespeed.checks.wording import differing, format_expected, format_value
from wirespeed.results.findings import Cost, Fix
from wirespeed.settings import THINGS, Place, Setting, settings_of

_KINDS: Mapping[str, type[Any]] = {thing.kind: thing for thing in THINGS}

CostOf = Callable[[Here, Any, Any], Cost | None]


def compare(
    *paths: str,
    wrong: str,
    fix: str,
    consequence: str | None = None,
    by_hand: bool = False,
    labels: Mapping[Any, str] | None = None,
    cost: CostOf | None = None,
    only: Callable[[Here], bool] | None = None,
    place: Callable[[Here], Place] | None = None,
) -> Callable[[Here], Outcome]:
    """A check that these settings are as intended, each compared as its annotation requires.

    Args:
        paths: settings of the check's thing.
        wrong: summary of the finding, ``the MTU of the interface is too small``.
        fix: what to do, in a sentence. The change of the setting is added unless ``by_hand``.
        by_hand: no command makes the change.
        consequence: consequence of the change, ``reboot``.
        labels: text of values that read badly otherwise, ``{True: "loaded"}``.
        cost: the estimated impact, from the place, the intended and the found value (None: the thing is absent).
        only: whether the check concerns a place; default: all of the kind.
        place: place of the settings, if not the place of the check; ``paths`` are of the thing there.
    """

    def check(here: Here) -> Outcome:
        if only is not None and not only(here):
            raise ElsewhereError
        where = None if place is None else place(here)
        asked = _intended(here, paths, where)
        if here.check.presence and not here.exists():
            expected = "; ".join(_label(path, _expected(path, value, labels)) for path, value in asked.items())
            lost = None if cost is None else cost(here, next(iter(asked.values())), None)
            return failed(f"{wrong}: not present", expected, "absent", *_fixes(here, asked, where), cost=lost)
        differences: dict[str, tuple[Any, Any]] = {}
        unread: UnreadError | None = None
        same: dict[str, Any] = {}
        for path, intended in asked.items():
            try:
                found = here.found(path, where)
            except UnreadError as error:
                unread = unread or error
                continue
            if _setting(path).compare.holds(intended, found):
                same[path] = found
            else:
                differences[path] = (intended, found)
        if differences:
            return _failure(here, differences, where)
        if unread is not None:
            raise unread
        return passed(
            "; ".join(_label(path, _expected(path, value, labels)) for path, value in asked.items()),
            "; ".join(_label(path, _found(path, asked[path], value, labels)) for path, value in same.items()),
        )

    def _failure(here: Here, differences: Mapping[str, tuple[Any, Any]], where: Place | None) -> Outcome:
        expected = [_label(path, _wanted(path, *pair)) for path, pair in differences.items()]
        found = [_label(path, _got(path, *pair)) for path, pair in differences.items()]
        intended, got = next(iter(differences.values()))
        return failed(
            wrong,
            "; ".join(expected),
            "; ".join(found),
            *_fixes(here, {path: pair[0] for path, pair in differences.items()}, where),
            cost=None if cost is None else cost(here, intended, got),
        )

    def _fixes(here: Here, asked: Mapping[str, Any], where: Place | None) -> tuple[Fix, ...]:
        if by_hand:
            return (Fix(fix, consequence=consequence),)
        return tuple(here.change(fix, path, value, where, consequence=consequence) for path, value in asked.items())

    def _label(path: str, text: str) -> str:
        return f"{path.rpartition('.')[2]} {text}" if len(paths) > 1 else text

    def _wanted(path: str, intended: Any, got: Any) -> str:
        return _expected(path, differing(_setting(path), intended, got)[0], labels)

    def _got(path: str, intended: Any, got: Any) -> str:
        return _found(path, intended, got, labels)

    return check


def _intended(here: Here, paths: tuple[str, ...], where: Place | None) -> dict[str, Any]:
    asked: dict[str, Any] = {}
    for path in paths:
        try:
            asked[path] = here.intended(path, where)
        except NoIntentError:
            if len(paths) == 1:
                raise
    if not asked:
        raise NoIntentError(f"the plan has no intent for {', '.join(paths)}")
    return asked


def _setting(path: str) -> Setting:
    return settings_of(_KINDS[path.partition(".")[0]])[path]


def _expected(path: str, value: Any, labels: Mapping[Any, str] | None) -> str:
    return _label_of(value, labels) or format_expected(_setting(path), value)


def _found(path: str, intended: Any, value: Any, labels: Mapping[Any, str] | None) -> str:
    setting = _setting(path)
    return _label_of(value, labels) or format_value(differing(setting, intended, value)[1], setting.unit)


def _label_of(value: Any, labels: Mapping[Any, str] | None) -> str | None:
    if labels is None or not isinstance(value, bool | str):
        return None
    return labels.get(value)
