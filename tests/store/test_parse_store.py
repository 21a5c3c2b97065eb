"""``wirespeed bench parse --store`` on the command line."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from tests.store.commands import bench

BENCH = Path(__file__).parents[2] / "examples" / "mi300x-4node" / "bench"
LOG = BENCH / "all-reduce-1-node.log"
CLUSTER = BENCH.parent / "cluster.yaml"


def parse(*arguments: object, stdin_data: bytes = b"", **environment: str) -> CompletedProcess[str]:
    return bench("parse", *arguments, stdin_data=stdin_data, **environment)


def read_document(ran: CompletedProcess[str]) -> dict[str, object]:
    assert ran.returncode == 0, ran.stderr
    document: dict[str, object] = json.loads(ran.stdout)
    assert (document["kind"], document["schema"]) == ("bench-stored", 1)
    return document


def test_a_folder_becomes_a_campaign_and_again_nothing_new(store_address: str) -> None:
    arguments = (
        "--store",
        store_address,
        "--label",
        "one",
        "--time",
        "2026-11-21 08:00",
        "--cluster",
        CLUSTER,
        "-f",
        "json",
    )
    first = read_document(parse(BENCH, *arguments))
    assert first["campaign"] == {
        "id": 1,
        "label": "one",
        "started": "2026-11-21T08:00:00Z",
        "cluster": "mi300x-4node",
        "finished": True,
        "logs": 5,
        "runs": 5,
        "failed": 0,
    }
    assert first["added"] == {"logs": 5, "runs": 5, "measurements": 751, "known": []}
    repeated_result = parse(BENCH, *arguments)
    assert read_document(repeated_result)["added"] == {
        "logs": 0,
        "runs": 0,
        "measurements": 0,
        "known": [str(path) for path in sorted(BENCH.iterdir())],
    }
    assert repeated_result.stderr == "5 logs skipped: already in the campaign\n"


def test_no_password_is_printed(postgres: str, tmp_path: Path) -> None:
    ran = parse(LOG, "--store", postgres)
    assert ran.returncode == 0
    assert "stored in postgresql://wirespeed@/test" in ran.stdout
    wrong = parse(LOG, "--store", postgres.replace("s3cret-of-the-test", "wr0ng"))
    assert wrong.returncode == 2
    assert 'password authentication failed for user "wirespeed"' in wrong.stderr
    for output in (ran, wrong):
        assert "s3cret" not in output.stdout + output.stderr
        assert "wr0ng" not in output.stdout + output.stderr
    secrets = tmp_path / "pgpass"
    secrets.write_text("*:*:*:wirespeed:s3cret-of-the-test\n")
    secrets.chmod(0o600)
    assert parse(LOG, "--store", postgres.replace(":s3cret-of-the-test", ""), PGPASSFILE=str(secrets)).returncode == 0


def test_a_service_names_the_database(postgres: str, server: Path, tmp_path: Path) -> None:
    database = postgres.partition("?")[0].rpartition("/")[2]
    services = tmp_path / "services"
    services.write_text(f"[bench]\nhost={server}\ndbname={database}\nuser=wirespeed\npassword=s3cret-of-the-test\n")
    ran = parse(LOG, "--store", "postgresql:///?service=bench", PGSERVICEFILE=str(services))
    assert ran.returncode == 0, ran.stderr
    assert "stored in postgresql:///?service=bench" in ran.stdout


def test_the_users_own_store_lies_where_state_belongs(tmp_path: Path) -> None:
    ran = parse("-", "--store", "default", stdin_data=LOG.read_bytes(), XDG_STATE_HOME=str(tmp_path))
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("campaign 1 standard-input-20")
    assert ran.stdout.endswith(f": 1 log, 1 run, 257 measurements stored in {tmp_path}/wirespeed/measurements.db\n")
    assert ran.stderr == ""


def test_other_files_of_a_folder_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "notes.txt").write_text("nothing\n")
    ran = parse(tmp_path / "logs", "--store", tmp_path / "a.db")
    assert (ran.returncode, ran.stdout) == (3, "")
    assert "skipped" in ran.stderr and "nothing stored: no output of a known tool" in ran.stderr
    (tmp_path / "logs" / "good.log").write_bytes(LOG.read_bytes())
    ran = parse(tmp_path / "logs", "--store", tmp_path / "a.db")
    assert ran.returncode == 0
    assert ran.stdout.startswith("campaign 1 logs-")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--label", "x"), "--label, --time, --cluster and --bundle need --store"),
        (("--store", "mysql://u:geheim@h/d"), "mysql://: found a database of kind 'mysql'; expected a path"),
        (("--store", "sqlite://"), "no path; expected a path, sqlite:///PATH or postgresql://"),
        (("--store", "postgresql://u:geheim@h:port/d"), "postgresql: found an address that cannot be read"),
        (("--store", str(LOG)), "all-reduce-1-node.log: found a file that is no SQLite database"),
        (("--store", "{}/a.db", "--label", "latest"), "label 'latest': found a label that compare reads as an id"),
        (("--store", "{}/a.db", "--time", "noon"), "--time: found 'noon'; expected a time such as 2026-11-21T08"),
    ],
)
def test_refusals(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    ran = parse(LOG, *(argument.replace("{}", str(tmp_path)) for argument in arguments))
    assert ran.returncode == 2
    assert message in " ".join(ran.stderr.split())
    assert "geheim" not in ran.stderr


def test_the_hint_of_an_unknown_log_names_the_store(tmp_path: Path) -> None:
    store = str(tmp_path / "a.db")
    assert parse(LOG, "--store", store, "--label", "kept").returncode == 0
    ran = bench("log", "kept", "qq", "--store", store)
    assert (ran.returncode, f"`wirespeed bench log kept --store {store}` lists them" in ran.stderr) == (2, True)


def test_a_log_that_was_read_is_not_called_skipped(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    sample = Path(__file__).parents[1] / "samples/osu/osu74_latency_truncated.txt"
    (folder / "osu.txt").write_bytes(sample.read_bytes())
    (folder / "notes.txt").write_text("nothing of a tool\n", encoding="utf-8")
    (folder / "old.txt.gz").write_bytes(gzip.compress(sample.read_bytes()))
    ran = bench("parse", folder, "--store", tmp_path / "a.db")
    assert f"warning: {folder}/osu.txt:7: the log ends at 4 B" in ran.stderr
    assert f"skipped: {folder}/notes.txt: " in ran.stderr
    assert f"skipped: {folder}/old.txt.gz: compressed with gzip\n" in ran.stderr
    assert f"hint: `zcat {folder}/old.txt.gz | wirespeed bench parse -` reads it" in ran.stderr


def test_a_store_in_a_missing_folder_is_refused(tmp_path: Path) -> None:
    ran = bench("parse", tmp_path, "--store", tmp_path / "none/a.db")
    assert (ran.returncode, f"no folder {tmp_path}/none" in ran.stderr) == (2, True)
    assert not (tmp_path / "none").exists()
