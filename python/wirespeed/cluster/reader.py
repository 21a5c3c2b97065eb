"""Reads a cluster file into a `Cluster`, or refuses it with every problem at once."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from wirespeed.cluster.document import load
from wirespeed.cluster.fabric import LinkPart, Pattern
from wirespeed.cluster.fields import Unfit, check_host_name
from wirespeed.cluster.host import HostPart
from wirespeed.cluster.model import CableRow, Cluster, ClusterFile, HostSpec, Origin, SwitchSpec
from wirespeed.cluster.part import Part
from wirespeed.cluster.ranges import expand_names
from wirespeed.cluster.refusals import describe_missing_key, list_problems
from wirespeed.cluster.switch import SwitchPart
from wirespeed.errors import Problem, Refusal, did_you_mean, refuse
from wirespeed.input_files import read_input
from wirespeed.units import Length

VERSION = 1
CABLE_COLUMNS = ("a_device", "a_port", "b_device", "b_port", "length")
_MODEL_COLUMN = 7  # of a file without a header, as `wirespeed plan --cables --format csv` writes it
"""Columns of a cabling file; further columns are ignored."""

_WRITERS = {
    "a cluster file": "`wirespeed init` writes one to start from",
    "a cabling file": "`wirespeed plan CLUSTER.yaml --cables --format csv` writes one",
    "a traffic file": "`wirespeed sim run --help` shows one",
}
_LARGEST = 8 * 2**20  # bytes; the file of a uniform cluster has a few lines, also with thousands of hosts

_Part = TypeVar("_Part", bound=Part)


def read(path: str | Path) -> Cluster:
    """Read a cluster file.

    Raises:
        Refusal: the file is missing, unreadable, malformed or contradicts itself; every problem with its line.
    """
    path = Path(path)
    return read_text(read_file(path, str(path), "a cluster file"), str(path), path.parent)


def read_text(text: str, file: str, folder: Path | None = None) -> Cluster:
    """Read a cluster file's text; ``file`` is its name in messages, ``folder`` contains its cabling file.

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
        file_model = ClusterFile.model_validate(raw)
    except ValidationError as error:
        raise Refusal(list_problems(error, origin)) from None
    return _Expansion(file_model, origin, folder).cluster()


def read_file(path: Path, name: str, expected: str) -> str:
    """Read a text file; ``expected`` is its kind in messages.

    Raises:
        Refusal: the file does not exist or cannot be read.
    """
    if path.is_dir():
        raise refuse(name, "a folder", expected, "name the file in it")
    try:
        data = read_input(path, name, _LARGEST)
    except FileNotFoundError:
        raise refuse(name, "no such file", expected, _WRITERS[expected]) from None
    except OSError as error:
        raise refuse(name, (error.strerror or str(error)).lower(), f"{expected} that can be read") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise refuse(f"{name}:{line}", f"the byte 0x{data[error.start]:02x}", "text in UTF-8") from None


def check_version(version: object, origin: Origin) -> None:
    """Refuse a file of another version.

    Raises:
        Refusal: the file is of a newer or an older version.
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
    """Expands node ranges and exceptions; collects all problems before it raises."""

    def __init__(self, file_model: ClusterFile, origin: Origin, folder: Path | None) -> None:
        self.file, self.origin, self.folder = file_model, origin, folder
        self.problems: list[Problem] = []
        self.paths_by_name: dict[str, tuple[str, tuple[str | int, ...]]] = {}

    def cluster(self) -> Cluster:
        self._check_name()
        hosts = {name: spec for name, spec in self._expand_hosts() if spec is not None}
        switches = {name: spec for name, spec in self._expand_switches() if spec is not None}
        links = tuple(self._expand_links(switches))
        rows = tuple(self._read_rows())
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
            hardware=self.file.hardware,
        )

    def _add_problem(self, path: tuple[str | int, ...], found: str, expected: str, hint: str | None = None) -> None:
        self.problems.append(Problem(self.origin.locate(*path), found, expected, hint))

    def _check_name(self) -> None:
        try:
            check_host_name(self.file.name)
        except Unfit:
            similar_name = re.sub(r"[^A-Za-z0-9.]+", "-", self.file.name).strip("-.")[:63].rstrip("-.")
            hint = f"did you mean {similar_name!r}?" if similar_name else None
            self._add_problem(("name",), f"the name {self.file.name!r}", "letters, digits, hyphens and dots", hint)

    def _expand_hosts(self) -> Iterator[tuple[str, HostSpec | None]]:
        if not self.file.hosts:
            self._add_problem(("hosts",), "no hosts", "at least one")
        for key, group in self.file.hosts.items():
            for name, part, path in self._expand_members("hosts", key, group):
                yield name, self._build_host(part, path)

    def _build_host(self, part: HostPart, path: tuple[str | int, ...]) -> HostSpec | None:
        if part.model is None or part.os is None or part.nics is None:
            for name in ("model", "os", "nics"):
                if getattr(part, name) is None:
                    self._report_missing_key(path, name, HostPart)
            return None
        return HostSpec(part, part.model, part.os, part.nics, path)

    def _expand_switches(self) -> Iterator[tuple[str, SwitchSpec | None]]:
        for key, group in self.file.switches.items():
            for name, part, path in self._expand_members("switches", key, group):
                if part.model is None:
                    self._report_missing_key(path, "model", SwitchPart)
                    yield name, None
                else:
                    yield name, SwitchSpec(part, part.model, part.os, part.role or "leaf", path)

    def _report_missing_key(self, path: tuple[str | int, ...], name: str, model: type[BaseModel]) -> None:
        problem = describe_missing_key(self.origin.locate(*path), name, model)
        if problem not in self.problems:
            self.problems.append(problem)

    def _expand_members(
        self, section: str, key: str, group: _Part
    ) -> Iterator[tuple[str, _Part, tuple[str | int, ...]]]:
        """Name, part and path of the part of every member of a range."""
        path: tuple[str | int, ...] = (section, key)
        names = self._expand_names(key, path)
        known_names = set(names)
        exceptions: dict[str, tuple[_Part, tuple[str | int, ...]]] = {}
        inner: Mapping[str, _Part] = getattr(group, "exceptions", {})
        for inner_key, part in inner.items():
            inner_path = (*path, "except", inner_key)
            if getattr(part, "exceptions", {}):
                self._add_problem((*inner_path, "except"), "an exception of an exception", "one level of `except`")
            merged_part = _merge_parts(group, part)
            for name in self._expand_names(inner_key, inner_path):
                if name not in known_names:
                    self._add_problem(inner_path, f"{name!r}", f"a member of {key}", did_you_mean(name, names))
                elif name in exceptions:
                    self._add_problem(inner_path, f"{name!r} again", "each name once in `except`")
                exceptions[name] = (merged_part, inner_path)
        for name in names:
            earlier = self.paths_by_name.get(name.lower())
            if earlier is not None:
                first = self.origin.locate(*earlier[1])
                repetition = "again" if name == earlier[0] else f"beside {earlier[0]!r}"
                self._add_problem(path, f"the name {name!r} {repetition}", "each name once", f"first used at {first}")
                continue
            self.paths_by_name[name.lower()] = (name, path)  # names of hosts do not differ by case (RFC 4343)
            part, location = exceptions.get(name, (group, path))
            yield name, part, location

    def _expand_names(self, key: str, path: tuple[str | int, ...]) -> list[str]:
        try:
            return expand_names(key)
        except Unfit as error:
            self._add_problem(path, f"the name {key!r}", error.expected, error.hint)
            return []

    def _expand_links(
        self, switches: Mapping[str, SwitchSpec]
    ) -> Iterator[tuple[LinkPart, tuple[str, ...], tuple[str, ...]]]:
        for index, link in enumerate(self.file.links):
            ends: list[tuple[str, ...]] = []
            for side in ("a", "b"):
                path = ("links", index, side)
                names = self._expand_names(getattr(link, side), path)
                unknown = [name for name in names if name not in switches]
                if unknown:
                    further_names = f" and {len(unknown) - 1} more" if len(unknown) > 1 else ""
                    hint = did_you_mean(unknown[0], list(switches))
                    self._add_problem(
                        path,
                        f"the switch {unknown[0]!r}{further_names}",
                        "switches of this file" if further_names else "a switch of this file",
                        hint,
                    )
                ends.append(tuple(names))
            yield link, ends[0], ends[1]

    def _read_rows(self) -> Iterator[CableRow]:
        cabling = self.file.cabling
        if cabling.file is None:
            if cabling.pattern is Pattern.FILE:
                self._add_problem(("cabling",), "pattern file without a file", "file: cables.csv")
            return
        if cabling.pattern not in (None, Pattern.FILE):
            self._add_problem(("cabling",), f"both pattern {cabling.pattern} and a file", "one of them")
            return
        path = (self.folder or Path()) / cabling.file
        yield from self._cable_rows(path, cabling.file)

    def _cable_rows(self, path: Path, name: str) -> Iterator[CableRow]:
        text = read_file(path, name, "a cabling file")
        model_column: int | None = _MODEL_COLUMN
        try:
            for number, row in enumerate(csv.reader(text.splitlines(), strict=True), start=1):
                cells = [cell.strip() for cell in row]
                if cells[:4] == list(CABLE_COLUMNS[:4]):
                    model_column = cells.index("cable") if "cable" in cells else None
                    continue
                if not any(cells) or cells[0].startswith("#"):
                    continue
                if len(cells) == 1 and cells[0].count(";") >= 3:
                    hint = "save the table with commas as separators"
                    self.problems.append(Problem(f"{name}:{number}", "columns separated by ';'", "','", hint))
                    return
                cable_row = self._cable_row(cells, f"{name}:{number}", model_column)
                if cable_row is not None:
                    yield cable_row
        except csv.Error as error:
            self.problems.append(Problem(name, f"broken CSV: {error}", f"{','.join(CABLE_COLUMNS)} on each line"))

    def _cable_row(self, cells: list[str], location: str, model_column: int | None) -> CableRow | None:
        if len(cells) < 4 or not all(cells[:4]):
            self.problems.append(Problem(location, repr(",".join(cells)), ",".join(CABLE_COLUMNS)))
            return None
        try:
            length = Length.parse(cells[4]) if len(cells) > 4 and cells[4] else self.file.cabling.length
        except ValueError as error:
            self.problems.append(Problem(location, f"the length {cells[4]!r}", "a length such as 3 m", str(error)))
            return None
        model = cells[model_column] if model_column is not None and len(cells) > model_column else ""
        return CableRow((cells[0], cells[1]), (cells[2], cells[3]), location, length, model or self.file.cabling.cable)


def _merge_parts(group: _Part, part: _Part) -> _Part:
    """The group with the values of the part; mappings are merged key by key."""
    update: dict[str, object] = {}
    for name in part.model_fields_set:
        ours, theirs = getattr(group, name), getattr(part, name)
        if isinstance(ours, dict):
            update[name] = {
                **ours,
                **{key: _merge_parts(ours[key], value) if key in ours else value for key, value in theirs.items()},
            }
        elif isinstance(ours, Part):
            update[name] = _merge_parts(ours, theirs)
        else:
            update[name] = theirs
    return group.model_copy(update=update)
