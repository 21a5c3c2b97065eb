"""Times of the PFC watchdog: longer than every legitimate pause, with sufficient polling."""

from __future__ import annotations

from dataclasses import dataclass

from wirespeed.catalogue.model import ChipModel, DurationField, SourcedValue
from wirespeed.plan.fabric import Box
from wirespeed.plan.memory import Deep
from wirespeed.plan.model import ComputedValue, format_size
from wirespeed.plan.problems import Problems
from wirespeed.settings import Watchdog
from wirespeed.units import Bandwidth, Duration

_LONGEST_PAUSE_BITS = 65_535 * 512
"""The longest pause that one PFC frame can request: 65,535 quanta of 512 bit times (IEEE 802.3 annex 31B.2)."""


@dataclass(frozen=True, slots=True)
class LongestPause:
    """The longest pause of a port in a healthy network, with its formula."""

    time: Duration
    formula: str


def longest_pause(speed: Bandwidth, chip: ChipModel | None, deep: Deep | None = None) -> LongestPause:
    """The longest time that a queue may be paused without a fault.

    The next switch pauses while its buffer drains. The longest drain is that of the whole buffer, or of the lossless
    part of a deep memory, to one port of this speed. If the resume frame is lost, one more pause of full length
    follows.
    """
    last_pause = _LONGEST_PAUSE_BITS * 10**12 // speed
    if chip is None or chip.buffer is None:
        return LongestPause(
            Duration(last_pause), f"65,535 × 512 bit times at {speed}; buffer of the next switch unknown"
        )
    size, formula = (
        (chip.buffer.value, "") if deep is None else (deep.lossless_maximum, f" = {deep.lossless_maximum_formula}")
    )
    drain = speed.compute_duration(size)
    return LongestPause(
        Duration(drain + last_pause),
        f"{format_size(size)}{formula} draining at {speed} ({drain}) + 65,535 × 512 bit times ({Duration(last_pause)})",
    )


def check_watchdog(
    box: Box,
    watchdog: Watchdog,
    poll: Duration,
    slowest: Bandwidth,
    chip: ChipModel | None,
    deep: Deep | None,
    problems: Problems,
) -> None:
    """Refuse a watchdog that polls too seldom (Arista EOS user guide) or triggers on a legitimate pause."""
    path = (*box.spec.path, "watchdog")
    detect = watchdog.detect or poll
    shortest = min(detect, watchdog.restore or detect)  # some systems have no setting for the second
    if 2 * poll > shortest:
        problems.refuse(path, f"a watchdog polling every {poll}", f"at most half of {shortest}, its shortest time")
    pause = longest_pause(slowest, chip, deep)
    if detect <= pause.time:
        problems.refuse(
            (*path, "detect"),
            f"a watchdog that triggers after a pause of {detect}",
            f"more than {pause.time}, the longest legitimate pause",
            pause.formula,
        )


def explain_watchdog(
    watchdog: Watchdog,
    slowest: Bandwidth,
    chip: ChipModel | None,
    deep: Deep | None,
    switch: str,
    default: SourcedValue[DurationField],
    origin: str,
) -> ComputedValue:
    """The detection time beside the longest legitimate pause.

    ``default`` is that of the switch operating system, ``origin`` what the planned time was taken from.
    """
    pause = longest_pause(slowest, chip, deep)
    return ComputedValue(
        name=f"PFC watchdog detection of {switch}",
        value=str(watchdog.detect),
        formula=f"{origin}; longer than {pause.time}, the longest legitimate pause: {pause.formula}",
        source="IEEE 802.3 annex 31B.2" + (f"; buffer: {chip.buffer.source}" if chip and chip.buffer else ""),
        compared=f"{default.source}: {default.value}",
    )
