"""The schema of a store: new, older, newer, and of another program."""

from __future__ import annotations

import json
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import create_engine, inspect, text

from wirespeed.errors import Refusal
from wirespeed.results.benchmarks import Measurement, Metric, Run, RunStatus
from wirespeed.results.parameters import Parameters
from wirespeed.results.series import experiment
from wirespeed.store import Store
from wirespeed.store.address import address
from wirespeed.store.batch import convert_stored_value
from wirespeed.store.engine import write_transaction
from wirespeed.store.schema import NEWEST, VERSIONS, bring_up, current
from wirespeed.store.tables import metadata

STARTED = "2026-11-21T08:00:00Z"


def test_a_store_of_the_first_schema_is_brought_up(store_address: str) -> None:
    engine = create_engine(address(store_address))
    with write_transaction(engine) as connection:
        bring_up(connection, "here", "0001")
    with write_transaction(engine) as connection:
        assert current(connection) == "0001"
        assert not inspect(connection).has_table("settings")
        values = "INSERT INTO campaign (label, started, program, finished) VALUES ('old', :started, 'w', TRUE)"
        connection.execute(text(values), {"started": STARTED})
    with Store(store_address) as store:
        campaign = store.find("old")
        store.keep_settings(campaign, {"node1": {"node1": {"host.os": "debian-12"}}})
    with engine.connect() as connection:
        assert current(connection) == NEWEST
    engine.dispose()


def test_the_migrations_end_where_the_tables_are(store_address: str) -> None:
    Store(store_address).close()
    engine = create_engine(address(store_address))
    inspector = inspect(engine)
    assert set(inspector.get_table_names()) == {*metadata.tables, VERSIONS}
    for name, table in metadata.tables.items():
        columns = {
            column["name"]: (column["nullable"], str(column["type"]).split("(")[0])
            for column in inspector.get_columns(name)
        }
        dialect = engine.dialect
        assert columns == {column.name: (column.nullable, column.type.compile(dialect)) for column in table.columns}, (
            name
        )
        assert inspector.get_pk_constraint(name)["constrained_columns"] == [column.name for column in table.primary_key]
        unique = {
            tuple(unique_constraint["column_names"]) for unique_constraint in inspector.get_unique_constraints(name)
        }
        indexed = {tuple(index["column_names"]) for index in inspector.get_indexes(name)}
        assert unique | indexed >= {tuple(index.columns.keys()) for index in table.indexes}, name
    engine.dispose()


@pytest.mark.parametrize(("version", "column"), [("0003", '"where"'), ("0005", "location")])
def test_ends_of_an_older_store_are_kept(store_address: str, version: str, column: str) -> None:
    engine = create_engine(address(store_address))
    with write_transaction(engine) as connection:
        bring_up(connection, "here", version)
    with write_transaction(engine) as connection:
        columns = f"(id, hash, tool, {column}, workload, metric, unit)"
        values = {"hash": b"x", "pair": "node1 -> node2"}
        run = "(id, log_id, position, tool, status, parameters, failures, " + column
        for statement in (
            "INSERT INTO campaign (id, label, started, program, finished) VALUES (1, 'old', :hash, 'w', TRUE)",
            "INSERT INTO raw VALUES (1, :hash, 0, :hash)",
            "INSERT INTO log VALUES (1, 1, 1, '', 'a.log')",
            f"INSERT INTO run {run}) VALUES (1, 1, 0, 'perftest', 'complete', '{{}}', '[]', :pair)",
        ):
            connection.execute(text(statement), values)
        series = f"INSERT INTO series {columns} VALUES (1, :hash, 'perftest', :pair, '[]', 'bw_avg', 'Gb/s')"
        connection.execute(text(series), values)
    Store(store_address).close()
    with engine.connect() as connection:
        assert connection.execute(text("SELECT ends FROM series")).scalar() == "node1 -> node2"
        assert connection.execute(text("SELECT ends FROM run")).scalar() == "node1 -> node2"
    engine.dispose()


def test_labels_of_an_older_store_are_kept(store_address: str) -> None:
    engine = create_engine(address(store_address))
    with write_transaction(engine) as connection:
        bring_up(connection, "here", "0004")
    with write_transaction(engine) as connection:
        columns = "(id, hash, tool, workload, metric, unit, place)"
        values = {"hash": b"x", "label": "in-place"}
        series = f"INSERT INTO series {columns} VALUES (1, :hash, 'nccl-tests', '[]', 'busbw', 'GB/s', :label)"
        connection.execute(text(series), values)
    Store(store_address).close()
    with engine.connect() as connection:
        assert connection.execute(text("SELECT label FROM series")).scalar() == "in-place"
    engine.dispose()


def test_a_newer_schema_is_refused(store_address: str) -> None:
    Store(store_address).close()
    engine = create_engine(address(store_address))
    with engine.begin() as connection:
        connection.execute(text(f"UPDATE {VERSIONS} SET version_num = '0999'"))
    engine.dispose()
    with pytest.raises(Refusal, match=f"found schema 0999; expected schema {NEWEST} or older\n.*update this one"):
        Store(store_address)


def test_tables_of_another_program_are_left_alone(store_address: str) -> None:
    engine = create_engine(address(store_address))
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE run (id INTEGER)"))
    with pytest.raises(Refusal, match=r"found tables of another program \(run\)"):
        Store(store_address)
    assert inspect(engine).get_table_names() == ["run"]
    engine.dispose()


def test_two_that_open_a_new_store_at_once(store_address: str) -> None:
    with ThreadPoolExecutor(4) as pool:
        stores = list(pool.map(Store, [store_address] * 4))
    for number, store in enumerate(stores):
        store.begin(f"c{number}", STARTED, None, "wirespeed 0")
    assert len(stores[0].campaigns()) == 4
    for store in stores:
        store.close()


def test_a_file_that_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(Refusal, match="unable to open database file"):
        Store(str(tmp_path / "folder"))


def test_a_writer_waits_for_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.db"
    Store(str(path)).close()
    monkeypatch.setattr("wirespeed.store.engine.WAIT_S", 0.1)
    second_writer = sqlite3.connect(path, isolation_level=None)
    second_writer.execute("BEGIN IMMEDIATE")
    with Store(str(path)) as store:
        assert store.campaigns() == ()  # readers do not wait
        with pytest.raises(Refusal, match="database is locked"):
            store.begin("x", STARTED, None, "wirespeed 0")
        second_writer.execute("ROLLBACK")
        store.begin("x", STARTED, None, "wirespeed 0")
    second_writer.close()


def test_parameters_of_an_older_store_have_the_names_of_today(store_address: str) -> None:
    """What the second schema held of a run is found by the name and the identity that the same run has now."""
    engine = create_engine(address(store_address))
    with write_transaction(engine) as connection:
        bring_up(connection, "here", "0002")
    parameters = {"device": "mlx5_0", "mtu": 4096, "qps": 4, "rdma_cm": "OFF", "bw_min": 1.0, "memory": "cuda"}
    parameters["env NCCL_ALGO"] = "Ring"
    with write_transaction(engine) as connection:
        for statement, values in (
            ("INSERT INTO campaign VALUES (1, 'old', :a, NULL, 'w', TRUE)", {"a": STARTED}),
            ("INSERT INTO raw VALUES (1, :a, 0, :a)", {"a": b"x"}),
            ("INSERT INTO log VALUES (1, 1, 1, '', 'a.log')", {}),
            (
                "INSERT INTO run VALUES (1, 1, 0, 'perftest', 'ib_write_bw', NULL, 'complete', "
                "NULL, NULL, NULL, :a, '[]')",
                {"a": json.dumps(parameters)},
            ),
            (
                "INSERT INTO series VALUES (1, :a, 'perftest', 'ib_write_bw', NULL, NULL, :b, "
                "'bw_avg', 'Gb/s', 65536, NULL)",
                {"a": b"old", "b": json.dumps([["connection", "RC"], ["qps", 4]])},
            ),
            ("INSERT INTO measurement VALUES (1, 1, 1, 0, 9, 390.0)", {}),
        ):
            connection.execute(text(statement), values)
    filters = Parameters(connection_type="RC", queue_pairs=4)
    measured = Measurement(Metric.BW_AVG, "Gb/s", 391.0, 65536, None, 9)
    run = Run("perftest", "ib_write_bw", None, RunStatus.COMPLETE, None, None, filters, (measured,))
    with Store(store_address):
        pass
    with engine.connect() as connection:
        stored_run = connection.execute(text("SELECT parameters FROM run")).scalar()
        series = connection.execute(text("SELECT hash, workload FROM series")).one()
    current_parameters = Parameters(
        rdma_device="mlx5_0", path_mtu_bytes=4096, queue_pairs=4, rdma_cm=False, memory="cuda"
    )
    current_parameters.environment = {"NCCL_ALGO": "Ring"}
    assert json.loads(stored_run) == current_parameters.to_dict()
    today = convert_stored_value(experiment(run).series(measured))
    assert (bytes(series.hash), series.workload) == (today.hash, today.workload)
    engine.dispose()
