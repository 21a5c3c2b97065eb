"""Sections of parameters, compared and put together. A section is one key of a scenario's ``parameters``.

Devices that are set to the same have the same `Text`: their parameters as JSON, which is a key of dictionaries.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import NewType, cast

from wirespeed.simulation.scenario_types import Parameters

Sections = dict[str, dict[str, object]]
"""Parameters by the names of section and parameter."""
Text = NewType("Text", str)


def to_text(parameters: Parameters) -> Text:
    """Parameters as JSON."""
    return Text(json.dumps(parameters))


def from_text(text: Text) -> Parameters:
    """The parameters that `to_text` wrote."""
    return cast(Parameters, json.loads(text))


def most_common(texts: Iterable[Text]) -> Parameters:
    """The parameters that occur most often, the first of equals; nothing of none.

    Without what others leave out: there they have the preset's value, not that of the others.
    """
    counts = Counter(texts)
    found = sections_of(from_text(counts.most_common(1)[0][0])) if counts else {}
    for text in counts:
        for section, values in sections_of(from_text(text)).items():
            if section in found:
                found[section] = {key: value for key, value in found[section].items() if key in values}
    return cast(Parameters, found)


def merge(base: Parameters, over: Parameters) -> Parameters:
    """The base with every value that `over` has."""
    lower, upper = sections_of(base), sections_of(over)
    merged = {section: {**lower.get(section, {}), **values} for section, values in upper.items()}
    return cast(Parameters, {**lower, **merged})


def select_section(parameters: Parameters, section: str) -> Parameters:
    """One section; nothing where it is missing."""
    sections = sections_of(parameters)
    return cast(Parameters, {section: sections[section]} if section in sections else {})


def difference(parameters: Parameters, base: Parameters) -> Parameters:
    """The values that the base does not have."""
    found: Sections = {}
    for section, values in sections_of(parameters).items():
        usual = sections_of(base).get(section, {})
        changed = {key: value for key, value in values.items() if key not in usual or usual[key] != value}
        if changed:
            # A congestion control algorithm comes with all of its parameters.
            found[section] = values if section == "congestion" else changed
    return cast(Parameters, found)


def sections_of(parameters: Parameters) -> Sections:
    """The same parameters, for access by names that are not known beforehand."""
    return cast(Sections, parameters)
