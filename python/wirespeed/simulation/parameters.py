"""Compare and merge sections of parameters. A section is one key of a scenario's ``parameters``.

Devices with equal settings have the same `Text`: their parameters as JSON, used as dictionary key.
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


def find_most_common(texts: Iterable[Text]) -> Parameters:
    """The most frequent parameters, the first of equally frequent ones; empty without any.

    Values that some texts omit are excluded: those devices have the preset's value.
    """
    counts = Counter(texts)
    common = view_sections(from_text(counts.most_common(1)[0][0])) if counts else {}
    for text in counts:
        for section, values in view_sections(from_text(text)).items():
            if section in common:
                common[section] = {key: value for key, value in common[section].items() if key in values}
    return cast(Parameters, common)


def merge(base: Parameters, override: Parameters) -> Parameters:
    """The base with every value that `over` has."""
    lower, upper = view_sections(base), view_sections(override)
    merged = {section: {**lower.get(section, {}), **values} for section, values in upper.items()}
    return cast(Parameters, {**lower, **merged})


def select_section(parameters: Parameters, section: str) -> Parameters:
    """One section; empty if it is missing."""
    sections = view_sections(parameters)
    return cast(Parameters, {section: sections[section]} if section in sections else {})


def difference(parameters: Parameters, base: Parameters) -> Parameters:
    """The values that the base does not have."""
    differences: Sections = {}
    for section, values in view_sections(parameters).items():
        usual = view_sections(base).get(section, {})
        changed = {key: value for key, value in values.items() if key not in usual or usual[key] != value}
        if changed:
            # A congestion control algorithm always has all of its parameters.
            differences[section] = values if section == "congestion" else changed
    return cast(Parameters, differences)


def view_sections(parameters: Parameters) -> Sections:
    """The same parameters, typed for access by variable names."""
    return cast(Sections, parameters)
