"""Fixes of settings that were not read: what lets the next collection read them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wirespeed.checks.model import CheckContext, UnreadError
from wirespeed.errors import format_first
from wirespeed.facts import Gap, GapKind
from wirespeed.results.findings import Fix
from wirespeed.settings import Place

_MAX_NAMES = 3  # files or commands
_OF_RDMA_DEVICE = re.compile(
    r"nic\.(rdma_state|rdma_mtu|node_guid|queue_pairs|roce_version|gids|counters\..*)"
    r"|nic\.qos\.(roce_dscp|roce_priority|cnp_dscp|cnp_priority|connection_dscp|congestion|congestion_parameters|ecn|ect)"
    r"|host\.infiniband_devices"
)
"""Settings that only an RDMA device has; those that mlx5 keeps by network interface are RDMA's too."""
_FIRMWARE_QOS = ("nic.nvm-dcbx", "nic.nvm-lldp")
"""Checks of firmware that controls the NIC's QoS: the tool then prints no rate limit (957608-AN210, 5.1 question 5)."""


def list_reading_fixes(device: str, unread: UnreadError) -> tuple[Fix, ...]:
    """A fix for each kind of failure of the commands that would show a setting of this device.

    Empty if no command failed: `wirespeed.cli` then names the command that shows the setting.
    """
    if unread.advice is not None:
        return (Fix(unread.advice),)
    gaps_by_kind: dict[tuple[GapKind, str], list[Gap]] = {}
    for gap in unread.gaps:
        needed = ("job" if gap.needs_job else gap.command) if gap.kind is GapKind.EMPTY and gap.needs_root else ""
        gaps_by_kind.setdefault((gap.kind, needed), []).append(gap)
    advice = [_advise(device, unread.setting, kind, gaps) for (kind, _), gaps in gaps_by_kind.items()]
    return tuple(Fix(text) for text in dict.fromkeys(advice) if not any(f"{text} as " in longer for longer in advice))


def list_unread_causes(context: CheckContext, unread: UnreadError) -> tuple[str, ...]:
    """The checks whose failure would be the reason why a setting was not read.

    They are of a port without a link or RDMA device, or of firmware that controls the QoS.
    """
    place = unread.place or context.place
    if unread.setting == "nic.link.speed":
        return ("link.up",)
    if unread.setting == "nic.qos.tc_rate_limit":
        return _FIRMWARE_QOS if {gap.kind for gap in unread.gaps} == {GapKind.NOT_IN_OUTPUT} else ()
    if not _OF_RDMA_DEVICE.fullmatch(unread.setting):
        return ()
    if place.entities:
        nic = Place(place.device, place.entities[:1])
        return ("nic.rdma-name",) if context.facts.value(nic, "nic.rdma_device") == "" else ()
    return ("nic.rdma-name",) if context.facts.value(place, "host.rdma_devices") == () else ()


def _advise(device: str, setting: str, kind: GapKind, gaps: Sequence[Gap]) -> str:
    source = next((source for gap in gaps for source in gap.files), None)
    device = source.device if source is not None else device
    instruction = f"collect {device} again"
    match kind:
        case GapKind.NOT_RUN | GapKind.NO_FILE:
            return instruction
        case GapKind.NOT_TEXT:
            return f"run {_list_commands(gaps)} on {device}; if it prints text there, {instruction}"
        case GapKind.EMPTY if gaps[0].needs_job:
            commands = format_first(list(dict.fromkeys(gap.command for gap in gaps)), _MAX_NAMES)
            return f"start a job on {device}, then {instruction} as root: the output of {commands} is from running jobs"
        case GapKind.ABSENT_FILE:
            files = dict.fromkeys(file for gap in gaps for file in gap.absent_files)
            return f"install the rendered {format_first(list(files), _MAX_NAMES)} with apply.sh, then {instruction}"
        case GapKind.EMPTY if gaps[0].needs_root:
            return f"{instruction} as root: only root sees everything that {gaps[0].command} reads"
        case GapKind.EMPTY:
            return instruction
        case GapKind.NO_PROGRAM:
            programs = dict.fromkeys(gap.line.partition(" ")[0] or gap.command for gap in gaps)
            return f"install {' or '.join(programs)} on {device}, then {instruction}"
        case GapKind.NO_PERMISSION:
            return f"{instruction} as a user with permission to run {_list_commands(gaps)}, such as root"
        case GapKind.TIMEOUT:
            return f"{instruction} with a larger --timeout-factor"
        case GapKind.FAILED:
            return f"run {_list_commands(gaps)} on {device} and read the error message, then {instruction}"
        case GapKind.NOT_APPLICABLE:
            return f"remove the reason why {_list_commands(gaps)} is not applicable, then {instruction}"
        case GapKind.NOT_IN_OUTPUT if setting.startswith("host.software."):
            return (
                f"look for the program in {_list_files(gaps)}. If a line shows its version, report that line. "
                "If no line does, the program may not be installed"
            )
        case GapKind.NOT_IN_OUTPUT:
            return (
                f"look for the setting in {_list_files(gaps)}. If a line shows it, report that line. If no "
                "line does, the device uses a default value that wirespeed does not know"
            )
        case GapKind.PARSER_FAILED:
            return f"report the error with {_list_files(gaps)}"
        case GapKind.NOT_IN_EARLIER:
            return f"collect {device} twice, and compare two bundles that both contain the counter"
        case GapKind.DIFFERENT_VALUES:
            return f"set the same value in {_list_files(gaps)}"


def _list_commands(gaps: Sequence[Gap]) -> str:
    lines = list(dict.fromkeys(f"`{gap.line}`" if gap.line else gap.command for gap in gaps))
    return format_first(lines, _MAX_NAMES)


def _list_files(gaps: Sequence[Gap]) -> str:
    files = list(dict.fromkeys(source.file for gap in gaps for source in gap.files))
    return format_first(files, _MAX_NAMES)
