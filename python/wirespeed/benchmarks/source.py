"""A log as it comes: numbered lines without colours, quoting, rank prefixes and time stamps, and the JSON inside it.

What wrappers add is taken off here once, so that a tool's parser sees what the tool printed. Line numbers stay those
of the file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from wirespeed.benchmarks.jsontext import Document, documents

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])")

# What wrappers put before a line; a group captures which process or host it came from.
_PREFIXES = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?:\s*>)+ ?",  # quoted mail
        r"\s{0,16}(?:\^[CZ])+",  # what a terminal shows for an interrupt
        r"\s{0,16}\\(?=[-*#_\[])",  # Markdown escapes
        r"\s{0,16}(?:- (?!- |-$|\s|$)|\d{1,4}\. (?=\S))",  # lists, which paste sites make of lines
        r"\s*\[[^\]\s]*?(\d+,\d+)\](?:\[[^\]\s]*\])?<std(?:out|err|diag)>:? ?",  # mpirun --tag-output
        r"\s{0,16}(\d{1,6}):(?: |$)",  # srun --label
        r"\[pod/([^\]\s]+)\] ?",  # kubectl logs --prefix
        r"\s{0,16}Client on (\S+): (?: |$)",  # the iperf3 jobs that Kubernetes clusters are tested with
        r"\s{0,16}\[(\d+)\] (?!\s*(?:\d+\.\d+ ?-|local \S+ port|Sent ))",  # mpiexec -prepend-rank, no stream of iperf3
        r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?(?: |$)",
        r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}(?: |$)",  # iperf3 --timestamps
    )
)
_STARTS = frozenset(" \t\v\f>^\\-[0123456789CMTWFS")  # what a line with one of them begins with
_HOST = re.compile(r"([A-Za-z][\w.-]*)(?::|\s+\|)(?: |$)")  # pdsh, docker compose
_OWN_WORDS = frozenset({"GID", "Mtu", "Warning", "WARNING", "Event", "ERRNO", "Version", "Usage", "Options"})


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a log. ``ended`` is false for a last line without its newline: it may be cut inside a number."""

    number: int
    text: str
    ended: bool = True
    label: str | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """A log to read: its lines outside JSON documents, the JSON documents, and every line."""

    lines: tuple[Line, ...]
    documents: tuple[Document, ...]
    all_lines: tuple[Line, ...]


def source(text: str) -> Source:
    """The log in ``text``."""
    lines = _clean(text)
    found = tuple(documents([(line.number, line.text) for line in lines]))
    inside = {number for document in found for number in range(document.first, document.last + 1)}
    return Source(tuple(line for line in lines if line.number not in inside), found, tuple(lines))


def _clean(text: str) -> list[Line]:
    raw = text.removeprefix("\ufeff").split("\n")
    last = len(raw)
    lines = []
    for number, content in enumerate(raw, 1):
        if "\r" in content or "\x1b" in content:
            content = _ANSI.sub("", content.removesuffix("\r")).rpartition("\r")[2]
        content, label = _strip(content) if content[:1] in _STARTS else (content, None)
        lines.append(Line(number, content, number < last, label))
    if not raw[-1]:
        lines.pop()
    return _without_hosts(lines)


def _strip(content: str) -> tuple[str, str | None]:
    """The line without prefixes, and the first process or host a prefix names."""
    label: str | None = None
    for _ in range(4):
        match = next((found for prefix in _PREFIXES if (found := prefix.match(content))), None)
        if match is None:
            break
        label = label or (match.group(1) if match.re.groups else None)
        content = content[match.end() :]
    return content, label


def _without_hosts(lines: list[Line]) -> list[Line]:
    """Take ``host: `` off when nearly every line has it, as pdsh prints."""
    written = [line for line in lines if line.text.strip()]
    counts: Counter[str] = Counter()
    without = 0
    for line in written:
        match = _HOST.match(line.text)
        if match:
            counts[match.group(1)] += 1
            continue
        without += 1
        if without > 0.1 * len(written):
            return lines
    hosts = {name for name, count in counts.items() if count >= min(3, len(written)) > 1 and name not in _OWN_WORDS}
    if sum(counts[name] for name in hosts) < 0.9 * len(written) or not hosts:
        return lines
    stripped = []
    for line in lines:
        match = _HOST.match(line.text)
        if match and match.group(1) in hosts:
            content, _ = _strip(line.text[match.end() :])
            line = replace(line, text=content, label=match.group(1))
        stripped.append(line)
    return stripped


def by_label(lines: Sequence[Line], starts_report: Callable[[str], bool]) -> list[tuple[str | None, list[Line]]]:
    """Lines apart by process or host when more than one of them prints reports; all together otherwise."""
    reporting = {line.label for line in lines if line.label and starts_report(line.text)}
    if len(reporting) < 2:
        return [(None, list(lines))]
    return [(label, [line for line in lines if line.label == label]) for label in sorted(reporting)]


def splice(lines: Iterable[Line], message: re.Pattern[str]) -> list[Line]:
    """Take messages of standard error out of the middle of a line and put the line together again.

    Two streams into one file break a line wherever the first one was written out. What stood before the message and
    the next line that is no message are one line of the tool.
    """
    result: list[Line] = []
    held: Line | None = None
    for line in lines:
        match = message.search(line.text)
        if held is not None:
            if match and not line.text[: match.start()].strip():
                result.append(line)
                continue
            line = replace(held, text=held.text + line.text, ended=line.ended)
            held = None
            match = message.search(line.text)
        if match and line.text[: match.start()].strip():
            result.append(replace(line, text=line.text[match.start() :]))
            held = replace(line, text=line.text[: match.start()], ended=False)
            continue
        result.append(line)
    if held is not None:
        result.append(held)
    return result
