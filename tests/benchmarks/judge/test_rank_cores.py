"""MVAPICH's table of MV2_SHOW_CPU_BINDING beside the planned cores.

MPI over Broadcom RoCE (MVAPICH, 2024 OFA workshop) prints this table as its hybrid-spread policy: 8 ranks on 32 cores.
The lines above the ranks are those of MVAPICH2 2.3, hwloc_bind.c.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from wirespeed.benchmarks import parse
from wirespeed.benchmarks.judge.runs import judge
from wirespeed.cluster import read_text
from wirespeed.plan import build

FILE = Path(__file__).parents[3] / "examples" / "bluebonnet-64node" / "cluster.yaml"
TABLE = """\
-------------CPU AFFINITY-------------
OMP_NUM_THREADS           : 4
MV2_THREADS_PER_PROCESS   : 4
MV2_CPU_BINDING_POLICY    : hybrid
MV2_HYBRID_BINDING_POLICY : spread
--------------------------------------
RANK: 0  CPU_SET:    0   1   2   3
RANK: 1  CPU_SET:    4   5   6   7
RANK: 2  CPU_SET:    8   9  10  11
RANK: 3  CPU_SET:   12  13  14  15
RANK: 4  CPU_SET:   16  17  18  19
RANK: 5  CPU_SET:   20  21  22  23
RANK: 6  CPU_SET:   24  25  26  27
RANK: 7  CPU_SET:   28  29  30  31
-------------------------------------
"""
RUN = "# OSU MPI Latency Test v5.8\n# Size          Latency (us)\n1        2.10\n2        2.20\n"


def _judge_notes(text: str, cores: int) -> list[str]:
    """Notes on bindings, of a host with 2 sockets of this number of cores and 8 ranks."""
    cluster = FILE.read_text(encoding="utf-8").replace("model: dell-r6525", "model: two-sockets")
    cluster = cluster.replace("ranks: 128", "ranks: 8") + (
        f"hardware:\n  servers:\n    two-sockets:\n      base: dell-r6525\n      cpus: {{sockets: 2, cores: {cores}}}\n"
    )
    plan = build(read_text(cluster, "cluster.yaml"))
    (run,) = parse(text)
    return [note for note in judge(run, plan).notes if "MPI-06" in note]


def test_the_table_is_read_before_the_title() -> None:
    (run,) = parse(TABLE + RUN)
    assert run.parameters.rank_cores == "0-3:4-7:8-11:12-15:16-19:20-23:24-27:28-31"
    assert [row.value for row in run.measurements] == [2.1, 2.2]


@pytest.mark.parametrize(
    ("rows", "rank_cores"),
    [
        pytest.param("RANK: 0  CPU_SET:   99 100 101\nRANK: 1  CPU_SET:  102\n", "99-101:102", id="2.3"),
        pytest.param("RANK:0  CPU_SET:  98 99\nRANK:1  CPU_SET: 100101\n", "98-99:100-101", id="2014"),
        pytest.param("RANK:0  CPU_SET: 100101102103\n", "100-103", id="2014, columns without a space"),
        pytest.param("RANK: 0 CPU_SET: 0 1\nRANK: 1 CPU_SET: 100 101\n", "0-1:100-101", id="single spaces of a copy"),
        pytest.param("RANK: 0  CPU_SET:    0\nRANK: 1  CPU_SET: 99100101\n", None, id="columns that no width fits"),
        pytest.param("RANK: 0  CPU_SET:    0\nRANK: 1  CPU_SET: \n", None, id="a rank without cores"),
    ],
)
def test_columns_have_a_width_and_no_separator(rows: str, rank_cores: str | None) -> None:
    """MVAPICH2 prints %4d (2.3) or %3d (2014) for a core, and %2d or %d for a rank."""
    (run,) = parse(f"-------------CPU AFFINITY-------------\n{rows}-------------------------------------\n{RUN}")
    assert run.parameters.rank_cores == rank_cores


@pytest.mark.parametrize(("rank", "core"), [("%2d", "%4d"), ("%d", "%3d")])
def test_a_table_of_many_ranks_is_read_to_its_end(rank: str, core: str) -> None:
    rows = "".join(f"RANK:{rank % n}  CPU_SET: {core % (2 * n)}{core % (2 * n + 1)}\n" for n in range(128))
    (run,) = parse(f"-------------CPU AFFINITY-------------\n{rows}-------------------------------------\n{RUN}")
    assert run.parameters.rank_cores == ":".join(f"{2 * n}-{2 * n + 1}" for n in range(128))


def test_each_run_has_its_own_table() -> None:
    second_table = TABLE.replace("RANK: 0  CPU_SET:    0   1   2   3\n", "RANK: 0  CPU_SET:    0  32\n")
    first, second = parse(f"{TABLE}{RUN}{second_table}{RUN}")
    assert (first.parameters.rank_cores or "").startswith("0-3:")
    assert (second.parameters.rank_cores or "").startswith("0,32:")


@pytest.mark.parametrize("missing", ["RANK: 0 ", "RANK: 3 "])
def test_a_table_with_a_rank_less_is_not_believed(missing: str) -> None:
    lines = [line for line in TABLE.splitlines(keepends=True) if not line.startswith(missing)]
    (run,) = parse("".join(lines) + RUN)
    assert run.parameters.rank_cores is None


def test_cores_as_planned_have_no_note() -> None:
    assert _judge_notes(TABLE + RUN, 16) == []


def test_other_cores_are_noted() -> None:
    text = TABLE.replace("RANK: 2  CPU_SET:    8   9  10  11", "RANK: 2  CPU_SET:    4   5   6   7")
    assert _judge_notes(text + RUN, 16) == [
        "1 of 8 ranks ran on other cores than planned: rank 2 on 4-7, planned is 8-11 (`wirespeed explain MPI-06`)"
    ]
    assert _judge_notes(TABLE + RUN, 64) == [
        "8 of 8 ranks ran on other cores than planned: rank 0 on 0-3, planned is 0-15 (`wirespeed explain MPI-06`)"
    ]


@pytest.mark.parametrize(
    ("table", "notes"),
    [
        (TABLE[: TABLE.index("RANK: 2")], []),
        (
            "RANK: 0 CPU_SET: 0 1 2 3\nRANK: 1 CPU_SET: 8 9\n",
            [
                "1 of 2 ranks ran on other cores than planned: rank 1 on 8-9, planned is 4-7 "
                "(`wirespeed explain MPI-06`)"
            ],
        ),
    ],
)
def test_fewer_ranks_have_the_first_planned_cores(table: str, notes: list[str]) -> None:
    head = "" if table.startswith("-") else "-------------CPU AFFINITY-------------\n"
    assert _judge_notes(f"{head}{table}-------------------------------------\n{RUN}", 16) == notes


def test_a_bandwidth_with_other_cores_warns() -> None:
    """It passes with the planned cores; osu_bw of two hosts, one rank on each."""
    run_text = "# OSU MPI Bandwidth Test v5.8\n# Size      Bandwidth (MB/s)\n4194304              12300.00\n"
    plan = build(read_text(FILE.read_text(encoding="utf-8"), "cluster.yaml"))
    judgements = {}
    for core in (0, 5):
        (run,) = parse(
            f"-------------CPU AFFINITY-------------\nRANK: 0  CPU_SET: {core:4}\n"
            f"-------------------------------------\n{run_text}"
        )
        (verdict,) = judge(run, plan).verdicts
        judgements[core] = (verdict.judgement.value, verdict.reason)
    assert judgements[0][0] == "pass"
    assert judgements[5] == (
        "warn",
        "1 of 1 ranks ran on other cores than planned: rank 0 on 5, planned is 0 (`wirespeed explain MPI-06`)",
    )
