"""Errors in the kernel log: of NICs, GPUs, PCIe and memory, and of processes that the kernel killed.

Messages of every PCIe device are read; the check knows which devices are planned.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from wirespeed.facts import Observation
from wirespeed.platforms.host.linux.kernel_messages import BAR, PORT_LINK, is_error_at_any_level, read_error
from wirespeed.platforms.model import Output, Outputs
from wirespeed.platforms.output_values import number_lines, observe
from wirespeed.settings import Place, bdf

# `dmesg --decode` puts facility and level before the time, padded: "kern  :err   : [   12.3] bnxt_en ..."
_RECORD = re.compile(r"(?:[a-z0-9]+ *:([a-z]+) *: )?(?:\[[^\]]*\] )?(.*)")
_SUBJECT = re.compile(
    r"\b(?:bnxt_en|bnxt_re|mlx5_core|mlx5_ib|ionic|ice|irdma|infiniband|ib_core|ib_uverbs|ib_peer_mem|nvidia_peermem"
    r"|amdgpu|amdkfd|NVRM|nvidia|AER|pcieport)\b"
)
_TROUBLE = re.compile(
    r"\b(?:err(?:or)?s?|fail(?:ed|s|ure)?|tim(?:ed out|eout)|unknown symbol|disagrees|reset|fatal|s?xid|hang|hung"
    r"|compromised|high temperature)\b",
    re.I,
)
_SEVERE = ("emerg", "alert", "crit", "err")
_ORDINARY = ("notice", "info", "debug")

_REMAINDER = re.compile(
    r"\bSXid \([^)]*\): \d+, (?:Data|Severity)\b|\bprint_health_info:\d+:"
    r"|\.[0-7]: (?:AER: )? *(?:device \[[0-9a-f]{4}:[0-9a-f]{4}\] error status/mask=|\[ ?\d{1,2}\] [A-Z])"
)
"""Further lines of an error that another line names; of PCIe errors: Linux drivers/pci/pcie/aer.c, aer_print_error."""
# drivers/acpi/apei/ghes.c, __ghes_print_estatus: the lines of one event begin with its number, "{1}[Hardware Error]: ";
# drivers/firmware/efi/cper.c, cper_print_pcie: "device_id: 0000:3b:00.0"
_FIRMWARE_EVENT = re.compile(r"\{(\d+)\}(\[Hardware Error\]: (?: *device_id: (\S+))?.*)")
# `lspci` names of the classes whose device memory a job uses; a bridge that is no PCI bridge is an NTB.
_DEVICE = re.compile(
    r"^((?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) "
    r"(?:(?:3D|Display|Ethernet|Infiniband|InfiniBand|VGA compatible) controller|Processing accelerators|Bridge)\b",
    re.M,
)
_FUNCTION = re.compile(r"^((?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) \S", re.M)


def parse(outputs: Outputs) -> Iterator[Observation]:
    """The errors in the log of the kernel, in its order and each once."""
    output = outputs.get("dmesg")
    if output is None:
        return
    log = _Log(_find_other_functions(outputs.get("lspci")))
    for number, text in number_lines(output):
        if match := _RECORD.fullmatch(text):
            log.read(number, match[1], match[2])
    errors = log.list_errors()
    messages = tuple(map(read_error, errors))
    yield observe(Place(outputs.device), "host.kernel.errors", messages, output, min(errors.values(), default=None))


@dataclass(slots=True)
class _Port:
    """The link of a NIC port: the latest message that it is down, their number, and how often the link went down."""

    message: str = ""
    line: int = 0
    downs: int = 0
    messages: int = 0
    was_up: bool = False
    is_down: bool = False


@dataclass(slots=True)
class _Log:
    """Errors so far: message and line."""

    other_functions: frozenset[str]  # neither NIC nor GPU
    errors: dict[str, int] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)  # of equal messages
    events: dict[str, list[str]] = field(default_factory=dict)  # of the firmware: number -> PCIe functions
    event_messages: list[tuple[str, str, int]] = field(default_factory=list)  # number, message and line
    bars: dict[tuple[str, str], tuple[str, int]] = field(default_factory=dict)  # not assigned: device and BAR
    ports: dict[str, _Port] = field(default_factory=dict)

    def read(self, line: int, level: str | None, message: str) -> None:
        """Take one record."""
        if match := BAR.search(message):
            self._read_bar(line, message, match)
        elif match := PORT_LINK.search(message):
            self._read_link(line, level, message, match)
        elif _REMAINDER.search(message):
            return
        elif (event := _FIRMWARE_EVENT.fullmatch(message)) and event[3]:
            self.events.setdefault(event[1], []).append(event[3])
        elif is_error_at_any_level(message) or (
            level not in _ORDINARY and _SUBJECT.search(message) and (level in _SEVERE or _TROUBLE.search(message))
        ):
            if event:
                self.event_messages.append((event[1], event[2], line))
            else:
                self._count(message, line)

    def list_errors(self) -> dict[str, int]:
        """Every error with its line, in the order of lines."""
        for number, message, line in self.event_messages:
            devices = ", ".join(dict.fromkeys(self.events.get(number, ())))
            self._count(f"{message}: {devices}" if devices else message, line)
        errors = {
            f"{message} ({self.counts[message]} times)" if self.counts[message] > 1 else message: line
            for message, line in self.errors.items()
        }
        errors |= dict(self.bars.values())
        for port in self.ports.values():
            states = [f"{port.messages} times"] if port.messages > 1 else []
            states += ["still down"] if port.is_down else []
            if port.downs > 1 or (port.downs and port.is_down):
                errors[f"{port.message} ({', '.join(states)})"] = port.line
        return dict(sorted(errors.items(), key=lambda entry: entry[1]))

    def _count(self, message: str, line: int) -> None:
        """Count an error; its line is that of the first one."""
        self.errors.setdefault(message, line)
        self.counts[message] += 1

    def _read_bar(self, line: int, message: str, match: re.Match[str]) -> None:
        key = match["device"], match["bar"]
        if match["device"] in self.other_functions:
            return
        if (match["state"] or match["new_state"]) == "assigned":
            self.bars.pop(key, None)
        else:
            self.bars[key] = message, line

    def _read_link(self, line: int, level: str | None, message: str, match: re.Match[str]) -> None:
        """A port that was never up is not connected; one that went down once and is up again had its peer restarted."""
        port = self.ports.setdefault(match["device"], _Port())
        port.is_down = match["state"].lower() == "down"
        port.messages += port.is_down
        if not port.is_down:
            port.was_up = True
        elif port.was_up or level in _SEVERE:
            port.downs += 1
            port.message, port.line = message, line


def _find_other_functions(lspci: Output | None) -> frozenset[str]:
    """PCIe functions that are neither NIC nor GPU nor NTB."""
    if lspci is None:
        return frozenset()
    functions = set(_FUNCTION.findall(lspci.text)) - set(_DEVICE.findall(lspci.text))
    return frozenset(map(bdf, functions))
