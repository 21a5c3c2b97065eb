"""NVRAM options of a Broadcom NIC: names in the vendor's tools, values, and output."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from wirespeed.facts import Observation, State
from wirespeed.platforms.model import Output
from wirespeed.platforms.output_values import number_lines, observe
from wirespeed.settings import Nic, Place, get, parse_function

OPTIONS = {
    "nic.nvm.rdma": ("support_rdma", True),
    "nic.nvm.performance_profile": ("performance_profile", False),
    "nic.nvm.relaxed_ordering": ("pcie_relaxed_ordering", False),
    "nic.nvm.dcbx": ("dcbx_mode", True),
    "nic.nvm.lldp_nearest_bridge": ("lldp_nearest_bridge", True),
    "nic.nvm.lldp_nearest_non_tpmr_bridge": ("lldp_nearest_non_tpmr_bridge", True),
    "nic.nvm.sriov": ("enable_sriov", False),
}
"""Setting to option, and whether the option is one of the PCIe function rather than of the card; names and scopes are
those of Broadcom 957608-AN210, sections 2.2.4 and 5.1."""

COMMANDS = {
    "support-rdma": "nic.nvm.rdma",
    "performance-profile": "nic.nvm.performance_profile",
    "relaxed-ordering": "nic.nvm.relaxed_ordering",
    "dcbx-mode": "nic.nvm.dcbx",
    "lldp-nearest-bridge": "nic.nvm.lldp_nearest_bridge",
    "lldp-nearest-non-tpmr-bridge": "nic.nvm.lldp_nearest_non_tpmr_bridge",
    "enable-sriov": "nic.nvm.sriov",
}
"""The setting of each command, by the end of its id. Ids begin with the tool: nvm (niccli), old-nvm, bnxtnvm."""

_FAILURE = re.compile(
    r"\b(?:error|warning|fail(?:ed|ure)?|invalid|unsupported|denied)\b|\bstatus\W*-?[0-9]", re.IGNORECASE
)
"""A message; its number is no value of an option."""

_ON_KEYWORDS = ("enabled", "enable", "1", "true", "on")
_OFF_KEYWORDS = ("disabled", "disable", "0", "false", "off", "none")
_PROFILES = {"roce": "roce", "1": "roce", "default": "default", "0": "default"}


@dataclass(frozen=True, slots=True)
class Option:
    """One NVRAM option in the tools' syntax. Scope None: an option of the card, not of a function."""

    name: str
    value: int
    scope: int | None


def read(place: Place, path: str, output: Output) -> Iterator[Observation]:
    """An option: its value is in the last line, in formats that differ by release; unknown ones are not guessed."""
    lines = [(number, text) for number, text in number_lines(output) if text.strip()]
    if not lines:
        return
    number, text = lines[-1]
    if _FAILURE.search(text):
        return
    word = re.split(r"[=:]", text)[-1].strip().lower().partition(" ")[0]
    value: object = None
    if path == "nic.nvm.performance_profile":
        value = _PROFILES.get(word)
    elif word in _ON_KEYWORDS:
        value = True
    elif word in _OFF_KEYWORDS:
        value = False
    if value is not None:
        yield observe(place, path, value, output, number, State.PERSISTENT)


def options(nic: Nic) -> Iterator[Option]:
    """The options a NIC is to have."""
    for path in OPTIONS:
        setting_option = option(nic, path)
        if setting_option is not None:
            yield setting_option


def option(nic: Nic, path: str) -> Option | None:
    """The option of one setting; None without intent or without a number for it."""
    name, is_scoped = OPTIONS[path]
    value = get(nic, path)
    # Which mode "on" is would be the site's choice.
    if value is None or (path == "nic.nvm.dcbx" and value):
        return None
    return Option(name, int(value == "roce" if isinstance(value, str) else value), function(nic) if is_scoped else None)


def function(nic: Nic) -> int:
    """The PCIe function, which the tools call the PF number."""
    return parse_function(nic.pcie) if nic.pcie else 0


def cards(nics: Mapping[str, Nic]) -> Iterator[tuple[str, list[Option]]]:
    """Every NIC with intended options: interface, options."""
    for interface, nic in nics.items():
        setting_option = list(options(nic))
        if setting_option:
            yield interface, setting_option
