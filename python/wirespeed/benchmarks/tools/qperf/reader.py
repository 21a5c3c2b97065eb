"""qperf: one report per test, names and values.

Units of bandwidths and rates are powers of 1000 (src/qperf.c: view_band, view_rate). Each test is a run; conf and quit
measure nothing and are left out. No line ends a test: it is complete when the next one starts, or when its longest name
has been printed (names are padded to it) and every sender, receiver and node has its counterpart.
"""

from __future__ import annotations

import re

from wirespeed.benchmarks.logs.log import Line, Source
from wirespeed.benchmarks.logs.numbers import number
from wirespeed.benchmarks.logs.run_draft import Draft, ReadRun, line_matcher, read_by_process, read_runs
from wirespeed.results.benchmarks import Metric

LOOKS_FOR = "the report of qperf ('tcp_bw:', '    bw  =  2.47 GB/sec')"
IDENTIFYING_TEXTS = ("_bw:", "_lat:", "_mr:", "ver_rc_", "qperf --help")

_TEST = re.compile(
    r"((?:tcp|udp|sctp|sdp|rds|rc|uc|ud|xrc)_(?:[a-z]+_){0,3}(?:bw|lat|mr)|ver_rc_(?:compare_swap|fetch_add)):$"
)
_OTHER_TEST = re.compile(r"(?:conf|quit):$")
_VALUE = re.compile(r"(\w+?)( *)  = +(\S.*)$")
_COUNTED = (None, "bytes", "thousand", "million", "billion")  # units of counts; no other value has thousands
_GROUPED = r"\d{1,3}(?:,\d{3})+|\d+"  # a comma separates thousands
_RESULT_NAME = re.compile(r"(?:^|_)(?:bw|latency|msg_rate|cost|bytes|msgs)$|cpus_")
_NUMBER = re.compile(rf"(-?(?:{_GROUPED})(?:\.\d+)?)(?: (\S.*?))?(?: \(({_GROUPED})\))?$")
_ERROR = re.compile(
    r"(?:server: )?(?:unable to|failed to|cannot|could not|getaddrinfo failed|server not responding|error"
    r"|.*: (?:failed|unable) to"
    r"|.*(?:timed out|not responding|Connection refused|Function not implemented|not supported)).*",
    re.IGNORECASE,
)
_BAD_TEST = re.compile(r".*; try: qperf --help .*")
_RATES = {
    f"{prefix}{printed}": f"{prefix}{unit}"
    for prefix in ("", "K", "M", "G", "T")
    for printed, unit in (("B/sec", "B/s"), ("b/sec", "b/s"), ("/sec", "msg/s"))
} | {"bytes/sec": "B/s", "bits/sec": "b/s"}
_SIDES = {"send": "send", "recv": "receive", "loc": "local", "rem": "remote"}
_PARAMETERS = {"msg_size": "message_bytes", "mtu_size": "path_mtu_bytes", "time": "duration_s"}
_TWINS = {"send_": "recv_", "loc_": "rem_"}


def read(log: Source) -> list[ReadRun]:
    """Every test of qperf in the log."""
    return read_by_process(
        log.without_debug(),
        line_matcher(_TEST),
        lambda lines: read_runs(_Reader(), lines),
    )


class _Reader:
    """Reads one test at a time: its name, its values, its error."""

    def __init__(self) -> None:
        self._read_runs: list[ReadRun] = []
        self._draft: Draft | None = None
        self._early: list[str] = []  # standard error precedes buffered standard output
        self._names: set[str] = set()
        self._width = 0
        self._in_conf = False  # in the report of conf or quit

    def take(self, line: Line) -> None:
        text = line.text.strip(" \t|")
        if not line.is_complete or not text:
            return
        test, value = _TEST.match(text), _VALUE.match(text)
        if test:
            self._close(followed=True)
            self._draft = Draft("qperf", line.number, test=test.group(1))
        elif _OTHER_TEST.match(text):
            self._close(followed=True)
            self._in_conf = True
        elif _BAD_TEST.match(text):
            self._close(followed=True)
            self._draft = Draft("qperf", line.number)
            self._draft.fail(text)
        elif value and self._draft is not None:
            self._read_value(line, self._draft, *value.groups())
        elif _ERROR.match(text):
            if self._draft is not None and not self._names:
                self._draft.fail(text)
            else:
                self._early.append(text)

    def end_run(self) -> None:
        self._close(followed=True)

    def finish(self) -> list[ReadRun]:
        self._close(followed=False)
        return self._read_runs

    def _close(self, *, followed: bool) -> None:
        draft, self._draft = self._draft, None
        if draft is not None:
            if not self._names and not draft.errors:
                for text in self._early:
                    draft.fail(text)
                self._early = []
            draft.complete = bool(self._names) and (followed or self._is_complete())
            self._read_runs.append(draft.finish())
        self._names, self._width, self._in_conf = set(), 0, False

    def _is_complete(self) -> bool:
        if max((len(name) for name in self._names), default=0) != self._width:
            return False
        if "msg_size" in self._names and "time" not in self._names:
            return False
        twins = (
            name.replace(sender_name, receiver_name, 1)
            for name in self._names
            for sender_name, receiver_name in _TWINS.items()
            if sender_name in name
        )
        return all(name in self._names for name in twins if "cost" not in name or "send_cost" in self._names)

    def _read_value(self, line: Line, draft: Draft, name: str, padding: str, text: str) -> None:
        self._names.add(name)
        self._width = max(self._width, len(name) + len(padding))
        value_match = _NUMBER.match(text)
        value = number(value_match.group(1).replace(",", "")) if value_match else None
        if value_match is not None and "," in value_match.group(1) and value_match.group(2) not in _COUNTED:
            draft.notice(line.number, repr(text), "a number with a decimal point; left out")
            return
        if (value_match is None or value is None) and _RESULT_NAME.search(name) and text[:1].isdecimal():
            draft.notice(line.number, repr(text), "a number with a decimal point; left out")
            return
        if value_match is None or value is None:
            draft.parameters.other_settings = {**draft.parameters.other_settings, name: text}
            return
        unit, exact = value_match.group(2) or "", value_match.group(3)
        side, _, kind = name.partition("_")
        label = _SIDES.get(side)
        if side in ("loc", "rem") and kind.startswith(("send_", "recv_")):
            direction, _, kind = kind.partition("_")
            label = f"{label} {_SIDES[direction]}"
        kind = kind if label else name
        metric = _find_metric(kind, unit)
        if metric is None:
            size = exact or (value_match.group(1) if unit in ("", "bytes") else None)
            plain = int(size.replace(",", "")) if size and size.replace(",", "").isdecimal() else None
            as_number = plain if plain is not None else value if (name, unit) == ("time", "sec") else None
            if name in _PARAMETERS and as_number is not None:
                draft.parameters.read_setting(_PARAMETERS[name], as_number)
            else:
                other_settings = draft.parameters.other_settings
                draft.parameters.other_settings = {**other_settings, name: text if plain is None else plain}
            return
        quantity, true_unit = metric
        detail = kind.removeprefix("cpus_") if quantity is Metric.CPU_USED and kind != "cpus_used" else None
        full_label = " ".join(filter(None, (label, detail))) or None
        draft.measure(quantity, true_unit, value, line.number, label=full_label)


def _find_metric(kind: str, unit: str) -> tuple[Metric, str] | None:
    """The metric of a value, and its unit."""
    if kind == "bw" and unit in _RATES:
        return Metric.BW_AVG, _RATES[unit]
    if kind == "msg_rate" and unit in _RATES:
        return Metric.MSG_RATE, _RATES[unit]
    if kind == "latency" and unit in ("ns", "us", "ms", "sec"):
        return Metric.LATENCY_AVG, "s" if unit == "sec" else unit
    if kind == "cost" and unit.endswith("/GB"):
        return Metric.CPU_COST, unit.replace("sec", "s")
    if kind.startswith("cpus_") and unit == "% cpus":
        return Metric.CPU_USED, "%"
    if kind == "bytes":
        return Metric.TRANSFER, unit if unit != "bytes" else "B"
    if kind == "msgs" and unit in ("", "thousand", "million", "billion"):
        return Metric.MESSAGES, unit or "messages"
    return None
