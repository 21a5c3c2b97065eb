import dataclasses
import json

import pytest
from judge_support import CLUSTER, plan
from test_overlay_verdicts import observe

from wirespeed.benchmarks import parse
from wirespeed.benchmarks.endpoints.nics import NicPlace, find_socket_limits
from wirespeed.benchmarks.judge.runs import judge
from wirespeed.catalogue import load
from wirespeed.cluster import read
from wirespeed.facts import assemble_facts
from wirespeed.plan import build
from wirespeed.plan.overlay import overlay_facts
from wirespeed.results.benchmarks import Measurement, Metric, Run, RunStatus
from wirespeed.results.parameters import Parameters
from wirespeed.results.verdicts import Judgement

EXAMPLES = CLUSTER.parents[1]
ADDRESSES = {"local_address": "10.1.0.1", "remote_address": "10.1.0.17"}


def iperf(bitrates, test="TCP", **parameters):
    """A run of iperf3: label -> Gb/s."""
    measurements = tuple(
        Measurement(Metric.BITRATE, "Gb/s", value, None, label, line)
        for line, (label, value) in enumerate(bitrates.items(), 5)
    )
    return Run(
        "iperf3", test, "3.16", RunStatus.COMPLETE, None, None, Parameters(**(parameters or ADDRESSES)), measurements
    )


def verdicts(run, **ends):
    return {verdict.measurement.label: verdict for verdict in judge(run, plan(), **ends).verdicts}


@pytest.mark.parametrize(
    ("bitrates", "judged"),
    [
        ({"stream 5 sender": 380.0, "stream 5 receiver": 379.0}, {"stream 5 receiver"}),
        ({"stream 5 sender": 380.0}, {"stream 5 sender"}),
        ({"stream 5": 380.0}, {"stream 5"}),
        (
            {"stream 5 interval 0.00-1.00": 370.0, "SUM interval 0.00-1.00": 380.0, "SUM sender": 381.0,
             "SUM receiver": 380.0, "stream 5 receiver": 190.0},
            {"SUM receiver"},
        ),
        (
            {"stream 5 TX-C sender": 380.0, "stream 5 TX-C receiver": 379.0, "stream 7 RX-C sender": 370.0,
             "stream 7 RX-C receiver": 369.0},
            {"stream 5 TX-C receiver", "stream 7 RX-C receiver"},
        ),
        ({"stream 5 receiver": 190.0, "stream 7 receiver": 190.0}, set()),
        ({"stream 5 interval 0.00-1.00": 380.0}, set()),
    ],
)  # fmt: skip
def test_the_whole_run_is_judged(bitrates, judged):
    verdict_by_label = verdicts(iperf(bitrates))
    assert {label for label, verdict in verdict_by_label.items() if verdict.judgement is not Judgement.SKIP} == judged


@pytest.mark.parametrize(
    ("value", "judgement"),
    [(390.0, Judgement.PASS), (190.0, Judgement.WARN), (29.0, Judgement.WARN), (400.0, Judgement.UNKNOWN)],
)
def test_tcp(value, judgement):
    verdict = verdicts(iperf({"SUM receiver": value}))["SUM receiver"]
    assert verdict.judgement is judgement
    assert verdict.physical.value == pytest.approx(400 * 8960 / 9038)
    assert verdict.reachable.value == pytest.approx(400 * 8948 / 9038)


def test_udp_counts_its_datagrams():
    verdict = verdicts(iperf({"stream 5": 360.0}, "UDP", **ADDRESSES, message_bytes=1460))["stream 5"]
    assert verdict.physical.value == pytest.approx(400 * 1460 / (1460 + 28 + 38))


def test_a_server_that_is_named_twice_is_one_end():
    """In "Connecting to host" and in the line of the connection."""
    run = iperf({"SUM receiver": 390.0}, server_address=ADDRESSES["remote_address"], **ADDRESSES)
    ends = verdicts(run)["SUM receiver"].reachable.assumptions[0]
    assert ends == "the log contains the addresses of node1:bnxt_re0 and node2:bnxt_re0"


def test_assumptions():
    assert verdicts(iperf({"SUM receiver": 390.0}))["SUM receiver"].reachable.assumptions == (
        "the log contains the addresses of node1:bnxt_re0 and node2:bnxt_re0",
        "PCIe MaxPayload 256 bytes (usual value; not collected)",
        "MTU 9000 as planned",
        "no CPU limit is included: a single stream is usually limited by one core",
    )


def test_addresses_of_another_cluster_are_unknown_until_named():
    run = iperf({"SUM receiver": 390.0}, local_address="192.0.2.1", remote_address="192.0.2.2")
    unknown = verdicts(run)["SUM receiver"]
    assert (unknown.judgement, unknown.reason) == (
        Judgement.UNKNOWN,
        "the log's addresses are on no NIC of mi300x-4node: name both NICs with --from HOST:NIC --to HOST:NIC",
    )
    assert verdicts(run, source="node1:bnxt_re0")["SUM receiver"].judgement is Judgement.PASS


def test_another_tool_has_no_limit():
    run = Run("other", None, None, RunStatus.COMPLETE, None, None, Parameters(), iperf({"SUM": 1.0}).measurements)
    assert verdicts(run)["SUM"].reason == "no limits are known for other"


def program(tool, test, value, unit="Gb/s", label=None, **parameters):
    row = Measurement(Metric.BW_AVG, unit, value, None, label, 5)
    return Run(tool, test, None, RunStatus.COMPLETE, None, None, Parameters(**parameters), (row,))


@pytest.mark.parametrize(
    ("run", "judgement"),
    [
        (program("qperf", "tcp_bw", 390.0), Judgement.PASS),
        (program("qperf", "tcp_bw", 48.9, "GB/s"), Judgement.PASS),
        (program("qperf", "tcp_bw", 25.0), Judgement.WARN),
        (program("qperf", "udp_bw", 390.0, label="recv"), Judgement.PASS),
        (program("qperf", "rc_bw", 391.0), Judgement.PASS),
        (program("qperf", "rc_rdma_write_bw", 200.0), Judgement.FAIL),
        (program("qperf", "tcp_bw", 500.0), Judgement.UNKNOWN),
        (program("sockperf", "throughput", 3.0, protocol="UDP"), Judgement.SKIP),
        (program("sockperf", "throughput", 500.0, protocol="UDP"), Judgement.UNKNOWN),
    ],
)
def test_qperf_and_sockperf(run, judgement):
    (verdict,) = judge(run, plan(), source="node1:bnxt_re0", target="node2:bnxt_re0").verdicts
    assert verdict.judgement is judgement


@pytest.mark.parametrize(
    ("version", "streams", "reachable", "binding"),
    [
        ("3.16", 8, 198.0, "line rate × TCP framing"),
        ("3.16", 4, 4 * 29.7, "TCP cores"),
        ("3.9", 4, 29.7, "TCP cores"),  # all streams on one core
        ("3.13-mt1", 4, 4 * 29.7, "TCP cores"),
        (None, 4, 4 * 29.7, "TCP cores"),
    ],
)
def test_what_cores_receive_where_it_was_measured(version, streams, reachable, binding):
    plan_variant = build(read(CLUSTER.parents[1] / "esnet-400g" / "cluster.yaml"), load())
    host, settings = next(iter(plan_variant.hosts.items()))
    row = Measurement(Metric.BITRATE, "Gb/s", 20.0, None, "SUM receiver", 5)
    run = Run("iperf3", "TCP", version, RunStatus.COMPLETE, None, None, Parameters(streams=streams), (row,))
    judged = judge(run, plan_variant, source=f"{host}:{next(iter(settings.nics))}")
    (verdict,) = judged.verdicts
    assert (verdict.reachable.value, verdict.reachable.bottleneck) == (pytest.approx(reachable, rel=1e-3), binding)
    is_core = binding == "TCP cores"  # published rates of streams to one core, none of which was shown to be busy
    assert any("29.7 Gb/s a core is a published rate" in text for text in verdict.reachable.assumptions) is is_core
    assert any("the log does not prove that cores are the limit" in note for note in judged.notes) is is_core


def test_a_slot_of_eight_lanes_limits_tcp():
    """ESnet's NIC of 200 Gb/s in half a slot of PCIe 4.0: 105 Gb/s are all of it, and a slow NIC for the design."""
    esnet = build(read(EXAMPLES / "esnet-400g" / "cluster.yaml"), load())
    host = next(iter(esnet.hosts.values()))
    name, nic = next((name, nic) for name, nic in host.nics.items() if nic.addresses)
    place = NicPlace(next(iter(esnet.hosts)), name, nic)
    design = find_socket_limits(esnet, place, [])
    function = host.pcie[nic.pcie]
    half = dataclasses.replace(function, link=dataclasses.replace(function.link, width=8))
    narrow = dataclasses.replace(host, pcie={**host.pcie, nic.pcie: half})
    degraded = dataclasses.replace(esnet, hosts={**esnet.hosts, place.host: narrow})
    limits = find_socket_limits(degraded, place, [])
    assert (design.physical.bottleneck, limits.physical.bottleneck) == ("line rate × TCP framing", "NIC slot")
    assert limits.physical.value == pytest.approx(16 * 8 * 128 / 130 * 256 / 280, rel=1e-3)


def test_a_run_refutes_the_limit_of_its_cores():
    """The catalogue's rate of one core comes from a run that its line limited (ESnet); 111 Gb/s are more."""
    esnet = build(read(EXAMPLES / "esnet-400g" / "cluster.yaml"), load())
    run = Run(
        *("iperf3", "TCP", "3.9", RunStatus.COMPLETE, None, None),
        Parameters(streams=8),
        (Measurement(Metric.BITRATE, "Gb/s", 111.0, None, "SUM receiver", 9),),
    )
    hosts = list(esnet.hosts)
    nics = [next(name for name, nic in esnet.hosts[host].nics.items() if nic.rail is not None) for host in hosts[:2]]
    judged = judge(run, esnet, source=f"{hosts[0]}:{nics[0]}", target=f"{hosts[1]}:{nics[1]}")
    assert judged.verdicts[0].fraction_of_reachable < 1
    assert any("the cores received 111 Gb/s, more than" in note for note in judged.notes)


ONE_CORE = "iperf3 before 3.16 works all streams on one core: use a later release, or several processes"


@pytest.mark.parametrize(
    ("version", "rate", "used", "verdict", "limit", "is_busy", "is_advised"),
    [
        ("3.9", 28.0, 99.0, (Judgement.PASS, "TCP cores"), 29.7, False, True),
        ("3.9", 33.0, 99.9, (Judgement.WARN, "line rate × TCP framing"), 198.0, True, True),
        ("3.9", 111.0, 99.0, (Judgement.WARN, "line rate × TCP framing"), 198.0, True, True),
        ("3.9", 111.0, 60.0, (Judgement.WARN, "line rate × TCP framing"), 198.0, False, False),
        ("3.9", 190.0, 99.0, (Judgement.PASS, "line rate × TCP framing"), 198.0, True, True),
    ],
)
def test_a_measured_rate_is_no_limit_of_its_busy_cores(version, rate, used, verdict, limit, is_busy, is_advised):
    """One process at 99 % of a core and above the published rate: the line stays the limit, the core is named."""
    esnet = build(read(EXAMPLES / "esnet-400g" / "cluster.yaml"), load())
    rates = (
        Measurement(Metric.BITRATE, "Gb/s", rate, None, "SUM receiver", 9),
        Measurement(Metric.CPU_USED, "%", used, None, "remote", 9),
    )
    parameters = Parameters(streams=8, local_address="10.10.2.21", remote_address="10.10.2.20")
    judged = judge(Run("iperf3", "TCP", version, RunStatus.COMPLETE, None, None, parameters, rates), esnet)
    (first, *_) = judged.verdicts
    assert (first.judgement, first.reachable.bottleneck) == verdict
    assert first.reachable.value == pytest.approx(limit, rel=1e-3)
    assert ("busy cores limit this run: it shows no more of the network than this rate" in judged.notes) is is_busy
    assert any(note.startswith(ONE_CORE) for note in judged.notes) is is_advised
    texts = (*judged.notes, first.reason)
    named = f"the log proves: iperf3 on the remote host uses {used:g} % of the one core that it can use"
    assert any(named in text for text in texts) is (used > 95)


@pytest.mark.parametrize(
    ("version", "rate", "is_noted"), [(None, 28.5, True), (None, 111.0, False), ("3.16", 28.5, False)]
)
def test_a_log_without_release_may_be_of_one_core(version: str | None, rate: float, is_noted: bool) -> None:
    esnet = build(read(EXAMPLES / "esnet-400g" / "cluster.yaml"), load())
    rates = (Measurement(Metric.BITRATE, "Gb/s", rate, None, "SUM receiver", 9),)
    parameters = Parameters(streams=8, local_address="10.10.2.21", remote_address="10.10.2.20")
    judged = judge(Run("iperf3", "TCP", version, RunStatus.COMPLETE, None, None, parameters, rates), esnet)
    assert any("before 3.16 all streams share one core" in note for note in judged.notes) is is_noted


def test_udp_over_a_pcie_bridge_is_limited_by_its_ip_driver():
    """Johansen, table 4.1: UDP and TCP reach the same 857 MBytes/s."""
    bridge = build(read(EXAMPLES / "pcie-lending" / "cluster.yaml"), load())
    local, remote = (
        next(iter(bridge.hosts[host].nics["dis0"].addresses)).partition("/")[0] for host in ("abel1", "abel2")
    )
    verdict = judge(
        iperf({"stream 5 receiver": 7.189}, "UDP", local_address=local, remote_address=remote), bridge
    ).verdicts[0]
    assert (verdict.judgement, verdict.reachable.bottleneck) == (Judgement.PASS, "IP driver of dis0")


def test_addresses_outside_the_plan_are_placed_by_their_subnet():
    """The log of ESnet's document has 10.10.2.20 and 10.10.2.21; its example plans 10.10.2.1 and 10.10.2.2."""
    esnet = build(read(EXAMPLES / "esnet-400g" / "cluster.yaml"), load())
    run = iperf({"SUM receiver": 190.0}, local_address="10.10.2.21", remote_address="10.10.2.20")
    (verdict,) = judge(run, esnet).verdicts
    assert verdict.judgement is Judgement.PASS
    assert verdict.physical.assumptions[0] == (
        "no NIC of esnet-400g has the addresses of the log; node1:mlx5_0 and node2:mlx5_0 are used, because they are "
        "in the same subnet"
    )


def _iperf_json(bits_per_second, load, window=41_400_000, rtt=40_050):
    """One stream of iperf3 3.12, of which all streams share a core: keys of iperf3's src/iperf_api.c."""
    stream = {"socket": 5, "bytes": 1, "bits_per_second": bits_per_second}
    end = {
        "streams": [{"sender": stream | {"max_snd_cwnd": window, "mean_rtt": rtt}, "receiver": stream}],
        "sum_sent": {"bits_per_second": bits_per_second},
        "sum_received": {"bits_per_second": bits_per_second},
        "cpu_utilization_percent": {"host_total": 40.0, "remote_total": load},
    }
    start = {
        "connected": [{"socket": 5, "local_host": "10.1.0.1", "remote_host": "10.1.0.17"}],
        "version": "iperf 3.12",
        "test_start": {"protocol": "TCP", "num_streams": 1},
    }
    (run,) = parse(json.dumps({"start": start, "intervals": [], "end": end}))
    return run


BUSY = "iperf3 on the remote host uses 99.8 % of the one core that it can use"
WINDOW = "congestion windows of 41.4 MB in a round trip of 40.05 ms allow 8.27 Gb/s"


@pytest.mark.parametrize(
    ("gigabits", "load", "causes"),
    [
        (28.0, 99.8, {BUSY}),  # the table of document 004's kind: the windows cannot explain this rate
        (7.9, 55.0, {WINDOW}),
        (7.9, 99.8, {BUSY, WINDOW}),
        (2.0, 55.0, set()),
    ],
)
def test_the_log_of_iperf3_states_why_it_was_slow(gigabits, load, causes):
    verdict = verdicts(_iperf_json(gigabits * 1e9, load))["SUM receiver"]
    assert verdict.judgement is Judgement.WARN
    assert {cause for cause in (BUSY, WINDOW) if cause in verdict.reason} == causes


@pytest.mark.parametrize(
    ("slowest", "count", "notes"),
    [
        (
            1.1,
            34_800,
            [
                "the streams are unequal: 1.1 to 29.8 Gb/s",
                "the sender retransmitted 34,800 segments, about 2.2 % of all: packets were lost or overtook others",
            ],
        ),
        (29.0, 10, []),
    ],
)
def test_unequal_streams_and_lost_segments_are_noted(slowest, count, notes):
    rows = [
        Measurement(Metric.BITRATE, "Gb/s", value, None, label, line)
        for line, (label, value) in enumerate(
            {"stream 5 receiver": 29.8, "stream 7 receiver": slowest, "SUM receiver": 29.8 + slowest}.items()
        )
    ]
    rows += [
        Measurement(Metric.TRANSFER, "GiB", 13.4, None, "SUM sender", 9),
        Measurement(Metric.RETRANSMITS, "segments", float(count), None, "SUM sender", 9),
    ]
    run = Run("iperf3", "TCP", "3.17", RunStatus.COMPLETE, None, None, Parameters(streams=2), tuple(rows))
    esnet = build(read(CLUSTER.parents[1] / "esnet-400g" / "cluster.yaml"), load())
    judged = judge(run, esnet, source="node1:eth100", target="node2:eth100")
    assert [note for note in judged.notes if "streams are unequal" in note or "retransmitted" in note] == notes


@pytest.mark.parametrize(
    ("version", "loads", "judgement"),
    [
        ("3.9", (20.0, 30.0), Judgement.WARN),  # a third of one core: the published rate of a core is no limit here
        ("3.9", (20.0, 99.7), Judgement.PASS),
        ("3.9", (), Judgement.PASS),
        ("3.9", (20.0,), Judgement.PASS),  # the load of the receiver is not known
        ("3.16", (100.0, 200.0), Judgement.WARN),  # of four cores
        ("3.16", (100.0, 390.0), Judgement.PASS),
    ],
)
def test_cores_that_a_log_shows_idle_are_no_limit(version: str, loads: tuple[float, ...], judgement: Judgement) -> None:
    """cpu_utilization_percent is the process's time by the run's (esnet/iperf, src/iperf_util.c, cpu_util)."""
    esnet = build(read(EXAMPLES / "esnet-400g" / "cluster.yaml"), load())
    rate = 30.0 if version == "3.9" else 117.0
    rows = (
        Measurement(Metric.BITRATE, "Gb/s", rate, None, "SUM receiver", 9),
        *(
            Measurement(Metric.CPU_USED, "%", load, None, label, 9)
            for label, load in zip(("host", "remote"), loads, strict=False)
        ),
    )
    parameters = Parameters(streams=4, local_address="10.10.2.21", remote_address="10.10.2.20")
    judged = judge(Run("iperf3", "TCP", version, RunStatus.COMPLETE, None, None, parameters, rows), esnet)
    verdict = judged.verdicts[0]
    assert verdict.judgement is judgement
    assert ("cores are not shown to be the limit: iperf3 uses" in verdict.reason) is (judgement is Judgement.WARN)


@pytest.mark.parametrize(
    ("buffer", "streams", "milliseconds", "limit", "bottleneck"),
    [
        # a stream has at most its buffer unacknowledged in a round trip: RFC 9293, section 3.8
        ("4096 87380 6291456", 1, 40, 6291456 * 8 / 40e6, "TCP window / round trip"),
        ("4096 87380 6291456", 4, 40, 4 * 6291456 * 8 / 40e6, "TCP window / round trip"),
        ("4096 87380 6291456", 1, 0.05, 29.7, "TCP cores"),
        ("4096 87380 536870912", 1, 40, 29.7, "TCP cores"),
        ("4096 87380 6291456", 1, None, 29.7, "TCP cores"),  # a log without round-trip times
    ],
)
def test_socket_buffers_as_found_limit_a_long_round_trip(buffer, streams, milliseconds, limit, bottleneck):
    """The design keeps its limit: a round trip contains the time in queues that the run itself filled."""
    esnet = build(read(EXAMPLES / "esnet-400g" / "cluster.yaml"), load())
    rows = [Measurement(Metric.BITRATE, "Gb/s", 1.0, None, "SUM receiver" if streams > 1 else "stream 5 receiver", 9)]
    if milliseconds is not None:
        rows += [
            Measurement(Metric.RTT, "us", 1000 * factor * milliseconds, None, f"stream 5{interval} sender", 9)
            for factor, interval in ((1, ""), (1.5, " interval 0-1 s"))
        ]
    parameters = Parameters(streams=streams, local_address="10.10.2.21", remote_address="10.10.2.20")
    run = Run("iperf3", "TCP", "3.16", RunStatus.COMPLETE, None, None, parameters, tuple(rows))
    sysctl = ("sysctl", "net.ipv4.tcp_rmem")
    facts = assemble_facts([observe("sysctl.value", buffer, sysctl, device=host) for host in ("node1", "node2")])
    verdict = judge(run, esnet, observed=overlay_facts(esnet, facts)).verdicts[0]
    assert (verdict.found.value, verdict.found.bottleneck) == (pytest.approx(limit, rel=1e-3), bottleneck)
    assert verdict.reachable.value == pytest.approx(streams * 29.7)
