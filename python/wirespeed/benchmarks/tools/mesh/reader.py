"""The output of the suite mesh: for each pair of NICs the kernel's route and ping's summary, or an RDMA ping's row."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wirespeed.benchmarks.logs.log import Line, Source
from wirespeed.benchmarks.logs.run_draft import Draft, ReadRun
from wirespeed.results.benchmarks import Metric
from wirespeed.results.parameters import MeshPair

LOOKS_FOR = "the pairs of wirespeed's mesh ('mesh ping from', 'mesh rdma from')"
IDENTIFYING_TEXTS = ("mesh ping from ", "mesh rdma from ")

_BEGINS = re.compile(r"mesh (ping|rdma) from (\S+): (\d{1,9}) pairs")
_PAIR = re.compile(r"mesh pair (\S+ -> \S+)")
_SMALL = re.compile(r"mesh small (\d{1,3}|-)")
_END = re.compile(r"mesh end (\d{1,3})")
_ROW = re.compile(r"mesh row\s+\d+\s+\d+((?:\s+\d+\.\d+){4,7})")
_LAST = re.compile(r"mesh last (.+)")
_ROUTE = re.compile(r"(\S+) from (\S+) (.*?dev \S+(?: table \S+)?)\b.*")  # ip-route(8), route get
_NO_ROUTE = re.compile(r"(?:RTNETLINK answers|Error): (.+)")
_PACKET_COUNTS = re.compile(r"(\d{1,9}) packets transmitted, (\d{1,9}) received.*")  # ping(8) of iputils
_TIMES = re.compile(r"rtt min/avg/max/mdev = (\d+(?:\.\d+)?)/(\d+(?:\.\d+)?)/(\d+(?:\.\d+)?)/(\d+(?:\.\d+)?) ms")

_PING_TIMES = (Metric.LATENCY_MIN, Metric.LATENCY_AVG, Metric.LATENCY_MAX, Metric.LATENCY_STDEV)
_RDMA_TIMES = (Metric.LATENCY_MIN, Metric.LATENCY_MAX, Metric.LATENCY_TYPICAL, Metric.LATENCY_AVG)


def read(log: Source) -> list[ReadRun]:
    """Every mesh in the log."""
    drafts: list[Draft] = []
    block: list[Line] = []
    whole = 0
    for line in log.lines:
        if not line.is_complete:
            continue
        text = line.text.strip()
        begins = _BEGINS.fullmatch(text)
        if begins is not None:
            drafts.append(Draft("mesh", line.number, test=begins[1]))
            drafts[-1].parameters.source_host, drafts[-1].parameters.pairs = begins[2], int(begins[3])
            block, whole = [], 0
        elif not drafts:
            continue
        elif _PAIR.fullmatch(text) is not None:
            block = [line]
        elif block and (end := _END.fullmatch(text)) is not None:
            _read_pair(drafts[-1], block, int(end[1]))
            block, whole = [], whole + 1
        elif block:
            block.append(line)
        elif text == "mesh done":
            drafts[-1].complete = whole == drafts[-1].parameters.pairs
    return [draft.finish() for draft in drafts]


def _read_pair(draft: Draft, block: Sequence[Line], code: int) -> None:
    """Read all lines of one pair."""
    head = _PAIR.fullmatch(block[0].text.strip())
    assert head is not None
    label = head[1]
    route = small_exit = message = None
    for line in block[1:]:
        text = line.text.strip()
        if (counts := _PACKET_COUNTS.match(text)) is not None:
            lost_packets = int(counts[1]) - int(counts[2])
            draft.measure(Metric.LOST, "packets", lost_packets, line.number, label=label)
        elif (times := _TIMES.match(text)) is not None:
            for metric, value in zip(_PING_TIMES, times.groups(), strict=True):
                draft.measure(metric, "us", round(float(value) * 1000, 3), line.number, label=label)
        elif (row := _ROW.fullmatch(text)) is not None:
            for metric, value in zip(_RDMA_TIMES, row[1].split(), strict=False):
                draft.measure(metric, "us", float(value), line.number, label=label)
        elif (route_match := _ROUTE.fullmatch(text)) is not None:
            route = f"{route_match[1]} from {route_match[2]} {route_match[3]}"
        elif (no_route := _NO_ROUTE.fullmatch(text)) is not None and draft.test == "ping":
            route = f"none: {no_route[1]}"
        elif (small := _SMALL.fullmatch(text)) is not None:
            small_exit = None if small[1] == "-" else int(small[1])
        elif code and (last := _LAST.fullmatch(text)) is not None:
            message = last[1].strip()
        elif code and text and not text.startswith(("---", "PING", "mesh")):
            message = text
    draft.parameters.mesh_pairs = {**draft.parameters.mesh_pairs, label: MeshPair(code, route, small_exit, message)}
