"""Re-test before calling it bad."""

from __future__ import annotations

from dataclasses import replace

import pytest
from judge_support import CLUSTER, GIB, MIB, collective, perftest, plan
from tests.benchmarks.judge.test_cli import run, write_bw
from typer.testing import CliRunner

from wirespeed.benchmarks.judge.limits import RunContext
from wirespeed.benchmarks.judge.logs import judge_logs
from wirespeed.benchmarks.tools.reader import Reading
from wirespeed.cli.app import app
from wirespeed.results.benchmarks import Measurement, Metric, Run, RunStatus
from wirespeed.results.parameters import Parameters, RankPlace
from wirespeed.results.verdicts import Judgement

ENDS = RunContext("node1:bnxt_re0", "node2:bnxt_re0")
GID = "00:00:00:00:00:00:00:00:00:00:255:255:10:01:00:{}"


def judge_runs(*runs, context=ENDS, files=None):
    names = files or [f"{index}.txt" for index in range(len(runs))]
    return judge_logs([(name, Reading((run,))) for name, run in zip(names, runs, strict=True)], plan(), context)


def write(value, **parameters):
    return perftest({MIB: value}, test="ib_write_bw", **parameters)


def outcome(judged_runs):
    return [[verdict.judgement for verdict in judged_run.verdicts] for judged_run in judged_runs]


PASS, WARN, FAIL = [Judgement.PASS], [Judgement.WARN], [Judgement.FAIL]


@pytest.mark.parametrize(
    ("values", "judgements", "reason"),
    [
        ([230.0, 391.0], [WARN, PASS], "bad once, good on the other run of this test: below 80 %"),
        ([391.0, 230.0], [PASS, WARN], "bad once, good on the other run of this test: below 80 %"),
        ([391.0, 230.0, 390.0], [PASS, WARN, PASS], "bad once, good on 2 others of this test: below 80 %"),
        ([230.0, 231.0], [FAIL, FAIL], "bad 2 times of 2: below 80 %"),
        ([230.0, 391.0, 228.0], [FAIL, PASS, FAIL], "bad 2 times of 3: below 80 %"),
    ],
)
def test_several_runs_of_one_test(values, judgements, reason):
    verdicts = judge_runs(*map(write, values))
    assert outcome(verdicts) == judgements
    bad = next(
        judged_run.verdicts[0] for judged_run in verdicts if judged_run.verdicts[0].judgement is not Judgement.PASS
    )
    assert bad.reason.startswith(reason)


@pytest.mark.parametrize(
    ("runs", "context", "files", "are_compared"),
    [
        # which pair of hosts it was stands nowhere: two pairs may have such NICs
        ([write(230.0), write(391.0)], RunContext(), None, False),
        ([write(230.0), write(391.0)], RunContext("node1:bnxt_re0"), None, False),
        # attempts of one step, and of two
        ([write(230.0), write(391.0)], RunContext(), ["logs/pair-1.1.log", "logs/pair-1.2.log"], True),
        ([write(230.0), write(391.0)], RunContext(), ["logs/pair-1.1.log", "logs/pair-2.1.log"], False),
        ([write(230.0), write(391.0)], RunContext(), ["a/pair-1.1.log", "b/pair-1.1.log"], False),
        # ends in the logs: the same, and others
        *(
            (
                [
                    write(value, local_gid=GID.format("01"), remote_gid=GID.format(end))
                    for value, end in ((230.0, "17"), (391.0, second_end))
                ],
                RunContext(),
                None,
                is_same,
            )
            for second_end, is_same in (("17", True), ("19", False))
        ),
        # another test
        ([write(230.0), write(391.0, queue_pairs=8)], ENDS, None, False),
        ([write(230.0), perftest({MIB: 391.0}, test="ib_read_bw")], ENDS, None, False),
    ],
)
def test_runs_of_one_test_are_known_only_where_it_is_certain(runs, context, files, are_compared):
    assert outcome(judge_runs(*runs, context=context, files=files))[0] == (WARN if are_compared else FAIL)


def all_reduce(busbw, **settings):
    """An all-reduce over four hosts at 8 GiB; ``None`` as a setting leaves it out."""
    stated = {"nodes": 4, "gpus_per_thread": 1, "host_names": "node1,node2,node3,node4", "datatype": "float"} | settings
    ranks = stated.pop("ranks", 32)
    return collective("all_reduce", ranks, {8 * GIB: (1e5, 100.0, busbw)}, **stated)


GOOD, BAD = 340.0, 150.0


@pytest.mark.parametrize(
    ("values", "judgements", "reason"),
    [
        ([BAD, GOOD, GOOD], [WARN, PASS, PASS], "bad once, good on 2 others of this test: below 65 %"),
        ([GOOD, BAD], [PASS, WARN], "bad once, good on the other run of this test: below 65 %"),
        ([BAD, GOOD, BAD], [FAIL, PASS, FAIL], "bad 2 times of 3: below 65 %"),
        ([BAD, BAD], [FAIL, FAIL], "bad 2 times of 2: below 65 %"),
    ],
)
def test_several_runs_of_one_collective(values, judgements, reason):
    verdicts = judge_runs(*map(all_reduce, values), context=RunContext())
    busbw = [judged_run.verdicts[1] for judged_run in verdicts]
    assert [[verdict.judgement] for verdict in busbw] == judgements
    bad = next(verdict for verdict in busbw if verdict.judgement is not Judgement.PASS)
    assert bad.reason.startswith(reason)


@pytest.mark.parametrize(
    ("settings", "of_one_test"),
    [
        ({}, True),
        ({"environment": {"NCCL_DEBUG": "INFO", "NCCL_DEBUG_SUBSYS": "INIT"}}, True),
        ({"min_message_bytes": GIB, "max_message_bytes": 8 * GIB, "iterations": 50}, True),  # sizes are compared each
        ({"environment": {"NCCL_IB_TC": "0"}}, False),
        ({"host_names": "node1,node2,node3,node5"}, False),
        ({"host_names": None}, False),
        ({"host_names": "node1,node2", "nodes": 2, "ranks": 16}, False),
        ({"datatype": "bfloat16"}, False),
        ({"reduction": "max"}, False),
        ({"root_rank": 3}, False),
        ({"gpus_per_thread": 8}, False),
        ({"graph_launches": 1}, False),
        ({"library_version": "2.21.5"}, False),
        ({"process_label": "1"}, False),
    ],
)
def test_collectives_with_other_settings_are_judged_separately(settings, of_one_test):
    bad, _ = judge_runs(all_reduce(BAD), all_reduce(GOOD, **settings), context=RunContext())
    assert bad.verdicts[1].judgement is (Judgement.WARN if of_one_test else Judgement.FAIL)


def place_ranks(*places):
    return {str(rank): RankPlace(host, rank, address) for rank, (host, address) in enumerate(places)}


FIRST_GPUS = place_ranks(("node1", "0x05"), ("node2", "0x05"))
LAST_GPUS = place_ranks(("node1", "0x85"), ("node2", "0x05"))
UNKNOWN_GPUS = place_ranks(("node1", "0x00"), ("node2", "0x00"))
GPUS_OF_ONE_BUS = place_ranks(("node1", "0x05"), ("node1", "0x05"))


@pytest.mark.parametrize(
    ("bad_places", "good_places", "files", "judgement"),
    [
        (FIRST_GPUS, FIRST_GPUS, ("a.log", "b.log"), Judgement.WARN),
        (FIRST_GPUS, LAST_GPUS, ("a.log", "b.log"), Judgement.FAIL),
        (UNKNOWN_GPUS, UNKNOWN_GPUS, ("a.log", "b.log"), Judgement.FAIL),  # the good run may be of other GPUs
        (GPUS_OF_ONE_BUS, GPUS_OF_ONE_BUS, ("a.log", "b.log"), Judgement.FAIL),
        (UNKNOWN_GPUS, UNKNOWN_GPUS, ("all.1.log", "all.2.log"), Judgement.WARN),  # attempts of one step
    ],
)
def test_a_good_run_of_other_gpus_softens_no_verdict(bad_places, good_places, files, judgement):
    runs = [all_reduce(busbw, rank_places=places) for busbw, places in ((BAD, bad_places), (GOOD, good_places))]
    bad, _ = judge_runs(*runs, context=RunContext(), files=files)
    assert bad.verdicts[1].judgement is judgement
    hides = "do not show which GPUs they used, so each is judged separately" in str(bad.notes)
    assert hides == (bad_places is not FIRST_GPUS and judgement is Judgement.FAIL)


def test_wrong_data_are_no_matter_of_chance():
    wrong = Measurement(Metric.WRONG, "elements", 3, 8 * GIB, "out-of-place", 11)
    runs = [
        Run("nccl-tests", "all_reduce", None, RunStatus.COMPLETE, None, 8, Parameters(), (wrong,) if bad else ())
        for bad in (True, False)
    ]
    assert outcome(judge_runs(*runs))[0] == FAIL


@pytest.mark.parametrize(
    ("run_", "command"),
    [
        (write(230.0), "ib_write_bw -d bnxt_re0 -m 4096 -s 1048576 --report_gbits SERVER"),
        (
            write(230.0, queue_pairs=4, gid_index=3, path_mtu_bytes=4096, bidirectional=True),
            "ib_write_bw -d bnxt_re0 -x 3 -m 4096 -q 4 -s 1048576 -b --report_gbits SERVER",
        ),
        (
            write(230.0, rdma_device="a; rm -rf /"),
            "ib_write_bw -d 'a; rm -rf /' -m 4096 -s 1048576 --report_gbits SERVER",
        ),
    ],
)
def test_one_bad_run_alone_shows_how_to_repeat_it(run_, command):
    (judged_run,) = judge_runs(run_, context=RunContext("node1:bnxt_re0"))
    assert judged_run.notes[-1] == (
        f"failed in a single run; before acting on it, run it once more:\n  {command}\n"
        "then judge both logs together with --from HOST:NIC and --to HOST:NIC"
    )
    assert judged_run.repeat == (command,)


@pytest.mark.parametrize(("context", "hosts"), [(ENDS, "node1,node2"), (RunContext(), "HOST1,HOST2")])
def test_ranks_of_a_repeated_run_are_on_two_hosts(context, hosts):
    row = Measurement(Metric.BW_AVG, "MB/s", 20_000.0, 4 * MIB, None, 9)
    osu = Run("osu-micro-benchmarks", "osu_bw", None, RunStatus.COMPLETE, None, None, Parameters(), (row,))
    (judged_run,) = judge_runs(osu, context=context)
    assert judged_run.repeat == (f"mpirun --host {hosts} --map-by node -np 2 osu_bw -m 4194304:4194304",)


@pytest.mark.parametrize(("context", "hosts"), [(ENDS, "node1 node2"), (RunContext(), "HOST1 HOST2")])
def test_ranks_of_a_repeated_run_are_started_by_the_planned_launcher(context, hosts):
    """Names of variables and other hosts that contain one of the names stay."""
    row = Measurement(Metric.BW_AVG, "MB/s", 20_000.0, 4 * MIB, None, 9)
    osu = Run("osu-micro-benchmarks", "osu_bw", None, RunStatus.COMPLETE, None, None, Parameters(), (row,))

    def start(pair, ranks_per_host, program):
        return ("mpirun_rsh", "-np", str(2 * ranks_per_host), *pair, "MV2_IBA_HCA=node1-0", "X=xnode1", *program)

    (judged_run,) = judge_runs(osu, context=replace(context, start=start))
    assert judged_run.repeat == (f"mpirun_rsh -np 2 {hosts} MV2_IBA_HCA=node1-0 X=xnode1 osu_bw -m 4194304:4194304",)


def test_a_job_whose_log_has_no_command_is_repeated_with_its_own():
    row = Measurement(Metric.BW_AVG, "MB/s", 20_000.0, 4 * MIB, None, 9)
    osu = Run("osu-micro-benchmarks", "osu_mbw_mr", None, RunStatus.COMPLETE, None, 4, Parameters(pairs=2), (row,))
    (judged_run,) = judge_runs(osu, context=replace(ENDS, nodes=2, options=("--profile", "field"), cluster="c.yaml"))
    assert judged_run.repeat == ("# the same command on the same hosts once more, with -m 4194304:4194304",)
    assert judged_run.notes[-1].endswith(
        "wirespeed bench judge 0.txt NEW.log --cluster c.yaml "
        "--from node1:bnxt_re0 --to node2:bnxt_re0 --nodes 2 --profile field"
    )


@pytest.mark.parametrize(
    ("command", "repeat"),
    [
        (
            "mpirun -np 32 -N 16 --hostfile hf ./osu_bw -m 1:8388608 -d cuda D D",
            "mpirun -np 32 -N 16 --hostfile hf ./osu_bw -m 4194304:4194304 -d cuda D D",
        ),
        ("srun -N 2 -m cyclic osu_bw --message-size=8", "srun -N 2 -m cyclic osu_bw -m 4194304:4194304"),
        ("mpirun --host 'n1;id' ./osu_bw -m8", "mpirun --host 'n1;id' ./osu_bw -m 4194304:4194304"),
    ],
)
def test_a_repeated_run_has_the_options_of_its_log(command, repeat):
    row = Measurement(Metric.BW_AVG, "MB/s", 20_000.0, 4 * MIB, None, 9)
    parameters = Parameters(command=command)
    osu = Run("osu-micro-benchmarks", "osu_bw", None, RunStatus.COMPLETE, None, 32, parameters, (row,))
    (judged_run,) = judge_runs(osu, context=ENDS)
    assert judged_run.repeat == (repeat,)


@pytest.mark.parametrize(
    ("run_", "context", "server_device", "client_device"),
    [
        (write(230.0, side="client"), RunContext("node1:enp29s0np0", "node2:bnxt_re2"), "bnxt_re2", "bnxt_re0"),
        (
            write(
                230.0, rdma_device="bnxt_re2", side="server", local_gid=GID.format("21"), remote_gid=GID.format("05")
            ),
            RunContext(),
            "bnxt_re2",
            "bnxt_re2",
        ),
    ],
)
def test_a_bad_run_between_known_nics_is_repeated_on_both_hosts(run_, context, server_device, client_device):
    (judged_run,) = judge_runs(run_, context=context)
    assert judged_run.repeat == (
        f"on node2: ib_write_bw -d {server_device} -m 4096 -s 1048576 --report_gbits",
        f"on node1: ib_write_bw -d {client_device} -m 4096 -s 1048576 --report_gbits node2",
    )


@pytest.mark.parametrize(
    ("context", "stated", "repeat"),
    [
        # the GPU of the log at its own end, and at the opposite end the GPU beside the NIC
        (
            RunContext("node2:bnxt_re4", "node1:bnxt_re1"),
            {"memory": "rocm", "rocm_device_index": 4},
            (
                "on node1: ib_write_bw -d bnxt_re1 -m 4096 -q 4 -a -b --use_rocm=1 --report_gbits",
                "on node2: ib_write_bw -d bnxt_re4 -m 4096 -q 4 -a -b --use_rocm=4 --report_gbits node1",
            ),
        ),
        (
            RunContext("node1:bnxt_re1", "node2:bnxt_re4"),
            {"memory": "rocm", "rocm_device_index": 6, "dmabuf": True, "side": "server"},
            (
                "on node2: ib_write_bw -d bnxt_re4 -m 4096 -q 4 -a -b --use_rocm=6 --use_rocm_dmabuf --report_gbits",
                "on node1: ib_write_bw -d bnxt_re1 -m 4096 -q 4 -a -b --use_rocm=1 --use_rocm_dmabuf --report_gbits "
                "node2",
            ),
        ),
        (
            RunContext(),
            {"memory": "cuda", "cuda_device_index": 2, "connection_type": "UC", "rdma_cm": True},
            ("ib_write_bw -d bnxt_re4 -m 4096 -c UC -R -q 4 -a -b --use_cuda=2 --report_gbits SERVER",),
        ),
        (
            RunContext(),
            {"connection_type": "RC", "rdma_cm": False, "send_queue_depth": 16},
            ("ib_write_bw -d bnxt_re4 -m 4096 -q 4 -t 16 -a -b --report_gbits SERVER",),
        ),
        (
            RunContext(),
            {"connection_type": "RC", "send_queue_depth": 128},
            ("ib_write_bw -d bnxt_re4 -m 4096 -q 4 -a -b --report_gbits SERVER",),
        ),
    ],
)
def test_a_repeated_run_of_perftest_has_the_memory_and_all_bad_sizes_of_its_log(context, stated, repeat):
    run_ = perftest(
        {4 * MIB: 300.0, 8 * MIB: 310.0},
        test="ib_write_bw",
        **{"rdma_device": "bnxt_re4", "queue_pairs": 4, "bidirectional": True, **stated},
    )
    (judged_run,) = judge_runs(run_, context=context)
    assert judged_run.repeat == repeat


def test_the_gids_of_a_log_name_its_ends():
    gids = {"local_gid": GID.format("05"), "remote_gid": GID.format("21")}
    client, server = judge_runs(
        write(391.0, rdma_device="bnxt_re2", side="client", **gids),
        write(391.0, rdma_device="bnxt_re2", side="server", **gids),
        context=RunContext(),
    )
    assert (client.source, client.target) == ("node1:bnxt_re2", "node2:bnxt_re2")
    assert (server.source, server.target) == ("node2:bnxt_re2", "node1:bnxt_re2")


@pytest.mark.parametrize(
    ("settings", "combined"),
    [
        ({}, "then judge both logs together"),
        (
            {"host_names": None},
            "then judge its log too: the logs do not name their hosts, so each is judged separately",
        ),
        (
            {"test": None},
            "then judge both logs together with their command line: "
            "this log does not name its test, so each run is judged separately",
        ),
    ],
)
def test_a_bad_collective_is_repeated_with_its_own_command(settings, combined):
    """The log does not hold its host file and library variables, so no other command measures the same."""
    repeated = all_reduce(BAD, **{name: value for name, value in settings.items() if name != "test"})
    named = replace(repeated, test=settings.get("test", "all_reduce"))
    (judged_run,) = judge_runs(named, context=RunContext(collective=None if named.test else "all_reduce"))
    assert judged_run.notes[-1] == (
        "failed in a single run; before acting on it, run the same command on the same hosts once more, "
        f"with -b 8589934592 -e 8589934592 -f 2; {combined}"
    )
    assert judged_run.repeat == (
        "# the same command on the same hosts once more, with -b 8589934592 -e 8589934592 -f 2",
    )


def test_a_repeat_between_unknown_nics_needs_their_names():
    (judged_run,) = judge_runs(write(230.0), context=RunContext())
    assert judged_run.notes[-1].endswith("\nthen judge both logs together with --from HOST:NIC and --to HOST:NIC")


def test_a_repeat_without_header_lines_needs_them():
    """The ends are known, but the runs cannot be paired: another pair of --from and --to would not help."""
    (judged_run,) = judge_runs(replace(write(230.0), test=None), context=RunContext("node1:bnxt_re0", "node2:bnxt_re0"))
    assert judged_run.notes[-1].endswith(
        '; then judge both logs together with their header lines (such as "RDMA_Write BW Test"): '
        "this log does not name its test, so each run is judged separately"
    )


def test_a_good_run_alone_needs_no_other():
    (judged_run,) = judge_runs(write(391.0))
    assert not any("once more" in note for note in judged_run.notes)


@pytest.mark.parametrize(
    ("ends", "stated"),
    [
        (("--from", "node1:bnxt_re0", "--to", "node2:bnxt_re0"), "--from node1:bnxt_re0 --to node2:bnxt_re0"),
        (("--from", "node1:bnxt_re0"), "--from node1:bnxt_re0 --to HOST:NIC"),
        ((), "--from HOST:NIC --to HOST:NIC"),
    ],
)
def test_the_command_that_judges_both_logs_is_printed(tmp_path, ends, stated):
    result = run(tmp_path, write_bw(230.0), *ends)
    command = f"wirespeed bench judge {tmp_path}/write_bw.txt NEW.log --cluster {CLUSTER} {stated}"
    printed = "".join(result.stdout.split())  # notes wrap
    assert f"then judge both logs together: {command}".replace(" ", "") in printed
    second_file = tmp_path / "again.txt"
    second_file.write_text(write_bw(391.0), encoding="utf-8")
    if len(ends) == 4:
        assert CliRunner().invoke(app, command.replace("NEW.log", str(second_file)).split()[1:]).exit_code == 0


def test_from_files_to_exit_code(tmp_path):
    second_file = tmp_path / "again.txt"
    second_file.write_text(write_bw(391.0), encoding="utf-8")
    ends = ("--from", "node1:bnxt_re0", "--to", "node2:bnxt_re0")
    assert run(tmp_path, write_bw(230.0), *ends).exit_code == 1
    assert run(tmp_path, write_bw(230.0), str(second_file), *ends).exit_code == 0
