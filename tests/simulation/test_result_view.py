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
from result_view_sample import VICTIM, made
from small_scenarios import FLOW, INCAST

from wirespeed.errors import Refused
from wirespeed.results.simulation_view import LEVELS, FlowRow, Simulated
from wirespeed.simulation import animation as films
from wirespeed.simulation.completion import distributions, quantiles
from wirespeed.simulation.pauses import common, shares, united
from wirespeed.simulation.result_view import view_result

GOLDEN = Path(__file__).with_name("result_view.txt")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("seen"), VICTIM, "all")


@pytest.fixture(scope="module")
def seen(folder: Path) -> Simulated:
    return view_result(folder)


def describe_faults(seen: Simulated) -> Iterator[str]:
    """The data behind the pictures, for a reader."""
    network = seen.network
    for course in seen.courses:
        yield f"{course.title} ({course.unit}), {len(course.starts)} stretches to {course.end} ps"
        for line in course.lines:
            yield f"  {line.name}: {' '.join(f'{value or 0:.4g}' for value in line.values[::8])}"
    for one in seen.pausing.ports:
        yield f"{network.port_names[one.port]}: {one.pauses} pauses, {one.total_ps} ps, at most {one.longest_ps}"
        yield f"  passed on {one.passed_on_ps}"
    for stripe in seen.pausing.stripes:
        yield f"{network.port_names[stripe.port]}: {' '.join(f'{100 * share:.0f}' for share in stripe.shares[::12])}"
    yield f"victims {seen.pausing.victims}"
    for distribution in seen.distributions:
        for group in distribution.groups:
            values = " ".join(f"{value:.6g}" for value in group.quantiles)
            yield f"{distribution.title} of {group.name}, {group.count}: {values}; least {group.least:.6g}"
    for flow in seen.flows:
        yield f"{flow.flow}: {flow.source} to {flow.target}, {flow.took_ps} ps of {flow.least_ps}, {flow.status}"
    assert seen.animation is not None
    for name in ("queue", "load", "paused"):
        for port, levels in getattr(seen.animation, name).items():
            yield f"{name} {network.port_names[port]}: {' '.join(map(str, levels[::8]))}"


def test_the_data_behind_the_pictures(seen: Simulated) -> None:
    text = "\n".join(describe_faults(seen)) + "\n"
    if os.environ.get("WIRESPEED_ACCEPT"):
        GOLDEN.write_text(text)
    assert text == GOLDEN.read_text()


def test_the_victim_is_named(seen: Simulated) -> None:
    victims = seen.pausing.victims
    assert victims is not None
    assert [(one.flow, one.source, one.target) for one in victims] == [(3, 3, 5)]
    assert 0 < victims[0].waited_ps < victims[0].took_ps


def test_who_has_a_part_in_it_is_no_victim(tmp_path: Path) -> None:
    """Host 3 writes to where all write."""
    flows = [{**FLOW, "src": host, "dst": 4} for host in range(4)]
    seen = view_result(made(tmp_path, {**VICTIM, "flows": flows}))
    assert seen.pausing.ports
    assert seen.pausing.victims == ()


def test_nobody_is_called_a_victim_where_ways_are_chosen_on_the_way(tmp_path: Path) -> None:
    parameters = {**VICTIM["parameters"], "ecmp": {"balance": "spray"}}
    seen = view_result(made(tmp_path, {**VICTIM, "parameters": parameters}))
    assert seen.pausing.ports
    assert seen.pausing.victims is None
    assert {flow.least_ps for flow in seen.flows} == {None}


def test_pauses_pass_on(seen: Simulated) -> None:
    """Switch 7 stops switch 6, which stops the hosts while it is stopped itself."""
    by_name = {seen.network.port_names[one.port]: one for one in seen.pausing.ports}
    uplink = by_name["switch 6:6-7"]
    assert uplink.passed_on_ps == 0
    for host in range(3):
        one = by_name[f"host {host}:{host}-6"]
        assert 0 < one.passed_on_ps <= one.total_ps
        assert one.longest_ps <= one.total_ps


def test_two_priorities_paused_at_once_are_one_time(tmp_path: Path) -> None:
    stuck = {"kind": "stuck-nic", "node": 1, "from_ns": 1000, "until_ns": 900_000}
    flows = [{**FLOW, "dst": 1, "priority": priority} for priority in (3, 4)]
    parameters = {"pfc": {"lossless_priorities": 0b11000}}
    seen = view_result(made(tmp_path, {**INCAST, "parameters": parameters, "flows": flows, "faults": [stuck]}))
    by_name = {seen.network.port_names[one.port]: one for one in seen.pausing.ports}
    one = by_name[next(name for name in by_name if name.endswith("-1"))]
    assert one.pauses >= 2
    assert 899e6 <= one.total_ps <= 902e6


def test_totals_of_pauses_are_those_of_the_queues(seen: Simulated, folder: Path) -> None:
    queues = pq.read_table(folder / "queues.parquet").to_pylist()
    paused: dict[int, int] = {}
    for row in queues:
        if row["paused_ps"]:
            paused[row["port"]] = paused.get(row["port"], 0) + row["paused_ps"]
    assert {one.port: one.total_ps for one in seen.pausing.ports} == paused


def test_courses_have_what_ports_sent_and_marked(seen: Simulated, folder: Path) -> None:
    (sent,) = [course for course in seen.courses if course.title == "Sent by hosts"]
    ends = (*sent.starts[1:], sent.end)
    widths = [(end - start) / 1e12 for start, end in zip(sent.starts, ends, strict=True)]
    total = sum((value or 0) * 1e9 / 8 * width for value, width in zip(sent.lines[0].values, widths, strict=True))
    ports = pq.read_table(folder / "ports.parquet").to_pylist()
    assert total == pytest.approx(sum(port["bytes"] for port in ports if port["node"] < 6), rel=1e-3)
    (marks,) = [course for course in seen.courses if course.title == "ECN marks"]
    marked = sum((value or 0) * 1e6 * width for value, width in zip(marks.lines[0].values, widths, strict=True))
    queues = pq.read_table(folder / "queues.parquet")
    assert marked == pytest.approx(pc.max(queues["ecn_marks"]).as_py(), rel=1e-6)


def test_the_deepest_queue_is_that_of_the_film(seen: Simulated) -> None:
    (deepest,) = [course for course in seen.courses if course.title == "Deepest queues"]
    most = max(value or 0 for line in deepest.lines for value in line.values)
    assert seen.animation is not None
    assert seen.animation.most_queue_bytes == most
    assert max(max(levels) for levels in seen.animation.queue.values()) == LEVELS - 1
    assert all(0 <= level < LEVELS for levels in seen.animation.load.values() for level in levels)


def test_a_film_has_no_more_letters_than_a_page_has_room_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(films, "_LETTERS", 3 * 30 * 5)
    film = view_result(folder).animation
    assert film is not None
    assert (len(film.starts), film.left_out) == (30, 9)
    shown = {*film.queue, *film.load, *film.paused}
    assert len(shown) == 5
    assert shown == {one.port for one in view_result(folder).pausing.ports}  # those paused come first


def test_nothing_was_sampled(tmp_path: Path) -> None:
    seen = view_result(made(tmp_path))
    assert (seen.courses, seen.animation) == ((), None)
    assert seen.pausing.ports
    assert seen.distributions


def test_only_flows_were_sampled(tmp_path: Path) -> None:
    seen = view_result(made(tmp_path, INCAST, "flows"))
    assert [(course.title, len(course.lines)) for course in seen.courses] == [("Allowed rates", 2)]
    assert seen.animation is None
    assert (seen.pausing.ports, seen.pausing.victims) == ((), ())


def test_a_read_goes_the_other_way(tmp_path: Path) -> None:
    """Host 2 asks, host 0 answers; the data takes the way from 0 to 2."""
    seen = view_result(made(tmp_path, {**INCAST, "flows": [{**FLOW, "verb": "read"}]}))
    assert [(flow.source, flow.target, flow.verb) for flow in seen.flows] == [(0, 2, "read")]


def test_what_did_not_end_comes_first(tmp_path: Path) -> None:
    late = {**FLOW, "src": 1, "start_ns": 10_000_000}
    seen = view_result(made(tmp_path, {**INCAST, "flows": [FLOW, late]}, until="1ms"))
    assert [(flow.flow, flow.status, flow.took_ps is None) for flow in seen.flows] == [
        (1, "unfinished", True),
        (0, "completed", False),
    ]


def flow(number: int, took: int | None, least: int | None = 10, size: int = 5, verb: str = "write") -> FlowRow:
    return FlowRow(number, 0, 1, verb, size, 0, took, least, "failed" if took is None else "completed")


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
    assert times.groups[0].least is None


@given(st.lists(st.floats(0, 1e9), max_size=1000))
def test_quantiles(values: list[float]) -> None:
    found = quantiles(values)
    assert len(found) == min(len(values), 200)
    assert list(found) == sorted(found)
    assert set(found) <= set(values)
    assert not values or (found[0], found[-1]) == (min(values), max(values))


INTERVALS = st.lists(st.tuples(st.integers(0, 100), st.integers(0, 100)).map(lambda ends: (min(ends), max(ends))))


@given(INTERVALS, st.integers(0, 100), st.integers(0, 100), st.integers(1, 20))
def test_time_is_counted_once(intervals: list[tuple[int, int]], one: int, other: int, stretches: int) -> None:
    start, end = min(one, other), max(one, other)
    moments = {moment for low, high in intervals for moment in range(low, high)}
    together = united(intervals)
    shared = list(common(together, start, end))
    assert shared == united(shared)
    assert sum(high - low for low, high in shared) == len(moments & set(range(start, end)))
    bounds = [100 * number // stretches for number in range(stretches + 1)]
    expected = [len(moments & set(range(low, high))) / (high - low) for low, high in pairwise(bounds)]
    assert list(shares(together, bounds)) == pytest.approx(expected)


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
    ("files", "says"),
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
            "copy/summary.json: no preset, complete, setup_s, run_s, hops_per_s, peak_rss_bytes, "
            "rss_growth_bytes, fct_us, end_us, tables_sha256; expected a document of kind simulation-summary",
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
            "copy/flows.parquet: no src, dst, verb, bytes, start_ps, end_ps, status; "
            "expected the table flows with flow, src, dst, verb, bytes, start_ps, end_ps, status\n  hint: " + WRITES,
        ),
    ],
)
def test_refusals(files: dict[str, Any], says: str, folder: Path, tmp_path: Path) -> None:
    copy = broken(folder, tmp_path, **files)
    with pytest.raises(Refused) as refused:
        view_result(copy)
    assert str(refused.value) == f"{tmp_path}/{says}"


def test_a_table_that_is_none_is_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(Refused, match=r"copy/flows\.parquet: found .*; expected the table flows with flow, "):
        view_result(broken(folder, tmp_path, flows_parquet="no parquet at all"))


def test_a_counter_of_a_later_version_is_zero(folder: Path, tmp_path: Path) -> None:
    summary = json.loads((folder / "summary.json").read_text())
    del summary["cnps"]
    assert view_result(broken(folder, tmp_path, summary_json=json.dumps(summary))).summary.cnps == 0


def test_a_folder_without_ways_names_no_victims(folder: Path, tmp_path: Path) -> None:
    seen = view_result(broken(folder, tmp_path, paths_parquet=None, limits_parquet=None))
    assert seen.pausing.victims is None
    assert [distribution.title for distribution in seen.distributions] == ["Completion time"]
    assert {flow.least_ps for flow in seen.flows} == {None}
