"""Prometheus' text format: read by its own parser and linter, with base units and no sample twice."""

import dataclasses
import math
import subprocess

import history_sample
import pytest
import report_sample as sample
from prometheus_client.parser import text_string_to_metric_families as parsed

from needs import find, needs
from wirespeed.report import prometheus
from wirespeed.results.findings import Finding, Status
from wirespeed.results.report import Report
from wirespeed.results.topology import Topology


def samples(report):
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in parsed(prometheus.text(report))
        for sample in family.samples
    }


def single_value(report, name, **labels):
    values = [
        value
        for (sample_name, pairs), value in samples(report).items()
        if sample_name == name and labels.items() <= dict(pairs).items()
    ]
    (value,) = values
    return value


def test_a_finding_that_follows_from_another_has_a_series():
    finding = Finding("port.up", Status.FAIL, "leaf1", "port Eth1/1", "the port is down", cause="link.up")
    passing = dataclasses.replace(finding, status=Status.PASS, place="port Eth1/2", cause=None)
    report = dataclasses.replace(history_sample.WHOLE, findings=(finding, passing))
    assert single_value(report, "wirespeed_findings", device="leaf1", status="follows") == 1
    assert single_value(report, "wirespeed_findings", device="leaf1", status="pass") == 1


def test_its_own_linter_has_no_findings():
    needs("promtool")
    ran = subprocess.run(
        [find("promtool"), "check", "metrics"],
        input=prometheus.text(history_sample.WHOLE),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


def test_the_linter_would_complain():
    needs("promtool")
    ran = subprocess.run(
        [find("promtool"), "check", "metrics"],
        input="# TYPE latency_us gauge\nlatency_us 1\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode != 0


def test_values_are_in_base_units():
    bandwidth = "wirespeed_benchmark_bandwidth_bytes_per_second"
    assert single_value(history_sample.WHOLE, bandwidth, size=str(2**34), label="out-of-place") == pytest.approx(300e9)
    limit = "wirespeed_benchmark_physical_limit_bytes_per_second"
    assert single_value(history_sample.WHOLE, limit, size=str(2**34), label="out-of-place") == pytest.approx(391.2e9)
    assert single_value(history_sample.WHOLE, "wirespeed_recorded_timestamp_seconds") == 1795168800
    assert all(math.isfinite(value) for value in samples(history_sample.WHOLE).values())


@pytest.mark.parametrize(
    ("value", "unit", "name", "expected"),
    [
        (400.0, "Gb/s", "bandwidth_bytes_per_second", 50e9),
        (1.0, "MiB/s", "bandwidth_bytes_per_second", 2.0**20),
        (2.5, "us", "time_seconds", 2.5e-6),
        (3.0, "ms", "time_seconds", 3e-3),
    ],
)
def test_units(value, unit, name, expected):
    verdict = sample.RUN.verdicts[0]
    bare = dataclasses.replace(
        verdict,
        measurement=verdict.measurement._replace(value=value, unit=unit),
        physical=None,
        reachable=None,
        fraction_of_physical=None,
        fraction_of_reachable=None,
    )
    run = dataclasses.replace(sample.RUN, verdicts=(bare,), source="node1:bnxt_re0", target="node2:bnxt_re4")
    report = dataclasses.replace(sample.REPORT, runs=(run,))
    labels = {"host": "node1", "nic": "bnxt_re0", "peer_host": "node2", "peer_nic": "bnxt_re4", "cluster": "two-nodes"}
    assert single_value(report, f"wirespeed_benchmark_{name}", **labels) == pytest.approx(expected)


def test_equal_measurements_are_one_sample_their_median():
    runs = tuple(
        dataclasses.replace(
            sample.RUN,
            verdicts=(dataclasses.replace(sample.verdict(2**30, value), physical=None),),
            file=f"{value}.log",
            source="node1:bnxt_re0",
            target="node2:bnxt_re4",
        )
        for value in (100.0, 300.0, 200.0)
    )
    report = dataclasses.replace(sample.REPORT, runs=runs)
    assert single_value(report, "wirespeed_benchmark_bandwidth_bytes_per_second") == 200e9


def test_measurements_of_unknown_endpoints_are_not_combined():
    verdicts = (dataclasses.replace(sample.verdict(2**30, 100.0), physical=None),)
    runs = tuple(
        dataclasses.replace(sample.RUN, verdicts=verdicts, file=file, source=None, target=None)
        for file in ("a.log", "b.log")
    )
    report = dataclasses.replace(sample.REPORT, runs=runs)
    for file in ("a.log", "b.log"):
        assert single_value(report, "wirespeed_benchmark_bandwidth_bytes_per_second", file=file) == 100e9


def test_who_is_slow_among_its_peers():
    ratio = "wirespeed_peer_of_like_ratio"
    rail = "wirespeed_peer_suspect_of_like_ratio"
    report = dataclasses.replace(
        sample.REPORT, peers=(dataclasses.replace(history_sample.PEERS, matrices=(history_sample.LEAVES,)),)
    )
    assert single_value(report, ratio, host="node2", direction="sends") == pytest.approx(0.52, abs=0.02)
    assert single_value(report, ratio, host="node3", direction="sends") == pytest.approx(1, abs=0.02)
    assert single_value(report, rail, kind="host", host="node2", state="suspect") == pytest.approx(0.52, abs=0.02)


def test_a_hostile_name_stays_in_its_label():
    text = prometheus.text(history_sample.WHOLE)
    assert "\x1b" not in text
    assert all(line.startswith(("#", "wirespeed_")) for line in text.splitlines())


def test_nothing_is_nothing():
    assert prometheus.text(Report("empty", None, Topology((), ()))) == ""


def test_the_same_report_gives_the_same_bytes():
    assert prometheus.text(history_sample.WHOLE) == prometheus.text(history_sample.WHOLE)
