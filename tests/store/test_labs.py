"""Figures of a lab beside those of a cluster: the same ends, and never compared, followed or judged together."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.store.campaigns import PAIR, runs_of_values
from tests.store.commands import bench

from wirespeed.benchmarks.run.result_folder import create_folder
from wirespeed.results.campaign import Attempt, Campaign, Command, Grade, Outcome, Step
from wirespeed.results.lab import is_lab, name_lab_cluster
from wirespeed.store import Batch, Store, pack

CLUSTER = Path(__file__).parents[2] / "examples" / "mi300x-4node" / "cluster.yaml"
LOG = CLUSTER.parent / "bench" / "ib-write-bw-bidirectional.log"


def _store(store_address: str) -> None:
    """Three campaigns of the cluster, and two of a lab of it, of the same pair."""
    with Store(store_address) as store:
        for day, (label, cluster, values) in enumerate(
            [
                ("one", "mi300x-4node", [390.0, 391.0, 392.0, 393.0]),
                ("try", name_lab_cluster("mi300x_4node"), [12.0, 13.0, 14.0, 15.0]),
                ("two", "mi300x-4node", [390.5, 391.5, 392.5, 393.5]),
                ("again", name_lab_cluster("mi300x_4node"), [12.5, 13.5, 14.5, 15.5]),
                ("three", None, [390.0, 391.0, 392.0, 393.0]),
            ]
        ):
            campaign = store.begin(label, f"2026-01-0{day + 1}T00:00:00Z", cluster, "wirespeed 0")
            batch = Batch()
            for number, run in enumerate(runs_of_values(values)):
                batch.add(pack(f"{number}.log", f"{label} {number}".encode()), [run], PAIR)
            store.add(campaign, batch)
            store.finish(campaign)


def _folder(path: Path) -> None:
    step = Step("a", "ib_write_bw", PAIR, Command("node1", ()), 60, 10)
    folder = create_folder(path, Campaign("", "tcp", name_lab_cluster("mine"), (step,)))
    log = folder.keep(step, 1, LOG.read_bytes(), None)
    folder.note(Attempt("a", 1, Outcome.DONE, 0, "2026-11-21T08:00:00Z", 9.0, Grade.GOOD, log))


def test_what_a_lab_is_called_is_no_cluster() -> None:
    assert [is_lab(cluster_name) for cluster_name in (name_lab_cluster("x"), "lab", "laboratory", None)] == [
        True,
        False,
        False,
        False,
    ]


@pytest.mark.parametrize(
    ("a", "b", "code"),
    [("one", "two", 0), ("try", "again", 0), ("one", "try", 2), ("again", "two", 2), ("try", "three", 2)],
)
def test_one_of_a_lab_is_compared_with_labs_alone(store_address: str, a: str, b: str, code: int) -> None:
    _store(store_address)
    ran = bench("compare", a, b, "--store", store_address)
    assert ran.returncode == code, ran.stderr
    if code:
        lab = a if a in ("try", "again") else b
        other_lab = "three" if "three" in (a, b) else "mi300x-4node"
        assert ran.stderr == (
            f"error: campaign {lab}: found results of the lab mi300x_4node, compared with those of {other_lab}; "
            "expected two labs or two clusters\n  hint: results of a lab show how fast one machine copies memory\n"
        )


def test_folders_of_runs_are_distinguished_too(tmp_path: Path) -> None:
    _folder(tmp_path / "lab")
    for compared_name, code in (("plain.log", 2), ("lab", 3)):  # one value each is too few
        (tmp_path / "plain.log").write_bytes(LOG.read_bytes())
        assert bench("compare", tmp_path / "lab", tmp_path / compared_name).returncode == code


@pytest.mark.parametrize(
    ("arguments", "labels"),
    [
        ((), ["one", "two", "three"]),
        (("--cluster", "lab mi300x_4node"), ["try", "again"]),
        (("--cluster", "mi300x-4node"), ["one", "two"]),
    ],
)
def test_a_history_is_of_clusters_or_of_one_lab(
    store_address: str, arguments: tuple[str, ...], labels: list[str]
) -> None:
    _store(store_address)
    ran = bench("history", "--test", "ib_write_bw", "--store", store_address, "-f", "json", *arguments)
    history = json.loads(ran.stdout)["history"]
    assert [campaign["label"] for campaign in history["campaigns"]] == labels
    assert [len(entry["points"]) for entry in history["series"]] == [len(labels)]


def test_a_cluster_without_campaigns_is_refused(store_address: str) -> None:
    _store(store_address)
    ran = bench("history", "--test", "ib_write_bw", "--store", store_address, "--cluster", "mi300x-4nod")
    assert ran.returncode == 2
    assert ran.stderr == (
        "error: --cluster: no campaigns of a cluster named 'mi300x-4nod'\n  hint: did you mean 'mi300x-4node'?\n"
    )


def test_no_figure_of_a_lab_is_judged_as_a_clusters(store_address: str, tmp_path: Path) -> None:
    _folder(tmp_path / "lab")
    _store(store_address)
    log = tmp_path / "lab" / "logs" / "a.1.log"
    sources = [(tmp_path / "lab",), (log,), ("--campaign", "try", "--store", store_address)]
    names = [str(log), str(log), "0.log"]
    for source, name, lab in zip(sources, names, ("mine", "mine", "mi300x_4node"), strict=True):
        ran = bench("judge", *source, "--cluster", CLUSTER)
        assert ran.returncode == 2
        assert f"error: {name}: a result of the lab {lab}, not of the cluster\n" in ran.stderr
