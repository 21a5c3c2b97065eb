"""Where the store is: a path, or a database's URL. What is shown of it never holds a password."""

from __future__ import annotations

import os
from pathlib import Path

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from wirespeed.errors import Refusal, refuse

EXPECTED = "a path, sqlite:///PATH or postgresql://[USER@]HOST[:PORT]/DATABASE"


def default_path() -> Path:
    """The store of this user, in the folder the XDG base directory specification gives to state."""
    state = os.environ.get("XDG_STATE_HOME", "")
    home = Path(state) if Path(state).is_absolute() else Path.home() / ".local" / "state"
    return home / "wirespeed" / "measurements.db"


def address(text: str | None) -> URL:
    """The URL of what a user gave for ``--store``; the user's own store where nothing was given.

    Raises:
        Refusal: it is neither a path nor the URL of SQLite or PostgreSQL.
    """
    if not text:
        return URL.create("sqlite", database=str(default_path()))
    if "://" not in text:
        return URL.create("sqlite", database=str(Path(text).expanduser()))
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        raise _refusal(text.partition("://")[0], "an address that cannot be read") from None
    kind = url.drivername.partition("+")[0]
    if kind == "sqlite":
        if not url.database or url.database == ":memory:":
            raise _refusal(display_address(url), "no path")
        return URL.create("sqlite", database=url.database)
    if kind in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    raise _refusal(f"{kind}://", f"a database of kind {kind!r}")


def display_address(url: URL) -> str:
    """The address as messages show it: a path, or the URL without its password."""
    if url.get_backend_name() == "sqlite":
        return str(url.database)
    query = {name: value for name, value in url.query.items() if "password" not in name.lower()}
    return url._replace(password=None).set(drivername="postgresql", query=query).render_as_string()


def _refusal(place: str, found: str) -> Refusal:
    return refuse(place, found, EXPECTED, "give it with --store or WIRESPEED_STORE")
