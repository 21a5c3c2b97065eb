"""A small cluster with something of everything a report can show."""

from wirespeed.results.benchmarks import Measurement, Metric
from wirespeed.results.findings import Change, Finding, Fix, Impact, Status
from wirespeed.results.report import ComputedNumber, Input, Report
from wirespeed.results.topology import Edge, Node, Topology
from wirespeed.results.verdicts import Bound, JudgedRun, Judgement, Term, Verdict

HOSTILE = "\x1b[31mEth1/1\x07 </script><script>alert(1)</script> \u202eevil"
"""What a device could print to harm a terminal, a page or an XML file."""

NICS = ("enp29s0np0", "enp67s0np0")

TOPOLOGY = Topology(
    nodes=(
        *(Node(f"node{host}", "host", "dell-xe9680-mi300x") for host in (1, 2)),
        Node("leaf1", "leaf", "dell-z9664f"),
    ),
    edges=tuple(
        Edge(f"node{host}", nic, "leaf1", f"Eth1/{2 * (host - 1) + rail}", "400 Gb/s", rail)
        for host in (1, 2)
        for rail, nic in enumerate(NICS, 1)
    ),
)

WIDTH = Finding(
    check="nic.pcie-width",
    status=Status.FAIL,
    device="node1",
    place="bnxt_re0 / enp29s0np0 / 0000:1d:00.0",
    summary="the NIC's PCIe link is narrower than its slot",
    expected="16 lanes",
    found="8 lanes",
    evidence=("node1: lspci -vvv, node1/lspci.out:412",),
    impact=Impact(197.4, "Gb/s", "x8 at 32 GT/s carries 202.6 Gb/s of the line's 400 Gb/s"),
    fix=(Fix("Reseat the NIC and its riser", consequence="the host goes down"),),
    failures=("PCIE-01",),
    source="document 000, 2.6",
)
FILTER = Finding(
    check="host.sysctl",
    status=Status.FAIL,
    device="node2",
    place="net.ipv4.conf.enp67s0np0.rp_filter",
    summary="strict reverse path filtering drops packets that come back by another interface",
    expected="2",
    found="1",
    evidence=("node2: sysctl -a, node2/sysctl.out:7",),
    fix=(
        Fix(
            "Set it",
            Change("node2 sysctl net.ipv4.conf.enp67s0np0.rp_filter", "sysctl.value", "2"),
            ("sysctl -w net.ipv4.conf.enp67s0np0.rp_filter=2",),
        ),
    ),
)
BUFFER = Finding(
    check="nic.ring",
    status=Status.WARN,
    device="node2",
    place="enp29s0np0",
    summary="the receive ring is short",
    expected="8191",
    found="2047",
    warning_reasons=("the output format was not verified on a device for nic.ring.receive",),
)
UNREAD = tuple(
    Finding(
        check="nic.nvm",
        status=Status.UNKNOWN,
        device="node2",
        place=nic,
        summary="relaxed ordering is on in the NIC's NVM",
        found="not read: niccli: permission denied",
        evidence=(f"node2: niccli --dev {nic} nvm, node2/nvm@{nic}.out",),
    )
    for nic in NICS
)
BROKEN = Finding(
    "port.mtu", Status.ERROR, "leaf1", HOSTILE, "the port's MTU", found="internal error in the check: KeyError: 'mtu'"
)
GOOD = Finding("link.up", Status.PASS, "node1", "enp29s0np0", "the link is up", "true", "true")
ABSENT = Finding("launch.gid-index", Status.SKIP, "leaf1", "leaf1", "the GID index of a job", found="no intent")

FINDINGS = (WIDTH, GOOD, FILTER, BUFFER, *UNREAD, BROKEN, ABSENT)

LINE = Term("line", 48.9, "GB/s", "400 Gb/s × 4096 / 4190 / 8", "IEEE 802.3 clause 4")
SLOT = Term("pcie", 53.1, "GB/s", "x16 at 32 GT/s", "PCI Express 5.0")


def verdict(size: int, value: float, judgement: Judgement = Judgement.PASS, label: str = "out-of-place") -> Verdict:
    """A measured bus bandwidth against 391.2 and 371.6 GB/s."""
    physical = Bound(391.2, "GB/s", "line", (LINE, SLOT), ("path MTU 4096 bytes",))
    reachable = Bound(371.6, "GB/s", "ring", (LINE,), ("ring algorithm", "path MTU 4096 bytes"))
    return Verdict(
        Measurement(Metric.BUSBW, "GB/s", value, size, label, 40),
        judgement,
        "85 % of the reachable limit or more" if judgement is Judgement.PASS else "less than the profile requires",
        physical,
        reachable,
        value / physical.value,
        value / reachable.value,
    )


RUN = JudgedRun(
    file="bench/all_reduce.log",
    tool="rccl-tests",
    test="all_reduce",
    title="All-reduce, 16 GPUs",
    ranks=16,
    verdicts=(
        *(verdict(2**power, 391.2 * 2**power / (2**power + 2**24), Judgement.SKIP) for power in range(10, 28, 2)),
        verdict(2**30, 360.0),
        verdict(2**34, 300.0, Judgement.WARN),
        *(verdict(2**power, 380.0 * 2**power / (2**power + 2**24), label="in-place") for power in (28, 30, 34)),
    ),
    notes=("reconstructed",),
)

REPORT = Report(
    cluster="two-nodes",
    recorded="2026-11-20T10:00:00Z",
    topology=TOPOLOGY,
    findings=FINDINGS,
    runs=(RUN,),
    computed=(ComputedNumber("headroom of leaf1 Eth1/1", "98,304 B", "2 × 9216 + …", "IEEE 802.1Qbb"),),
    summary=(("hosts", "2 × dell-xe9680-mi300x"), ("classes", "roce: DSCP 26, priority 3, lossless")),
    inputs=(Input("cluster.yaml", "the cluster file"),),
    notes=("recorded on two hosts only",),
)
