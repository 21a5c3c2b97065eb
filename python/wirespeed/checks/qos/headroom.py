"""Headroom of the lossless priority groups of the switch port

The lossless priority groups of the port have at least the planned headroom, and it was computed for a link at least
as fast as the planned one. The planned headroom is sufficient for the slowest response to a pause that the standard
allows. A smaller one is accepted if a vendor uses it for this switch chip, speed and cable length. Without a vendor's
value a smaller one only gives a warning.

Impact:
    After a port has sent a pause, packets arrive until the other end stops: those on the cable and those that it
    sends before it responds. If they do not fit into the headroom, packets of the lossless class are dropped.

Fix:
    Set speed and cable length of the port, and remove a buffer profile that was written by hand, so that the switch
    computes its own.

Example:
    $ sonic-db-dump -n APPL_DB -k "BUFFER_P*" -y
    "BUFFER_PG_TABLE:Ethernet0:3": {"type": "hash", "value": {"profile": "pg_lossless_100000_5m_profile"}}
    "BUFFER_PROFILE_TABLE:pg_lossless_100000_5m_profile": {"type": "hash", "value": {"size": "1248", "xoff": "49088"}}

Source:
    IEEE 802.1Q-2022, annex N; IEEE 802.3, annex 31B.3.7; sonic-swss, cfgmgr/buffermgr.cpp (names and lookup of
    profiles) and cfgmgr/buffer_headroom_mellanox.lua
"""

from collections.abc import Iterator
from typing import Any

from wirespeed.checks.model import CheckContext, InapplicableError, Outcome, failure, success, warning
from wirespeed.facts import State
from wirespeed.results.findings import Fix
from wirespeed.settings import Port
from wirespeed.units import Size

subject = Port
_HEADROOM, _SPEED, _GROUPS = "port.headroom", "port.headroom_speed", "port.qos.lossless_groups"
needs = (_HEADROOM, _SPEED, _GROUPS)
failures = ("SW-04",)
causes = ("port.cable-length", "port.speed")
_FIX = Fix(
    "set speed and cable length of the port, and remove a buffer profile that was written by hand: the switch computes"
    " its own"
)


def check(context: CheckContext) -> Outcome:
    """The speed first: it explains a headroom that is too small. Values in effect and configured ones count."""
    intended = context.get_intended_value(_HEADROOM)
    groups = context.facts.value(context.place, _GROUPS)
    if groups is not None and not context.get_intended_value(_GROUPS) <= groups:
        raise InapplicableError("a lossless priority group has no lossless buffer profile")
    speed = context.get_intended_value(_SPEED)
    speeds = list(_list_values(context, _SPEED))
    if slower := [value for value in speeds if value < speed]:
        return failure("the port has headroom for a slower link", str(speed), str(min(slower)), _FIX)
    sizes: list[Size] = list(_list_values(context, _HEADROOM)) or [context.get_found_value(_HEADROOM)]
    vendors = _list_vendor_sizes(context)
    needed, found = min([intended, *vendors]), min(sizes)
    expected = f"at least {_format(needed)}"
    if found < needed:
        summary = "the headroom of a lossless priority group is too small"
        if vendors:
            return failure(summary, expected, _format(found), _FIX)
        reason = "the needed headroom is a computed one: no vendor's for this chip, speed and cable length is known"
        return warning(summary, expected, _format(found), _FIX, reason=reason)
    if faster := [value for value in speeds if value > speed]:
        reason = "more headroom than needed only takes shared buffer"
        return warning("the port has headroom for a faster link", str(speed), str(max(faster)), _FIX, reason=reason)
    context.get_found_value(_HEADROOM, state=State.RUNNING)
    return success(expected, _format(found))


def _list_values(context: CheckContext, path: str) -> Iterator[Any]:
    """The value in effect and the configured one, where they were read."""
    states = {reading.state for reading in context.facts.readings.get((context.place, path), ())}
    yield from (
        context.get_found_value(path, state=state) for state in (State.RUNNING, State.CONFIGURED) if state in states
    )


def _list_vendor_sizes(context: CheckContext) -> list[Size]:
    """What vendors reserve on this chip for the port's speed and exactly its cable length."""
    hardware, switch = context.plan.hardware, context.plan.switches[context.place.device]
    chip = hardware.chips.get(switch.chip or "")
    place = (context.get_intended_value(_SPEED), context.entity.cable_length)
    return [sample.size for sample in (chip.headroom if chip else ()) if (sample.speed, sample.length) == place]


def _format(size: Size) -> str:
    return f"{int(size):,} bytes"
