"""The HTML report as a document: one file, escaped, with the structure that keyboards and screen readers need."""

import dataclasses
import io
import re

import history_sample
import pytest
import report_sample as sample
from html_document import Document
from rich.console import Console

from wirespeed.report import html, runs, terminal
from wirespeed.results.benchmarks import Metric, RunStatus
from wirespeed.results.findings import Finding, Fix, Status
from wirespeed.results.peers import Peers
from wirespeed.results.report import Report
from wirespeed.results.topology import Topology
from wirespeed.results.verdicts import Judgement

EMPTY = Report("empty", None, Topology((), ()))


@pytest.fixture(scope="module")
def page():
    return html.page(history_sample.WHOLE)


@pytest.fixture(scope="module")
def document(page):
    return Document(page)


def test_the_same_report_gives_the_same_bytes(page):
    assert html.page(history_sample.WHOLE) == page


def test_headings_are_in_order(document):
    assert document.text("h1") == ["two-nodes"]
    assert document.text("h2") == [
        *("What to do first", "Topology", "Findings", "Benchmarks", "Peers", "Comparison", "History"),
        *("Computed values", "Inputs"),
    ]
    assert document.text("p", class_="verdict fail") == [
        "✕ 2 checks at 2 places failed; 1 series worse; 1 suspect confirmed"
    ]
    assert document.text("time", datetime="2026-11-20T10:00:00Z") == ["2026-11-20 10:00 UTC"]


def test_all_six_statuses_are_counted(document):
    assert list_cells(document, "Checks") == [
        *(("fail", "✕ fail", "2"), ("warn", "! warn", "1"), ("unknown", "? unknown", "2")),
        *(("error", "⚠ error", "1"), ("pass", "✓ pass", "1"), ("skip", "– skip", "1")),
    ]


def test_measurements_are_counted_beside_checks_and_have_no_error(document):
    assert list_cells(document, "Benchmarks") == [
        *(("zero", "✕ fail", "0"), ("warn", "! warn", "1"), ("zero", "? unknown", "0")),
        *(("zero", "⚠ error", ""), ("pass", "✓ pass", "4"), ("skip", "– skip", "9")),
    ]


def test_each_status_has_its_meaning(document):
    heads = [head["text"] for head in document.find_elements("th", scope="col")[:6]]
    assert heads[2] == "? unknowncould not be determined"


def list_cells(document, name):
    """The cells of a row of the table of statuses: class, label, text."""
    rows = [cell for cell in document.find_elements("td") if "header" in cell["inside"] and cell.get("data-label")]
    first = 0 if name == "Checks" or len(rows) == 6 else 6
    return [(cell["class"], cell["data-label"], cell["text"]) for cell in rows[first : first + 6]]


def test_it_needs_nothing_from_outside(page, document):
    addresses = [element.get(name) for element in document.elements for name in ("src", "href", "srcset", "data")]
    assert all(address.startswith("#") for address in addresses if address is not None)
    assert re.findall(r"url\(|@import|https?://", page) == []
    targets = {element.get("id") for element in document.elements}
    assert {address[1:] for address in addresses if address} <= targets


def test_only_its_own_script_and_style_may_run(document):
    (policy,) = document.find_elements("meta", **{"http-equiv": "Content-Security-Policy"})
    assert policy["content"].startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy["content"]
    assert len(document.find_elements("script")) == 1
    for element in document.elements:
        assert [name for name in element if name.startswith("on") or name == "style"] == []


def test_what_a_device_printed_is_text_and_nothing_else(page, document):
    assert "alert(1)" in page
    assert "<script>alert" not in page
    assert "\x1b" not in page
    assert "\u202e" not in page
    (row,) = document.find_elements("tbody", **{"data-status": "error"})
    assert r"\x1b[31mEth1/1\x07 </script><script>alert(1)</script> \u202eevil" in row["text"]


def test_landmarks_and_names(document):
    assert [len(document.find_elements(tag)) for tag in ("header", "nav", "main", "footer")] == [1, 1, 1, 1]
    assert document.find_elements("html")[0]["lang"] == "en"
    assert document.elements[[element["tag"] for element in document.elements].index("body") + 1]["href"] == "#main"
    identities = [element["id"] for element in document.elements if element.get("id")]
    assert len(identities) == len(set(identities))
    for element in document.elements:
        assert set(element.get("aria-labelledby", "").split()) <= set(identities)


def test_whatever_takes_the_focus_has_a_name(document):
    focusable = [element for element in document.elements if element.get("tabindex") == "0"]
    assert len(focusable) > 5
    assert [element for element in focusable if not (element.get("role") and element.get("aria-label"))] == []


def test_every_table_describes_itself_and_its_columns(document):
    tables = document.find_elements("table")
    assert len(tables) == len(document.find_elements("caption")) > 20
    assert all(cell.get("scope") in ("col", "row") for cell in document.find_elements("th"))
    assert all(caption["text"].strip() for caption in document.find_elements("caption"))


def test_every_picture_has_a_name_a_description_and_its_data_in_a_table(document):
    pictures = document.find_elements("svg", role="img")
    descriptions = [text for text in document.text("desc") if text]
    assert len(pictures) == len(descriptions) == 12
    assert descriptions[:2] == [
        "4 cables between node1 (host, dell-xe9680-mi300x): 1 fail; node2 (host, dell-xe9680-mi300x): "
        "1 fail, 1 warn, 2 unknown; leaf1 (leaf, dell-z9664f): 1 error",
        "All-reduce, 16 GPUs: busbw in GB/s. Best: 16 GiB in-place 379.6 GB/s, 97.0 % of the physical limit, "
        "102.2 % of the reachable limit. Physical limit there: 391.2 GB/s, limited by line. "
        "Reachable limit there: 371.6 GB/s, limited by ring.",
    ]
    assert "4 cables as a table" in " ".join(document.text("summary"))
    assert "14 measurements as a table" in document.text("summary")


def test_pictures_of_peers_and_campaigns_have_descriptions(document):
    descriptions = [text for text in document.text("desc") if text][2:]
    assert descriptions[:2] == [
        "132 cells, 55 slow. Explained by host node2, leaves leaf2 and leaf3, path node1 -> node9.",
        "rail 1: 30 cells, 0 slow. Explained by rail 3.",
    ]
    assert descriptions[-3:] == [
        "4 series: 1 worse, 1 better.",
        "all_reduce, 32 ranks, reduction=sum 1 GiB: 13 campaigns, 1 change of level.",
        "all_reduce, 32 ranks, reduction=sum 1 MiB: 13 campaigns, 0 changes of level.",
    ]


def test_suspects_have_their_reason_and_the_change_points_their_changes(document):
    assert "host node2: 52.2 % of its peers" in document.text("strong")
    assert "? suspect" in document.text("span", class_="chip unknown")
    assert "✕ confirmed" in document.text("span", class_="chip fail")
    changed_rows = [element["text"] for element in document.find_elements("table", class_="changed")]
    assert len(changed_rows) == 2
    assert "node1 nic ens1, node2 nic ens1, node3 nic ens1 and 5 more" in changed_rows[0]


def test_a_hostile_name_is_text_in_pictures_too(document):
    (name,) = {text for text in document.text("title") if "evil0" in text and "→" not in text}
    assert name.startswith(r"\x1b[31mEth1/1\x07 </script><script>alert(1)</script>".replace("\\\\", "\\"))


def test_each_measurement_has_a_tip(document):
    tips = [text for text in document.text("title") if "of the physical limit" in text]
    assert len(tips) == len(sample.RUN.verdicts)
    assert "1 GiB out-of-place 360.0 GB/s, 92.0 % of the physical limit, 96.9 % of the reachable limit" in tips


def test_a_warning_in_a_curve_has_a_mark_that_the_legend_names(document):
    key, point = document.find_elements("path", class_="mark warn")
    assert "figcaption" not in point["inside"]
    assert "figcaption" in key["inside"]
    assert "warn: 1 measurement" in document.text("li")


def test_each_legend_is_before_its_picture(page):
    figures = re.findall(r'<figure class="chart">(.*?)</figure>', page, re.DOTALL)
    captions = [figure.lstrip().startswith("<figcaption>") for figure in figures if "<figcaption>" in figure]
    assert len(captions) == 1 + len(history_sample.WHOLE.peers[0].matrices) + 1
    assert all(captions)
    assert page.index('<ul class="legend" aria-hidden="true">') < page.index('<svg class="topology" viewBox="0 0 1')


def test_no_line_of_the_axis_crosses_the_label_of_a_series(page):
    (picture,) = re.findall(r'<svg class="before".*?</svg>', page, re.DOTALL)
    baselines = [float(y) for y in re.findall(r'<text x="0" y="([0-9.]+)">', picture)]
    lines = [
        (float(y), float(y) + float(length))
        for path in re.findall(r'<path (?:class="same" )?d="(M[^"H]+)"', picture)
        for y, length in re.findall(r"M[0-9.]+ ([0-9.]+) v([0-9.]+)", path)
    ]
    assert len(baselines) == len(history_sample.COMPARISON.series)
    assert len(lines) > len(baselines)
    ascent, descent = 12, 4  # of the labels' font
    assert not [
        (baseline, start)
        for baseline in baselines
        for start, end in lines
        if start < baseline + descent and end > baseline - ascent
    ]


def test_what_to_do_first_has_the_commands(document):
    (first,) = document.find_elements("ol", class_="first")
    assert document.text("h3")[:2] == [sample.WIDTH.summary, sample.FILTER.summary]
    assert "197 Gb/s" in first["text"]
    assert "the host goes down" in first["text"]
    assert document.text("code")[2] == "sysctl -w net.ipv4.conf.enp67s0np0.rp_filter=2"


def test_after_the_five_most_urgent_the_rest_is_one_step_away():
    findings = [dataclasses.replace(sample.WIDTH, check=f"a.check-{number}") for number in range(7)]
    document = Document(html.page(dataclasses.replace(EMPTY, findings=tuple(findings))))
    first, second = document.find_elements("ol")
    assert [element["start"] for element in (first, second)] == ["1", "6"]
    assert "details" in second["inside"]
    assert document.text("summary")[0] == "Then 2 more failed checks"
    assert [element["text"] for element in document.find_elements("span", class_="rank")] == list("1234567")


def test_a_finding_has_its_evidence(document):
    (row,) = [row for row in document.find_elements("tbody", **{"data-status": "fail"}) if "node1" in row["text"]]
    row_text = " ".join(row["text"].split())
    for text in ("16 lanes", "8 lanes", "node1: lspci -vvv, node1/lspci.out:412", "document 000, 2.6", "PCIE-01"):
        assert text in row_text


def test_passed_and_skipped_checks_are_listed(document):
    assert "1 passed, 1 skipped" in document.text("summary")
    assert "launch.gid-index1no intent" in document.text("tr")


@pytest.mark.parametrize(
    ("statuses", "sentence"),
    [
        ((), "Nothing was checked"),
        ((Status.SKIP,), "Nothing was checked"),
        ((Status.PASS, Status.PASS), "Everything passed: 1 check at 2 places"),
        ((Status.PASS, Status.WARN), "Nothing failed; warnings: 1 check at 1 place"),
        ((Status.PASS, Status.WARN, Status.UNKNOWN), "Nothing failed; 1 check at 1 place unknown"),
        ((Status.ERROR, Status.UNKNOWN), "Nothing failed; 1 check at 2 places unknown"),
        ((Status.FAIL, Status.FAIL, Status.ERROR), "1 check at 2 places failed"),
    ],
)
def test_the_verdict_in_a_sentence(statuses, sentence):
    findings = tuple(Finding("a.check", status, "node1", "", "a summary") for status in statuses)
    report = dataclasses.replace(EMPTY, findings=findings)
    assert html.verdict(report)[1] == sentence
    assert f"{sentence} (wirespeed)" in Document(html.page(report)).text("title")[0]


def test_a_suspect_is_unknown_until_it_is_measured_again():
    matrix = history_sample.PEERS.matrices[0]
    suspects = tuple(dataclasses.replace(suspect, confirmed=False) for suspect in matrix.suspects[:1])
    report = dataclasses.replace(EMPTY, peers=(Peers((dataclasses.replace(matrix, suspects=suspects),)),))
    assert html.verdict(report) == (Status.UNKNOWN, "Nothing failed; 1 suspect to measure again")
    (step,) = (text for text in Document(html.page(report)).text("li") if text.startswith("Measure again"))
    assert suspects[0].name in step


def test_a_failed_benchmark_is_named_first():
    bad = dataclasses.replace(sample.verdict(2**30, 100.0), judgement=Judgement.FAIL, reason="below 80%")
    run = dataclasses.replace(
        sample.RUN, verdicts=(bad,), source="node1/a", target="node2/b", repeat=("on node1: ib_write_bw",)
    )
    report = dataclasses.replace(EMPTY, runs=(run,))
    document = Document(html.page(report))
    assert html.verdict(report)[1] == "1 benchmark measurement failed"
    assert "No bundle given: settings were not checked." in document.text("p")
    assert any("node1/a → node2/b" in text and "on node1: ib_write_bw" in text for text in document.text("li"))
    assert list_cells(document, "Benchmarks")[0] == ("fail", "✕ fail", "1")


def test_a_worse_series_is_in_the_verdict():
    assert html.verdict(dataclasses.replace(EMPTY, comparisons=(history_sample.COMPARISON,)))[1].endswith("worse")


def test_warnings_come_first_where_nothing_failed():
    page = html.page(dataclasses.replace(EMPTY, findings=(sample.BUFFER,)))
    first = page.partition('<section id="first"')[2].partition("</section>")[0]
    assert "No check failed. Read these warnings:" in first
    assert sample.BUFFER.summary in first


def test_a_report_of_nothing_is_a_page():
    document = Document(html.page(EMPTY))
    assert document.text("h2") == ["What to do first", "Topology", "Findings", "Inputs"]
    assert "No bundle given" in document.text("p")


def test_commands_of_several_places_stand_whole_and_once():
    """In a session on a switch a line means what the lines before it make of it: none may be left out."""
    fixes = [
        Fix("mark", commands=("configure", f"interface Ethernet{port}", "uc-tx-queue 3", "random-detect", "end"))
        for port in (1, 2, 2)
    ]
    findings = tuple(
        Finding("qos.ecn", Status.FAIL, "leaf1", f"port {index}", "no marks", fix=(fix,))
        for index, fix in enumerate(fixes)
    )
    text = html.page(dataclasses.replace(EMPTY, findings=findings))
    elements = Document(text).find_elements("code")
    session = "configure\ninterface Ethernet{}\nuc-tx-queue 3\nrandom-detect\nend"
    assert f"{session.format(1)}\n\n{session.format(2)}" in {element["text"] for element in elements}


def test_the_terms_of_the_limits_are_those_of_what_was_judged():
    physical_verdict = dataclasses.replace(
        sample.verdict(2**34, 200.0, Judgement.SKIP),
        physical=dataclasses.replace(sample.verdict(1, 1.0).physical, value=223.5),
    )
    judged = sample.verdict(2**30, 360.0)
    run = dataclasses.replace(sample.RUN, verdicts=(physical_verdict, judged))
    assert [bound.value for _, bound in runs.bounds(run)] == [391.2, 371.6]


def test_a_failed_run_lists_its_likely_causes_with_titles():
    run = dataclasses.replace(sample.RUN, status=RunStatus.FAILED, error="status 12", failures=("NIC-05",), verdicts=())
    page = html.page(dataclasses.replace(EMPTY, runs=(run,)), {"NIC-05": "A job uses a wrong GID index"})
    assert "<li>NIC-05 A job uses a wrong GID index</li>" in page


def test_equal_commands_of_several_devices_are_one_entry():
    findings = tuple(dataclasses.replace(sample.FILTER, device=f"node{number}") for number in range(1, 41))
    document = Document(html.page(dataclasses.replace(EMPTY, findings=findings)))
    (first,) = document.find_elements("ol", class_="first")
    assert first["text"].count("sysctl -w") == 1
    assert "on node[1-40]" in first["text"]


def test_measurements_are_counted_as_in_the_terminal() -> None:
    """A time beside judged bandwidths is of the same message."""
    bandwidth = sample.verdict(2**30, 360.0)
    time = dataclasses.replace(
        bandwidth,
        measurement=bandwidth.measurement._replace(metric=Metric.TIME, unit="us"),
        judgement=Judgement.SKIP,
    )
    skipped = sample.verdict(2**10, 1.0, Judgement.SKIP)
    report = dataclasses.replace(EMPTY, runs=(dataclasses.replace(sample.RUN, verdicts=(bandwidth, time, skipped)),))
    assert "1 pass, 1 not judged." in html.page(report)
    stream = io.StringIO()
    terminal.summary(report, Console(file=stream, width=120))
    assert "1 pass  1 not judged" in stream.getvalue()
