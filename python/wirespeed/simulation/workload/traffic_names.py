"""The names in a traffic file that has wrong values: hosts, switches, ports and classes, to check them all the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, cast, get_args

from pydantic import ValidationError

from wirespeed.cluster import Origin
from wirespeed.cluster.part import Part
from wirespeed.simulation.workload.fault_entries import KINDS, Fault

_NAME_KEYS = frozenset({"from", "to", "hosts", "class", "node", "port", "ports"})

_Part = TypeVar("_Part", bound=Part)
_Key = tuple[str | int, str | int, str | int]
"""List, position of the entry, key."""


@dataclass(frozen=True, slots=True)
class TrafficNames:
    """Entries and faults by position, each with valid names only: no other value may be read."""

    entries: Mapping[int, Any]  # instances of the model that `select_names` was given
    faults: Mapping[int, Fault]
    origin: Origin


def select_names(raw: Mapping[str, Any], error: ValidationError, entry: type[Part], origin: Origin) -> TrafficNames:
    """The names of a file for which pydantic reports an error; ``entry`` is the model of its traffic."""
    wrong_keys = {
        (location[0], location[1], step)
        for location in (complaint["loc"] for complaint in error.errors(include_url=False))
        for step in location[2:]
    }
    models = {get_args(kind.model_fields["kind"].annotation)[0]: kind for kind in KINDS}

    def find_fault(part: Mapping[str, Any]) -> type[Part] | None:
        kind = part.get("kind")
        return models.get(kind) if isinstance(kind, str) else None

    faults = dict(_construct("faults", raw, wrong_keys, find_fault))
    entries = dict(_construct("traffic", raw, wrong_keys, lambda part: entry))
    return TrafficNames(entries, cast("dict[int, Fault]", faults), origin)


def _construct(
    section: str,
    raw: Mapping[str, Any],
    wrong_keys: set[_Key],
    find_model: Callable[[Mapping[str, Any]], type[_Part] | None],
) -> Iterator[tuple[int, _Part]]:
    """The parts of a list that have all names that their model requires."""
    parts = raw.get(section)
    for index, part in enumerate(parts if isinstance(parts, list) else ()):
        model = find_model(part) if isinstance(part, dict) else None
        if model is None:
            continue
        keys = {field.alias or name: field.is_required() for name, field in model.model_fields.items()}
        names = {
            key: part[key] for key in keys.keys() & _NAME_KEYS & part.keys() if (section, index, key) not in wrong_keys
        }
        if all(key in names for key, is_required in keys.items() if is_required and key in _NAME_KEYS):
            yield index, model.model_construct(**names)
