"""A check, its context and its outcome."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from wirespeed.checks.wording import format_value
from wirespeed.facts import Facts, Gap, Reading, State
from wirespeed.plan import Cable, End, Plan
from wirespeed.results.findings import Change, Fix, Impact, Status
from wirespeed.settings import Host, Place, get, is_address, list_collections


class NoIntentError(Exception):
    """The plan has no intent here; the runner makes it `Status.SKIP`."""


class InapplicableError(Exception):
    """The check does not apply here; the runner makes it `Status.SKIP`."""


class ElsewhereError(Exception):
    """The check does not concern this place; the runner reports no finding for it."""


class UnreadError(Exception):
    """A needed fact was not read; the runner makes it `Status.UNKNOWN`. Its text names the setting and the reason.

    ``gaps`` are the failed commands that would show it. ``advice`` is a fix; default: one for the gaps. ``place`` is
    the setting's; default: that of the check.
    """

    def __init__(
        self,
        setting: str,
        reason: str,
        gaps: tuple[Gap, ...] = (),
        advice: str | None = None,
        place: Place | None = None,
    ) -> None:
        super().__init__(f"{setting}: {reason}")
        self.setting = setting
        self.reason = reason
        self.gaps = gaps
        self.advice = advice
        self.place = place


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of a check at one place. without ``summary`` it is the check's title."""

    status: Status
    expected: str
    found: str
    summary: str | None = None
    impact: Impact | None = None
    fix: tuple[Fix, ...] = ()
    warning_reasons: tuple[str, ...] = ()
    causes: tuple[str, ...] = ()  # further checks whose finding would cause this one
    differences: tuple[str, ...] = ()  # settings that differ, each of which is a failure without the others
    members: tuple[str, ...] = ()  # keys of the mappings that were read, which alone are the evidence
    cause_place: Place | None = None  # place of the findings that would cause this one, if another


def success(expected: str, found: str) -> Outcome:
    """Nothing is wrong."""
    return Outcome(Status.PASS, expected, found)


def failure(summary: str, expected: str, found: str, *fix: Fix, impact: Impact | None = None) -> Outcome:
    """The place is not as planned."""
    return Outcome(Status.FAIL, expected, found, summary, impact, fix)


def warning(summary: str, expected: str, found: str, *fix: Fix, reason: str | None = None) -> Outcome:
    """The place may be correct, or has an impact only under conditions that the check cannot read: the ``reason``."""
    return Outcome(Status.WARN, expected, found, summary, None, fix, () if reason is None else (reason,))


@dataclass(frozen=True, slots=True)
class Manual:
    """The manual page of a check: its docstring in parts."""

    title: str
    summary: str
    impact: str
    fix: str
    example: str
    source: str


@dataclass(frozen=True, slots=True)
class Check:
    """A check, as loaded from its file.

    ``presence`` marks the check that fails if a planned entity is absent; every other check of that entity is skipped
    then, so that one missing entity is one failure.
    """

    id: str
    manual: Manual
    subject: type[Any]
    needs: tuple[str, ...]
    failures: tuple[str, ...]
    function: Callable[[CheckContext], Outcome | tuple[Outcome, ...]]  # several: one per problem
    presence: bool = False
    causes: tuple[str, ...] = ()  # checks whose finding causes one of this check


@dataclass(slots=True)
class CheckContext:
    """The place that a check examines: intent, facts, and the readings used."""

    plan: Plan
    facts: Facts
    place: Place
    entity: Any  # the intended entity
    check: Check
    cables: Mapping[End, Cable]  # the planned cable in each port
    used: list[tuple[Place, str, Reading]] = field(default_factory=list)

    def get_intended_value(self, path: str, place: Place | None = None) -> Any:
        """The planned value at this place, or at ``place``.

        Raises:
            NoIntentError: the plan has no such entity or no intent for it.
        """
        entity = self.entity if place is None else find_planned_entity(self.plan, place)
        value = None if entity is None else get(entity, path)
        if value is None:
            raise NoIntentError(f"not planned: {path}")
        return value

    def get_found_value(self, path: str, place: Place | None = None, state: State | None = None) -> Any:
        """The value read at this place, or at ``place``; with ``state``, the reading of that state.

        Raises:
            UnreadError: it was not read.
            KeyError: the check did not declare that it needs this path.
        """
        target = place or self.place
        self._require_declaration(path)
        readings = self.facts.readings.get((target, path), ())
        reading = next((reading for reading in readings if state is None or reading.state == state), None)
        if reading is None:
            raise self.build_unread_error(target, path)
        self.used.append((target, path, reading))
        return reading.value

    def is_automatic(self, path: str, place: Place | None = None) -> bool:
        """Whether the device sets it without configuration, and no command that was run shows it."""
        return ((place or self.place).device, path) in self.facts.automatic

    def list_members(self, path: str, place: Place | None = None) -> dict[str, Any]:
        """All entities in a collection (``nic.gids``), by name.

        Raises:
            UnreadError: the collection was not read completely.
        """
        target = place or self.place
        self._require_declaration(path)
        if not self.facts.complete(target, path):
            raise self.build_unread_error(target, path)
        self.used.append((target, path, self.facts.readings[target, path][0]))
        entity = find_entity(self.facts.devices[target.device], target)
        return dict(get(entity, path))

    def is_present(self, place: Place | None = None) -> bool:
        """Whether the device has the entity.

        Raises:
            UnreadError: it was not read, and its collection was not read completely.
        """
        target = place or self.place
        for depth in range(1, len(target.entities) + 1):
            inner = Place(target.device, target.entities[:depth])
            device = self.facts.devices.get(target.device)
            if inner.kind == "gpu":
                if self._has_gpu(inner):
                    continue
                return False
            if inner.kind == "pcie" and not is_address(inner.name):
                raise UnreadError(
                    "host.pcie",
                    f"no function was found for {inner.name}",
                    advice=f"look for the card in the output of lspci on {target.device}",
                )
            if device is not None and find_entity(device, inner) is not None and not self.facts.is_unlisted_nic(inner):
                continue
            collection = _find_collection(self.plan, inner)
            if self.facts.complete(inner.outer, collection):
                self.used.append((inner.outer, collection, self.facts.readings[inner.outer, collection][0]))
                return False
            raise self.build_unread_error(inner.outer, collection)
        return True

    def _has_gpu(self, place: Place) -> bool:
        """Whether the host has a GPU at the address where it was located.

        Its index does not decide: the vendor's tool gives that of a missing GPU to the next one.
        """
        address = getattr(find_planned_entity(self.plan, place), "pcie", None)
        host = self.facts.devices.get(place.device)
        if isinstance(host, Host) and (address in host.pcie or address in {gpu.pcie for gpu in host.gpus.values()}):
            return True
        complete = [path for path in ("host.pcie", "host.gpus") if self.facts.complete(place.outer, path)]
        if not complete:
            raise self.build_unread_error(place.outer, "host.gpus")
        self.used += [(place.outer, path, self.facts.readings[place.outer, path][0]) for path in complete]
        return False

    def find_other_end(self) -> tuple[Place, Cable]:
        """The place at the other end of the planned cable, and the cable.

        Raises:
            InapplicableError: the plan has no cable here.
        """
        cable = self.cables.get(End(self.place.device, self.place.name))
        if cable is None:
            raise InapplicableError("the plan has no cable here")
        end = cable.other_end(self.place.device)
        kind = "nic" if end.device in self.plan.hosts else "port"
        return Place(end.device).child(kind, end.port), cable

    def build_change(
        self, sentence: str, path: str, value: Any, place: Place | None = None, found_value: Any = None, **keywords: Any
    ) -> Fix:
        """A fix that changes a setting; the platform gives the commands.

        For a set with a ``found_value``, only the members that differ are changed.
        """
        members = tuple(sorted(map(int, value ^ found_value))) if value and isinstance(found_value, frozenset) else ()
        return Fix(sentence, Change(str(place or self.place), path, format_value(value), members), **keywords)

    def build_removal(self, sentence: str, place: Place, path: str, value: Any) -> Fix:
        """A fix that removes an entity that is not planned; the platform gives the commands.

        The setting and its value are what the entity has on the device.
        """
        return Fix(sentence, Change(str(place), path, format_value(value), removes=True))

    def build_unread_error(self, place: Place, path: str) -> UnreadError:
        """Why a setting was not read."""
        gaps = self.facts.list_gaps(place, path)
        advice = None if place.device in self.facts.devices else f"collect {place.device}"
        return UnreadError(path, self.facts.find_missing_reason(place, path), gaps, advice, place)

    def _require_declaration(self, path: str) -> None:
        if path not in self.check.needs:
            raise KeyError(f"{self.check.id} does not declare that it needs {path}")


def find_entity(device: Any, place: Place) -> Any:
    """The entity at a place of this device. None if the device lacks it."""
    entity = device
    for kind, name in place.entities:
        path = next(path for path, members in list_collections(type(entity)).items() if members.kind == kind)
        entity = get(entity, path).get(name)
        if entity is None:
            return None
    return entity


def find_planned_entity(plan: Plan, place: Place) -> Any:
    """The planned entity at a place. None if the plan lacks it."""
    device = plan.devices.get(place.device)
    return None if device is None else find_entity(device, place)


def map_cables(plan: Plan) -> dict[End, Cable]:
    """The planned cable in each port."""
    return {end: cable for cable in plan.cables for end in (cable.a, cable.b)}


def _find_collection(plan: Plan, place: Place) -> str:
    outer = find_planned_entity(plan, place.outer)
    cls = type(outer)
    return next(path for path, members in list_collections(cls).items() if members.kind == place.kind)
