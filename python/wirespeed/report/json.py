"""A report as one JSON document, kind ``report``."""

from __future__ import annotations

from wirespeed.report import ranking
from wirespeed.results import json
from wirespeed.results.report import Report

SCHEMA = 2


def text(report: Report) -> str:
    """The whole report; additions keep the schema number, a change of meaning raises it."""
    return json.document(
        "report",
        SCHEMA,
        cluster=report.cluster,
        recorded=report.recorded,
        plan=[{"name": name, "value": value} for name, value in report.summary],
        topology=report.topology,
        counts={status.value: count for status, count in ranking.counts(report.findings).items()},
        findings=report.findings,
        runs=report.runs,
        computed=report.computed,
        inputs=report.inputs,
        notes=report.notes,
        peers=report.peers,
        comparisons=report.comparisons,
        histories=report.histories,
        relations=report.relations,
    )
