"""Reading a cluster file: text to a `Cluster`, or every refusal at once."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from wirespeed.cluster.document import load
from wirespeed.cluster.fields import Unfit, check_host_name
from wirespeed.cluster.model import (
    CableRow,
    Cluster,
    ClusterFile,
    HostPart,
    HostSpec,
    LinkPart,
    Origin,
    Part,
    Pattern,
    SwitchPart,
    SwitchSpec,
)
from wirespeed.cluster.ranges import members
from wirespeed.cluster.refusals import missing_key, problems_of
from wirespeed.errors import Problem, Refusal, did_you_mean, refuse
from wirespeed.units import Length

VERSION = 1
CABLE_COLUMNS = ("a_device", "a_port", "b_device", "b_port", "length")
"""Columns of a cabling file; further ones are for the reader's eye."""

_WRITERS = {
    "a cluster file": "`wirespeed init` writes one to start from",
    "a cabling file": "`wirespeed plan CLUSTER.yaml --cables --format csv` writes one",
    "a traffic file": "`wirespeed sim run --help` shows one",
}
_LARGEST = 8 * 2**20  # bytes; a uniform cluster of thousands of hosts is a screenful

_Part = TypeVar("_Part", bound=Part)


def read(path: str | Path) -> Cluster:
    """Read a cluster file.

    Raises:
        Refusal: the file is missing, unreadable, malformed or contradicts itself; every problem with its line.
    """
    path = Path(path)
    return read_text(text_of(path, str(path), "a cluster file"), str(path), path.parent)


def read_text(text: str, file: str, folder: Path | None = None) -> Cluster:
    """Read a cluster file's text; ``file`` is its name in messages, ``folder`` where a cabling file is looked for.

    Raises:
        Refusal: as `read` does.
    """
    raw, lines = load(text, file)
    origin = Origin(file, lines)
    if not isinstance(raw, dict):
        raise refuse(
            origin.locate(), "a list" if isinstance(raw, list) else "plain text", "a mapping with version, name, …"
        )
    check_version(raw.get("version"), origin)
    try:
        parsed = ClusterFile.model_validate(raw)
    except ValidationError as error:
        raise Refusal(problems_of(error, origin)) from None
    return _Expansion(parsed, origin, folder).cluster()


def text_of(path: Path, name: str, expected: str) -> str:
    """The text of a file that people write; ``expected`` it should be, for messages.

    Raises:
        Refusal: there is none, or it cannot be read.
    """
    if path.is_dir():
        raise refuse(name, "a folder", expected, "name the file in it")
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise refuse(name, "no such file", expected, _WRITERS[expected]) from None
    except OSError as error:
        raise refuse(name, (error.strerror or str(error)).lower(), f"{expected} that can be read") from None
    if len(data) > _LARGEST:
        raise refuse(name, f"{len(data)} bytes", f"at most {_LARGEST} bytes", "use node ranges")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise refuse(f"{name}:{line}", f"the byte 0x{data[error.start]:02x}", "text in UTF-8") from None


def check_version(version: object, origin: Origin) -> None:
    """Refuse a file of another version.

    Raises:
        Refusal: it is written for a newer or an older wirespeed.
    """
    if not isinstance(version, str) or not version.isascii() or not version.isdigit() or len(version) > 9:
        return  # the model reports the problem
    if int(version) > VERSION:
        raise refuse(
            origin.locate("version"),
            f"version {version}",
            f"version {VERSION} at most",
            "upgrade wirespeed",
        )
    if int(version) != VERSION:
        raise refuse(origin.locate("version"), f"version {version}", f"version {VERSION}")


class _Expansion:
    """Node ranges and exceptions worked out; collects problems and raises once."""

    def __init__(self, parsed: ClusterFile, origin: Origin, folder: Path | None) -> None:
        self.file, self.origin, self.folder = parsed, origin, folder
        self.problems: list[Problem] = []
        self.seen: dict[str, tuple[str, tuple[str | int, ...]]] = {}

    def cluster(self) -> Cluster:
        self._check_name()
        hosts = {name: spec for name, spec in self._hosts() if spec is not None}
        switches = {name: spec for name, spec in self._switches() if spec is not None}
        links = tuple(self._links(switches))
        rows = tuple(self._rows())
        if self.problems:
            raise Refusal(self.problems)
        return Cluster(
            name=self.file.name,
            hosts=hosts,
            switches=switches,
            links=links,
            fabric=self.file.fabric,
            cabling=self.file.cabling,
            addresses=self.file.addresses,
            routing=self.file.routing,
            classes=self.file.classes,
            launch=self.file.launch,
            origin=self.origin,
            rows=rows,
            lending=tuple(self.file.lending),
        )

    def _refuse(self, path: tuple[str | int, ...], found: str, expected: str, hint: str | None = None) -> None:
        self.problems.append(Problem(self.origin.locate(*path), found, expected, hint))

    def _check_name(self) -> None:
        try:
            check_host_name(self.file.name)
        except Unfit:
            self._refuse(("name",), f"the name {self.file.name!r}", "letters, digits, hyphens and dots")

    def _hosts(self) -> Iterator[tuple[str, HostSpec | None]]:
        if not self.file.hosts:
            self._refuse(("hosts",), "no hosts", "at least one")
        for key, group in self.file.hosts.items():
            for name, part, path in self._members("hosts", key, group):
                yield name, self._host(part, path)

    def _host(self, part: HostPart, path: tuple[str | int, ...]) -> HostSpec | None:
        if part.model is None or part.os is None or part.nics is None:
            for name in ("model", "os", "nics"):
                if getattr(part, name) is None:
                    self._report_missing_key(path, name, HostPart)
            return None
        return HostSpec(part, part.model, part.os, part.nics, path)

    def _switches(self) -> Iterator[tuple[str, SwitchSpec | None]]:
        for key, group in self.file.switches.items():
            for name, part, path in self._members("switches", key, group):
                if part.model is None:
                    self._report_missing_key(path, "model", SwitchPart)
                    yield name, None
                else:
                    yield name, SwitchSpec(part, part.model, part.os, part.role or "leaf", path)

    def _report_missing_key(self, path: tuple[str | int, ...], name: str, model: type[BaseModel]) -> None:
        problem = missing_key(self.origin.locate(*path), name, model)
        if problem not in self.problems:
            self.problems.append(problem)

    def _members(self, section: str, key: str, group: _Part) -> Iterator[tuple[str, _Part, tuple[str | int, ...]]]:
        """(name, its part, path of the part) of every member of a range."""
        path: tuple[str | int, ...] = (section, key)
        names = self._names(key, path)
        known = set(names)
        exceptions: dict[str, tuple[_Part, tuple[str | int, ...]]] = {}
        inner: Mapping[str, _Part] = getattr(group, "exceptions", {})
        for inner_key, part in inner.items():
            inner_path = (*path, "except", inner_key)
            if getattr(part, "exceptions", {}):
                self._refuse((*inner_path, "except"), "an exception of an exception", "one level of `except`")
            merged = _merge(group, part)
            for name in self._names(inner_key, inner_path):
                if name not in known:
                    self._refuse(inner_path, f"{name!r}", f"a member of {key}", did_you_mean(name, names))
                elif name in exceptions:
                    self._refuse(inner_path, f"{name!r} again", "each name once in `except`")
                exceptions[name] = (merged, inner_path)
        for name in names:
            before = self.seen.get(name.lower())
            if before is not None:
                first = self.origin.locate(*before[1])
                again = "again" if name == before[0] else f"beside {before[0]!r}"
                self._refuse(path, f"the name {name!r} {again}", "each name once", f"first used at {first}")
                continue
            self.seen[name.lower()] = (name, path)  # names of hosts do not differ by case (RFC 4343)
            part, location = exceptions.get(name, (group, path))
            yield name, part, location

    def _names(self, key: str, path: tuple[str | int, ...]) -> list[str]:
        try:
            return members(key)
        except Unfit as error:
            self._refuse(path, f"the name {key!r}", error.expected, error.hint)
            return []

    def _links(self, switches: Mapping[str, SwitchSpec]) -> Iterator[tuple[LinkPart, tuple[str, ...], tuple[str, ...]]]:
        for index, link in enumerate(self.file.links):
            ends: list[tuple[str, ...]] = []
            for side in ("a", "b"):
                path = ("links", index, side)
                names = self._names(getattr(link, side), path)
                for name in names:
                    if name not in switches:
                        self._refuse(
                            path, f"the switch {name!r}", "a switch of this file", did_you_mean(name, list(switches))
                        )
                ends.append(tuple(names))
            yield link, ends[0], ends[1]

    def _rows(self) -> Iterator[CableRow]:
        cabling = self.file.cabling
        if cabling.file is None:
            if cabling.pattern is Pattern.FILE:
                self._refuse(("cabling",), "pattern file without a file", "file: cables.csv")
            return
        if cabling.pattern not in (None, Pattern.FILE):
            self._refuse(("cabling",), f"both pattern {cabling.pattern} and a file", "one of them")
            return
        path = (self.folder or Path()) / cabling.file
        yield from self._cable_rows(path, cabling.file)

    def _cable_rows(self, path: Path, name: str) -> Iterator[CableRow]:
        text = text_of(path, name, "a cabling file")
        try:
            for number, row in enumerate(csv.reader(text.splitlines(), strict=True), start=1):
                cells = [cell.strip() for cell in row]
                if not any(cells) or cells[0].startswith("#") or cells[:4] == list(CABLE_COLUMNS[:4]):
                    continue
                if len(cells) == 1 and cells[0].count(";") >= 3:
                    hint = "save the table with commas as separators"
                    self.problems.append(Problem(f"{name}:{number}", "columns separated by ';'", "','", hint))
                    return
                found = self._cable_row(cells, f"{name}:{number}")
                if found is not None:
                    yield found
        except csv.Error as error:
            self.problems.append(Problem(name, f"broken CSV: {error}", f"{','.join(CABLE_COLUMNS)} on each line"))

    def _cable_row(self, cells: list[str], place: str) -> CableRow | None:
        if len(cells) < 4 or not all(cells[:4]):
            self.problems.append(Problem(place, repr(",".join(cells)), ",".join(CABLE_COLUMNS)))
            return None
        try:
            length = Length.parse(cells[4]) if len(cells) > 4 and cells[4] else self.file.cabling.length
        except ValueError as error:
            self.problems.append(Problem(place, f"the length {cells[4]!r}", "a length such as 3 m", str(error)))
            return None
        return CableRow((cells[0], cells[1]), (cells[2], cells[3]), place, length)


def _merge(group: _Part, part: _Part) -> _Part:
    """The group with the values of the part; mappings are merged key by key."""
    update: dict[str, object] = {}
    for name in part.model_fields_set:
        ours, theirs = getattr(group, name), getattr(part, name)
        if isinstance(ours, dict):
            update[name] = {
                **ours,
                **{key: _merge(ours[key], value) if key in ours else value for key, value in theirs.items()},
            }
        elif isinstance(ours, Part):
            update[name] = _merge(ours, theirs)
        else:
            update[name] = theirs
    return group.model_copy(update=update)
