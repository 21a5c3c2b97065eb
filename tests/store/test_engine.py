"""How a store is reached: drivers, file systems, addresses."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy.engine import make_url
from tests.store.commands import bench

from wirespeed.errors import Refusal
from wirespeed.store import Store, engine
from wirespeed.store.address import address, default_path, display_address

MOUNTS = """\
22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
30 22 0:40 / /home rw,relatime shared:5 - nfs4 filer:/home rw,vers=4.2
31 30 0:41 / /home/with\\040blank rw - xfs /dev/vdb rw
32 22 0:42 / /scratch rw - lustre mgs@o2ib:/scratch rw
33 22 0:43 / /mnt/s3 rw - fuse.s3fs s3fs rw
"""


@pytest.mark.parametrize(
    ("path", "local"),
    [
        ("/var/lib/a.db", True),
        ("/home/me/a.db", False),
        ("/home/with blank/a.db", True),
        ("/homes/a.db", True),
        ("/scratch/a.db", False),
        ("/mnt/s3/a.db", False),
    ],
)
def test_a_file_system_that_machines_share_is_known(path: str, local: bool, tmp_path: Path) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(MOUNTS)
    assert engine.is_local(Path(path), mounts) is local


@pytest.mark.parametrize(("local", "mode"), [(True, "wal"), (False, "delete")])
def test_no_write_ahead_log_where_machines_share_files(
    local: bool, mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "is_local", lambda path: local)
    opened = engine.connect(address(str(tmp_path / "a.db")))
    with opened.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == mode
    opened.dispose()


def test_a_missing_driver_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "find_spec", lambda name: None)
    with pytest.raises(Refusal) as refusal:
        Store("postgresql://bench@db.example/results")
    assert str(refusal.value) == (
        "postgresql://bench@db.example/results: no PostgreSQL driver; expected psycopg\n"
        "  hint: pip install wirespeed[postgres]"
    )


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("a.db", "sqlite:///a.db"),
        ("sqlite:////var/a.db", "sqlite:////var/a.db"),
        ("postgres://u@h/d", "postgresql+psycopg://u@h/d"),
        ("postgresql+psycopg2://u@h:5433/d", "postgresql+psycopg://u@h:5433/d"),
    ],
)
def test_what_an_address_means(text: str, url: str) -> None:
    assert address(text) == make_url(url)


@pytest.mark.parametrize(
    ("text", "shown_address"),
    [
        ("postgresql://u:geheim@h/d", "postgresql://u@h/d"),
        ("postgresql://h/d?user=u&password=geheim&sslpassword=geheim", "postgresql://h/d?user=u"),
        ("/var/a.db", "/var/a.db"),
    ],
)
def test_no_password_is_shown(text: str, shown_address: str) -> None:
    assert display_address(address(text)) == shown_address


def test_the_default_follows_xdg(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.setenv("XDG_STATE_HOME", "/state")
    assert default_path() == Path("/state/wirespeed/measurements.db")
    for ignored in ("", "relative/is/ignored"):  # the specification requires absolute paths
        monkeypatch.setenv("XDG_STATE_HOME", ignored)
        assert default_path() == Path("/home/me/.local/state/wirespeed/measurements.db")


def test_one_variable_names_the_store_of_every_verb(tmp_path: Path) -> None:
    log = Path(__file__).parents[2] / "examples" / "mi300x-4node" / "bench" / "all-reduce-1-node.log"
    path = str(tmp_path / "a.db")
    assert "stored in " + path in bench("parse", log, WIRESPEED_STORE=path).stdout
    assert bench("history", WIRESPEED_STORE=path).returncode == 0
    assert "all-reduce-1-node.log" in bench("log", "latest", WIRESPEED_STORE=path).stdout
