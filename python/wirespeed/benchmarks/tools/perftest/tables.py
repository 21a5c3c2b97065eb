"""The tables of perftest: content and unit of each column, lists of single latencies, and numbers of --output.

``MB/sec`` and ``MiB/sec`` are both 2^20 bytes per second, ``Gb/sec`` 10^9 bits per second, ``Mpps`` 10^6 messages per
second (perftest src/perftest_parameters.h and --help).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from wirespeed.benchmarks.logs.numbers import number
from wirespeed.benchmarks.logs.run_draft import Draft
from wirespeed.benchmarks.tools.perftest.patterns import CUDA, GPU_NAME, ROCM, TITLE
from wirespeed.results.benchmarks import Metric
from wirespeed.results.parameters import Parameters

_COLUMN = re.compile(
    r"#bytes|#iterations|#sl|#flows|fps\[flow per sec\]|99(?:\.9+)?% ?percentile ?\[usec\]|tps average"
    r"|(?:BW|MsgRate)(?: [A-Za-z]+\d?)? ?\[[^\]\s]*\]|\S+"
)
_UNITS = {"MB/sec": "MiB/s", "MiB/sec": "MiB/s", "Gb/sec": "Gb/s"}
_LATENCIES = {
    "t_min[usec]": Metric.LATENCY_MIN,
    "t_max[usec]": Metric.LATENCY_MAX,
    "t_typical[usec]": Metric.LATENCY_TYPICAL,
    "t_avg[usec]": Metric.LATENCY_AVG,
    "t_stdev[usec]": Metric.LATENCY_STDEV,
    "99%percentile[usec]": Metric.LATENCY_P99,
    "99.9%percentile[usec]": Metric.LATENCY_P999,
    "fs_min_time[usec]": Metric.LATENCY_MIN,
    "fs_max_time[usec]": Metric.LATENCY_MAX,
    "fs_typical_time[usec]": Metric.LATENCY_TYPICAL,
    "fs_avg_time[usec]": Metric.LATENCY_AVG,
}
_RATES = {
    "MsgRate[Mpps]": (Metric.MSG_RATE, "Mpps", None),
    "MsgRatePort1[Mpps]": (Metric.MSG_RATE, "Mpps", "port 1"),
    "MsgRatePort2[Mpps]": (Metric.MSG_RATE, "Mpps", "port 2"),
    "tpsaverage": (Metric.MSG_RATE, "transactions/s", None),
    "fps[flowpersec]": (Metric.MSG_RATE, "flows/s", None),
}
_BANDWIDTHS = {
    "BWpeak": (Metric.BW_PEAK, None),
    "BWaverage": (Metric.BW_AVG, None),
    "BWmin": (Metric.BW_MIN, None),
    "BWPort1": (Metric.BW_AVG, "port 1"),
    "BWPort2": (Metric.BW_AVG, "port 2"),
}


def columns(text: str) -> list[str] | None:
    """The columns of a line, without blanks, if it is perftest's column line."""
    if "#bytes" in text and "#iterations" not in text and _HEADING.search(text):  # pages lose the second mark
        text = text.replace("iterations", "#iterations", 1)
    start = text.find("#bytes") if "#iterations" in text else text.find("#flows") if "fps[" in text else -1
    if start < 0:
        return None
    return [column.replace(" ", "") for column in _COLUMN.findall(text[start:])]


_HEADING = re.compile(r"#bytes\s+iterations\s+(?:BW|t_|#)")


def find_meaning(column: str) -> tuple[Metric, str, str | None] | None:
    """The content of a column: metric, true unit and label; None if it is not a measurement."""
    if column in _LATENCIES:
        return _LATENCIES[column], "us", None
    if column in _RATES:
        return _RATES[column]
    name, _, unit = column.rstrip("]").partition("[")
    if name in _BANDWIDTHS and unit in _UNITS:
        metric, label = _BANDWIDTHS[name]
        return metric, _UNITS[unit], label
    return None


def cell_value(cell: str) -> int | float | None:
    """The number in a cell; None if it is not a number, or negative after a counter overflow.

    https://github.com/linux-rdma/perftest/issues/82
    """
    value = number(cell)
    return None if value is None or value < 0 else value


def derive_unit(size: int, average: float, rate: float) -> str | None:
    """The unit an average bandwidth must have to be ``rate`` million messages of ``size`` bytes per second.

    perftest computes both from one time, so they differ by rounding alone: half of the last of two decimals of the
    average and of six of the rate. None when neither unit fits.
    """
    if min(size, average, rate) <= 0:
        return None
    tolerance = 0.005 / average + 0.0000005 / rate + 1e-4
    for unit, per_second in (("Gb/s", rate * 1e6 * size * 8 / 1e9), ("MiB/s", rate * 1e6 * size / 2**20)):
        if abs(per_second / average - 1) <= tolerance:
            return unit
    return None


def add_headless_row(draft: Draft, line: int, cells: list[str]) -> str | None:
    """Add a row of bandwidths without a column line; return the unit that its numbers prove, or None."""
    peak, average, rate = (float(cell) for cell in cells[2:])
    size = int(cells[0])
    unit = derive_unit(size, average, rate)
    if unit is None:
        return None
    draft.parameters.read_setting("iterations", int(cells[1]))
    draft.measure(Metric.BW_PEAK, unit, peak, line, size)
    draft.measure(Metric.BW_AVG, unit, average, line, size)
    draft.measure(Metric.MSG_RATE, "Mpps", rate, line, size)
    return unit


def test_of_columns(names: list[str], connection: str | None) -> str | None:
    """The test of a table whose title has neither BW nor Latency (src/perftest_parameters.c, ctx_print_test_info)."""
    if names[:1] == ["#flows"]:
        return "raw_ethernet_fs_rate"
    return "raw_ethernet_burst_lat" if connection == "RawEth" and "t_typical[usec]" in names else None


def complete_parameters(draft: Draft) -> None:
    """Set parameters that follow from others: tests of raw Ethernet are titled Send, memory may be a GPU's."""
    if draft.parameters.connection_type == "RawEth" and draft.test:
        draft.test = draft.test.replace("ib_send", "raw_ethernet")
    if draft.parameters.cuda_device_index is not None:
        draft.parameters.memory = "cuda"


ROCM_MEMORY = "rocm_memory"
"""The value of the parameter ``memory`` for the setting "Use ROCm memory"."""


def read_setting(parameters: Parameters, name: str, value: str | int) -> None:
    """Set a parameter from a setting as perftest prints it."""
    if name != ROCM_MEMORY:
        parameters.read_setting(name, value)
    elif value == "ON":
        parameters.memory = "rocm"


_OUTPUT = re.compile(r"--output[= ](bandwidth|message_rate|latency)\b")
_SIZE = re.compile(r"\s(?:-s ?|--size[= ])(\d+)\b")
_ALL_SIZES = re.compile(r"\s(?:-a|--all)\b")
_NUMBER = re.compile(r"\d+\.\d{6}")
_LAST_POWER = 23


@dataclass(slots=True)
class LoneNumbers:
    """The numbers that a command with --output prints."""

    metric: Metric
    unit: str
    size: int | None  # of every number, if the command states one
    power: int | None  # of the last number's size, with -a

    def take(self, draft: Draft, line: int, text: str) -> bool:
        """Add a line with such a number to the run; return whether it was one."""
        if not _NUMBER.fullmatch(text):
            return False
        if self.power is not None:
            self.power += 1
            self.size = 2**self.power
        draft.measure(self.metric, self.unit, float(text), line, self.size)
        draft.complete = self.power in (None, _LAST_POWER)
        return True


def output_format(command: str) -> LoneNumbers | None:
    """The numbers that a command with --output prints; None without this option."""
    output = _OUTPUT.search(command)
    if output is None:
        return None
    size = _SIZE.search(command)
    metric, unit = {
        "bandwidth": (Metric.BW_AVG, "Gb/s" if "--report_gbits" in command else "MiB/s"),
        "message_rate": (Metric.MSG_RATE, "Mpps"),
        "latency": (Metric.LATENCY_AVG, "us"),
    }[output.group(1)]
    return LoneNumbers(metric, unit, int(size.group(1)) if size else None, 0 if _ALL_SIZES.search(command) else None)


_GPU_MEMORY = re.compile(r"\s--use_(cuda|rocm)")


def memory_of_command(command: str) -> str | None:
    """The GPU memory that a command requests: cuda or rocm; None for host memory."""
    memory = _GPU_MEMORY.search(command)
    return memory.group(1) if memory else None


_STARTS = re.compile(r"#, (usec|cycles)$")
_SAMPLE = re.compile(r"([1-9]\d*), \S+$")


class SampleList:
    """The position of the reader: in a list, directly after one, or elsewhere."""

    def __init__(self) -> None:
        self.in_cycles = False  # whether times of the row are cycles although its column line contains usec
        self._samples: int | None = None
        self._behind = False

    def take(self, text: str) -> bool:
        """Take a line; return whether it belongs to a list."""
        if self._samples is None and not text.startswith("#, "):
            return False
        starts = _STARTS.match(text)
        sample = _SAMPLE.match(text) if self._samples is not None else None
        if starts:
            self._samples, self.in_cycles = 0, starts.group(1) == "cycles"
        elif sample:
            self._samples = int(sample.group(1))
        return bool(starts or sample)

    def ends(self, draft: Draft) -> bool:
        """Whether a dashed line ends a list, whose length is then noted."""
        if self._samples is None:
            return False
        draft.parameters.latency_samples = self._samples
        self._samples, self._behind = None, True
        return True

    def repeats(self) -> bool:
        """Whether a column line follows a list."""
        behind, self._behind = self._behind, False
        return behind


def test_name(title: str) -> str | None:
    """The tool of a title."""
    match = TITLE.match(title)
    if match is None:
        return None
    kind = {"BW": "bw", "Latency": "lat"}.get(match["kind"])
    if kind is None:
        return "raw_ethernet_fs_rate"
    verb = match["verb"] or match["send"] or match["atomic"]
    return f"ib_{verb.lower()}_{kind}"


def read_memory(parameters: Parameters, text: str) -> None:
    """Set the parameters of a line about GPU memory."""
    if rocm := ROCM.match(text):
        parameters.memory, parameters.gpu_model = "rocm", rocm.group(2).strip()
        parameters.rocm_device_index = int(rocm.group(1))
    elif gpu := GPU_NAME.match(text):
        parameters.memory, parameters.gpu_model = "cuda", gpu.group(1)
    elif CUDA.match(text):
        parameters.memory = "cuda"
