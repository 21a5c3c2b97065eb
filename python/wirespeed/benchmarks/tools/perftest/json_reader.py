"""perftest --out_json: settings and results as key and value.

Some releases write invalid JSON (no quotes; commas missing or doubled between the sizes of -a), so keys are read line
by line. The file does not contain its unit: it is the one in which average and message rate agree.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from wirespeed.benchmarks.logs.log import Line, Source
from wirespeed.benchmarks.logs.numbers import number
from wirespeed.benchmarks.logs.run_draft import Draft, ReadRun
from wirespeed.benchmarks.tools.perftest.tables import (
    cell_value,
    complete_parameters,
    derive_unit,
    read_setting,
    test_name,
)
from wirespeed.results.benchmarks import Metric

LOOKS_FOR = "the JSON of perftest ('test_info', 'results', 'MsgSize')"
IDENTIFYING_TEXTS = ("test_info",)

_PAIR = re.compile(
    r'"([A-Za-z_][\w .*%]*)"\s*:\s*(?:"([^"]*)"|(-?(?:[0-9.]+(?:[eE][+-]?[0-9]+)?|inf|nan))(?=\s*(?:[,}\]]|$)))'
)
_BARE_PAIR = re.compile(r'\s*([A-Za-z_][\w.]*)\s*:\s*(?:"([^"]*)"|([^\s",{}]+)),?\s*')
_INFO = re.compile(r'"test_info"|\s*test_info: \{')
_SETTINGS = {
    "Dual_port": "second_port",
    "Device": "rdma_device",
    "Number_of_qps": "queue_pairs",
    "Transport_type": "transport",
    "Connection_type": "connection_type",
    "Using_SRQ": "shared_receive_queue",
    "PCIe_relax_order": "pcie_relaxed_ordering",
    "ibv_wr_API": "work_request_api",
    "TX_depth": "send_queue_depth",
    "RX_depth": "receive_queue_depth",
    "Post_List": "send_post_list",
    "Recv_Post_List": "receive_post_list",
    "CQ_Moderation": "cq_moderation",
    "Mtu": "path_mtu_bytes",
    "Link_type": "link_type",
    "GID_index": "gid_index",
    "GID_index2": "second_gid_index",
    "Max_inline_data": "max_inline_bytes",
    "Outstand_reads": "outstanding_reads",
    "rdma_cm_QPs": "rdma_cm",
    "Use_ROCm_memory": "rocm_memory",
    "Data_ex_method": "data_exchange",
    "TOS": "tos",
    "cuda_device": "cuda_device_index",
}
_RESULTS = {
    "BW_peak": Metric.BW_PEAK,
    "BW_average": Metric.BW_AVG,
    "MsgRate": Metric.MSG_RATE,
    "bw_avg": Metric.BW_AVG,
    "msgRate_avg": Metric.MSG_RATE,
    "avg_lat": Metric.LATENCY_AVG,
    "tps_average": Metric.MSG_RATE,
    "t_min": Metric.LATENCY_MIN,
    "t_max": Metric.LATENCY_MAX,
    "t_typical": Metric.LATENCY_TYPICAL,
    "t_avg": Metric.LATENCY_AVG,
    "t_stdev": Metric.LATENCY_STDEV,
    "percentile_99": Metric.LATENCY_P99,
    "percentile_99.9": Metric.LATENCY_P999,
    "99_percentile": Metric.LATENCY_P99,
    "99.9_percentile": Metric.LATENCY_P999,
}


@dataclass(slots=True)
class _Row:
    size: int | None = None  # None with --output, which omits it
    level: str | None = None  # the service level of a row with -M
    values: list[tuple[Metric, int | float, int, bool]] = field(default_factory=list)  # the last: transactions


def read(log: Source) -> list[ReadRun]:
    """Every JSON report of perftest in the log."""
    runs: list[ReadRun] = []
    reader: _Reader | None = None
    for line in log.all_lines:
        if "test_info" in line.text and _INFO.match(line.text.lstrip("{ ")):
            if reader is not None:
                runs.append(reader.finish())
            reader = _Reader(line)
        if reader is not None:
            reader.take(line)
            if reader.closed:
                runs.append(reader.finish())
                reader = None
    if reader is not None:
        runs.append(reader.finish())
    return runs


class _Reader:
    """Reads one report, from its settings to its closing brace."""

    def __init__(self, line: Line) -> None:
        self._draft = Draft("perftest", line.number)
        self._rows: list[_Row] = []
        self._depth = 0 if line.text.lstrip().startswith("{") else 1
        self.closed = False

    def take(self, line: Line) -> None:
        if line.is_complete:
            bare_pair = _BARE_PAIR.fullmatch(line.text)
            for name, text, digits in [bare_pair.groups("")] if bare_pair else _PAIR.findall(line.text):
                self._read_pair(name, text or digits, line)
        bare = re.sub(r'"[^"]*"', "", line.text)
        self._depth += bare.count("{") + bare.count("[") - bare.count("}") - bare.count("]")
        self.closed = self._depth <= 0

    def finish(self) -> ReadRun:
        draft = self._draft
        draft.complete = self.closed and bool(self._rows)
        complete_parameters(draft)
        for row in self._rows:
            self._measure(row)
        return draft.finish()

    def _read_pair(self, name: str, text: str, line: Line) -> None:
        value = number(text)
        if name == "test":
            self._draft.test = test_name(text.replace("_", " ").replace("RDMA ", "RDMA_"))
            if "Bidirectional" in text:
                self._draft.parameters.bidirectional = True
        elif name in _SETTINGS:
            read_setting(self._draft.parameters, _SETTINGS[name], value if isinstance(value, int) else text)
        elif name == "MsgSize" and isinstance(value, int):
            self._rows.append(_Row(value))
        elif name == "sl" and self._rows:
            self._rows[-1].level = f"SL {text}"
        elif name == "n_iterations" and isinstance(value, int):
            self._draft.parameters.read_setting("iterations", value)
        elif name in _RESULTS:
            value = cell_value(text)
            if value is None:
                self._draft.notice(line.number, f"{name} {text!r}", "a number of 0 and more; left out")
            else:
                if not self._rows:
                    self._rows.append(_Row())
                self._rows[-1].values.append((_RESULTS[name], value, line.number, name == "tps_average"))

    def _measure(self, row: _Row) -> None:
        by_metric = {metric: value for metric, value, *_ in row.values}
        average, rate = by_metric.get(Metric.BW_AVG), by_metric.get(Metric.MSG_RATE)
        unit = None
        if row.size is not None and average is not None and rate is not None:
            unit = derive_unit(row.size, average, rate)
        for metric, value, line, transactions in row.values:
            if metric is Metric.MSG_RATE:
                rate_unit = "transactions/s" if transactions else "Mpps"
                self._draft.measure(metric, rate_unit, value, line, row.size, row.level)
            elif metric not in (Metric.BW_PEAK, Metric.BW_AVG):
                self._draft.measure(metric, "us", value, line, row.size, row.level)
            elif unit is not None:
                self._draft.measure(metric, unit, value, line, row.size, row.level)
            else:
                self._draft.notice(
                    line, f"{metric.value} {value} without a unit", "a message rate, from which the unit follows"
                )
