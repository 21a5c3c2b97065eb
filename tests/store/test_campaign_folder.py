"""The folder of ``wirespeed bench run`` in a store: attempts with their ends, under the name of the campaign."""

from __future__ import annotations

from pathlib import Path

from tests.store.commands import bench

from wirespeed.benchmarks.run.result_folder import create_folder
from wirespeed.results.campaign import Attempt, Campaign, Command, Grade, Outcome, Step
from wirespeed.store import Filters, Store

LOG = Path(__file__).parents[2] / "examples" / "mi300x-4node" / "bench" / "ib-write-bw-bidirectional.log"
ENDS = {"a": "node1:bnxt_re0 -> node2:bnxt_re0", "b": "node3:bnxt_re0 -> node4:bnxt_re0"}


def _folder(path: Path) -> Campaign:
    """Two pairs, measured; the first once more to narrow down; the same bytes each time, as failures have."""
    steps = tuple(Step(name, "ib_write_bw", ends, Command("node1", ()), 60, 10) for name, ends in ENDS.items())
    folder = create_folder(path, Campaign("", "pairs", "lab", steps))
    for name, step in (("a", steps[0]), ("b", steps[1]), ("narrow1.a", steps[0])):
        named_step = Step(name, step.test, step.ends, step.client, 60, 10)
        log = folder.keep(named_step, 1, LOG.read_bytes(), b"what the server did\n")
        folder.note(Attempt(name, 1, Outcome.DONE, 0, "2026-11-21T08:00:00Z", 9.0, Grade.GOOD, log, None, step.ends))
    return folder.campaign


def test_a_folder_of_bench_run_is_a_campaign(tmp_path: Path) -> None:
    campaign = _folder(tmp_path / "run")
    path = tmp_path / "a.db"
    ran = bench("parse", tmp_path / "run", "--store", path)
    assert (ran.returncode, ran.stderr) == (0, "")
    with Store(str(path)) as store:
        stored_rows = store.find("latest")
        assert (stored_rows.label, stored_rows.cluster, stored_rows.logs) == (campaign.id, "lab", 3)
        assert (stored_rows.started or "")[:19] == (campaign.started or "")[:19]  # to the second
        assert [key for _, key, _ in store.logs(stored_rows)] == ["a.1", "b.1", "narrow1.a.1"]
        assert store.content(stored_rows, "b.1") == (LOG.read_bytes(),)
        counts = {
            ends: {len(values) for values in store.values(stored_rows, Filters(label=ends)).values()}
            for ends in ENDS.values()
        }
        assert counts == {ENDS["a"]: {2}, ENDS["b"]: {1}}
    second_result = bench("parse", tmp_path / "run", "--store", path, "--label", "mine")
    assert "campaign 2 mine: 3 logs" in second_result.stdout
