"""Runs that relative gates compare, in every format."""

from __future__ import annotations

import dataclasses
import io
import json
from xml.etree import ElementTree

import pytest
import report_sample as sample
from rich.console import Console

from wirespeed.report import html, junit, prometheus, terminal, ticket
from wirespeed.report import json as report_json
from wirespeed.report.relations import table
from wirespeed.results.benchmarks import Metric
from wirespeed.results.verdicts import Gate, Judgement, Relation, Side

FAR = Side("between-leaves", "min", 4, 360.0, "Gb/s", "out/logs/a.1.log", 17, "node1:bnxt_re0 -> node3:bnxt_re0")
NEAR = Side("same-leaf", "median", 2, 391.0, "Gb/s")
NO_SIDE = Side("queue_pairs from 2", "max", 0, None, "")


def relation(judgement, **changes):
    values_by_name = {
        "name": "cross-leaf",
        "judgement": judgement,
        "reason": "92.1% of <that>",
        "test": "ib_write_bw",
        "metric": Metric.BW_AVG,
        "size_bytes": 1 << 20,
        "ends": None,
        "of": FAR,
        "to": NEAR,
        "value": 360.0 / 391.0,
        "unit": None,
        "at_least": 0.98,
        "at_most": None,
        "source": "a convention",
    }
    return Relation(**{**values_by_name, **changes})


LATE = relation(
    Judgement.WARN,
    name="late",
    metric=Metric.LATENCY_TYPICAL,
    size_bytes=8,
    value=1.3,
    unit="us",
    at_least=None,
    at_most=1.2,
)
WITHOUT_PEER = relation(
    Judgement.UNKNOWN,
    name="one-queue-pair",
    to=NO_SIDE,
    value=None,
    ends="node1:bnxt_re0, node3:bnxt_re0",
    compared=8,
    passed=2,
)
SPREAD = relation(
    Judgement.PASS,
    name="spread",
    of=Side("", "spread", 10, 0.004, "Gb/s"),
    to=None,
    value=0.004,
    at_least=None,
    at_most=0.02,
)
REPORT = dataclasses.replace(sample.REPORT, relations=(relation(Judgement.FAIL), LATE, WITHOUT_PEER, SPREAD))


def print_relations(relations):
    stream = io.StringIO()
    table(relations, Console(file=stream, width=110, color_system=None))
    return "\n".join(row.rstrip() for row in stream.getvalue().splitlines())


def test_the_terminal():
    text = print_relations(REPORT.relations)
    assert "fail: cross-leaf: 92.1% of <that> (out/logs/a.1.log:17)" in text
    assert "unknown: one-queue-pair: 2 of 8 pass; 92.1% of <that>" in text
    assert "pass: " not in text
    rows = [" ".join(row.split()) for row in text.splitlines()]
    assert any("92.1 % ≥ 98.0 % fail" in row for row in rows)
    assert any("1.30 µs ≤ 1.20 µs warn" in row for row in rows)
    assert any("not measured" in row for row in rows)
    assert any("0.4 % ≤ 2.0 % pass" in row for row in rows)


def test_nothing_is_reported_where_nothing_was_compared():
    assert print_relations(()) == ""
    assert "compared with each other" not in html.page(sample.REPORT)


def test_a_report_in_the_terminal_counts_them():
    stream = io.StringIO()
    terminal.summary(REPORT, Console(file=stream, width=100, color_system=None))
    assert "compared    1 fail  1 warn  1 unknown  1 pass" in stream.getvalue()


def test_json():
    first = json.loads(report_json.text(REPORT))["relations"][0]
    assert (first["name"], first["judgement"], first["of"]["count"]) == ("cross-leaf", "fail", 4)


def test_junit_takes_unknown_for_an_error():
    root = ElementTree.fromstring(junit.text(REPORT))
    (suite,) = [element for element in root.iter("testsuite") if element.get("name") == "runs compared with each other"]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("4", "1", "1")
    failed = suite.find("testcase/failure")
    assert failed is not None
    assert failed.text == (
        "92.1% of <that>\nbetween-leaves: 360.0 Gb/s, min of 4\nsame-leaf: 391.0 Gb/s, median of 2\n"
        "measured: out/logs/a.1.log:17"
    )


@pytest.mark.parametrize(
    "line",
    [
        'wirespeed_benchmark_relations{cluster="two-nodes",ends="node1:bnxt_re0, node3:bnxt_re0",'
        'gate="one-queue-pair",judgement="unknown",metric="bw_avg",size="1048576",test="ib_write_bw"} 1.0',
        'wirespeed_benchmark_relation_ratio{cluster="two-nodes",gate="spread",metric="bw_avg",size="1048576",'
        'test="ib_write_bw"} 0.004',
        'wirespeed_benchmark_relation_difference_seconds{cluster="two-nodes",gate="late",metric="latency_typical",'
        'size="8",test="ib_write_bw"} 1.3e-06',
    ],
)
def test_prometheus(line):
    assert line in prometheus.text(REPORT).splitlines()


def test_a_ticket_has_the_worst_first():
    part = ticket.text(REPORT).partition("## Runs compared with each other")[2].partition("\n## ")[0]
    assert [row.split()[1] for row in part.strip().splitlines()] == ["**fail**", "**warn**", "**unknown**", "**pass**"]
    assert r"92.1% of \<that\>" in part


def test_html_has_them_and_a_column_of_gates():
    page = html.page(REPORT)
    assert '<th scope="row">cross-leaf: ib_write_bw bw_avg 1 MiB</th>' in page
    assert "<td>same-leaf<br>391.0 Gb/s, median of 2</td>" in page
    assert "92.1% of &lt;that&gt;" in page
    assert '<th scope="col" class="n">Gate</th><th scope="col">Verdict</th>' not in page  # no run has one
    gate = Gate("busy", 350.0, None, "GB/s", Judgement.PASS, "here")
    judged = dataclasses.replace(sample.verdict(2**30, 360.0), gate=gate, found=sample.verdict(1, 1.0).physical)
    run = dataclasses.replace(sample.RUN, verdicts=(judged, sample.verdict(2**34, 300.0)))
    page = html.page(dataclasses.replace(REPORT, runs=(run,)))
    assert '<th scope="col" class="n">Gate</th><th scope="col">Verdict</th>' in page
    assert '<td class="n"><span title="busy: here">✓ ≥ 350.0 GB/s</span></td>' in page
    assert '<th scope="col" class="n">Limit as found</th>' in page
