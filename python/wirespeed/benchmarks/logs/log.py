"""A log: numbered lines without colours, quoting, rank prefixes and time stamps, and the JSON inside it.

Text that wrappers add is removed once, in ``crates/logs``, so that a tool's parser sees the output of the tool. Line
numbers are those of the file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from wirespeed._core import Line, Log, Substrings
from wirespeed.benchmarks.logs.json_documents import Document, documents
from wirespeed.benchmarks.logs.quoted_printable import ENCODED_EQUALS, decode_quoted_printable
from wirespeed.benchmarks.logs.wrapped_lines import FIRST_NUMBER, MESSAGE_KEYS, unwrap_lines

__all__ = ["Line", "Ranks", "Source", "Substrings", "source", "splice", "split_by_label"]


class Source:
    """A log to read. Lines become objects at first use: most readers need few of them."""

    def __init__(self, text: str) -> None:
        text = decode_quoted_printable(text) if ENCODED_EQUALS in text else text
        is_wrapped = FIRST_NUMBER.match(text) is not None or any(key in text for key in MESSAGE_KEYS)
        self._log = Log(unwrap_lines(text) if is_wrapped else text)
        self._without_debug: dict[bool, tuple[Line, ...]] = {}

    @cached_property
    def documents(self) -> tuple[Document, ...]:
        """The JSON documents."""
        if not self._log.may_contain_json():
            return ()
        return tuple(documents([(line.number, line.text) for line in self.all_lines]))

    @cached_property
    def all_lines(self) -> tuple[Line, ...]:
        """Every line."""
        return tuple(self._log.lines())

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """Every line outside JSON documents."""
        return self._exclude_documents(self.all_lines)

    def without_debug(self, fold: bool = False) -> tuple[Line, ...]:
        """Lines outside JSON documents that are not, as a whole, debug output of NCCL.

        ``fold``: a list of ranks, or the rows of a table, become one line if one process prints them one after the
        other; ``parts`` gives the original lines.
        """
        if fold not in self._without_debug:
            self._without_debug[fold] = self._exclude_documents(self._log.lines(debug=False, fold=fold))
        return self._without_debug[fold]

    def debug(self, *containing: str, distinct: bool = False) -> list[Line]:
        """Lines that are, as a whole, debug output of NCCL; with ``containing``, those with one of these words.

        ``distinct``: of consecutive lines each message once, regardless of the process that prints it.
        """
        return self._log.lines(debug=True, containing=containing or None, distinct=distinct)

    def decimal_commas(self) -> list[tuple[int, str]]:
        """Lines outside debug output with a number that has a decimal comma, and this number."""
        return self._log.decimal_commas()

    def find_substrings(self, substrings: Substrings) -> list[bool]:
        """For each substring whether a line contains it; of NCCL's debug output only the kind is searched."""
        return self._log.contains_each(substrings)

    def _exclude_documents(self, lines: Sequence[Line]) -> tuple[Line, ...]:
        document_lines = {number for document in self.documents for number in range(document.first, document.last + 1)}
        if not document_lines:
            return tuple(lines)
        return tuple(line for line in lines if line.number not in document_lines)


def source(text: str) -> Source:
    """The log in ``text``."""
    return Source(text)


@dataclass(slots=True)
class Ranks:
    """The content of rank lists of nccl-tests: the ranks, and their groups, hosts and devices.

    ``numbers`` are the first and the last of consecutive ranks; ``places`` the host, the GPU and its PCIe address of
    each rank.
    """

    numbers: list[tuple[int, int]] = field(default_factory=list)
    groups: set[str] = field(default_factory=set)
    hosts: set[str] = field(default_factory=set)
    devices: set[str] = field(default_factory=set)
    places: list[tuple[int, str, int | None, str]] = field(default_factory=list)

    @classmethod
    def from_line(cls, line: Line) -> Ranks:
        """The ranks in a line, or in the lines that were folded into it."""
        numbers, groups, hosts, devices, places = line.ranks()
        return cls(numbers, set(groups), set(hosts), set(devices), places)

    @property
    def count(self) -> int:
        """The number of ranks: one more than the highest rank."""
        return max(last for _, last in self.numbers) + 1

    @property
    def is_whole(self) -> bool:
        """Whether every rank from 0 to the highest occurs exactly once."""
        next_number = 0
        for first, last in sorted(self.numbers):
            if first != next_number:
                return False
            next_number = last + 1
        return True

    def add(self, other_ranks: Ranks) -> None:
        """Add the content of other lines."""
        self.numbers += other_ranks.numbers
        self.groups |= other_ranks.groups
        self.hosts |= other_ranks.hosts
        self.devices |= other_ranks.devices
        self.places += other_ranks.places


def split_by_label(lines: Sequence[Line], starts_report: Callable[[str], bool]) -> list[tuple[str | None, list[Line]]]:
    """Split lines by process or host if several of them print reports; otherwise all lines are one group."""
    reporting = {line.label for line in lines if line.label and starts_report(line.text)}
    if len(reporting) < 2:
        return [(None, list(lines))]
    return [(label, [line for line in lines if line.label == label]) for label in sorted(reporting)]


def _has_letters(text: str) -> bool:
    return text.lower() != text.upper()


def splice(lines: Iterable[Line], message: re.Pattern[str], word: str = "") -> list[Line]:
    """Remove messages of standard error from the middle of a line and join the line's parts.

    When two streams write into one file, a line is broken where the first stream was flushed. The text before the
    message and the next line that is not a message are one line of the tool. ``word`` occurs in every message; lines
    that are NCCL's debug output as a whole are not searched.
    """
    result: list[Line] = []
    incomplete: Line | None = None
    for line in lines:
        if line.debug or (incomplete is None and (word not in line.text or not _has_letters(line.text))):
            result.append(line)
            continue
        match = message.search(line.text)
        if incomplete is not None:
            if match and not line.text[: match.start()].strip():
                result.append(line)
                continue
            line = incomplete.with_text(incomplete.text + line.text, line.is_complete)
            incomplete = None
            match = message.search(line.text)
        if match and line.text[: match.start()].strip():
            result.append(line.with_text(line.text[match.start() :], line.is_complete))
            incomplete = line.with_text(line.text[: match.start()], False)
            continue
        result.append(line)
    if incomplete is not None:
        result.append(incomplete)
    return result
