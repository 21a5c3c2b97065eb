"""Reads facts from a bundle: the platforms parse the outputs; settings that were not read have a reason."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path

from wirespeed.collect.bundle import Bundle, open_bundle
from wirespeed.collect.manifest import NAME, DeviceEntry, Entry
from wirespeed.errors import Problem, Refusal
from wirespeed.facts import Facts, Gap, GapKind, Observation, Source, State, assemble_facts
from wirespeed.platforms import Command, Output, Outputs, Platform, platforms

_ENVIRONMENT = "host.launch.environment"
_FAILURES = {
    "missing": (GapKind.NO_PROGRAM, "the program is not installed"),
    "permission": (GapKind.NO_PERMISSION, "permission denied"),
    "timeout": (GapKind.TIMEOUT, "timeout"),
    "failed": (GapKind.FAILED, "it failed"),
    "not-applicable": (GapKind.NOT_APPLICABLE, "not applicable"),
}
"""Kind and reason of the gaps of a command, by the status of its entry."""
_NO_FILE = re.compile(r"cat: (?:can't open )?'?(/.+?)'?: No such file or directory")


def read_facts(path: Path) -> Facts:
    """Facts of a bundle.

    Raises:
        Refusal: the path is no bundle, an incomplete or newer one, or of an unknown platform.
        FileNotFoundError: the path does not exist.
    """
    return extract_facts(open_bundle(path))


def extract_facts(bundle: Bundle) -> Facts:
    """Facts of an open bundle.

    Raises:
        Refusal: a platform of the bundle is unknown.
    """
    problems = [
        Problem(f"{bundle.path}: {NAME}", f"platform {kind} {name} of {device.name}", _format_known_names(kind))
        for device in bundle.manifest.devices
        for kind, name in device.platforms
        if (kind, name) not in platforms()
    ]
    if problems:
        raise Refusal(problems)
    devices = [_Reader(bundle, device) for device in bundle.manifest.devices]
    observations = [observation for device in devices for observation in device.iterate_observations()]
    gaps = {
        (device.entry.name, path): tuple(reasons) for device in devices for path, reasons in sorted(device.gaps.items())
    }
    facts = assemble_facts(
        observations,
        gaps,
        (device.name for device in bundle.manifest.devices),
        {(device.entry.name, path) for device in devices for path in device.unverified},
        (device.name for device in bundle.manifest.devices if any(kind == "switch" for kind, _ in device.platforms)),
    )
    automatic = {(device.entry.name, path) for device in devices for path in device.automatic - device.run_paths}
    return replace(facts, automatic=frozenset(automatic))


def _format_known_names(kind: str) -> str:
    names = sorted(name for platform_kind, name in platforms() if platform_kind == kind)
    return f"one of {', '.join(names)}" if names else "switch, host, nic or launcher"


@dataclass(slots=True)
class _Reader:
    """One device of a bundle."""

    bundle: Bundle
    entry: DeviceEntry
    gaps: dict[str, list[Gap]] = field(default_factory=dict)
    unverified: set[str] = field(default_factory=set)
    """Paths whose output format is not verified on a platform; a platform without output in the bundle adds none."""
    automatic: set[str] = field(default_factory=set)
    """Paths that a platform with output in the bundle sets without configuration."""
    run_paths: set[str] = field(default_factory=set)
    """Paths that a command of such a platform that was run shows."""

    def iterate_observations(self) -> Iterator[Observation]:
        launches: list[tuple[Platform, Observation]] = []
        for key in self.entry.platforms:
            observations = self._read_platform(platforms()[key])
            if key[0] == "launcher":
                launches += ((platforms()[key], observation) for observation in observations)
            else:
                yield from observations
        yield from self._select_agreed(launches)

    def _select_agreed(self, launches: list[tuple[Platform, Observation]]) -> Iterator[Observation]:
        """Observations of launchers. No file contains the library in use: settings that differ between two libraries
        are unknown. Variables without a setting are each library's, whatever the others have."""
        highest: dict[str, State] = {}
        for _, entry in launches:
            highest[entry.path] = max(entry.state, highest.get(entry.path, entry.state))
        observations: dict[str, dict[str, Observation]] = {}
        for platform, element in launches:
            if element.state is highest[element.path]:  # a running job shows the library in use
                observations.setdefault(element.path, {}).setdefault(platform.name, element)
        for path, by_platform in observations.items():
            first, *other_values = by_platform.values()
            if path == _ENVIRONMENT and other_values:
                merged = {name: text for value in reversed(by_platform.values()) for name, text in value.value.items()}
                yield replace(first, value=merged)
            elif any(observation.value != first.value for observation in other_values):
                self.gaps.setdefault(path, []).extend(
                    Gap(
                        observation.source.command,
                        f"{name} has another value than other libraries of the host",
                        GapKind.DIFFERENT_VALUES,
                        (observation.source,),
                    )
                    for name, observation in by_platform.items()
                )
            else:
                yield from (observation for _, observation in launches if observation.path == path)

    def _read_platform(self, platform: Platform) -> Iterator[Observation]:
        commands = {command.id: command for command in platform.commands}
        entries = [entry for entry in self.entry.outputs if _get_command_id(entry) in commands]
        outputs = Outputs(
            self.entry.name,
            {
                entry.command: self._build_output(entry, entry.file)
                for entry in entries
                if entry.status == "ok" and entry.file and not self._list_missing_files(entry)
            },
        )
        observations: list[Observation] = []
        failure: str | None = None
        try:
            observations.extend(platform.parse(outputs))
        except Exception as error:  # an error in one parser must not discard the results of others
            failure = f"its parser failed: {type(error).__name__}: {error}"
        if observations:
            self.unverified |= {path for path, support in platform.settings.items() if not support.verified}
            self.automatic |= {path for path, support in platform.settings.items() if support.automatic}
            self.run_paths |= {path for entry in entries for path in commands[_get_command_id(entry)].reads}
            doubtful = {command.id for command in platform.commands if not command.verified}
            self.unverified |= {
                value.path for value in observations if value.source.command.partition("@")[0] in doubtful
            }
        yield from observations
        paths_by_command: dict[str, set[str]] = {}
        for observation in observations:
            paths_by_command.setdefault(observation.source.command, set()).add(observation.path)
        modules = {value.place.name for value in observations if value.path == "module.loaded"}
        explaining_commands = _list_explaining_commands(commands, modules)
        launchers = platform.systems if platform.kind == "launcher" else ()
        rendered = {file.path for file in platform.files}
        self._explain_gaps(explaining_commands, entries, outputs, paths_by_command, failure, launchers, rendered)

    def _list_missing_files(self, entry: Entry) -> list[str]:
        """Files of the output that the bundle lacks. Without its messages, an output can have another meaning."""
        return [name for name in (entry.file, entry.errors) if name is not None and name in self.bundle.missing_files]

    def _build_output(self, entry: Entry, file: str) -> Output:
        errors = self.bundle.read_text(entry.errors) if entry.errors else ""
        source = Source(self.entry.name, entry.command, file)
        return Output(entry.command, self.bundle.read_text(file), source, entry.exit_code or 0, errors)

    def _explain_gaps(
        self,
        commands: dict[str, Command],
        entries: list[Entry],
        outputs: Outputs,
        paths_by_command: dict[str, set[str]],
        failure: str | None,
        launchers: tuple[str, ...],
        rendered: Set[str],
    ) -> None:
        """Add the reason for every path that a command should have shown and did not."""
        reasons: dict[tuple[str, str, GapKind, str], list[Entry | None]] = {}
        for entry in entries:
            command = commands.get(_get_command_id(entry))
            if command is None:
                continue
            for path, kind, reason in self._find_gaps(
                command, entry, outputs, paths_by_command.get(entry.command, set()), failure, rendered
            ):
                reasons.setdefault((path, command.id, kind, reason), []).append(entry)
        command_ids = {_get_command_id(entry) for entry in entries}
        for command in commands.values():
            if command.id not in command_ids and not (command.per_nic and self.bundle.manifest.complete):
                for path in command.reads:
                    reason = _explain_missing_output(self.bundle)
                    reasons.setdefault((path, command.id, GapKind.NOT_RUN, reason), []).append(None)
        read = {path for paths in paths_by_command.values() for path in paths}
        for (path, command_id, kind, reason), failed in reasons.items():
            if path in read and path.startswith("host."):
                continue  # a host has one value, shown by another command
            failed_entries = [entry for entry in failed if entry is not None]
            interfaces = (entry.command.partition("@")[2] for entry in failed_entries)
            interface_list = ", ".join(interface for interface in interfaces if interface)
            label = f"{command_id} on {interface_list}" if interface_list else command_id
            files = tuple(Source(self.entry.name, entry.command, entry.file) for entry in failed_entries if entry.file)
            command = commands[command_id]
            line = failed_entries[0].run if failed_entries else " ".join(command.run)
            absent_files = command.run[1:] if kind is GapKind.ABSENT_FILE else ()
            gap = Gap(
                label,
                reason,
                kind,
                files,
                line,
                command.root,
                launchers,
                command.job,
                command.host_file,
                absent_files,
            )
            self.gaps.setdefault(path, []).append(gap)

    def _find_gaps(
        self,
        command: Command,
        entry: Entry,
        outputs: Outputs,
        read_paths: set[str],
        failure: str | None,
        rendered: Set[str],
    ) -> Iterator[tuple[str, GapKind, str]]:
        if entry.status != "ok":
            kind, reason = _FAILURES[entry.status]
            reason = entry.detail or reason
            label = entry.status if entry.detail else ""
            gap = f"{label}: {reason}" if label in ("permission", "not-applicable") else reason
            yield from ((path, kind, gap) for path in command.reads)
            return
        if missing_files := self._list_missing_files(entry):
            reason = f"the bundle has no readable {' and '.join(missing_files)}"
            yield from ((path, GapKind.NO_FILE, reason) for path in command.reads)
            return
        output = outputs.get(entry.command)
        text = output.text if output else ""
        for path in command.reads:
            sign = next((sign for sign, paths in command.withheld.items() if path in paths and sign in text), None)
            if sign is not None:
                yield path, GapKind.NO_PERMISSION, f"permission: withheld from this user: {sign}"
            elif path in read_paths:
                continue
            elif failure is not None:
                yield path, GapKind.PARSER_FAILED, failure
            elif output is not None and _is_binary(self.bundle.content[output.source.file]):
                yield path, GapKind.NOT_TEXT, "its output contains bytes that are not text"
            elif text.strip():
                yield path, GapKind.NOT_IN_OUTPUT, "its output does not contain the value in a known format"
            else:
                errors = output.errors.strip().splitlines() if output else []
                reason = f"its output is empty: {errors[-1]}" if errors else "its output is empty"
                is_absent = rendered >= set(command.run[1:]) and _has_no_file(command, errors)
                yield path, GapKind.ABSENT_FILE if is_absent else GapKind.EMPTY, reason


def _has_no_file(command: Command, errors: Sequence[str]) -> bool:
    """Whether cat found none of its files (GNU coreutils and BusyBox, with and without quotes)."""
    names = [match[1] for line in errors if (match := _NO_FILE.fullmatch(line.strip()))]
    return command.run[0] == "cat" and tuple(names) == command.run[1:]


def _is_binary(content: bytes) -> bool:
    """Whether an output contains what no command of the published list prints."""
    return b"\0" in content or "\ufffd" in content.decode("utf-8", "replace")


def _list_explaining_commands(commands: Mapping[str, Command], modules: Set[str]) -> dict[str, Command]:
    """The commands whose failure explains why a setting was not read.

    A tool of devices that the host lacks explains nothing if another one for the same settings is of its devices.
    """
    used = {path for command in commands.values() if command.module in modules for path in command.reads}
    return {
        name: command
        for name, command in commands.items()
        if command.module is None or command.module in modules or not used.intersection(command.reads)
    }


def _explain_missing_output(bundle: Bundle) -> str:
    return "it was not run" if bundle.manifest.complete else "collecting was interrupted before it ran"


def _get_command_id(entry: Entry) -> str:
    return entry.command.partition("@")[0]
