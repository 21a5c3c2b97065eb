"""Removal of a terminal's additions to output: echoed command, prompts, pager stops, colours, overprinting.

Output copied from a session contains them. Line numbers stay those of the recorded file.
"""

from __future__ import annotations

import re
from dataclasses import replace

from wirespeed.platforms.model import Output, Outputs

_COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]")
_PAGER = re.compile(r"[ \t]*(?:--\s?[Mm]ore\s?--|---\([Mm]ore(?: [0-9]+%)?\)---)(?:[ \t]*[\r\b]+)*")
_TYPED = re.compile(r"([A-Za-z0-9_][\w.@:~()/-]*[#>$%]) ?\S.*")


def strip_terminal(outputs: Outputs) -> Outputs:
    """The outputs without a terminal's additions."""
    return replace(outputs, outputs={key: _plain(output) for key, output in outputs.outputs.items()})


def _plain(output: Output) -> Output:
    text = plain_text(output.text)
    return output if text == output.text else replace(output, text=text)


def plain_text(text: str) -> str:
    """One output. A pager's stop with nothing after it stays: what would have followed was never shown."""
    lines = [_COLOUR.sub("", line) for line in text.split("\n")]
    last = max((at for at, line in enumerate(lines) if line.strip()), default=0)
    for at, line in enumerate(lines):
        match = _PAGER.match(line)
        if match is not None and (at < last or line[match.end() :].strip()):
            lines[at] = line[match.end() :]
        elif "\b" in line or "\r" in line.rstrip("\r"):
            lines[at] = _apply_backspaces(line)
    return "\n".join(_without_prompts(lines, last))


def _apply_backspaces(line: str) -> str:
    """What is to be seen of a line in which the cursor went back."""
    shown: list[str] = []
    at = 0
    for letter in line.rstrip("\r"):
        if letter == "\b":
            at = max(at - 1, 0)
        elif letter == "\r":
            at = 0
        else:
            shown[at : at + 1] = letter
            at += 1
    return "".join(shown)


def _without_prompts(lines: list[str], last: int) -> list[str]:
    """Without the command as typed on the first line and the prompt of the same device that follows the answer."""
    first = next((at for at, line in enumerate(lines) if line.strip()), None)
    typed = None if first is None else _TYPED.fullmatch(lines[first].rstrip())
    if first is None or typed is None:
        return lines
    kept = list(lines)
    kept[first] = ""
    if kept[last].strip().startswith(typed[1]):
        kept[last] = ""
    return kept
