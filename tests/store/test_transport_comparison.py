"""MPI over RC against MPI over UD: two series, paired across paths, with the ranks from which on the better changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.store.commands import bench

SERVICES = {
    "RC": "MV2_USE_UD_HYBRID=0 MV2_USE_ONLY_UD=0",
    "UD": "MV2_USE_UD_HYBRID=0 MV2_USE_ONLY_UD=1",
}
"""MPI over Broadcom RoCE (MVAPICH, 2024 OFA workshop), "MVAPICH2 Runtime"."""

HINT = "hint: `launch.transport: hybrid` uses UD from `launch.hybrid_from` ranks on, and RC below; here: "


def write_logs(folder: Path, service: str, factors: dict[tuple[int, int], float]) -> Path:
    """Six logs of osu_allreduce for each number of ranks; ``factors``: of the latencies, by ranks and size."""
    folder.mkdir()
    for ranks in sorted({ranks for ranks, _ in factors}):
        for repetition in range(6):
            rows = "".join(
                f"{size:<10}{(10 + ranks / 50) * (1 + size / 1e4) * factor * (1 + repetition / 500):14.2f}\n"
                for (of_ranks, size), factor in factors.items()
                if of_ranks == ranks
            )
            (folder / f"{ranks}-{repetition}.log").write_text(
                f"$ mpirun_rsh -np {ranks} -hostfile hosts {SERVICES[service]} ./osu_allreduce\n\n"
                f"# OSU MPI Allreduce Latency Test v5.8\n# Size       Avg Latency(us)\n{rows}"
                f"1048576       {900 * (1 + repetition / 500):.2f}\n"
            )
    return folder


def list_crossovers(a: Path, b: Path) -> list[str]:
    """The lines of a comparison across paths about crossovers, with their hint."""
    ran = bench("compare", a, b, "--across-paths")
    return [line.strip() for line in ran.stdout.splitlines() if "crossover:" in line or "hint:" in line]


EQUAL = {(ranks, size): 1.0 for ranks in (512, 2048) for size in (4, 65536)}


@pytest.mark.parametrize(
    ("factors", "expected"),
    [
        (  # UD is better for many ranks: the setting is one of ranks
            {(512, 4): 1.3, (512, 65536): 1.3, (2048, 4): 0.7, (2048, 65536): 0.7},
            {
                "crossover: osu_allreduce latency_avg 4 B: B (UD) is worse up to 512 ranks and better from 2,048 on",
                "crossover: osu_allreduce latency_avg 64 KiB: B (UD) is worse up to 512 ranks and better from 2,048 on",
                f"{HINT}2,048",
            },
        ),
        (  # UD is better for small messages: no setting selects by size
            {(512, 4): 0.7, (512, 65536): 1.3, (2048, 4): 0.7, (2048, 65536): 1.3},
            {
                f"crossover: osu_allreduce, {ranks} latency_avg: B (UD) is better up to 4 B and worse from 64 KiB on"
                for ranks in ("512 ranks", "2,048 ranks")
            },
        ),
        (  # RC is better for many ranks: hybrid uses it for few
            {(512, 4): 0.7, (2048, 4): 1.3, (512, 65536): 1.0, (2048, 65536): 1.0},
            {"crossover: osu_allreduce latency_avg 4 B: B (UD) is better up to 512 ranks and worse from 2,048 on"},
        ),
    ],
)
def test_a_crossover_names_the_transport_and_the_setting(
    factors: dict[tuple[int, int], float], expected: set[str], tmp_path: Path
) -> None:
    a, b = write_logs(tmp_path / "a", "RC", EQUAL), write_logs(tmp_path / "b", "UD", factors)
    assert set(list_crossovers(a, b)) == expected


def test_ud_as_the_baseline_has_the_same_hint(tmp_path: Path) -> None:
    factors = {(512, 4): 1.3, (512, 65536): 1.3, (2048, 4): 0.7, (2048, 65536): 1.3}
    a, b = write_logs(tmp_path / "a", "UD", factors), write_logs(tmp_path / "b", "RC", EQUAL)
    assert set(list_crossovers(a, b)) == {
        "crossover: osu_allreduce latency_avg 4 B: B (RC) is better up to 512 ranks and worse from 2,048 on",
        "crossover: osu_allreduce, 2,048 ranks latency_avg: B (RC) is worse up to 4 B and better from 64 KiB on",
        f"{HINT}2,048",
    }


def test_one_transport_has_no_hint(tmp_path: Path) -> None:
    factors = {(512, 4): 1.3, (512, 65536): 1.3, (2048, 4): 0.7, (2048, 65536): 0.7}
    a, b = write_logs(tmp_path / "a", "RC", EQUAL), write_logs(tmp_path / "b", "RC", factors)
    ran = bench("compare", a, b)
    assert "latency_avg 4 B: B is worse up to 512 ranks and better from 2,048 on" in ran.stdout
    assert "hybrid" not in ran.stdout
    separate = bench("compare", a, write_logs(tmp_path / "c", "UD", factors))
    assert "they differ in connection_type (A RC, B UD)" in separate.stdout
