"""Lists of transports as UCX writes them (``UCX_TLS``).

Source: UCX source, ucp_tl_aliases and the option TLS of src/ucp/core/ucp_context.c; ucs_config_sscanf_allow_list_impl
of src/ucs/config/parser.c for ``all`` and exclusions.
"""

from __future__ import annotations

from collections.abc import Mapping, Set

NO_RDMA = "none"
"""The transport of a list without an RDMA transport."""

_EVERY_TRANSPORT = frozenset({"rc_verbs", "rc_mlx5", "ud_verbs", "ud_mlx5", "dc_mlx5"})
_ALIASES: Mapping[str, frozenset[str]] = {
    "ib": _EVERY_TRANSPORT,
    "rc": frozenset({"rc_verbs", "rc_mlx5"}),
    "rc_v": frozenset({"rc_verbs"}),
    "rc_x": frozenset({"rc_mlx5"}),
    "ud": frozenset({"ud_verbs", "ud_mlx5"}),
    "ud_v": frozenset({"ud_verbs"}),
    "ud_x": frozenset({"ud_mlx5"}),
    "dc": frozenset({"dc_mlx5"}),
    "dc_x": frozenset({"dc_mlx5"}),
}
_OTHER_RDMA = frozenset({"srd", "gga", "gga_mlx5", "rc_gda", "ugni", "ugni_smsg", "ugni_rdma"})
"""RDMA transports that are none of these; a list with one of them and no other has no name here."""


def parse_transport(text: str) -> str | None:
    """The RDMA transport of ``self,sm,rc_v``; the list itself if its combination has no name.

    With ``-verbs`` the accelerated transports are excluded, with ``-accelerated`` all others; with ``dc-`` the list
    contains DC too. None if it is empty.
    """
    names = [name.strip() for name in text.removeprefix("^").split(",")]
    if not all(names):
        return None
    listed = frozenset(name for entry in names for name in _expand(entry))
    if text.startswith("^"):
        chosen: frozenset[str] = _EVERY_TRANSPORT - listed
    elif names == ["all"]:
        chosen = _EVERY_TRANSPORT
    elif not listed and _OTHER_RDMA.intersection(names):
        return text
    else:
        chosen = listed
    return _name_transports(chosen) or text


def _expand(entry: str) -> Set[str]:
    """The RDMA transports of a name: without aliases after a backslash; with ``:aux`` no transport of messages."""
    if entry.startswith("\\"):
        return _EVERY_TRANSPORT & {entry[1:]}
    return _ALIASES.get(entry, _EVERY_TRANSPORT & {entry})


def _name_transports(chosen: frozenset[str]) -> str | None:
    """The name of a set of transports. None if one kind has only accelerated transports and another has others."""
    kinds = {kind for kind in ("rc", "ud") if any(name.startswith(kind) for name in chosen)}
    base = "hybrid" if len(kinds) == 2 else next(iter(kinds), None)
    prefix = "dc-" if "dc_mlx5" in chosen else ""
    if base is None:
        return "dc" if prefix else NO_RDMA
    over_verbs = {name.partition("_")[0] for name in chosen if name.endswith("_verbs")}
    if not over_verbs:
        return f"{prefix}{base}-accelerated"
    if over_verbs != kinds:
        return None
    is_verbs_only = all(name.endswith("_verbs") for name in chosen if not name.startswith("dc"))
    return f"{prefix}{base}-verbs" if is_verbs_only else f"{prefix}{base}"
