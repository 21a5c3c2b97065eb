"""Fixes of several places of a device as one session: shared commands once, interfaces joined, saved once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, groupby, pairwise

from wirespeed.results.findings import Fix, Grammar

_Lines = tuple[str, ...]
_OPENS_BLOCK = "interface "


def merge_fixes(fixes: Iterable[Fix]) -> tuple[Fix, ...]:
    """Merge fixes of one device that have the same sentence."""
    by_sentence: dict[str, list[Fix]] = {}
    for fix in fixes:
        by_sentence.setdefault(fix.sentence, []).append(fix)
    return tuple(merged for group in by_sentence.values() for merged in _merge(group))


def _merge(fixes: Sequence[Fix]) -> Iterable[Fix]:
    """One fix per kind of session; a fix without commands is part of any that has some.

    Scripts of several lines without a session stay separate: the meaning of a line may depend on those before it.
    """
    groups: dict[tuple[object, ...], list[Fix]] = {}
    for fix in [fix for fix in fixes if fix.commands] or fixes[:1]:
        opening, body, closing = _parts(fix)
        script = body if fix.session is None and len(body) > 1 else ()
        groups.setdefault((opening, script, closing, fix.session), []).append(fix)
    consequences = dict.fromkeys(fix.consequence for fix in fixes if fix.consequence)
    for group in groups.values():
        yield replace(group[0], commands=_merge_commands(group), consequence="; ".join(consequences) or None)


def _parts(fix: Fix) -> tuple[_Lines, _Lines, _Lines]:
    """Commands that begin the session, that change settings, that end it."""
    if fix.session is None:
        return (), fix.commands, ()
    start, end = fix.session.opening, len(fix.commands) - fix.session.closing
    return fix.commands[:start], fix.commands[start:end], fix.commands[end:]


def _merge_commands(fixes: Sequence[Fix]) -> _Lines:
    opening, _, closing = _parts(fixes[0])
    session = fixes[0].session
    bodies = list(dict.fromkeys(_parts(fix)[1] for fix in fixes))
    if session is None or session.grammar is Grammar.LINES:
        is_script = session is None and len(bodies) == 1
        return bodies[0] if is_script else (*opening, *dict.fromkeys(chain.from_iterable(bodies)), *closing)
    leaving = (closing[0], opening[-1]) if session.grammar is Grammar.BLOCKS else ()
    return (*opening, *_merge_blocks(bodies, session.grammar, leaving), *closing)


def _merge_blocks(bodies: Sequence[_Lines], grammar: Grammar, leaving: _Lines) -> _Lines:
    """What interfaces share, then one block per interface, or per range of interfaces with the same lines.

    ``leaving`` are the commands between two blocks. What stands before an interface already leaves its own block.
    """
    shared: dict[_Lines, bool] = {}  # and whether a block of an interface follows
    lines_of: dict[str, _Lines] = {}
    for body in bodies:
        starts = [number for number, line in enumerate(body) if line.startswith(_OPENS_BLOCK)]
        first, *_ = *starts, len(body)
        shared[body[:first]] = bool(starts)
        for start, end in pairwise((*starts, len(body))):
            name = body[start].removeprefix(_OPENS_BLOCK)
            lines_of[name] = _extend(lines_of.get(name, ()), body[start + 1 : end])
    names_of: dict[_Lines, list[str]] = {}
    for name, lines in lines_of.items():
        names_of.setdefault(lines, []).append(name)
    blocks = [(*part, *(() if shared[part] else leaving)) for part in _unique(shared) if part]
    for lines, names in names_of.items():
        blocks += [(f"{_OPENS_BLOCK}{name}", *lines, *leaving) for name in _join_names(names, grammar)]
    merged = tuple(chain.from_iterable(blocks))
    return merged[: len(merged) - len(leaving)] if merged[len(merged) - len(leaving) :] == leaving else merged


def _unique(parts: Iterable[_Lines]) -> list[_Lines]:
    """Each part once, without those that another part contains."""
    distinct = dict.fromkeys(parts)
    return [part for part in distinct if not any(part != longer and _contains(longer, part) for longer in distinct)]


def _extend(lines: _Lines, added: _Lines) -> _Lines:
    """Lines of one interface with those of another change of it; what both begin with is given once."""
    if _contains(lines, added):
        return lines
    common = 0
    while common < len(lines) and lines[common] == added[common]:
        common += 1
    return (*lines, *added[common:])


def _contains(lines: _Lines, part: _Lines) -> bool:
    return any(lines[start : start + len(part)] == part for start in range(len(lines) - len(part) + 1))


def _join_names(names: Sequence[str], grammar: Grammar) -> list[str]:
    """``Ethernet1/1-16,Ethernet1/49-64``: numbers that follow each other become a range."""
    numbered = [match for name in names if (match := re.fullmatch(r"(Ethernet)((?:\d+/)*)(\d+)", name))]
    if grammar is Grammar.BLOCKS or len(numbered) < len(names):
        return list(names)
    ranges: list[str] = []
    for (_, slot), run in groupby(enumerate(numbered), key=lambda entry: (int(entry[1][3]) - entry[0], entry[1][2])):
        numbers = [match[3] for _, match in run]
        last = f"-{numbers[-1]}" if len(numbers) > 1 else ""
        ranges.append(f"{slot}{numbers[0]}{last}")
    if grammar is Grammar.RANGES_OF_NAMES:
        return [",".join(f"Ethernet{span}" for span in ranges)]
    return [f"Ethernet{','.join(ranges)}"]
