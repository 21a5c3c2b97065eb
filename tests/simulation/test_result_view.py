"""The data behind the pictures of a run. WIRESPEED_ACCEPT=1 writes result_view.txt anew; read the difference."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from result_view_sample import VICTIM, build_sample
from small_scenarios import FLOW, INCAST

from wirespeed.errors import Refusal
from wirespeed.results.simulation_view import LEVELS, FlowRow, Ideal, SimulationView
from wirespeed.simulation import animation as films
from wirespeed.simulation.completion import distributions, quantiles
from wirespeed.simulation.pauses import intersect, merge_intervals, shares
from wirespeed.simulation.result_view import view_result

GOLDEN = Path(__file__).with_name("result_view.txt")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_sample(tmp_path_factory.mktemp("view"), VICTIM, "all")


@pytest.fixture(scope="module")
def view(folder: Path) -> SimulationView:
    return view_result(folder)


def describe_faults(view: SimulationView) -> Iterator[str]:
    """The data behind the pictures, for a reader."""
    network = view.network
    for series in view.time_series:
        yield f"{series.title} ({series.unit}), {len(series.starts)} stretches to {series.end} ps"
        for line in series.lines:
            yield f"  {line.name}: {' '.join(f'{value or 0:.4g}' for value in line.values[::8])}"
    for entry in view.pauses.ports:
        name = network.port_names[entry.port]
        yield f"{name}: {entry.pauses} pauses, {entry.total_ps} ps, at most {entry.longest_ps}"
        yield f"  passed on {entry.passed_on_ps}"
    for timeline in view.pauses.timelines:
        name = network.port_names[timeline.port]
        yield f"{name}: {' '.join(f'{100 * share:.0f}' for share in timeline.shares[::12])}"
    yield f"victims {view.pauses.victims}"
    for distribution in view.distributions:
        for group in distribution.groups:
            values = " ".join(f"{value:.6g}" for value in group.quantiles)
            ideals = ", ".join(f"{ideal.value:.6g} ({ideal.kind})" for ideal in group.ideals)
            yield f"{distribution.title} of {group.name}, {group.count}: {values}; ideal {ideals}"
    for flow in view.flows:
        yield f"{flow.flow}: {flow.source} to {flow.target}, {flow.took_ps} ps of {flow.least_ps}, {flow.status}"
    assert view.animation is not None
    for name in ("queue", "load", "paused"):
        for port, levels in getattr(view.animation, name).items():
            yield f"{name} {network.port_names[port]}: {' '.join(map(str, levels[::8]))}"


def test_the_data_behind_the_pictures(view: SimulationView) -> None:
    text = "\n".join(describe_faults(view)) + "\n"
    if os.environ.get("WIRESPEED_ACCEPT"):
        GOLDEN.write_text(text)
    assert text == GOLDEN.read_text()


def test_the_victim_is_named(view: SimulationView) -> None:
    victims = view.pauses.victims
    assert victims is not None
    assert [(victim.flow, victim.source, victim.target) for victim in victims] == [(3, 3, 5)]
    assert 0 < victims[0].waited_ps < victims[0].took_ps


def test_who_has_a_part_in_it_is_no_victim(tmp_path: Path) -> None:
    """Host 3 writes to where all write."""
    flows = [{**FLOW, "src": host, "dst": 4} for host in range(4)]
    view = view_result(build_sample(tmp_path, {**VICTIM, "flows": flows}))
    assert view.pauses.ports
    assert view.pauses.victims == ()


def test_no_flow_is_a_victim_where_switches_select_paths(tmp_path: Path) -> None:
    parameters = {**VICTIM["parameters"], "ecmp": {"balance": "spray"}}
    view = view_result(build_sample(tmp_path, {**VICTIM, "parameters": parameters}))
    assert view.pauses.ports
    assert view.pauses.victims is None
    assert {flow.least_ps for flow in view.flows} == {None}


def test_pauses_pass_on(view: SimulationView) -> None:
    """Switch 7 stops switch 6, which stops the hosts while it is stopped itself."""
    by_name = {view.network.port_names[port.port]: port for port in view.pauses.ports}
    uplink = by_name["switch 6:7"]
    assert uplink.passed_on_ps == 0
    for host in range(3):
        port = by_name[f"host {host}:6"]
        assert 0 < port.passed_on_ps <= port.total_ps
        assert port.longest_ps <= port.total_ps


def test_two_priorities_paused_at_once_are_one_time(tmp_path: Path) -> None:
    stuck = {"kind": "stuck-nic", "node": 1, "from_ns": 1000, "until_ns": 900_000}
    flows = [{**FLOW, "dst": 1, "priority": priority} for priority in (3, 4)]
    parameters = {"pfc": {"lossless_priorities": 0b11000}}
    view = view_result(build_sample(tmp_path, {**INCAST, "parameters": parameters, "flows": flows, "faults": [stuck]}))
    by_name = {view.network.port_names[port.port]: port for port in view.pauses.ports}
    port = by_name[next(name for name in by_name if name.endswith(":1"))]
    assert port.pauses >= 2
    assert 899e6 <= port.total_ps <= 902e6


def test_totals_of_pauses_are_those_of_the_queues(view: SimulationView, folder: Path) -> None:
    queues = pq.read_table(folder / "queues.parquet").to_pylist()
    paused: dict[int, int] = {}
    for row in queues:
        if row["paused_ps"]:
            paused[row["port"]] = paused.get(row["port"], 0) + row["paused_ps"]
    assert {port.port: port.total_ps for port in view.pauses.ports} == paused


def test_courses_have_what_ports_sent_and_marked(view: SimulationView, folder: Path) -> None:
    (sent_series,) = [series for series in view.time_series if series.title == "Sent by hosts"]
    ends = (*sent_series.starts[1:], sent_series.end)
    widths = [(end - start) / 1e12 for start, end in zip(sent_series.starts, ends, strict=True)]
    total = sum(
        (value or 0) * 1e9 / 8 * width for value, width in zip(sent_series.lines[0].values, widths, strict=True)
    )
    ports = pq.read_table(folder / "ports.parquet").to_pylist()
    assert total == pytest.approx(sum(port["bytes"] for port in ports if port["node"] < 6), rel=1e-3)
    (marks,) = [series for series in view.time_series if series.title == "ECN marks"]
    marked = sum((value or 0) * 1e6 * width for value, width in zip(marks.lines[0].values, widths, strict=True))
    queues = pq.read_table(folder / "queues.parquet")
    assert marked == pytest.approx(pc.max(queues["ecn_marks"]).as_py(), rel=1e-6)


def test_the_deepest_queue_is_that_of_the_film(view: SimulationView) -> None:
    (deepest,) = [series for series in view.time_series if series.title == "Deepest queues"]
    deepest_bytes = max(value or 0 for line in deepest.lines for value in line.values)
    assert view.animation is not None
    assert view.animation.most_queue_bytes == deepest_bytes
    assert max(max(levels) for levels in view.animation.queue.values()) == LEVELS - 1
    assert all(0 <= level < LEVELS for levels in view.animation.load.values() for level in levels)


def test_a_film_has_no_more_letters_than_a_page_has_room_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(films, "_LETTERS", 3 * 30 * 5)
    film = view_result(folder).animation
    assert film is not None
    assert (len(film.starts), film.left_out) == (30, 9)
    ports = {*film.queue, *film.load, *film.paused}
    assert len(ports) == 5
    assert ports == {port.port for port in view_result(folder).pauses.ports}  # those paused come first


def test_nothing_was_sampled(tmp_path: Path) -> None:
    view = view_result(build_sample(tmp_path))
    assert (view.time_series, view.animation) == ((), None)
    assert view.pauses.ports
    assert view.distributions


def test_only_flows_were_sampled(tmp_path: Path) -> None:
    view = view_result(build_sample(tmp_path, INCAST, "flows"))
    assert [(series.title, len(series.lines)) for series in view.time_series] == [("Congestion control rates", 2)]
    assert view.animation is None
    assert (view.pauses.ports, view.pauses.victims) == ((), ())


def test_a_read_sends_in_the_other_direction(tmp_path: Path) -> None:
    """Host 2 reads from host 0; the data uses the path from 0 to 2."""
    view = view_result(build_sample(tmp_path, {**INCAST, "flows": [{**FLOW, "verb": "read"}]}))
    assert [(flow.source, flow.target, flow.verb) for flow in view.flows] == [(0, 2, "read")]


def test_what_did_not_end_comes_first(tmp_path: Path) -> None:
    late = {**FLOW, "src": 1, "start_ns": 10_000_000}
    view = view_result(build_sample(tmp_path, {**INCAST, "flows": [FLOW, late]}, end_time="1ms"))
    assert [(flow.flow, flow.status, flow.took_ps is None) for flow in view.flows] == [
        (1, "unfinished", True),
        (0, "completed", False),
    ]


def flow(number: int, took: int | None, least_ps: int | None = 10, size: int = 5, verb: str = "write") -> FlowRow:
    return FlowRow(number, 0, 1, 0, 2, verb, size, 0, took, least_ps, "failed" if took is None else "completed")


def test_flows_that_are_alike_are_drawn_apart() -> None:
    kinds = [flow(n, 100 * (n + 1), size=1 << n % 6, verb="send" if n % 2 else "write") for n in range(20)]
    times, slowdowns = distributions([*kinds, flow(20, None)])
    assert [(group.name, group.count) for group in times.groups] == [
        ("all flows", 20),
        ("send of 2 bytes", 4),
        ("write of 1 bytes", 4),
        ("send of 8 bytes", 3),
        ("send of 32 bytes", 3),
    ]
    assert slowdowns.groups[0].quantiles == tuple(10.0 * (n + 1) for n in range(20))


def test_no_limit_is_drawn_where_one_is_unknown() -> None:
    (times,) = distributions([flow(0, 100, None), flow(1, 100, None)])
    assert times.groups[0].ideals == ()


def test_every_kind_of_flow_has_its_ideal() -> None:
    flows = [flow(0, 9_000_000, 4_000_000, 2048), flow(1, 9_000_000, 5_000_000, 2048), flow(2, 9_000_000, 8_000_000)]
    times, slowdowns = distributions(flows)
    assert [group.ideals for group in times.groups] == [
        (Ideal(4.0, "write of 2 KiB"), Ideal(8.0, "write of 5 bytes")),
        (Ideal(4.0, "write of 2 KiB"),),
        (Ideal(8.0, "write of 5 bytes"),),
    ]
    assert {ideal.value for group in slowdowns.groups for ideal in group.ideals} == {1.0}


@given(st.lists(st.floats(0, 1e9), max_size=1000))
def test_quantiles(values: list[float]) -> None:
    quantile_values = quantiles(values)
    assert len(quantile_values) == min(len(values), 200)
    assert list(quantile_values) == sorted(quantile_values)
    assert set(quantile_values) <= set(values)
    assert not values or (quantile_values[0], quantile_values[-1]) == (min(values), max(values))


INTERVALS = st.lists(st.tuples(st.integers(0, 100), st.integers(0, 100)).map(lambda ends: (min(ends), max(ends))))


@given(INTERVALS, st.integers(0, 100), st.integers(0, 100), st.integers(1, 20))
def test_time_is_counted_once(intervals: list[tuple[int, int]], first: int, second: int, stretches: int) -> None:
    start, end = min(first, second), max(first, second)
    moments = {moment for low, high in intervals for moment in range(low, high)}
    merged = merge_intervals(intervals)
    shared = list(intersect(merged, start, end))
    assert shared == merge_intervals(shared)
    assert sum(high - low for low, high in shared) == len(moments & set(range(start, end)))
    bounds = [100 * number // stretches for number in range(stretches + 1)]
    expected = [len(moments & set(range(low, high))) / (high - low) for low, high in pairwise(bounds)]
    assert list(shares(merged, bounds)) == pytest.approx(expected)


def broken(folder: Path, tmp_path: Path, **files: Any) -> Path:
    """A copy of the folder with other files, or without."""
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    for name, content in files.items():
        file = copy / name.replace("_", ".")
        if content is None:
            file.unlink()
        elif isinstance(content, pa.Table):
            pq.write_table(content, file)
        else:
            file.write_text(content)
    return copy


WRITES = "wirespeed sim run SCENARIO.json -o DIR writes it"


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            {"summary_json": None},
            "copy: no summary.json in it; expected a folder that wirespeed sim run -o wrote\n  hint: " + WRITES,
        ),
        ({"summary_json": "[]"}, "copy/summary.json: found 'list'; expected a document of kind simulation-summary"),
        (
            {"summary_json": '{"kind": "lab"}'},
            "copy/summary.json: found 'lab'; expected a document of kind simulation-summary",
        ),
        (
            {"summary_json": '{"kind": "simulation-summary", "name": "x"}'},
            "copy/summary.json: no preset, complete, setup_s, run_s, hops_per_s, peak_rss_bytes, rss_growth_bytes, "
            "congestion, fct_us, end_us, tables_sha256; expected a document of kind simulation-summary",
        ),
        (
            {"pauses_parquet": None},
            "copy/pauses.parquet: no such file; expected the table pauses\n  hint: " + WRITES,
        ),
        (
            {"links_parquet": None},
            "copy/links.parquet: no such file; expected the table links\n  hint: " + WRITES,
        ),
        (
            {"flows_parquet": pa.table({"flow": [1]})},
            "copy/flows.parquet: no queue_pair, src, dst, verb, bytes, start_ps, end_ps, status; "
            "expected the table flows with flow, queue_pair, src, dst, verb, bytes, start_ps, end_ps, status\n  hint: "
            + WRITES,
        ),
    ],
)
def test_refusals(files: dict[str, Any], message: str, folder: Path, tmp_path: Path) -> None:
    copy = broken(folder, tmp_path, **files)
    with pytest.raises(Refusal) as refusal:
        view_result(copy)
    assert str(refusal.value) == f"{tmp_path}/{message}"


def test_a_table_that_is_none_is_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(Refusal, match=r"copy/flows\.parquet: found .*; expected the table flows with flow, "):
        view_result(broken(folder, tmp_path, flows_parquet="no parquet at all"))


def test_a_counter_of_a_later_version_is_zero(folder: Path, tmp_path: Path) -> None:
    summary = json.loads((folder / "summary.json").read_text())
    del summary["cnps"]
    assert view_result(broken(folder, tmp_path, summary_json=json.dumps(summary))).summary.cnps == 0


def test_a_folder_without_paths_lists_no_victims(folder: Path, tmp_path: Path) -> None:
    view = view_result(broken(folder, tmp_path, paths_parquet=None, limits_parquet=None))
    assert view.pauses.victims is None
    assert [distribution.title for distribution in view.distributions] == ["Completion time"]
    assert {flow.least_ps for flow in view.flows} == {None}
