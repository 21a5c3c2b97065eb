"""What a fault does to the texts that healthy devices print. ``faults.py`` of each example is made of these."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping

Edit = Callable[[str], str]
"""The text of a file as the fault leaves it."""

Faults = Mapping[str, Mapping[str, Edit]]
"""Edits by fault, ``01-acs-reqredir``, and file of the bundle, ``node1/lspci.out``."""


def replace(pattern: str, new: str, *, after: str = "") -> Edit:
    """Replace the one match of a pattern, the first one after a line when ``after`` names it."""

    def edit(text: str) -> str:
        start = text.index(after) if after else 0
        found = re.compile(pattern, re.MULTILINE).search(text, start)
        if found is None:
            raise ValueError(f"no {pattern!r}")
        return text[: found.start()] + found.expand(new) + text[found.end() :]

    return edit


def both(*edits: Edit) -> Edit:
    """One edit after the other."""

    def edit(text: str) -> str:
        for one in edits:
            text = one(text)
        return text

    return edit


def denied(device: str, command: str, reason: str) -> Edit:
    """In the manifest: the command ended for lack of permission, and left no output."""

    def edit(text: str) -> str:
        manifest = json.loads(text)
        outputs = next(entry["outputs"] for entry in manifest["devices"] if entry["name"] == device)
        entry = next(entry for entry in outputs if entry["command"] == command)
        entry.update(status="permission", file=None, exit_code=1, detail=reason)
        return json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"

    return edit


def without_root(text: str) -> str:
    """What lspci prints of each function when root did not ask."""
    blocks = text.split("\n\n")
    return "\n\n".join(re.sub(r"\tCapabilities: (?s:.*)", "\tCapabilities: <access denied>", block) for block in blocks)
