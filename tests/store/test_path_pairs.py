"""`bench compare --across-paths`: two hosts or two interconnects, compared by test, ranks and size."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from wirespeed.cli.app import app
from wirespeed.errors import Refusal

_HEAD = "# nThread 1 nGpus 1 minBytes 8 maxBytes 134217728 step: 2(factor) warmup iters: 5 iters: 20 validation: 1\n#\n"
_ROWS = (
    "#       size         count      type   redop    root     time   algbw   busbw #wrong"
    "     time   algbw   busbw #wrong\n"
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)\n"
)


def write_log(folder: Path, hosts: tuple[str, ...], busbw: float, interface: str | None = None, ranks: int = 2) -> None:
    """A log of all_reduce_perf with its devices; those of several hosts name the interface of NCCL's sockets."""
    rank_hosts = [hosts[rank * len(hosts) // ranks] for rank in range(ranks)]
    devices = "".join(
        f"#  Rank {rank:2d} Pid   33{rank:02d} on {host:>10} device  {rank} [0x05] Tesla K20Xm\n"
        for rank, host in enumerate(rank_hosts)
    )
    debug = (
        "" if interface is None else f"{hosts[0]}:99:99 [0] NCCL INFO NET/Socket : Using [0]{interface}:10.0.0.4<0>\n"
    )
    rows = "".join(
        f"{size:12d} {size // 4:13d}     float     sum      -1  {size / busbw / 1e3:.2f}  {busbw}  {busbw}      0"
        f"  {size / busbw / 1e3:.2f}  {busbw}  {busbw}      0\n"
        for size in (1 << 20, 1 << 27)
    )
    folder.mkdir()
    command = "$ mpirun -np 2 build/all_reduce_perf -b 1M -e 128M -f 128 -g 1\n"
    (folder / "all_reduce.log").write_text(
        f"{command}{_HEAD}# Using devices\n{devices}#\n{debug}{_ROWS}{rows}# Out of bounds values : 0 OK\n"
        f"# Avg bus bandwidth    : {busbw}\n"
    )


def compare(a: Path, b: Path, *options: str) -> Result:
    """The comparison, with wide output."""
    arguments = ["bench", "compare", str(a), str(b), "--metric", "busbw", *options]
    return CliRunner().invoke(app, arguments, env={"COLUMNS": "160"}, catch_exceptions=False)


@pytest.mark.parametrize(
    ("a", "b", "changed"),
    [
        ((("abel1",), 3.5, None), (("abel2",), 4.7, None), ["endpoints: abel1 → abel2"]),  # QPI, P2P
        ((("abel1", "abel2"), 0.11, "eth0"), (("abel1", "abel2"), 0.5, "dis0"), ["sockets: eth0 → dis0"]),
        (  # IP over PCIe, SmartIO
            (("abel1", "abel2"), 0.5, "dis0"),
            (("abel1",), 1.9, None),
            ["endpoints: - → abel1", "nodes: 2 → 1", "sockets: dis0 → -"],
        ),
    ],
)
def test_paths_are_compared_by_size(
    tmp_path: Path,
    a: tuple[tuple[str, ...], float, str | None],
    b: tuple[tuple[str, ...], float, str | None],
    changed: list[str],
) -> None:
    write_log(tmp_path / "a", *a)
    write_log(tmp_path / "b", *b)
    separate = compare(tmp_path / "a", tmp_path / "b")
    assert "only in A" in separate.stdout
    assert "hint: --across-paths compares 4 series" in separate.stdout
    assert separate.exit_code == 3
    across = compare(tmp_path / "a", tmp_path / "b", "--across-paths")
    assert "only in" not in across.stdout
    assert f"{b[1] / a[1] - 1:+.1%}".replace("%", " %") in across.stdout
    for line in changed:
        assert f"  {line}  (nccl-tests all_reduce)" in across.stdout


def test_a_side_with_several_paths_is_not_pooled(tmp_path: Path) -> None:
    for host, busbw in (("abel1", 3.5), ("abel2", 4.7)):
        write_log(tmp_path / host, (host,), busbw)
    (tmp_path / "both").mkdir()
    for host in ("abel1", "abel2"):
        (tmp_path / "both" / f"{host}.log").write_text((tmp_path / host / "all_reduce.log").read_text())
    across = compare(tmp_path / "both", tmp_path / "abel2", "--across-paths")
    assert "A has 4 series over several paths: compare logs of one path each" in across.stdout
    assert "3.5" not in across.stdout


def test_other_ranks_are_another_measurement(tmp_path: Path) -> None:
    write_log(tmp_path / "a", ("abel1",), 3.5)
    write_log(tmp_path / "b", ("abel1", "abel2"), 0.11, ranks=4)
    across = compare(tmp_path / "a", tmp_path / "b", "--across-paths")
    assert across.exit_code == 3
    assert "no series is in both: they differ in ranks (A 2, B 4)\n" in across.stdout
    separate = compare(tmp_path / "a", tmp_path / "b").stdout
    assert "hint" not in separate and "they differ in ranks (A 2, B 4)\n" in separate


def test_an_option_without_effect_is_refused(tmp_path: Path) -> None:
    """Hosts of a collective on several hosts are no part of a series."""
    write_log(tmp_path / "a", ("abel1", "abel2"), 3.5)
    write_log(tmp_path / "b", ("node1", "node2"), 4.7)
    arguments = ["bench", "compare", str(tmp_path / "a"), str(tmp_path / "b"), "--across-paths"]
    with pytest.raises(Refusal, match="--across-paths: no effect: both have the same series without it"):
        CliRunner().invoke(app, arguments, catch_exceptions=False)


def test_stored_campaigns_across_paths_keep_their_settings(tmp_path: Path) -> None:
    store = ["--store", str(tmp_path / "s.db")]
    for letter, host in (("a", "abel1"), ("b", "abel2")):
        write_log(tmp_path / letter, (host,), 3.5)
        CliRunner().invoke(app, ["bench", "parse", str(tmp_path / letter), *store, "--label", f"of-{letter}"])
    arguments = ["bench", "compare", "of-a", "of-b", "--across-paths", *store]
    stored = CliRunner().invoke(app, arguments, env={"COLUMNS": "160"}, catch_exceptions=False)
    assert "no settings are stored with 'of-a' and 'of-b'" in stored.stdout


def test_streams_of_two_runs_are_not_compared(tmp_path: Path) -> None:
    """The sum of four streams is a series; a single stream has another number in every run."""
    sample = Path(__file__).parents[1] / "samples" / "iperf3" / "tcp-P4.json"
    arguments = ["bench", "compare", str(sample), str(sample), "--all", "--format", "json"]
    result = json.loads(CliRunner().invoke(app, arguments, catch_exceptions=False).stdout)["comparison"]
    labels = {row["series"]["label"] for row in result["series"]}
    assert {"SUM sender", "SUM receiver"} <= labels
    assert not any(label and ("stream" in label or "interval" in label) for label in labels)
    assert result["parts"] > 0


_SEND_LATENCY = Path(__file__).parents[1] / "samples" / "perftest" / "ib_send_lat_a.client.txt"


def test_rc_and_ud_are_compared_by_size_unless_a_campaign_has_both(tmp_path: Path) -> None:
    rc = _SEND_LATENCY.read_text()
    ud = rc.replace("Connection type : RC", "Connection type : UD")
    assert rc != ud
    for name, texts in (("rc", [rc]), ("ud", [ud]), ("both", [rc, ud])):
        (tmp_path / name).mkdir()
        for number, text in enumerate(texts):
            (tmp_path / name / f"{number}.txt").write_text(text)

    def run(a: str, b: str, *options: str) -> str:
        arguments = ["bench", "compare", str(tmp_path / a), str(tmp_path / b), "--metric", "latency_typical", *options]
        result = CliRunner().invoke(app, arguments, env={"COLUMNS": "160"}, catch_exceptions=False)
        return result.stdout

    assert "hint: --across-paths compares 16 series that differ only in their hosts, interfaces or transport" in run(
        "rc", "ud"
    )
    across = run("rc", "ud", "--across-paths")
    assert "only in" not in across
    assert "  connection_type: RC → UD  (perftest ib_send_lat)" in across
    with pytest.raises(Refusal, match="--across-paths: no effect"):
        run("both", "both", "--across-paths")
