"""The report on a simulation: its document, in a real browser, and as PNG files."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import os
import re
import struct
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from browser import FILES_MEET, load_page
from html_document import Document
from result_view_sample import VICTIM, build_sample
from small_scenarios import ENVIRONMENT, INCAST

import command_line
from wirespeed.cli.exit import Exit
from wirespeed.errors import Refusal
from wirespeed.report.simulation import pictures
from wirespeed.report.simulation.layout import layout
from wirespeed.report.simulation.page import page
from wirespeed.results.simulation_types import Source
from wirespeed.results.simulation_view import Cable, Network, SimulationView
from wirespeed.simulation.result_view import view_result

EXAMPLES = Path(__file__).parents[2] / "examples/simulator"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_sample(tmp_path_factory.mktemp("view"), VICTIM, "all")


@pytest.fixture(scope="module")
def view(folder: Path) -> SimulationView:
    return view_result(folder)


@pytest.fixture(scope="module")
def document(view: SimulationView) -> Document:
    return Document(page([view]))


def wirespeed(*arguments: str | Path) -> CompletedProcess[str]:
    return command_line.wirespeed("report", *arguments)


def test_the_same_folder_gives_the_same_bytes(folder: Path) -> None:
    assert page([view_result(folder)]) == page([view_result(folder)])


def test_headings(document: Document) -> None:
    assert document.text("h1") == ["victim"]
    assert document.text("h2") == [
        *("Summary", "PFC pauses", "Network over time", "Rates, queues and marks over time"),
        *("Flow completion time", "Flows"),
    ]
    assert document.text("h3") == [
        *(
            "About this run",
            "Victim flows",
            "Pauses over time",
            "Sent by hosts",
            "Busiest links",
            "Deepest queues",
            "ECN marks",
            "Congestion control rates",
        ),
        *("Completion time", "Slowdown"),
    ]


def test_structure(document: Document) -> None:
    assert [len(document.find_elements(tag)) for tag in ("header", "nav", "main", "footer")] == [1, 1, 1, 1]
    identities = [element["id"] for element in document.elements if element.get("id")]
    assert len(identities) == len(set(identities))
    for element in document.elements:
        assert set(element.get("aria-labelledby", "").split()) <= set(identities)
        assert [name for name in element if name.startswith("on") or name == "style"] == []
    addresses = [element["href"] for element in document.elements if element.get("href")]
    assert {address[1:] for address in addresses} <= set(identities)
    assert len(document.find_elements("table")) == len(document.find_elements("caption"))
    assert all(cell.get("scope") in ("col", "row") for cell in document.find_elements("th"))


def test_every_picture_has_a_description(document: Document) -> None:
    pictures = document.find_elements("svg", role="img")
    descriptions = [text for text in document.text("desc") if text]
    assert len(pictures) == len(descriptions) == 10
    assert descriptions[0].startswith("5 paused ports. Longest: switch 6:7 → switch 7:6: ")


def test_the_table_of_pauses(document: Document, view: SimulationView) -> None:
    (table,) = [
        element
        for element in document.find_elements("table")
        if element["text"].strip().startswith("Ports that were paused")
    ]
    assert "host 3:6switch 6:3" in table["text"]
    (began,) = document.find_elements("p", class_="later")
    (uplink,) = [port for port in view.pauses.ports if view.network.port_names[port.port] == "switch 6:7"]
    assert began["text"].strip() == (
        "Root of congestion: switch 7 (deepest queue: switch 7:4) paused 1 other port for "
        f"{uplink.total_ps / 1e6:,.1f} µs, "
        f"of which {uplink.total_ps / 1e6:,.1f} µs were not caused by downstream pauses."
    )
    assert len(view.pauses.ports) == 5


def test_the_table_of_flows_is_worst_first(document: Document) -> None:
    (table,) = document.find_elements("table", class_="sortable")
    index = document.elements.index(table)
    keys = [
        element["data-key"]
        for element in document.elements[index:]
        if element["tag"] == "td" and element.get("data-key")
    ]
    slowdowns = [float(key) for key in keys[7::10]]
    assert slowdowns == sorted(slowdowns, reverse=True)
    assert len(slowdowns) == 4


def test_a_table_of_very_many_flows_is_bounded(view: SimulationView) -> None:
    large = dataclasses.replace(view, summary=dataclasses.replace(view.summary, flows=100_000))
    text = page([large])
    assert f"The 4 slowest flows of 100,000; {view.folder}/flows.parquet has all." in text


def test_nothing_sampled_shows_how_to(tmp_path: Path) -> None:
    text = page([view_result(build_sample(tmp_path, INCAST))])
    assert text.count("Add <code>--series all</code> to the <code>wirespeed sim run</code> command of this run") == 2
    assert "None: no port was paused." in text
    assert "<script type=" not in text


EVIL = "</script><script>alert(1)</script>\x1b[31m\u202e<b>&amp;"


def test_names_are_text_and_nothing_else(view: SimulationView) -> None:
    names = tuple(f"{EVIL}{node}" for node in range(len(view.network.names)))
    ports = tuple(f"{EVIL}{name}" for name in view.network.port_names)
    summary = dataclasses.replace(view.summary, name=EVIL)
    evil = dataclasses.replace(
        view, network=dataclasses.replace(view.network, names=names, port_names=ports), summary=summary, folder=EVIL
    )
    text = page([evil, evil])
    assert "<script>alert" not in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert Document(text).text("h1")[0].startswith("</script><script>alert(1)</script>\\x1b[31m")
    (data, _) = re.findall(r'<script type="application/json" class="animation">(.*?)</script>', text)
    assert next(iter(json.loads(data)["names"].values())).startswith("</script><script>alert(1)</script>\\x1b[31m")
    for _, svg in pictures.pictures([evil]):
        assert "<script" not in svg


def test_a_run_without_ideal_times_is_named_at_the_chart_that_lacks_it(view: SimulationView) -> None:
    times = tuple(distribution for distribution in view.distributions if distribution.title != "Slowdown")
    rerouted = dataclasses.replace(view, folder="rerouted", distributions=times)
    reason = (
        "&#39;rerouted: victim&#39; is not in this chart: paths change during the run, so ideal times are not computed."
    )
    for runs in ([view, rerouted], [rerouted, view]):
        assert reason in page(runs)
        assert reason not in page([view, view])


def test_runs_of_one_scenario_are_headed_by_its_name_once(view: SimulationView) -> None:
    assert "<h1>victim</h1>" in page([view, view])


def test_runs_side_by_side(folder: Path, tmp_path: Path) -> None:
    dcqcn = build_sample(tmp_path, {**VICTIM, "parameters": {"congestion": {"algorithm": "dcqcn"}}}, "all")
    document = Document(page([view_result(folder), view_result(dcqcn)]))
    assert document.text("h2")[:2] == ["Side by side", f"{folder.name}: victim"]
    (table,) = [
        element
        for element in document.find_elements("table")
        if element["text"].strip().startswith("Summary of each run")
    ]
    assert table["text"].count("4 of 4 completed") == 2
    assert document.text("h3")[:2] == ["Completion time", "Slowdown"]
    legends = document.text("text", class_="named")[:2]
    assert all(": victim " in legend for legend in legends)
    marks = [text for text in document.text("text") if text.startswith("ideal ")]
    assert marks[:3] == ["ideal 86.60 µs (write of 1 MiB)", "ideal 172.2 µs (write of 2 MiB)", "ideal 1.00"]
    (times,) = [
        element["text"]
        for element in document.find_elements("table")
        if element["text"].strip().startswith("Completion time") and ": victim" in element["text"]
    ]
    assert times.count("86.60 to 172.2") == 2


ACT = """<script>
const descriptions = [];
const dark = () => document.querySelectorAll(".player .h5").length + document.querySelectorAll(".player .h4").length;
const note = () => descriptions.push([
  document.querySelector(".now").textContent, dark(), document.querySelector(".most tbody").textContent.trim()]);
const slider = document.querySelector(".moment");
note();
for (const at of [0, 60, 119]) {
  slider.value = at;
  slider.dispatchEvent(new Event("input"));
  note();
}
const kind = document.querySelector('.kind[value="paused"]');
slider.value = 60;
kind.checked = true;
kind.dispatchEvent(new Event("change"));
note();
const heads = document.querySelectorAll(".sortable thead th button");
heads[0].click();
const flows = [...document.querySelectorAll(".sortable tbody tr")].map((row) => row.cells[0].textContent);
document.title = JSON.stringify({descriptions, flows, shown: !document.querySelector(".controls").hidden});
</script>"""


def test_the_slider_moves_and_tables_sort(view: SimulationView, tmp_path: Path) -> None:
    text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page([view]))
    dom, complaints = load_page(tmp_path, text.replace("</body>", f"{ACT}</body>"))
    assert complaints == []
    (title,) = re.findall(r"<title>(\{.*?\})</title>", dom)
    got = json.loads(title.replace("&gt;", ">"))
    assert got["shown"] is True
    assert got["flows"] == ["3", "2", "1", "0"]
    first, start, middle, end, paused = got["descriptions"]
    assert first[1] > 0
    assert "switch 7:4" in first[2]
    assert start[0] == "0 µs"
    assert end[0] > middle[0] or float(end[0].split()[0]) > float(middle[0].split()[0])
    assert len({descriptions[0] for descriptions in (start, middle, end)}) == 3
    assert "switch 7:4" in middle[2]
    assert middle[2] != start[2]
    assert "host 0:6" in paused[2]
    assert "%" in paused[2]


def test_the_browser_has_no_complaint(view: SimulationView, tmp_path: Path) -> None:
    dom, complaints = load_page(tmp_path, page([view, view]))
    assert complaints == []
    assert dom.count('<div class="controls">') == 2


MEASURE = """<script>
const descriptions = [];
for (const figure of document.querySelectorAll("svg[role=img]")) {
  for (const text of figure.querySelectorAll("text")) {
    const at = text.getBoundingClientRect(), around = figure.getBoundingClientRect();
    const beside = at.left < around.left - 1 || at.right > around.right + 3;
    if (beside || at.top < around.top - 1 || at.bottom > around.bottom + 1)
      descriptions.push(text.textContent.trim());
  }
}
document.title = JSON.stringify(descriptions);
</script>"""


def test_the_page_never_scrolls_sideways(view: SimulationView, tmp_path: Path) -> None:
    """From a telephone to a wide screen; what is wider than the screen scrolls separately."""
    wide = dataclasses.replace(view, summary=dataclasses.replace(view.summary, name="a-name-without-a-break-" * 8))
    (tmp_path / "page.html").write_text(page([wide, view]), encoding="utf-8")
    widths = (320, 500, 800, 1400)
    frames = "".join(f'<iframe src="page.html" style="width:{width}px;height:600px"></iframe>' for width in widths)
    script = """onload = () => document.body.dataset.found = [...document.querySelectorAll("iframe")].map(frame => {
      const page = frame.contentDocument.documentElement; return page.scrollWidth - page.clientWidth }).join(" ")"""
    dom, complaints = load_page(tmp_path, f"<!doctype html><body>{frames}<script>{script}</script>", FILES_MEET)
    assert re.search('data-found="([^"]*)"', dom).group(1) == "0 0 0 0"
    assert complaints == []


def test_a_name_is_printed_once_with_all_that_belongs_to_it(view: SimulationView) -> None:
    source = Source("p", "c.yaml", "0" * 64, "0.1.0", "t.yaml", "0" * 64, "0" * 64)
    summary = dataclasses.replace(view.summary, source=source, assumed=("one thing", "another"))
    planned = dataclasses.replace(view, summary=summary)
    text = page([planned])
    assert "<dt>assumed</dt><dd>one thing</dd><dd>another</dd>" in text
    names = re.findall("<dt>([^<]*)</dt>", text)
    assert len(names) == len(set(names))


def test_runs_side_by_side_have_the_names_of_their_cluster_files(view: SimulationView) -> None:
    files = ("low.yaml", "high.yaml")
    sources = [Source("p", file, "0" * 64, "0.1.0", "t.yaml", "0" * 64, "0" * 64) for file in files]
    runs = [dataclasses.replace(view, summary=dataclasses.replace(view.summary, source=source)) for source in sources]
    text = page(runs)
    assert all(f", {file}</th>" in text for file in files)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["victim", "0123456789" * 9, "gpu-node-1024:enp129s0f0np0 → gpu-node-1024:mlx5_" * 2])
def test_no_label_is_cut_off(name: str, view: SimulationView, tmp_path: Path) -> None:
    named = dataclasses.replace(view, summary=dataclasses.replace(view.summary, name=name))
    text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page([named, named]))
    dom, _ = load_page(tmp_path, text.replace("</body>", f"{MEASURE}</body>"))
    assert re.findall(r"<title>(\[.*?\])</title>", dom) == ["[]"]


@pytest.mark.slow
def test_a_fat_tree_of_128_hosts_stays_small(tmp_path: Path) -> None:
    """S2: 768 ports, all sampled, as many frames and stretches as a page has at most."""
    scenario = json.loads((EXAMPLES / "S2.json").read_text())
    view = view_result(build_sample(tmp_path, scenario, "all", interval="4us", end_time="1ms"))
    assert view.animation is not None
    assert (len(view.animation.starts), view.animation.left_out) == (120, 0)
    assert {len(course.starts) for course in view.time_series} == {240}
    assert len(page([view]).encode()) < 2_000_000  # of the 5,000,000 that are allowed


def fat_tree(k: int) -> Network:
    """Hosts, edges, aggregations, cores."""
    half = k // 2
    hosts, edges = k * half * half, k * half
    names = tuple(f"n{node}" for node in range(hosts + 2 * edges + half * half))
    edge, aggregation, core = hosts, hosts + edges, hosts + 2 * edges
    cables = [Cable(host, edge + host // half, 10**11) for host in range(hosts)]
    for pod in range(k):
        for low in range(half):
            for high in range(half):
                cables.append(Cable(edge + pod * half + low, aggregation + pod * half + high, 10**11))
                cables.append(Cable(aggregation + pod * half + low, core + low * half + high, 10**11))
    ports = tuple(f"{a}-{b}" for cable in cables for a, b in ((cable.a, cable.b), (cable.b, cable.a)))
    return Network(names, frozenset(range(hosts, len(names))), tuple(cables), ports)


@pytest.mark.parametrize(("k", "switches", "left_out"), [(4, 20, 0), (8, 80, 0), (16, 320, 0), (32, 480, 800)])
def test_tiers_of_fat_trees(k: int, switches: int, left_out: int) -> None:
    network = fat_tree(k)
    places = layout(network, {})
    rows: dict[float, int] = {}
    for box in places.boxes:
        rows[box.y] = rows.get(box.y, 0) + 1
    if k == 4:
        assert [rows[y] for y in sorted(rows)] == [4, 8, 8, 16]  # cores, aggregations, edges, hosts
        assert (len(places.directions), places.host_directions) == (2 * len(network.cables), ())
    else:
        assert [rows[y] for y in sorted(rows)] == [min(k * k // 4, 160), min(k * k // 2, 160), min(k * k // 2, 160)]
        assert (
            len(places.host_directions) == rows[max(rows)] * k
        )  # both directions of the cables of k/2 hosts under each edge
        assert sum(rows.values()) == switches
    assert places.left_out == left_out
    assert all(box.x >= 0 and box.x + box.width <= places.width for box in places.boxes)
    assert all(0 < half.x <= places.width and half.y < places.height for half in places.host_directions)


def drawing() -> None:
    """Skip where what draws PNG is not installed."""
    if importlib.util.find_spec("resvg_py") is None:
        (pytest.fail if os.environ.get("WIRESPEED_REQUIRE_ALL") == "1" else pytest.skip)("needs resvg_py")


NAMES = [
    *("pause-map", "pauses", "network", "sent-by-hosts", "busiest-links", "deepest-queues", "ecn-marks"),
    *("congestion-control-rates", "completion-time", "slowdown"),
]


def test_pictures_are_files_of_their_own(view: SimulationView) -> None:
    svg_by_name = dict(pictures.pictures([view]))
    assert list(svg_by_name) == NAMES
    for svg in svg_by_name.values():
        assert "var(" not in svg
        HTMLParser().feed(svg)
    assert ".path.h4 { stroke: #a9490c; stroke-width: 3.5 }" in pictures.style()
    assert svg_by_name == dict(pictures.pictures([view]))


@pytest.mark.slow
def test_png(folder: Path, tmp_path: Path) -> None:
    drawing()
    result = wirespeed(folder, "--png", tmp_path / "png")
    assert (result.returncode, result.stderr) == (Exit.PASSED, "")
    files = [Path(line) for line in result.stdout.splitlines()]
    assert [file.stem for file in files] == NAMES
    for file in files:
        content = file.read_bytes()
        assert content[:8] == b"\x89PNG\r\n\x1a\n"
        width, height = struct.unpack(">II", content[16:24])
        assert width >= 2 * 640
        assert height > 200
        assert len(content) > 10_000  # more than a white sheet
    command = [sys.executable, "-m", "wirespeed", "report", folder, "--png", tmp_path / "again"]  # another process
    subprocess.run(command, env=ENVIRONMENT, capture_output=True, check=True)
    assert [(tmp_path / "again" / file.name).read_bytes() for file in files] == [file.read_bytes() for file in files]


def test_png_without_what_draws_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    pictures._load_renderer.cache_clear()
    with pytest.raises(Refusal) as refusal:
        pictures.png("<svg/>")
    assert str(refusal.value) == ("--png: the Python package resvg_py is missing\n  hint: pip install 'wirespeed[png]'")


def test_the_verb(folder: Path, tmp_path: Path) -> None:
    result = wirespeed(folder, "-o", tmp_path / "one.html")
    assert (result.returncode, result.stdout, result.stderr) == (Exit.PASSED, f"{tmp_path}/one.html\n", "")
    assert (tmp_path / "one.html").read_text() == page([view_result(folder)])
    assert wirespeed(folder, "--format", "html").stdout == page([view_result(folder)])
    assert wirespeed(folder).stdout.startswith("victim  preset roce, seed 1\n  congestion       line-rate\n  flows")


def test_exit_codes(tmp_path: Path) -> None:
    failing = {
        **INCAST,
        "links": [{"a": 0, "b": 3, "loss": 1.0}, [1, 3], [2, 3]],
        "parameters": {"transport": {"ack_timeout": 4, "retry_count": 2}},
    }
    assert wirespeed(build_sample(tmp_path, failing)).returncode == Exit.FAILED


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("FOLDER --format json", "--format: json does not apply to a simulation\n  hint: use html or terminal"),
        (
            "FOLDER --bundle b.tar --strict",
            "--bundle: does not apply to a simulation\n  hint: omit --bundle\n"
            "error: --strict: does not apply to a simulation\n  hint: omit --strict",
        ),
        (
            "FOLDER FILE",
            "FILE: found a file; expected only result folders of `sim run -o`, or one cluster file",
        ),
        ("FILE --png out", "--png: applies only to result folders of `sim run -o`\n  hint: omit --png"),
        (
            "FILE FILE",
            "FILE: found more than one file; expected one cluster file, or result folders of `sim run -o`\n"
            "  hint: benchmark logs and bundles need an option: `wirespeed report FILE --bench FILE`",
        ),
    ],
)
def test_refusals(arguments: str, message: str, folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "cluster.yaml"
    file.write_text("version: 1\n")
    command = [word.replace("FOLDER", str(folder)).replace("FILE", str(file)) for word in arguments.split()]
    result = wirespeed(*command)
    assert (result.returncode, result.stdout) == (Exit.REFUSED, "")
    assert result.stderr == f"error: {message.replace('FILE', str(file))}\n"


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    result = wirespeed(tmp_path)
    assert result.returncode == Exit.REFUSED
    assert result.stderr.startswith(f"error: {tmp_path}: no summary.json in it; expected a folder that wirespeed sim")


def test_a_folder_of_results_is_refused_with_their_names(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "summary.json").write_text("{}")
    assert f"\n  hint: it contains the results {tmp_path}/a, {tmp_path}/b\n" in wirespeed(tmp_path).stderr
