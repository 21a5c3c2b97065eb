"""Edits of what healthy devices print: ``faults.py`` of each example uses them to describe a fault."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping

Edit = Callable[[str], str]
"""Turns the text of a healthy file into that of a faulty one."""

Faults = Mapping[str, Mapping[str, Edit]]
"""Edits by fault, ``01-acs-reqredir``, and file of the bundle, ``node1/lspci.out``."""


def replace(pattern: str, new: str, *, anchor: str = "") -> Edit:
    """Replace the first match of a pattern; with ``anchor``, the first one behind that text."""

    def edit(text: str) -> str:
        start = text.index(anchor) if anchor else 0
        match = re.compile(pattern, re.MULTILINE).search(text, start)
        if match is None:
            raise ValueError(f"no {pattern!r}")
        return text[: match.start()] + match.expand(new) + text[match.end() :]

    return edit


def combine(*edits: Edit) -> Edit:
    """One edit after the other."""

    def edit_all(text: str) -> str:
        for edit in edits:
            text = edit(text)
        return text

    return edit_all


def deny_permission(device: str, command: str, reason: str) -> Edit:
    """Record in the manifest that a command lacked permission and left no output."""

    def edit(text: str) -> str:
        manifest = json.loads(text)
        outputs = next(entry["outputs"] for entry in manifest["devices"] if entry["name"] == device)
        entry = next(entry for entry in outputs if entry["command"] == command)
        entry.update(status="permission", file=None, exit_code=1, detail=reason)
        return json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"

    return edit


def hide_capabilities(text: str) -> str:
    """What lspci prints of each function to a user who is not root."""
    blocks = text.split("\n\n")
    return "\n\n".join(re.sub(r"\tCapabilities: (?s:.*)", "\tCapabilities: <access denied>", block) for block in blocks)
