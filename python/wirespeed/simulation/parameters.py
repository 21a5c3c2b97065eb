"""Sections of parameters, compared and put together. A section is one key of a scenario's ``parameters``."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import cast

from wirespeed.identity import Identity
from wirespeed.simulation.scenario_types import Parameters

Sections = Mapping[str, Mapping[str, object]]


def most_common(parameters: Iterable[Parameters]) -> Parameters:
    """The parameters that occur most often, the first of equals; nothing of none.

    Without what others leave out: there they have the preset's value, not that of the others.
    """
    counts = Counter(Identity(one) for one in parameters)
    texts: Counter[str] = Counter()
    for one, count in counts.items():
        texts[json.dumps(one.value)] += count
    found: dict[str, dict[str, object]] = json.loads(texts.most_common(1)[0][0]) if texts else {}
    for text in texts:
        for section, values in json.loads(text).items():
            if section in found:
                found[section] = {key: value for key, value in found[section].items() if key in values}
    return cast(Parameters, found)


def merge(base: Parameters, over: Parameters) -> Parameters:
    """The base with every value that `over` has."""
    lower, upper = _sections(base), _sections(over)
    merged = {section: {**lower.get(section, {}), **values} for section, values in upper.items()}
    return cast(Parameters, {**lower, **merged})


def only(parameters: Parameters, section: str) -> Parameters:
    """One section; nothing where it is missing."""
    sections = _sections(parameters)
    return cast(Parameters, {section: sections[section]} if section in sections else {})


def difference(parameters: Parameters, base: Parameters) -> Parameters:
    """The values that the base does not have."""
    found: dict[str, Mapping[str, object]] = {}
    for section, values in _sections(parameters).items():
        usual = _sections(base).get(section, {})
        changed = {key: value for key, value in values.items() if key not in usual or usual[key] != value}
        if changed:
            # A congestion control algorithm comes with all of its parameters.
            found[section] = values if section == "congestion" else changed
    return cast(Parameters, found)


def _sections(parameters: Parameters) -> Sections:
    return cast(Sections, parameters)
