"""Stores to test with: a file, and a database of a PostgreSQL server that runs for this session alone."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy.engine import URL

from needs import find, needs

_FAST = ("fsync=off", "full_page_writes=off", "synchronous_commit=off", "listen_addresses=")
_number = count()


@pytest.fixture(scope="session")
def server() -> Iterator[Path]:
    """The folder of the socket of a private PostgreSQL server, which refuses to run as root."""
    needs("postgres")
    programs = Path(find("postgres") or "").parent
    folder = Path(tempfile.mkdtemp(prefix="wirespeed-postgres-"))
    as_user: list[str] = []
    if os.geteuid() == 0:
        user = pwd.getpwnam("postgres")
        os.chown(folder, user.pw_uid, user.pw_gid)
        as_user = ["setpriv", "--reuid", "postgres", "--regid", str(user.pw_gid), "--clear-groups"]
    data = folder / "data"

    def run(*command: str) -> None:
        subprocess.run(
            [*as_user, str(programs / command[0]), *command[1:]],
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            cwd=folder,
        )

    try:
        run("initdb", "-D", str(data), "-U", "wirespeed", "-A", "scram-sha-256", *_password(folder), "-E", "UTF8", "-N")
        options = " ".join([f"-k {folder}", *(f"-c {setting}" for setting in _FAST)])
        run("pg_ctl", "-D", str(data), "-w", "-l", str(folder / "log"), "-o", options, "start")
        try:
            yield folder
        finally:
            run("pg_ctl", "-D", str(data), "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


PASSWORD = "s3cret-of-the-test"


def _password(folder: Path) -> list[str]:
    file = folder / "password"
    file.write_text(PASSWORD + "\n")
    file.chmod(0o644)
    return ["--pwfile", str(file)]


@pytest.fixture
def postgres(server: Path) -> str:
    """The URL of a new database, with its password."""
    from sqlalchemy import create_engine, text

    name = f"test{next(_number)}_{os.getpid()}"
    admin = _url(server, "postgres")
    engine = create_engine(admin, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    engine.dispose()
    return _url(server, name).render_as_string(hide_password=False).replace("+psycopg", "")


def _url(folder: Path, database: str) -> URL:
    return URL.create(
        "postgresql+psycopg",
        username="wirespeed",
        password=PASSWORD,
        database=database,
        query={"host": str(folder)},
    )


@pytest.fixture(params=["sqlite", "postgresql"])
def store_address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A new store of each kind."""
    if request.param == "sqlite":
        return str(tmp_path / "measurements.db")
    get: Callable[[str], str] = request.getfixturevalue
    return get("postgres")
