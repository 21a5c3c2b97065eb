"""Changes of a text that a device or tool printed, by its structure: lines, columns, numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random

_NUMBER = re.compile(rb"[0-9]+(?:\.[0-9]+)?")
_SPACES = re.compile(rb"[ \t]+|^", re.MULTILINE)
_TOKEN = re.compile(rb"[^\s,:=/\[\]{}()\"']+")

NUMBERS: tuple[bytes, ...] = (
    b"0", b"1", b"-1", b"7", b"8", b"63", b"64", b"255", b"256", b"4094", b"4095", b"65535", b"65536", b"4294967295",
    b"4294967296", b"9223372036854775807", b"18446744073709551616", b"9" * 30, b"9" * 400, b"9" * 5000, b"1e999",
    b"-0", b"NaN", b"inf", b"0x", b"0x10", b"08", b"1_000", b"1.5", b".5", b"5.", b"1.2.3.4", b"1.2.3.4/33", b"fe80::1",
    b"0.0.0.0/0", "٣".encode(), "²".encode(), "１２".encode(), "½".encode(),
)  # fmt: skip
"""Numbers at the ends of their ranges, and what ``isdigit`` or ``int`` takes for a number and the other does not."""

HOSTILE: tuple[bytes, ...] = (
    b"\x00", b"\r", b"\x1b[31m", b"\x0b", b"\x0c", b"\x1c", b"\x85", b"\xff\xfe", b"\xef\xbb\xbf", "\u2028".encode(),
    "\u00a0".encode(), b"\xed\xa0\x80", b"\t", b" " * 40, b'"', b"'", b"{", b"}", b"[", b"]", b"[" * 200,
    b"{\"a\":" * 200, b":", b"=", b",", b"/", b"\\", b"%n", b"..", b"../../etc/passwd", b"/etc/passwd", b"$(x)",
    b"null", b"true", b"{}", b"[]", b"no ", b"!", b"#", b"(", b")", b"*", b"+", b"|",
)  # fmt: skip


def mutate(text: bytes, random: Random, donors: Sequence[bytes]) -> bytes:
    """The text with one to four changes; lines and tokens are taken from ``donors``."""
    for _ in range(random.choice((1, 1, 1, 2, 3, 4))):
        text = random.choice(_CHANGES)(text, random, random.choice(donors) if donors else text)
    return text


_JSON_SCALAR = re.compile(rb'"(?:[^"\\\n]|\\.)*"(?!\s*[:"])|(?<![\w."])-?\d[\w.+-]*|true|false|null')
JSON_VALUES: tuple[bytes, ...] = (
    b"null", b"true", b"false", b"0", b"1", b"-1", b"2", b"0.5", b"1e-320", b"1e308", b"1e999", b"-1e999", b"NaN",
    b"Infinity", b"9" * 30, b"9" * 400, b"9" * 5000, b'""', b'"x"', b'"0"', b'"../x"', b'"\\ud800"', b'"\\u0000"',
    b"[]", b"{}", b"[null]", b"[[]]", b'{"": 1}', b"[" * 300 + b"]" * 300, b'"2026-13-01T00:00:00Z"', b'"<b>&]]>"',
)  # fmt: skip


def mutate_json(text: bytes, random: Random, donors: Sequence[bytes]) -> bytes:
    """A JSON document with one to three other values, from ``donors`` or `JSON_VALUES`; sometimes any other change."""
    if random.random() < 0.3:
        return mutate(text, random, donors)
    for _ in range(random.choice((1, 1, 2, 3))):
        chosen = _find(_JSON_SCALAR, text, random)
        if chosen is None:
            return mutate(text, random, donors)
        donated = _find(_JSON_SCALAR, random.choice(donors), random) if random.random() < 0.3 else None
        value = random.choice(JSON_VALUES) if donated is None else donated[0]
        text = text[: chosen.start()] + value + text[chosen.end() :]
    return text


def _lines(text: bytes) -> list[bytes]:
    return text.split(b"\n")


def _delete_lines(text: bytes, random: Random, donor: bytes) -> bytes:
    lines = _lines(text)
    index = random.randrange(len(lines))
    del lines[index : index + random.choice((1, 1, 2, 5))]
    return b"\n".join(lines)


def _repeat_line(text: bytes, random: Random, donor: bytes) -> bytes:
    lines = _lines(text)
    index = random.randrange(len(lines))
    return b"\n".join([*lines[:index], *([lines[index]] * random.choice((2, 2, 3, 50))), *lines[index + 1 :]])


def _swap_lines(text: bytes, random: Random, donor: bytes) -> bytes:
    lines = _lines(text)
    first, second = random.randrange(len(lines)), random.randrange(len(lines))
    lines[first], lines[second] = lines[second], lines[first]
    return b"\n".join(lines)


def _splice(text: bytes, random: Random, donor: bytes) -> bytes:
    lines, donor_lines = _lines(text), _lines(donor)
    start = random.randrange(len(donor_lines))
    index = random.randrange(len(lines) + 1)
    return b"\n".join([*lines[:index], *donor_lines[start : start + random.choice((1, 1, 3, 10))], *lines[index:]])


def _truncate(text: bytes, random: Random, donor: bytes) -> bytes:
    return text[: random.randrange(len(text) + 1)]


def _find(pattern: re.Pattern[bytes], text: bytes, random: Random) -> re.Match[bytes] | None:
    """The match at or after a random byte, with at most `_MAX_STEPS_BACK` bytes before it, or the first."""
    start = random.randrange(len(text) + 1)
    match = pattern.search(text, start)
    if match is None:
        return pattern.search(text)
    for index in range(match.start() - 1, max(start - _MAX_STEPS_BACK, 0) - 1, -1):
        longer = pattern.match(text, index)
        if longer is None or longer.end() != match.end():
            break
        match = longer
    return match


_MAX_STEPS_BACK = 20


def _number(text: bytes, random: Random, donor: bytes) -> bytes:
    chosen = _find(_NUMBER, text, random)
    if chosen is None:
        return _hostile(text, random, donor)
    if random.random() < 0.5:
        value = random.choice(NUMBERS)
    else:
        value = str(int(float(chosen[0][:15])) + random.choice((-1, 1, 8, 100))).encode()
    return text[: chosen.start()] + value + text[chosen.end() :]


def _token(text: bytes, random: Random, donor: bytes) -> bytes:
    chosen, donated = _find(_TOKEN, text, random), _find(_TOKEN, donor, random)
    if chosen is None or donated is None:
        return _hostile(text, random, donor)
    return text[: chosen.start()] + random.choice((b"", donated[0], chosen[0] * 2)) + text[chosen.end() :]


def _column(text: bytes, random: Random, donor: bytes) -> bytes:
    """Remove, repeat or add white space: columns move, blocks change their depth."""
    chosen = _find(_SPACES, text, random)
    assert chosen is not None  # the start of the text
    value = random.choice((b"", b" ", b"  ", b"\t", chosen[0] * 2, chosen[0] + b" "))
    return text[: chosen.start()] + value + text[chosen.end() :]


def _hostile(text: bytes, random: Random, donor: bytes) -> bytes:
    index = random.randrange(len(text) + 1)
    return text[:index] + random.choice(HOSTILE) + text[index:]


def _byte(text: bytes, random: Random, donor: bytes) -> bytes:
    if not text:
        return bytes([random.randrange(256)])
    index = random.randrange(len(text))
    return text[:index] + random.choice((b"", bytes([random.randrange(256)]))) + text[index + 1 :]


_CHANGES: tuple[Callable[[bytes, Random, bytes], bytes], ...] = (
    _delete_lines,
    _repeat_line,
    _swap_lines,
    _splice,
    _truncate,
    _number,
    _number,
    _token,
    _token,
    _column,
    _hostile,
    _byte,
)
