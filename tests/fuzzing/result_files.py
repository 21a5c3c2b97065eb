"""Files that one command writes and another reads, changed anywhere: documents of results, campaign folders."""

from __future__ import annotations

import json
import tempfile
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import fabric
import history_sample

from fuzzing.target import Target
from fuzzing.text_mutation import mutate_json
from wirespeed.benchmarks.run.result_folder import CAMPAIGN, JOURNAL
from wirespeed.cli.campaign_folder import list_logs
from wirespeed.errors import Refusal
from wirespeed.report import junit
from wirespeed.results import documents
from wirespeed.results.campaign import KIND, SCHEMA, Attempt, Campaign, Command, Grade, Outcome, Step
from wirespeed.results.campaign_history import Comparison, History
from wirespeed.results.json import document
from wirespeed.results.peers import Peers
from wirespeed.results.report import Report
from wirespeed.results.topology import Topology

FILE = "result.json"
SEPARATOR = b"\x1e"


def targets() -> list[Target]:
    """The readers of documents and of campaign folders."""
    return [
        Target("result_document", check_document, document_seeds, _mutate_document, 20_480),
        Target("campaign_folder", check_folder, folder_seeds, _mutate_folder),
    ]


def check_document(content: bytes) -> None:
    """A document is read and shown, or refused with a location."""
    try:
        result = documents.read(content.decode("utf-8", "replace"), FILE)
    except Refusal as refusal:
        assert all(problem.location.startswith(FILE) and problem.found for problem in refusal.problems), refusal
        return
    report = Report(
        "",
        None,
        Topology((), ()),
        peers=(result,) if isinstance(result, Peers) else (),
        comparisons=(result,) if isinstance(result, Comparison) else (),
        histories=(result,) if isinstance(result, History) else (),
    )
    junit.text(report)


@cache
def document_seeds() -> list[bytes]:
    """A small document of each kind, a value on a line without indent."""
    two_nics = fabric.matrix(fabric.members(2, 2), lambda a, b: 0.6 if a.rail == 2 else 1.0, seed=5)
    single_values = history_sample.PEERS.matrices[-1]
    comparison, history = history_sample.COMPARISON, history_sample.HISTORY
    changes = replace(comparison.changes, changed=comparison.changes.changed[-2:])
    points = replace(history.series[0], points=history.series[0].points[5:9])
    return [
        _write("bench-peers", peers=Peers((two_nics,), history_sample.PEERS.notes)),
        _write("bench-peers", peers=Peers((single_values,), ())),
        _write("bench-comparison", comparison=replace(comparison, series=comparison.series[2:], changes=changes)),
        _write("bench-history", history=replace(history, campaigns=history.campaigns[5:9], series=(points,), turns=())),
    ]


def _write(kind: str, **content: Any) -> bytes:
    return json.dumps(json.loads(document(kind, documents.SCHEMAS[kind], **content)), indent=0).encode()


def _mutate_document(content: bytes, random: Random) -> bytes:
    return mutate_json(content, random, document_seeds())


def check_folder(content: bytes) -> None:
    """A campaign and its journal, between them a separator, are read or refused with a location."""
    campaign, _, journal = content.partition(SEPARATOR)
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as name:
        folder = Path(name)
        (folder / CAMPAIGN).write_bytes(campaign)
        (folder / JOURNAL).write_bytes(journal)
        try:
            list(list_logs(folder))
        except Refusal as refusal:
            assert all(problem.location.startswith(name) and problem.found for problem in refusal.problems), refusal


@cache
def folder_seeds() -> list[bytes]:
    """A campaign of one step with an attempt that ended."""
    client = Command("node1", ("ib_write_bw", "node2"), {"NCCL_DEBUG": "INFO"})
    step = Step("s1", "ib_write_bw", "node1 -> node2", client, 60, 2.5, Command("node2", ("ib_write_bw",)), 18515)
    campaign = Campaign("1", "rdma", "small", (step,), {"node1": 2}, ("x",), "a", "2026-01-01T00:00:00+00:00")
    started = "2026-01-01T00:00:00+00:00"
    attempt = Attempt("s1", 1, Outcome.DONE, 0, started, 1.5, Grade.GOOD, "campaign.json", "97.5 Gb/s")
    header = {"kind": KIND, "schema": SCHEMA}
    return [json.dumps(header | asdict(campaign)).encode() + SEPARATOR + json.dumps(asdict(attempt)).encode() + b"\n"]


def _mutate_folder(content: bytes, random: Random) -> bytes:
    return mutate_json(content, random, folder_seeds())
