"""Wrappers of whole lines that a log of lines alone cannot show: line numbers, logfmt, and lists of lines in JSON.

Line numbers count only if every line has one and each is one more than that of the line before, since rows of tables
begin with numbers too, and lines of NCCL with a host and a process. Numbers of lines stay those of the file.
"""

from __future__ import annotations

import re

_NUMBERED = (
    re.compile(r"[ ]*(?P<number>\d{1,9})\t"),  # cat -n (GNU coreutils, src/cat.c), nl
    re.compile(r"(?P<number>\d{1,9}):"),  # grep -n
    re.compile(r"[^\s:]+:(?P<number>\d{1,9}):(?!\d+ \[)"),  # grep -Hn; not NCCL's host:process:thread [device]
)
FIRST_NUMBER = re.compile(r"[ ]*\d{1,9}[\t:]|[^\s:]+:\d{1,9}:")  # at the start of a text whose lines are numbered
MESSAGE_KEYS = (' msg="', ' message="')
_FEWEST = 3  # lines, from which consecutive numbers are no chance
_VALUE = r'(?:"(?:[^"\\]|\\.)*"|[^\s"]*)'
_LOGFMT = re.compile(
    rf'(?:time|ts|t|level|lvl)={_VALUE}(?: [\w.@/-]+={_VALUE})*? (?:msg|message)="(?P<text>(?:[^"\\]|\\.)*)"'
    rf"(?: [\w.@/-]+={_VALUE})*\s*"
)
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
    for pattern in _NUMBERED:
        matches: list[re.Match[str]] = []
        for line in lines:
            match = pattern.match(line)
            if match is None or (matches and int(match["number"]) != int(matches[-1]["number"]) + 1):
                break
            matches.append(match)
        if len(matches) == len(lines):
            end = "\n" if text.endswith("\n") else ""
            return "\n".join(line[match.end() :] for line, match in zip(lines, matches, strict=True)) + end
    return text


def _read_message(line: str) -> str:
    match = _LOGFMT.fullmatch(line)
    return line if match is None else _ESCAPE.sub(lambda escape: _ESCAPED.get(escape[1], escape[1]), match["text"])
