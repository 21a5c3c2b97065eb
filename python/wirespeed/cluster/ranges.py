"""Node ranges as in Slurm and ClusterShell: ``node[001-128,130]``."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wirespeed.cluster.fields import Unfit, check_host_name

_BRACKET = re.compile(r"\[([^\[\]]*)\]")
_PART = re.compile(r"[0-9]{1,9}(?:-[0-9]{1,9})?")
_MAX_NODES = 100_000  # nodes of one range; the largest clusters have a tenth of it
_SYNTAX = "a name or a node range such as node[001-128,130]"


def expand_names(text: str) -> list[str]:
    """The names of node ranges separated by commas; the names of a range are sorted by number.

    Raises:
        Unfit: the text is no node range, is too large, or a name in it is no host name.
    """
    from ClusterShell.NodeSet import NodeSet, NodeSetException

    _check_shape(text)
    names: list[str] = []
    try:
        for part in _split_names(text):
            names += NodeSet(part, resolver=None) if "[" in part else [part]
    except NodeSetException as error:
        raise Unfit(_SYNTAX, str(error)) from None
    for name in names:
        check_host_name(name)
    return names


def fold_names(names: Sequence[str]) -> str:
    """The node range of names: ``leaf[1-2],spine1``."""
    from ClusterShell.NodeSet import NodeSet

    return str(NodeSet.fromlist(names, resolver=None)) if len(names) > 1 else "".join(names)


def fold_each(names: Sequence[str]) -> str:
    """The node range of names, for a value that each of them has: ``each of leaf[1-2]``, or ``leaf1``."""
    return f"{'each of ' if len(names) > 1 else ''}{fold_names(names)}"


def format_names(names: Sequence[str]) -> str:
    """The node ranges of names for people: ``leaf[1-2], spine1``."""
    return re.sub(r",(?![^\[]*\])", ", ", fold_names(names))


def _check_shape(text: str) -> None:
    """Only brackets of numbers and ranges: other operators of the library are not part of the format."""
    total = 1
    for bracket in _BRACKET.findall(text):
        parts = bracket.split(",")
        if not all(_PART.fullmatch(part) for part in parts):
            raise Unfit(_SYNTAX, f"[{bracket}] contains something other than numbers and ranges")
        count = 0
        for part in parts:
            first, _, last = part.partition("-")
            if last and int(last) < int(first):
                raise Unfit(_SYNTAX, f"write {text.replace(part, f'{last}-{first}')}")
            count += int(last or first) - int(first) + 1
        total *= count
    if total > _MAX_NODES:
        raise Unfit(f"at most {_MAX_NODES} names in a range")
    for part in _split_names(text):
        template = _BRACKET.sub("0", part)
        if "[" in template or "]" in template:
            raise Unfit(_SYNTAX, "a bracket is not closed, or not opened")
        check_host_name(template)


def _split_names(text: str) -> list[str]:
    """Split at commas outside brackets."""
    return [part.strip() for part in re.split(r",(?![^\[]*\])", text)]
