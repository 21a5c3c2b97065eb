"""The JSON document of a report."""

import json

import report_sample as sample

from wirespeed.report import json as report_json


def test_the_document_carries_everything():
    body = json.loads(report_json.text(sample.REPORT))
    assert (body["kind"], body["schema"]) == ("report", 2)
    assert list(body) == [
        *("kind", "schema", "cluster", "recorded", "plan", "topology"),
        *("counts", "findings", "runs", "computed", "inputs", "notes", "peers", "comparisons", "histories"),
        "relations",
    ]
    assert body["counts"] == {"pass": 1, "warn": 1, "fail": 2, "unknown": 2, "skip": 1, "error": 1}
    assert body["plan"][0] == {"name": "hosts", "value": "2 × dell-xe9680-mi300x"}
    assert [finding["status"] for finding in body["findings"]] == [
        *("fail", "pass", "fail", "warn", "unknown", "unknown", "error", "skip")
    ]
    assert body["findings"][0]["impact"]["value"] == 197.4
    assert len(body["runs"][0]["verdicts"]) == len(sample.RUN.verdicts)
    assert body["topology"]["edges"][0]["a_port"] == "enp29s0np0"


def test_device_text_survives_unchanged_for_machines():
    body = json.loads(report_json.text(sample.REPORT))
    assert body["findings"][6]["place"] == sample.HOSTILE


def test_the_same_report_gives_the_same_bytes():
    assert report_json.text(sample.REPORT) == report_json.text(sample.REPORT)
