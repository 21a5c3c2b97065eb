"""Other content of a device's configuration: it changes nothing that is read, or is known to make it unknown.

A switch of a RoCE fabric has users, banners, a management network, port channels,
groups and profiles of lines, tenants. Each row adds such lines in the device's own order and spelling to a text that
is read well without them. What a terminal adds to a text has rows too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest

from platforms.switch.noise import cumulus, enterprise_sonic, eos, junos, nxos, sonic
from platforms.switch.noise.row import Noise, add_pager, every
from platforms.switch.test_mutations import CASES, read, read_case
from wirespeed.platforms.switch.terminal import plain_text

ROWS = [row for module in (cumulus, enterprise_sonic, eos, junos, nxos, sonic) for row in module.ROWS]

FIRST = list({case.system: name for name, case in reversed(CASES.items())}.values())
"""The first case of each system."""


def values(row: Noise, text: str) -> dict[str, Any]:
    """What is read of a text, by place and path."""
    case = CASES[row.case]
    outputs, _, _ = read_case(row.case)
    return {f"{place} {path}": value for (place, path), (value, _) in read(case, outputs, text).items()}


def wrong(row: Noise, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Where what is read differs from the row."""
    found: list[str] = []
    for key in before | after:
        rule = next((rule for rule in row.becomes if re.fullmatch(rule, key)), None)
        if rule is None and key not in before and re.fullmatch(row.additions, key):
            continue
        expected = before.get(key) if rule is None else row.becomes[rule]
        if after.get(key) != expected:
            found.append(f"{key}: {after.get(key)!r} in place of {expected!r}")
    return found


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.case}: {row.label}")
def test_other_lines_change_nothing_that_is_read(row: Noise) -> None:
    _, text, _ = read_case(row.case)
    before = values(row, text)
    after = values(row, row.edit(text))
    assert after or "leaf1 .*" in row.becomes
    assert wrong(row, before, after) == []
    for rule in row.becomes:
        assert any(re.fullmatch(rule, key) for key in before | after), f"{rule} is nowhere"


TERMINAL = {
    "blanks at the ends of lines": every(lambda line: line + "  "),
    "colours": every(lambda line: f"\x1b[0m{line}\x1b[K"),
    "a pager that prints over its text": add_pager(" --More-- \r          \r"),
    "a pager that goes back over its text": add_pager("--More--" + "\b" * 8 + " " * 8 + "\b" * 8),
    "a pager in colour": add_pager("\x1b[7m--More--\x1b[m\r\x1b[K"),
    "a pager of Junos": add_pager("---(more 41%)---\r" + " " * 40 + "\r"),
    "a pager whose text is copied": add_pager(" --More-- \n"),
    "line ends of a terminal": every(lambda line: line + "\r"),
}


@pytest.mark.parametrize("addition", TERMINAL)
@pytest.mark.parametrize("name", FIRST)
def test_what_a_terminal_adds_changes_nothing_that_is_read(name: str, addition: str) -> None:
    row = Noise(name, addition, TERMINAL[addition])
    _, text, _ = read_case(name)
    assert wrong(row, values(row, text), values(row, row.edit(text))) == []


PROMPTS = {
    "eos": ("leaf1#show running-config", "leaf1#"),
    "nxos": ("leaf1# show running-config ; show hostname", "leaf1# "),
    "enterprise-sonic": ("admin@leaf1:~$ sonic-cli -c 'show running-configuration | no-more'", "admin@leaf1:~$ "),
    "sonic": ("admin@leaf1:~$ sonic-cfggen -d --print-data", "admin@leaf1:~$ exit"),
    "junos": ("admin@leaf1> show configuration | display inheritance | no-more", "{master:0}\nadmin@leaf1>"),
    "cumulus": ("cumulus@leaf1:mgmt:~$ nv config show -o commands", "cumulus@leaf1:mgmt:~$ "),
}


@pytest.mark.parametrize("name", FIRST)
def test_the_command_as_typed_and_the_prompt_after_it_change_nothing_that_is_read(name: str) -> None:
    _, text, _ = read_case(name)
    first, last = PROMPTS[CASES[name].system]
    row = Noise(name, "prompts", lambda whole: f"{first}\n{whole}{last}\n")
    assert wrong(row, values(row, text), values(row, row.edit(text))) == []


@pytest.mark.parametrize(
    ("text", "shown_text"),
    [
        ("a\n --More-- \r          \r   b\n", "a\n   b\n"),
        ("a\n--More--   b\n", "a\n   b\n"),
        ("a\n --More-- \nb\n", "a\n \nb\n"),
        ("a\n --More-- ", "a\n --More-- "),  # nothing came after it
        ("a\n---(more)---\n", "a\n---(more)---\n"),
        ("abc\rxy\n", "xyc\n"),
        ("abc\b\bxy\n", "axy\n"),
        ("leaf1#show x\na\nleaf1#\n", "\na\n\n"),
        ("leaf1#show x\na\nleaf2#\n", "\na\nleaf2#\n"),
        ("## Last commit: today\na;\n", "## Last commit: today\na;\n"),
        ("\x1b[1ma\x1b[0m\n", "a\n"),
    ],
)
def test_what_is_left_of_a_terminals_text(text: str, shown_text: str) -> None:
    assert plain_text(text) == shown_text


@pytest.mark.parametrize("name", FIRST)
def test_a_pager_that_nobody_answered_has_the_rest(name: str) -> None:
    """A text that is cut at the prompt of the pager yields only what it shows."""
    _, text, readings = read_case(name)
    lines = text.split("\n")
    for index in range(5, len(lines) - 2, max(len(lines) // 12, 1)):
        row = Noise(name, "cut", lambda whole, index=index: "\n".join([*lines[:index], " --More-- "]))  # type: ignore[misc]
        for key, value in values(row, row.edit(text)).items():
            value_by_path = {f"{place} {path}": value for (place, path), (value, _) in readings.items()}
            assert value_by_path.get(key) == value, (index, key)
