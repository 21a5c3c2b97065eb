"""Counter increases between two bundles."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from wirespeed.facts.assembly import assemble_facts
from wirespeed.facts.model import Facts, Gap, GapKind, Observation
from wirespeed.settings import Place, Switch

_COUNTED = "nic.counters."


def subtract_counters(later: Facts, earlier: Facts, earlier_time: str | None) -> Facts:
    """Subtract the counters of earlier facts, recorded at ``earlier_time``, from those of later facts.

    A counter that is smaller than before was reset, so its full value counts. A counter that is missing in the earlier
    facts is unknown.
    """
    observations = []
    gaps = dict(later.gaps)
    for (place, path), readings in later.readings.items():
        for reading in readings:
            value = reading.value
            if path.startswith(_COUNTED):
                earlier_value = earlier.value(place, path)
                if earlier_value is None:
                    gaps[place.device, path] = (
                        Gap("the earlier collection", earlier.find_missing_reason(place, path), GapKind.NOT_IN_EARLIER),
                    )
                    continue
                value = _subtract_value(value, earlier_value)
            observations.append(Observation(place, path, value, reading.source, reading.state))
    switches = [name for name, device in later.devices.items() if isinstance(device, Switch)]
    increased = assemble_facts(observations, gaps, _list_devices(later), later.unverified, switches)
    return replace(
        later,
        devices=increased.devices,
        readings=increased.readings,
        gaps=gaps,
        counted_since=earlier_time or "the earlier collection",
    )


def _subtract_value(value: Any, earlier: Any) -> Any:
    return value - earlier if value >= earlier else value


def _list_devices(facts: Facts) -> list[str]:
    return [Place(name).device for name in facts.devices]
