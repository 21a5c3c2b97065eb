"""The address of a store: a path, or the URL of a database. The printed form never contains a password."""

from __future__ import annotations

import os
from pathlib import Path

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from wirespeed.errors import Refusal, refuse

EXPECTED = "a path, sqlite:///PATH or postgresql://[USER@]HOST[:PORT]/DATABASE"


def default_path() -> Path:
    """The personal store, in the state folder of the XDG base directory specification."""
    state = os.environ.get("XDG_STATE_HOME", "")
    home = Path(state) if Path(state).is_absolute() else Path.home() / ".local" / "state"
    return home / "wirespeed" / "measurements.db"


def address(text: str | None) -> URL:
    """The URL for a value of ``--store``; None is the personal store.

    Raises:
        Refusal: the value is neither a path nor a URL of SQLite or PostgreSQL.
    """
    if not text:
        return URL.create("sqlite", database=str(default_path()))
    if "://" not in text:
        return URL.create("sqlite", database=str(Path(text).expanduser()))
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        raise _refuse_address(text.partition("://")[0], "an address that cannot be read") from None
    kind = url.drivername.partition("+")[0]
    if kind == "sqlite":
        if not url.database or url.database == ":memory:":
            raise _refuse_address(display_address(url), "no path")
        return URL.create("sqlite", database=url.database)
    if kind in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    raise _refuse_address(f"{kind}://", f"a database of kind {kind!r}")


def display_address(url: URL) -> str:
    """The address for messages: a path, or the URL without its password."""
    if url.get_backend_name() == "sqlite":
        return str(url.database)
    query = {name: value for name, value in url.query.items() if "password" not in name.lower()}
    return url._replace(password=None).set(drivername="postgresql", query=query).render_as_string()


def _refuse_address(location: str, found: str) -> Refusal:
    return refuse(location, found, EXPECTED, "give it with --store or WIRESPEED_STORE")
