"""Removal of a terminal's additions to output: echoed command, prompts, pager stops, colours, overprinting.

Output copied from a session contains them. Line numbers stay those of the recorded file.
"""

from __future__ import annotations

import re
from dataclasses import replace

from wirespeed.platforms.model import Output, Outputs

_COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]")
_PAGER = re.compile(r"[ \t]*(?:--\s?[Mm]ore\s?--|---\([Mm]ore(?: [0-9]+%)?\)---)(?:[ \t]*[\r\b]+)*")
_PROMPT = re.compile(r"([A-Za-z0-9_][\w.@:~()/-]*[#>$%]) ?\S.*")


def strip_terminal(outputs: Outputs) -> Outputs:
    """The outputs without a terminal's additions."""
    return replace(outputs, outputs={key: _strip_terminal(output) for key, output in outputs.outputs.items()})


def _strip_terminal(output: Output) -> Output:
    text = plain_text(output.text)
    return output if text == output.text else replace(output, text=text)


def plain_text(text: str) -> str:
    """One output. A pager's stop with nothing after it stays: what would have followed was never shown."""
    lines = text.split("\n")
    if "\x1b" in text:
        lines = [_COLOUR.sub("", line) for line in lines]
    last = max((index for index, line in enumerate(lines) if line.strip()), default=0)
    for index, line in enumerate(lines):
        match = _PAGER.match(line) if "ore" in line else None
        if match is not None and (index < last or line[match.end() :].strip()):
            lines[index] = line[match.end() :]
        elif "\b" in line or "\r" in line.rstrip("\r"):
            lines[index] = _apply_backspaces(line)
    return "\n".join(_strip_prompts(lines, last))


def _apply_backspaces(line: str) -> str:
    """The visible text of a line with carriage returns or backspaces."""
    shown_values: list[str] = []
    index = 0
    for letter in line.rstrip("\r"):
        if letter == "\b":
            index = max(index - 1, 0)
        elif letter == "\r":
            index = 0
        else:
            shown_values[index : index + 1] = letter
            index += 1
    return "".join(shown_values)


def _strip_prompts(lines: list[str], last: int) -> list[str]:
    """Without the command as typed on the first line and the prompt of the same device that follows the answer."""
    first = next((index for index, line in enumerate(lines) if line.strip()), None)
    prompt_match = None if first is None else _PROMPT.fullmatch(lines[first].rstrip())
    if first is None or prompt_match is None:
        return lines
    kept_lines = list(lines)
    kept_lines[first] = ""
    if kept_lines[last].strip().startswith(prompt_match[1]):
        kept_lines[last] = ""
    return kept_lines
