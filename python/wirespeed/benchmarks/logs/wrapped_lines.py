"""Wrappers of whole lines that a log of lines alone cannot show: line numbers, logfmt, and lists of lines in JSON.

Line numbers are those of cat -n and -b (GNU coreutils manual, 3.1: six columns and a tab, with -b none before a blank
line), nl (3.3: the same, with blanks before a blank line), and grep -n, also with -H, -T and context (GNU grep manual,
2.1.4 and 2.1.5: a colon after the number, a hyphen on lines of context, ``--`` between groups). They count only if
every line has one and they rise, since rows of tables begin with numbers too, and lines of NCCL with a host and a
process. A line of logfmt consists of pairs ``key=value``, values with blanks in quotes (github.com/kr/logfmt; Go,
log/slog, TextHandler). Numbers of lines stay those of the file.
"""

from __future__ import annotations

import re

_PADDED = re.compile(r"(?P<number>(?=[ \d]{6}\t|\d{7,9}\t) *\d{1,9})\t")  # cat -n, cat -b, nl
_COUNTED = re.compile(r"(?P<number> *\d{1,9})\t")  # of pr -n, sed or awk: each number is one more than the last
_MATCHES = (
    re.compile(r"(?P<number> *\d{1,9})(?P<mark>[:-])(?:(?<= \d[:-])\t)?"),  # grep -n
    re.compile(r"(?P<name>[^\s:]+?)(?P<mark>[:-])(?P<number> *\d{1,9})(?P=mark)(?!\d+ \[)\t?"),  # grep -Hn; not NCCL's
)
"""Of grep: the second form is not that of ``host:process:thread [device]``."""
_SEPARATOR = "--"  # between groups of matches with context
FIRST_NUMBER = re.compile(
    r"\s*\d{1,9}[\t:-]|[^\s:]+[:-] *\d{1,9}[:-]"
)  # at the start of a text whose lines are numbered
MESSAGE_KEYS = ('msg="', 'message="')
_FEWEST = 3  # lines, from which rising numbers are no chance
_VALUE = r'(?:"(?:[^"\\]|\\.)*"|[^\s"]*)'
_PAIR = rf"[\w.@/-]+={_VALUE}"
_LOGFMT = re.compile(rf'(?:{_PAIR} )*?(?:msg|message)="(?P<text>(?:[^"\\]|\\.)*)"(?: {_PAIR})*\s*')
_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {"t": "\t", "n": " ", "r": " "}
_LIST = re.compile(r'^(?P<indent>[ \t]*)(?:"(?!std(?:out|err)_lines")[^"\n]*":[ \t]*)?\[[ \t]*$', re.MULTILINE)


def unwrap_lines(text: str) -> str:
    """The text without line numbers before every line, and with the message of each line of logfmt alone."""
    text = _remove_numbers(text)
    if any(key in text for key in MESSAGE_KEYS):
        return "\n".join(_read_message(line) for line in text.split("\n"))
    return text


def mark_lists(text: str) -> str | None:
    """The text with each list that opens at the end of a line marked as a list of lines; None without such a list.

    The mark is the key that Ansible uses, whose items are read as lines. Only for a text that is no output of a tool
    otherwise: the JSON of tools has lists of texts as well.
    """
    marked, count = _LIST.subn(r'\g<indent>"stdout_lines": [', text)
    return marked if count else None


def _remove_numbers(text: str) -> str:
    lines = text.removesuffix("\n").split("\n")
    if len(lines) < _FEWEST:
        return text
    plain = _remove_columns(lines) or _remove_matches(lines)
    return text if plain is None else "\n".join(plain) + ("\n" if text.endswith("\n") else "")


def _remove_columns(lines: list[str]) -> list[str] | None:
    """The lines without a column of numbers before a tab; None if they have none."""
    for pattern, step in ((_PADDED, None), (_COUNTED, 1)):
        plain: list[str] = []
        last = None
        for line in lines:
            match = pattern.match(line)
            if match is None and not line.strip() and step is None:
                plain.append("")  # of cat -b and nl
                continue
            number = int(match["number"]) if match is not None else 0
            if match is None or (last is not None and (number <= last or (step or number - last) != number - last)):
                break
            last = number
            plain.append(line[match.end() :])
        if len(plain) == len(lines) and last is not None:
            return plain
    return None


def _remove_matches(lines: list[str]) -> list[str] | None:
    """The lines without what grep prints before them; None if a line lacks it or numbers of a file do not rise."""
    for pattern in _MATCHES:
        plain: list[str] = []
        last: dict[str, int] = {}
        marks: set[str] = set()
        for line in lines:
            if line == _SEPARATOR and plain:
                plain.append("")
                continue
            match = pattern.match(line)
            name = match.groupdict().get("name", "") if match is not None else ""
            if match is None or int(match["number"]) <= last.get(name, -1):
                break
            last[name] = int(match["number"])
            marks.add(match["mark"])
            plain.append(line[match.end() :])
        if len(plain) == len(lines) and ":" in marks:
            return plain
    return None


def _read_message(line: str) -> str:
    match = _LOGFMT.fullmatch(line)
    return line if match is None else _ESCAPE.sub(lambda escape: _ESCAPED.get(escape[1], escape[1]), match["text"])
