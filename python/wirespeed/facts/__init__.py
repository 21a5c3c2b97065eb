"""Observed settings of devices, the source of each, and why others were not read.

Facts are built from observations. An observation is one fact: at this place, this setting has this value, read from
this line of this command's output. The same entities (`Host`, `Switch`) that carry intent in a plan carry the observed
values here; what was not observed is None, and `Facts.missing` has the reason.
"""

from wirespeed.facts.assembly import assemble_facts
from wirespeed.facts.counter_increase import subtract_counters
from wirespeed.facts.launcher_gaps import drop_other_launchers
from wirespeed.facts.model import (
    COMPLETE,
    NOT_IN_EFFECT,
    NOT_SHOWN,
    Facts,
    Gap,
    GapKind,
    Observation,
    Reading,
    Source,
    State,
)

__all__ = [
    "COMPLETE",
    "NOT_IN_EFFECT",
    "NOT_SHOWN",
    "Facts",
    "Gap",
    "GapKind",
    "Observation",
    "Reading",
    "Source",
    "State",
    "assemble_facts",
    "drop_other_launchers",
    "subtract_counters",
]
