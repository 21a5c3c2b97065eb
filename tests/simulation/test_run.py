"""A scenario through the core: what comes back, and that it is the same however it is driven."""

from __future__ import annotations

from array import array
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_scenarios import FLOW, INCAST, many_to_one, write_scenario

from wirespeed import _core
from wirespeed.cli.verbs.sim_run import Preset
from wirespeed.errors import Refusal
from wirespeed.simulation import Progress, Recording, Result, digest, run
from wirespeed.simulation.run import PRESETS, completion_times
from wirespeed.simulation.tables import arrow
from wirespeed.units import Duration

FULL_RECORDING = Recording(("port:3:2", "flow:0"), Duration.parse("5us"), ("3:2",))


def result(
    folder: Path, scenario: dict[str, Any] = INCAST, preset: str = "hpcc", seed: int = 1, **options: Any
) -> Result:
    return run(write_scenario(folder, scenario), preset, seed, **options)


@pytest.mark.parametrize("preset", PRESETS)
def test_what_a_run_amounts_to(preset: str, tmp_path: Path) -> None:
    got = result(tmp_path, preset=preset, seed=5)
    totals = got.summary
    assert (totals.name, totals.preset, totals.seed, totals.complete) == ("incast", preset, 5, True)
    packets = 2 * (1 << 20) // 4096
    assert totals.hops == 2 * 2 * packets  # two links there, two links back for the ACKs
    assert (totals.flows, totals.completed, totals.failed) == (2, 2, 0)
    assert (totals.drops, totals.losses, totals.retransmissions) == (0, 0, 0)
    assert totals.pfc_pauses == totals.pfc_resumes
    assert totals.fct_us is not None
    # Both flows share one link: neither ends before its own data fits, the last not before both do.
    assert totals.fct_us.min >= (1 << 20) * 8 / 100e3
    assert totals.fct_us.max >= 2 * (1 << 20) * 8 / 100e3
    assert totals.fct_us.min <= totals.fct_us.p50 <= totals.fct_us.mean <= totals.fct_us.p99 == totals.fct_us.max
    assert totals.end_us >= totals.fct_us.max
    assert totals.events >= totals.hops / 2
    assert 0 <= totals.setup_s < 1
    assert totals.hops_per_s == totals.hops / totals.run_s
    assert totals.tables_sha256 == digest(got.tables)


def test_memory_is_reported(tmp_path: Path) -> None:
    totals = result(tmp_path).summary
    assert totals.peak_rss_bytes is not None
    assert totals.rss_growth_bytes is not None
    assert totals.peak_rss_bytes > 10_000_000
    assert 0 <= totals.rss_growth_bytes < 50_000_000


def test_the_flows_table(tmp_path: Path) -> None:
    flows = result(tmp_path, {**INCAST, "flows": [{**FLOW, "start_ns": 2000}, {**FLOW, "src": 1}]}).tables["flows"]
    rows = flows.select(["flow", "src", "dst", "bytes", "start_ps", "status"]).to_pylist()
    common = {"dst": 2, "bytes": 1 << 20, "status": "completed"}
    assert rows == [
        {"flow": 0, "src": 0, "start_ps": 2_000_000, **common},
        {"flow": 1, "src": 1, "start_ps": 0, **common},
    ]


def test_what_explains_a_run(tmp_path: Path) -> None:
    scenario = {**INCAST, "links": [*INCAST["links"][:2], {"a": 2, "b": 3, "gbps": 400, "delay_ns": 50}]}
    got = result(tmp_path, scenario)
    assert got.context["links"].to_pylist() == [
        {"a": a, "b": 3, "a_is_switch": 0, "b_is_switch": 1, "rate_bps": rate, "delay_ps": delay}
        for a, rate, delay in ((0, 10**11, 10**6), (1, 10**11, 10**6), (2, 4 * 10**11, 50_000))
    ]
    assert got.context["paths"].to_pylist() == [
        {"queue_pair": queue_pair, "hop": hop, "port": port}
        for queue_pair, ports in ((0, (0, 5)), (2, (2, 5)))
        for hop, port in enumerate(ports)
    ]
    # 1 MiB at 100 Gb/s, and no less; headers and the round trip take the rest.
    (least_ps,) = set(got.context["limits"]["least_ps"].to_pylist())
    assert 83_886_080 < least_ps < 90_000_000
    flows = got.tables["flows"].to_pylist()
    assert min(flow["end_ps"] - flow["start_ps"] for flow in flows) >= least_ps


def test_what_explains_a_run_is_not_in_its_hash(tmp_path: Path) -> None:
    got = result(tmp_path)
    assert got.summary.tables_sha256 == digest(got.tables)
    assert not set(got.context) & set(got.tables)


def test_tables_by_name(tmp_path: Path) -> None:
    usual = {"flows", "queue_pairs", "ports", "queues", "pauses"}
    assert set(result(tmp_path).tables) == usual
    assert set(result(tmp_path, observe=FULL_RECORDING).tables) == {*usual, "series"}


def test_what_is_sampled(tmp_path: Path) -> None:
    series = result(tmp_path, observe=FULL_RECORDING).tables["series"].to_pylist()
    assert {row["time_ps"] % 5_000_000 for row in series} == {0}
    of_the_port = {(quantity, 5) for quantity in ("queue_bytes", "paused", "sent_bytes", "ecn_marks")}
    assert {(row["what"], row["id"]) for row in series} == {*of_the_port, ("rate_bps", 0)}
    assert max(row["value"] for row in series if row["what"] == "queue_bytes") > 100_000
    rates = [row["value"] for row in series if row["what"] == "rate_bps"]
    assert max(rates) == 100e9
    assert min(rates) < 100e9


def test_the_same_seed_gives_the_same_tables(tmp_path: Path) -> None:
    scenario = many_to_one(8)
    first, repeated, reseeded = (result(tmp_path, scenario, seed=seed).summary for seed in (1, 1, 2))
    assert first.tables_sha256 == repeated.tables_sha256
    assert first.tables_sha256 != reseeded.tables_sha256
    assert first.fct_us == repeated.fct_us


@pytest.mark.parametrize("events", [1, 7, 1000, 2**63])
def test_how_many_events_are_worked_off_at_once_changes_nothing(events: int, tmp_path: Path) -> None:
    write_scenario(tmp_path, INCAST)
    expected = result(tmp_path, observe=FULL_RECORDING, create=lambda name: (tmp_path / name).open("wb"))
    text = (tmp_path / "scenario.json").read_text()
    simulation = _core.Simulation(_core.Scenario(text, "hpcc", 1), None, 5_000_000, 0, [5], [0], [5])
    (captured,) = simulation.take_captures()
    while simulation.advance(events):
        captured += simulation.take_captures()[0]
    captured += simulation.take_captures()[0]
    totals, _, _, tables, _ = simulation.finish()
    assert digest(arrow(tables)) == expected.summary.tables_sha256
    assert (totals["hops"], totals["events"]) == (expected.summary.hops, expected.summary.events)
    assert captured == (tmp_path / "3_2.pcap").read_bytes()


def test_progress_goes_on_to_the_end(tmp_path: Path) -> None:
    reports: list[Progress] = []

    def record(progress: Progress) -> bool:
        reports.append(progress)
        return True

    totals = result(tmp_path, many_to_one(16), on_progress=record).summary
    assert len(reports) > 1
    for field in ("time", "events", "hops", "completed", "delivered_bytes", "run_s"):
        values = [getattr(progress, field) for progress in reports]
        assert values == sorted(values)
    last = reports[-1]
    assert (last.events, last.hops, last.completed, last.operations) == (totals.events, totals.hops, 16, 16)
    assert (last.delivered_bytes, last.bytes) == (16 << 20, 16 << 20)
    assert any(0 < progress.delivered_bytes < progress.bytes and not progress.completed for progress in reports)


def test_a_run_that_is_stopped_keeps_what_happened(tmp_path: Path) -> None:
    scenario = many_to_one(2, 64 << 20)
    whole = result(tmp_path, scenario).summary
    stopped = result(tmp_path, scenario, on_progress=lambda _: False)
    assert stopped.summary.complete is False
    assert 0 < stopped.summary.hops < whole.hops
    assert (stopped.summary.flows, stopped.summary.completed, stopped.summary.failed) == (2, 0, 0)
    assert stopped.summary.fct_us is None
    assert stopped.tables["flows"]["status"].to_pylist() == ["unfinished", "unfinished"]
    assert stopped.tables["flows"]["end_ps"].to_pylist() == [None, None]


def test_a_run_that_ends_at_a_time_fails_no_flow(tmp_path: Path) -> None:
    totals = result(tmp_path, end_time=Duration.parse("50us")).summary
    assert (totals.complete, totals.flows, totals.completed, totals.failed) == (True, 2, 0, 0)
    assert 40 < totals.end_us <= 50


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "line 1, column 1: no JSON (EOF while parsing an object); expected a scenario in JSON"),
        ('{"hosts": 3}', "switches: nothing; expected a whole number, 0 to 1,048,576"),
    ],
)
def test_a_file_that_is_no_scenario_is_refused_with_its_name(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "scenario.json"
    path.write_text(text)
    with pytest.raises(Refusal) as refusal:
        run(path, "hpcc", 1)
    assert str(refusal.value) == f"{path}: {message}"


def test_a_scenario_without_a_name_has_its_file_s(tmp_path: Path) -> None:
    assert result(tmp_path, {key: value for key, value in INCAST.items() if key != "name"}).summary.name == "scenario"


def test_every_problem_of_a_scenario_is_named(tmp_path: Path) -> None:
    with pytest.raises(Refusal) as refusal:
        result(tmp_path, {**INCAST, "flows": [{**FLOW, "src": 9}, {**FLOW, "dst": 7}]})
    place = tmp_path / "scenario.json"
    assert str(refusal.value) == (
        f"{place}: flows[0].src: found 9; expected a host, 0 to 2\n"
        f"{place}: flows[1].dst: found 7; expected a host, 0 to 2"
    )


def test_a_scenario_that_cannot_run_is_refused_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(Refusal) as refusal:
        result(tmp_path, {**INCAST, "links": [[0, 3], [1, 3], [2, 1]]})
    lines = [line for line in str(refusal.value).splitlines() if "hint" not in line]
    assert lines == [
        f"{tmp_path / 'scenario.json'}: flows[{flow}]: no route from host {flow} to host 2; "
        "expected ends joined by switches"
        for flow in (0, 1)
    ]


def test_the_command_line_knows_every_preset() -> None:
    assert {preset.value for preset in Preset} == set(PRESETS)


def test_a_scenario_and_a_simulation_are_used_once(tmp_path: Path) -> None:
    scenario = _core.Scenario(write_scenario(tmp_path, INCAST).read_text(), "hpcc", 1)
    simulation = _core.Simulation(scenario, None, 0, 0, [], [], [])
    with pytest.raises(RuntimeError, match="this scenario has already been used"):
        scenario.links()
    simulation.finish()
    with pytest.raises(RuntimeError, match="this simulation has already been used"):
        simulation.advance(1)


@pytest.mark.parametrize(
    ("microseconds", "mean", "p50", "p99"),
    [
        ([5], 5, 5, 5),
        ([1, 2], 1.5, 1, 2),
        ([3, 1, 2], 2, 2, 3),
        (list(range(1, 101)), 50.5, 50, 99),
        (list(range(1, 102)), 51, 51, 100),
        (list(range(1, 201)), 100.5, 100, 198),
    ],
)
def test_percentiles_by_nearest_rank(microseconds: list[int], mean: float, p50: float, p99: float) -> None:
    times = completion_times(array("Q", [microsecond * 10**6 for microsecond in microseconds]))
    assert times is not None
    assert (times.mean, times.p50, times.p99) == (mean, p50, p99)
    assert (times.min, times.max) == (min(microseconds), max(microseconds))


def test_no_flow_completed() -> None:
    assert completion_times(array("Q")) is None


@given(st.lists(st.integers(0, 2**63), min_size=1))
def test_at_least_that_many_took_no_longer(picoseconds: list[int]) -> None:
    times = completion_times(array("Q", picoseconds))
    assert times is not None
    for percent, value in ((50, times.p50), (99, times.p99)):
        below = sum(picosecond / 1e6 <= value for picosecond in picoseconds)
        assert below * 100 >= percent * len(picoseconds)
        assert sum(picosecond / 1e6 < value for picosecond in picoseconds) * 100 < percent * len(picoseconds)


def test_the_same_on_any_number_of_threads() -> None:
    scenario = Path(__file__).parents[2] / "examples/simulator/S2.json"
    serial, parallel = (run(scenario, "hpcc", 1, threads=threads) for threads in (1, 2))
    assert serial.summary.tables_sha256 == parallel.summary.tables_sha256
    assert (serial.summary.hops, serial.summary.events) == (parallel.summary.hops, parallel.summary.events)
    assert serial.tables == parallel.tables


def test_a_run_on_one_thread_gives_the_reason_where_more_would_be_faster(tmp_path: Path) -> None:
    scenario = Path(__file__).parents[2] / "examples/simulator/S2.json"
    captured = Recording(captures=("0:128",))
    captures: list[str] = []

    def create(name: str) -> BinaryIO:
        captures.append(name)
        return (tmp_path / name).open("wb")

    end_time = Duration(20_000_000)
    captured_run = run(scenario, "hpcc", 1, captured, end_time=end_time, create=create, threads=2)
    assert (captured_run.serial_reason, len(captures)) == (
        "a capture needs both ends of each connection in one thread",
        1,
    )
    assert run(scenario, "hpcc", 1, captured, end_time=end_time, create=create, threads=1).serial_reason is None
    assert run(scenario, "hpcc", 1, end_time=end_time, threads=2).serial_reason is None
    assert run(scenario.with_name("incast.json"), "hpcc", 1, threads=2).serial_reason is None, "too little to do"
