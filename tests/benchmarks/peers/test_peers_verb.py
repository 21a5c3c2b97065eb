"""``wirespeed bench peers``: from files to suspects, as text for people."""

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from wirespeed.benchmarks.run import create_folder, open_folder
from wirespeed.cli.app import app
from wirespeed.cli.exit import Exit
from wirespeed.errors import Refusal
from wirespeed.results.campaign import Attempt, Campaign, Command, Grade, Outcome, Step

FOLDER = Path(__file__).parent
SAMPLES = FOLDER.parents[1] / "samples"
CLUSTER = FOLDER.parents[2] / "examples/mi300x-4node/cluster.yaml"
MPIGRAPH = "tests/samples/mpigraph/four-nodes.txt"

PERFTEST = """\
---------------------------------------------------------------------------------------
                    RDMA_Write Bidirectional BW Test
 Dual-port       : OFF          Device         : bnxt_re0
 Number of qps   : 1            Transport type : IB
 Connection type : RC           Using SRQ      : OFF
 Mtu             : 4096[B]
 Link type       : Ethernet
---------------------------------------------------------------------------------------
 #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
 1048576    1000             {value:.2f}             {value:.2f}             0.046
---------------------------------------------------------------------------------------
"""
NICS = [f"node{host}:bnxt_re{rail}" for host in range(1, 5) for rail in range(8)]


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    """A hundred attempts need not reach the disk one by one."""
    monkeypatch.setattr(os, "fsync", lambda file: None)


def peers(*arguments):
    result = CliRunner().invoke(app, ["bench", "peers", *map(str, arguments)], env={"COLUMNS": "120", "NO_COLOR": "1"})
    if isinstance(result.exception, Exception):
        raise result.exception
    return result


def same_rail():
    return [(a, b) for a in NICS for b in NICS if a[:5] < b[:5] and a[-1] == b[-1]]


def campaign(folder, value, attempts=1, fails=()):
    """What bench run writes: a step for each pair of NICs of a rail, and its attempts."""
    steps = tuple(
        Step(
            id=f"{a}.{b}".replace(":", "-"),
            test="ib_write_bw",
            ends=f"{a} -> {b}",
            client=Command(a[:5], ("ib_write_bw",)),
            limit_s=30,
            seconds=3,
            source=a,
            target=b,
        )
        for a, b in same_rail()
    )
    opened = create_folder(folder, Campaign("", "matrix", "mi300x-4node", steps))
    for step in steps:
        for number in range(1, attempts + 1):
            failed = any(name in (step.source, step.target) for name in fails)
            text = "ssh: connect to host: no route to host\n" if failed else PERFTEST.format(value=value(step))
            log = opened.keep(step, number, text.encode(), None)
            status = Outcome.UNREACHABLE if failed else Outcome.DONE
            opened.note(Attempt(step.id, number, status, 0, "2026-11-21T08:00:00Z", 3.0, Grade.GOOD, log))
    return folder


def through(step, *names):
    return any(name in (step.source, step.target) for name in names)


def golden(name, text):
    file = FOLDER / name
    if os.environ.get("WIRESPEED_ACCEPT") == "1":
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


def test_a_pair_matrix_in_a_terminal(monkeypatch):
    monkeypatch.chdir(FOLDER.parents[2])
    result = peers(MPIGRAPH)
    assert result.exit_code == Exit.INCOMPLETE  # suspects that were measured once
    golden("mpigraph.txt", result.stdout)


def test_a_failed_pair_of_a_matrix_is_a_suspect():
    result = peers("tests/samples/pair_matrix/gbps-and-latency.txt")
    assert result.exit_code == Exit.INCOMPLETE
    assert "  node4  █ ▒ x ·\n" in result.stdout
    assert "SUSPECT   path node4 -> node3: failed\n    only this direction failed\n" in result.stdout
    assert "all: 12 results" in result.stdout
    assert "multiple of the peers' median: █ ≤ 1.05 ×" in result.stdout
    assert "node3 and node4 are slow by the same factor" in result.stdout


@pytest.mark.parametrize(
    ("log", "reason"),
    [
        (("nccl_tests/all-reduce-2-nodes.txt",), "a run over several hosts (alpha, beta) does not show which is slow"),
        (("osu/osu74_hello.txt",), "no comparable result in the log"),
        (("pair_matrix/gbps-and-latency.txt", "--metric", "busbw"), "no busbw in the log"),
    ],
)
def test_why_a_log_is_not_compared(log, reason):
    result = peers(f"tests/samples/{log[0]}", *log[1:])
    assert f"note: not compared, {reason}: " in result.stdout


def test_a_slow_nic_of_a_campaign_with_the_commands_that_measure_it_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cluster.yaml").write_text(CLUSTER.read_text())
    campaign(tmp_path / "matrix", lambda step: 197.0 if through(step, "node3:bnxt_re5") else 391.0)
    result = peers("matrix", "--cluster", "cluster.yaml")
    assert result.exit_code == Exit.INCOMPLETE
    golden("slow-nic.txt", result.stdout)


def test_what_a_second_attempt_shows_again_is_confirmed(tmp_path):
    folder = campaign(tmp_path / "matrix", lambda step: 197.0 if through(step, "node3:bnxt_re5") else 391.0, attempts=2)
    result = peers(folder, "--cluster", CLUSTER, "--format", "json")
    assert result.exit_code == Exit.FAILED
    body = json.loads(result.stdout)
    assert (body["kind"], body["schema"]) == ("bench-peers", 2)
    (matrix,) = body["peers"]["matrices"]
    (suspect,) = matrix["suspects"]
    assert (suspect["kind"], suspect["name"], suspect["confirmed"]) == ("NIC", "node3:bnxt_re5", True)
    assert [group["name"] for group in matrix["groups"]] == ["same leaf, broadcom-bcm957608-p1400gd at 400 Gb/s"]


def test_a_rail_is_found_from_its_nics(tmp_path):
    folder = campaign(tmp_path / "matrix", lambda step: 300.0 if step.source.endswith("re2") else 391.0)
    result = peers(folder, "--cluster", CLUSTER)
    assert "SUSPECT   rail 3: 76.7 % of its peers" in result.stdout


def test_a_host_that_does_not_answer_is_named(tmp_path):
    down = [name for name in NICS if name.startswith("node2")]
    folder = campaign(tmp_path / "matrix", lambda step: 391.0, fails=down)
    result = peers(folder, "--cluster", CLUSTER)
    assert "SUSPECT   host node2: failed" in result.stdout
    assert "24 of 24 cells failed" in result.stdout


def test_what_narrowed_down_counts_too(tmp_path):
    """A step that bench run added later is only in the journal."""
    folder = campaign(tmp_path / "matrix", lambda step: 197.0 if through(step, "node3:bnxt_re5") else 391.0)
    result_folder = open_folder(folder)
    for number, nodes in enumerate(((1, 3), (2, 3), (3, 4))):
        ends = " -> ".join(f"node{node}:bnxt_re5" for node in nodes)
        log = f"logs/narrow1.{number}.log"
        (folder / log).write_text(PERFTEST.format(value=197.0))
        ended = (Outcome.DONE, 0, "2026-11-21T08:00:00Z", 3.0, Grade.BAD, log, None, ends)
        result_folder.note(Attempt(f"narrow1.{number}", 1, *ended))
    result = peers(folder, "--cluster", CLUSTER)
    assert "CONFIRMED NIC node3:bnxt_re5: 50.4 % of its peers" in result.stdout
    assert "    next: `wirespeed collect`, then `wirespeed check`" in result.stdout
    assert result.exit_code == Exit.FAILED


def test_healthy_peers_pass(tmp_path):
    folder = campaign(tmp_path / "matrix", lambda step: 391.0 - 0.1 * (hash(step.id[-1]) % 3))
    result = peers(folder, "--cluster", CLUSTER)
    assert result.exit_code == Exit.PASSED
    assert result.stdout.endswith("48 results compared, no suspect\n")


def test_hosts_by_the_names_of_their_logs(tmp_path):
    log = (SAMPLES / "nccl_tests/srun-label-cut.txt").parent
    text = next(path for path in sorted(log.glob("*.txt")) if "OK" in path.read_text()).read_text()
    for host in range(1, 5):
        folder = tmp_path / f"node{host}"
        folder.mkdir()
        (folder / "run.log").write_text(text)
    result = peers(tmp_path, "--cluster", CLUSTER, "--format", "json")
    (matrix, *_) = json.loads(result.stdout)["peers"]["matrices"]
    assert [cell["source"] for cell in matrix["cells"]] == ["node1", "node2", "node3", "node4"]
    assert all(cell["target"] is None and cell["fraction"] == 1 for cell in matrix["cells"])
    assert result.exit_code == Exit.PASSED


def test_hosts_by_the_rank_lines_of_their_logs(tmp_path):
    """A run on one host belongs to that host, whatever the name of its file."""
    text = (SAMPLES / "nccl_tests/all-reduce-2-nodes.txt").read_text().replace(" beta ", "alpha ")
    text = text[text.index("#") : text.index("   268435456")]
    for host in range(1, 5):
        (tmp_path / f"run{host}.txt").write_text(text.replace("alpha", f"node{host}"))
    result = peers(tmp_path, "--format", "json")
    (matrix, *_) = json.loads(result.stdout)["peers"]["matrices"]
    assert [cell["source"] for cell in matrix["cells"]] == ["node1", "node2", "node3", "node4"]


P2P = SAMPLES / "p2p_bandwidth/cut-and-error.txt"


def test_gpus_of_one_host():
    """A slow link between two GPUs; a copy of a GPU to itself is another measurement."""
    result = peers(P2P)
    assert "SUSPECT   pair GPU0 and GPU3: 10.0 % of its peers" in result.stdout
    assert "GPU to another GPU inside one host: 12 results" in result.stdout
    assert "GPU to itself inside one host: 4 results" in result.stdout


def test_the_same_pair_of_gpus_in_every_host(tmp_path):
    for host in range(1, 5):
        text = P2P.read_text()
        (tmp_path / f"node{host}.log").write_text(text.replace("361.", "161.") if host == 2 else text)
    result = peers(tmp_path, "--cluster", CLUSTER, "--format", "json")
    matrices = json.loads(result.stdout)["peers"]["matrices"]
    suspects = {(suspect["kind"], suspect["name"]) for matrix in matrices for suspect in matrix["suspects"]}
    assert all("node2" in name for _, name in suspects)
    assert suspects
    assert all(group["cells"] == 4 for matrix in matrices for group in matrix["groups"])


def test_copies_from_memory_are_no_like_of_those_between_gpus():
    result = peers(SAMPLES / "rocm_bandwidth/unidirectional-and-bidirectional.txt")
    assert "CPU to GPU inside one host: 4 results" in result.stdout
    assert "GPU to CPU inside one host: 4 results" in result.stdout
    assert "SUSPECT" not in result.stdout


def test_both_directions_of_a_pair_have_the_same_members():
    result = peers(*sorted((SAMPLES / "transferbench").glob("*.txt")), "--format", "json")
    names = {
        member["name"] for matrix in json.loads(result.stdout)["peers"]["matrices"] for member in matrix["members"]
    }
    assert names
    assert all(name[:3] in ("GPU", "CPU") and name[3:].isdecimal() for name in names - {"none"})


def test_logs_of_unknown_ends_are_incomplete(tmp_path):
    (tmp_path / "a.log").write_text(PERFTEST.format(value=391.0))
    result = peers(tmp_path)
    assert result.exit_code == Exit.INCOMPLETE
    assert "not compared, the log does not name its hosts" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--from", "node1:bnxt_re0"), "--from and --to: only one of them is given"),
        (("--metric", "speed"), "--metric: no metric named 'speed'"),
    ],
)
def test_refusals(arguments, message):
    with pytest.raises(Refusal) as refusal:
        peers(FOLDER.parents[2] / MPIGRAPH, *arguments)
    assert str(refusal.value.problems[0]).startswith(message)


def test_a_stored_campaign_is_compared_as_its_folder_is(tmp_path):
    """Those of failed steps too, whose logs hold nothing of a tool."""
    folder = tmp_path / "run"
    slow = campaign(folder, lambda step: 190.0 if through(step, "node2:bnxt_re3") else 391.0, fails=("node4:bnxt_re7",))
    store = tmp_path / "store.db"
    result = CliRunner().invoke(app, ["bench", "parse", str(slow), "--store", str(store), "--label", "night"])
    assert result.exit_code == Exit.PASSED, result.output
    of_folder = peers(slow, "-c", CLUSTER, "-f", "json")
    of_store = peers("--campaign", "night", "--store", store, "-c", CLUSTER, "-f", "json")
    assert of_store.exit_code == of_folder.exit_code
    matrices = [json.loads(printed.stdout)["peers"]["matrices"] for printed in (of_folder, of_store)]
    assert [[suspect["name"] for suspect in matrix["suspects"]] for matrix in matrices[0]] == [
        [suspect["name"] for suspect in matrix["suspects"]] for matrix in matrices[1]
    ]
    assert [len(matrix["cells"]) for matrix in matrices[0]] == [len(matrix["cells"]) for matrix in matrices[1]]
    assert any(f"--campaign night --store {store}" in line for line in of_store.stdout.splitlines())


def test_nothing_to_compare_is_refused():
    with pytest.raises(Refusal, match=r"bench: no log is given"):
        peers("-c", CLUSTER)


@pytest.mark.parametrize(
    ("second", "warning"),
    [("copy.txt", "found the same bytes as"), ("matrix.txt", "found the same file a second time")],
)
def test_a_copy_of_a_log_confirms_nothing(tmp_path, second, warning):
    for name in ("matrix.txt", "copy.txt"):
        (tmp_path / name).write_bytes((FOLDER.parents[2] / MPIGRAPH).read_bytes())
    result = peers(tmp_path / "matrix.txt", tmp_path / second)
    assert (result.exit_code, "CONFIRMED" in result.stdout) == (Exit.INCOMPLETE, False)
    assert warning in result.stderr


def test_a_result_folder_that_is_named_twice_confirms_nothing(tmp_path):
    folder = campaign(tmp_path / "run", lambda step: 190.0 if through(step, "node2:bnxt_re3") else 391.0)
    result = peers(folder, folder, "-c", CLUSTER)
    assert (result.exit_code, "CONFIRMED" in result.stdout) == (Exit.INCOMPLETE, False)
    assert "found the same file a second time" in result.stderr


SLOW_PAIR = """\
ib_write_bw -s 1M (Gb/s)
from\\to node1 node2 node3 node4
node1 - 390.1 390.2 390.3
node2 390.4 - {value} 390.0
node3 390.1 390.2 - 390.3
node4 390.4 390.1 390.2 -
"""


@pytest.mark.parametrize(
    ("values", "lines", "absent"),
    [
        ((302.1, 389.8), ("measured 2 times, slow in 1, normal in 1", "not slow in each of 2 logs"), "measured once"),
        ((302.1,), ("measured once; to confirm",), "measured 2 times"),
    ],
)
def test_a_path_that_was_normal_in_another_log_is_not_measured_once(tmp_path, values, lines, absent):
    for number, value in enumerate(values):
        (tmp_path / f"m{number}.txt").write_text(SLOW_PAIR.format(value=value) + "\n" * number)
    result = peers(tmp_path)
    assert all(line in result.stdout for line in lines)
    assert absent not in result.stdout


def write_perftest_logs(folder, value, size=65536, hosts=range(1, 5)):
    """Logs of ib_write_bw in one direction between the first NICs of hosts, which their GIDs name."""
    folder.mkdir(parents=True)
    for a in hosts:
        for b in hosts:
            text = PERFTEST.replace("Bidirectional ", "").replace("1048576", str(size)).format(value=value(a, b))
            local, remote = (f"00:00:00:00:00:00:00:00:00:00:255:255:10:01:00:{16 * host - 15:02}" for host in (a, b))
            number = "LID 0000 QPN 0x0089 PSN 0x5c1a3b"
            ends = f" local address: {number}\n GID: {local}\n remote address: {number}\n GID: {remote}\n"
            text = text.replace(" #bytes", f"{ends}{'-' * 87}\n #bytes")
            if a != b:
                (folder / f"{a}-{b}.log").write_text(text, encoding="utf-8")
    return folder


def test_the_retest_measures_the_size_and_direction_of_the_logs(tmp_path):
    logs = write_perftest_logs(tmp_path / "logs", lambda a, b: 190.0 if b == 3 else 391.0 + a / 10)
    result = peers(logs, "-c", CLUSTER)
    folder = "retest-node3-bnxt-re0"
    command = "ib_write_bw -d bnxt_re0 -m 4096 -s 65536 --report_gbits"
    lines = [line.strip() for line in result.stdout.splitlines()]
    start = lines.index(f"mkdir -p {folder}")
    assert lines[start + 1] == (
        f"ssh node3 '{command}' > /dev/null & sleep 3; ssh node1 '{command} node3' "
        f"| tee {folder}/node1-bnxt_re0-node3-bnxt_re0.log"
    )
    assert lines[start + 4] == f"wirespeed bench peers {logs} {folder} --cluster {CLUSTER}"


def test_logs_of_another_size_are_named(tmp_path):
    logs = write_perftest_logs(tmp_path / "logs", lambda a, b: 391.0 + a / 10)
    large = write_perftest_logs(tmp_path / "others", lambda a, b: 390.0 + a / 10, size=1 << 20, hosts=(1, 2))
    note = (
        f"not compared, results of 1 MiB where most logs have another size: {large}/1-2.log, {large}/2-1.log; "
        "`--size 1MiB` compares them"
    )
    assert note in peers(logs, large, "-c", CLUSTER).stdout
    assert "not compared, results" not in peers(logs, large, "-c", CLUSTER, "--size", "1MiB").stdout


def test_a_log_of_one_nic_with_itself_is_named(tmp_path):
    logs = write_perftest_logs(tmp_path / "logs", lambda a, b: 391.0 + a / 10)
    text = (logs / "1-2.log").read_text(encoding="utf-8")
    (logs / "1-2.log").write_text(text.replace("10:01:00:17", "10:01:00:01"), encoding="utf-8")
    result = peers(logs, "-c", CLUSTER)
    assert f"not compared, sender and receiver are the same NIC: {logs}/1-2.log\n" in result.stdout


def write_mpigraph_log(folder, has_receivers=True):
    """Four hosts, with a slow path from node3 to node1, with or without the values of the receivers."""
    text = (SAMPLES / "mpigraph/four-nodes.txt").read_text(encoding="utf-8")
    folder.mkdir()
    tables = text.partition("Recv max")[0]
    (folder / "mpigraph.log").write_text(text if has_receivers else f"{tables}END mpiGraph\n", encoding="utf-8")
    return folder


def test_a_suspect_that_a_retest_confirms_is_confirmed_at_both_ends(tmp_path):
    """Only the retest has the values of the receivers."""
    logs = write_mpigraph_log(tmp_path / "logs", has_receivers=False)
    result = peers(logs, write_mpigraph_log(tmp_path / "retest-node3-node1"))
    assert result.exit_code == Exit.FAILED
    assert "measured once" not in result.stdout
    assert result.stdout.count("CONFIRMED path node3 -> node1") == 2
    assert "2 suspects, 2 confirmed" in result.stdout or "1 suspect, 1 confirmed" in result.stdout


def test_the_folder_of_a_retest_is_none_of_the_inputs(tmp_path):
    folder = write_mpigraph_log(tmp_path / "retest-node3-node1")
    result = peers(folder)
    assert "| tee retest-node3-node1-2/mpigraph.log" in result.stdout
    assert f"wirespeed bench peers {folder} retest-node3-node1-2\n" in result.stdout


def test_a_row_that_was_not_measured_is_not_called_slow():
    result = peers("tests/samples/pair_matrix/gbps-and-latency.txt")
    assert "its column is slow, its row was not measured: its receiving direction, or the host" in result.stdout


def test_a_log_with_a_result_is_not_listed_as_one_without(tmp_path):
    result = peers("tests/samples/pair_matrix/markdown-received.txt")
    assert "6 results compared" in result.stdout
    assert "no comparable result" not in result.stdout


def test_half_the_rate_in_one_direction_is_no_slot_of_half_width(tmp_path):
    """A slot or port that lost half of its width is slow in both directions."""
    rows = "\n".join(
        f"node{a} " + " ".join("-" if a == b else "200" if b == 3 else "390" for b in range(1, 5)) for a in range(1, 5)
    )
    (tmp_path / "m.txt").write_text(f"from\\to (Gb/s) node1 node2 node3 node4\n{rows}\n")
    result = peers(tmp_path)
    assert (
        "rate of its peers in one direction: 2 flows share a link in this direction, or the receiving" in result.stdout
    )
    assert "width" not in result.stdout


def test_too_few_results_are_stated_once_and_explained_in_the_legend():
    result = peers("tests/samples/mesh/rdma.txt")
    assert result.stdout.count("too few to compare (at least 4 needed)") >= 1
    assert "note: too few" not in result.stdout
    assert "? not compared" in result.stdout


def test_a_size_that_no_log_has_is_stated(tmp_path):
    (tmp_path / "m.txt").write_text(SLOW_PAIR.format(value=390.2))
    result = peers(tmp_path, "--size", "8GiB")
    assert result.exit_code == Exit.INCOMPLETE
    assert "note: no result of 8 GiB; sizes in the logs: none given" in result.stdout


def test_hosts_outside_the_cluster_file_come_last(tmp_path):
    (tmp_path / "m.txt").write_text(SLOW_PAIR.format(value=390.2).replace("node2", "other"))
    result = peers(tmp_path, "--cluster", CLUSTER)
    assert "one host known, the other not in the cluster file: 6 results" in result.stdout
    assert result.stdout.index("  node4") < result.stdout.index("  other")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ((), "add --cluster, or give --from and --to"),
        (("--cluster", CLUSTER), "the folder names node98, node99 are no hosts of the cluster file"),
    ],
)
def test_why_folder_names_are_not_hosts(tmp_path, options, reason):
    for name in ("node98", "node99"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.log").write_text(PERFTEST.format(value=391.0 if name == "node98" else 390.0))
    assert reason in peers(tmp_path, *options).stdout


def test_ends_are_refused_where_every_log_names_its_own():
    sample = Path(__file__).parents[2] / "samples" / "mpigraph" / "two-ranks-per-node-cut.txt"
    result = CliRunner().invoke(app, ["bench", "peers", str(sample), "--from", "node1:a", "--to", "node2:a"])
    assert isinstance(result.exception, Refusal)
    assert "no effect: every log names the ends of its values" in str(result.exception)
