"""One change of a port's PFC watchdog as EOS commands.

A value that the plan gives the whole switch is set there, and the port's own line is removed: a port that is added
later then has it too.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from wirespeed.platforms.switch.eos.values import (
    ACTION_KEYWORDS,
    DROP_OVERRIDE,
    WATCHDOG,
    global_action_line,
    global_timer_lines,
    global_watchdog,
    has_own_timer,
    watchdog_timer,
)
from wirespeed.settings import Port, Switch, WatchdogAction

_FIELDS = ("enabled", "action", "detect", "restore", "recovery", "poll")
WATCHDOG_PATHS = tuple(f"port.qos.watchdog.{field}" for field in _FIELDS)
SHARED_CONSEQUENCE = (
    "the watchdog of every port without a separate line changes; a port whose qos profile has such a line keeps it"
)


def watchdog_lines(name: str, path: str, value: Any, port: Port, switch: Switch) -> list[str] | None:
    """The lines of one changed setting; ``port`` and ``switch`` contain the other planned settings."""
    field, common = path.rpartition(".")[2], global_watchdog(switch)
    watchdog = replace(port.qos.watchdog, **{field: value})
    interface = f"interface {name}"
    timer = f"{WATCHDOG} port timer {watchdog_timer(watchdog, switch)}"
    is_own = has_own_timer(watchdog, switch, common)
    if field == "enabled":
        if not value:
            return [interface, f"no {WATCHDOG}"]
        # It is on with a timeout only: with the times of the switch, or its own.
        timers = [timer] if watchdog.detect is not None and is_own else []
        return [*global_timer_lines(switch), *global_action_line(common.action), interface, WATCHDOG, *timers]
    if field != "action":
        return [interface, timer] if is_own else [*global_timer_lines(switch), interface, f"no {WATCHDOG} port timer"]
    # A port cannot forward where its switch has an action, nor keep another one than the override's.
    override = [] if value is WatchdogAction.DROP else [f"no {DROP_OVERRIDE}"]
    if value == common.action:
        return [*override, *global_action_line(value), interface, f"no {WATCHDOG} port action"]
    if value not in ACTION_KEYWORDS:
        return None
    return [*override, interface, f"{WATCHDOG} port action {ACTION_KEYWORDS[value]}"]
