"""sockperf: ping-pong, under-load, playback and throughput of a client, and what a server counted.

MBps are 2^20 bytes per second and Mbps eight times as many (src/client.cpp divides by 1024 twice); with --giga-size
both are divided by 1000, and with --increase_output_precision they are printed with nine digits and called GBps. Which
latency test ran is in the command line alone. A latency test is complete with the least observation of every server, a
throughput test with its bandwidth.
"""

from __future__ import annotations

import re

from wirespeed.benchmarks.logs.log import Line, Source
from wirespeed.benchmarks.logs.numbers import number
from wirespeed.benchmarks.logs.run_draft import Draft, ReadRun, RunReader, read_by_process, read_runs
from wirespeed.results.benchmarks import Metric, RunStatus

LOOKS_FOR = "the report of sockperf ('sockperf: ====> avg-latency', 'Summary: BandWidth is')"
IDENTIFYING_TEXTS = (
    "sockperf",
    "== version #",
    "====> avg-l",
    "====> avg-r",
    "Summary: BandWidth is",
    "Summary: Latency is",
    "Summary: Round trip is",
    "Summary: Message Rate is",
    "---> percentile",
    " observation = ",
)

_PREFIX = re.compile(r"sockperf:\s*")
_VERSION = re.compile(r"== version #(\S+) ==")
_COMMAND = re.compile(
    r"(?:^|[\s/;])sockperf (?:(ping-pong|pp|under-load|ul|throughput|tp|playback|pb|server|sr)\b)(.*)"
)
_TESTS = {"pp": "ping-pong", "ul": "under-load", "tp": "throughput", "pb": "playback", "sr": "server"}
_SIDE = re.compile(r"(?:sockperf)?:? ?\[(CLIENT|SERVER)\] (?:send|listen) on:")
_ADDRESS = re.compile(r"\[ *\d+\] IP = (\S+)\s+PORT =\s+(\d+) # (\w+)")
_TOTAL = re.compile(r"\[(Total Run|Valid Duration)\] RunTime=([\d.]+) sec;.*SentMessages=(\d+); ReceivedMessages=(\d+)")
_SERVER_NUMBER = re.compile(r"=+ Printing statistics for Server No: (\d+)")
_AVERAGE = re.compile(r"====> avg-(lat(?:ency)?|rtt)= *([\d.]+) \(std-dev=([\d.]+)(?=\)|, )")
_LOSSES = re.compile(
    r"# dropped messages = (\d+); # duplicated messages = (\d+); # out-of-order messages = (\d+)"
)  # fmt: skip
_PERCENTILE = re.compile(r"---> percentile (\d+(?:\.\d+)?) += +([\d.]+)(?: +<=.*)?$")
_EXTREME = re.compile(r"---> <?(MAX|MIN)>? observation = +([\d.]+)$")  # a web page may drop <…> as markup
_DECIMAL_COMMA = re.compile(
    r"(?<![\d.,])(\d+),(\d{3})(?!\d|[.,]\d)"
)  # sockperf prints three decimals, and no thousands
_WITH_DECIMALS = re.compile(r"====> avg-|---> |Summary: (?!Message Rate)|\[(?:Total Run|Valid Duration)\]")
_COMMA = re.compile(r"(?:====> avg-|---> |Summary: |Total of ).*?(?<![\d.,])(\d+,\d+)\b(?!, )")
_MESSAGES_SENT = re.compile(r"Total of (\d+) messages sent in (\d+(?:\.\d+)?) sec")
_HANDLED = re.compile(r"Total (\d+) messages received and handled")
_LATENCY = re.compile(
    r"Summary: (?:Latency|(Round trip)) is ([\d.]+) usec$"
)  # repeats the average above it, unless that was left out
_RATE = re.compile(r"Summary: Message Rate is (\d+) \[msg/sec\](?:, Packet Rate is (?:about )?(\d+) \[pkt/sec\])?")
_BANDWIDTH = re.compile(r"Summary: BandWidth is ([\d.]+) ([MG])Bps \(([\d.]+) ([MG])bps\)")
_MESSAGE_SIZE = re.compile(r"using msg-size=(\d+)")
_FAILURE = re.compile(
    r"ERROR: .*|No messages were (?:received|sent).*|No valid observations found.*|Server is down.*|.*errno=\d+.*"
)
_INTERRUPTED = re.compile(r"Test end \(interrupted by (?:user|signal \d+)\)")
_PERCENTILES = {
    "50.000": Metric.LATENCY_P50,
    "90.000": Metric.LATENCY_P90,
    "95.000": Metric.LATENCY_P95,
    "99.000": Metric.LATENCY_P99,
    "99.900": Metric.LATENCY_P999,
}
_ALL_DIGITS = 9  # of --increase_output_precision


def read(log: Source) -> list[ReadRun]:
    """Every run of sockperf in the log."""
    return read_by_process(
        log.without_debug(), lambda text: _VERSION.search(text) is not None, lambda lines: read_runs(_Reader(), lines)
    )


class _Reader(RunReader):
    """Reads one report at a time."""

    def __init__(self) -> None:
        super().__init__()
        self._draft: Draft | None = None
        self._command: tuple[str, str] | None = None
        self._servers = 0
        self._minima = 0
        self._label: str | None = None
        self._interrupted = False

    def take(self, line: Line) -> None:
        raw = line.text.strip()
        raw = raw.replace("**", "")  # emphasis in Markdown
        text = _PREFIX.sub("", raw, count=1) if raw.startswith("sockperf:") else raw
        if not line.is_complete or not text:
            return
        if _WITH_DECIMALS.match(text):
            text = _DECIMAL_COMMA.sub(r"\1.\2", text)
        version, command = _VERSION.search(text), _COMMAND.search(raw)
        if version:
            self._close()
            self._open(line).version = version.group(1)
        elif command:
            self._close()
            self._command = (_TESTS.get(command.group(1), command.group(1)), command.group(2))
        elif (side := _SIDE.match(raw) or _SIDE.match(text)) is not None:
            if self._draft is not None and self._draft.parameters.side is not None:
                self._close()
            self._open(line).parameters.side = side.group(1).lower()
        elif self._read_result(line, text) or self._draft is None:
            return
        elif _INTERRUPTED.match(text):
            self._interrupted = True
        elif _FAILURE.match(text) and not self._is_complete(self._draft):
            self._draft.fail(text)

    def _open(self, line: Line) -> Draft:
        if self._draft is None:
            self._draft = Draft("sockperf", line.number)
            if self._command is not None:
                self._draft.test = self._command[0]
                size = re.search(r"(?:-m|--msg-size)[ =]*(\d+)(?=\s|$)", self._command[1])
                if size:
                    self._draft.parameters.message_bytes = int(size.group(1))
        return self._draft

    def _close(self) -> None:
        draft, self._draft = self._draft, None
        if draft is not None:
            draft.complete = self._is_complete(draft)
            broken = (
                draft.errors and self._interrupted and all("No messages were sent" in error for error in draft.errors)
            )
            self._read_runs.append(draft.finish(RunStatus.TRUNCATED if broken else None))
            self._command = None
        self._servers = self._minima = 0
        self._label, self._interrupted = None, False

    def _is_complete(self, draft: Draft) -> bool:
        return draft.complete or self._minima >= max(1, self._servers)

    def _has_average(self) -> bool:
        rows = self._draft.measurements if self._draft is not None else ()
        return any(row.metric is Metric.LATENCY_AVG and row.label == self._label for row in rows)

    def _read_result(self, line: Line, text: str) -> bool:
        """Read a line of the report; the first one starts a run if its beginning is missing."""
        address, total, server = _ADDRESS.match(text), _TOTAL.match(text), _SERVER_NUMBER.match(text)
        if address and self._draft is not None:
            self._servers += 1
            parameters = self._draft.parameters
            parameters.server_address, parameters.protocol = address.group(1, 3)
            parameters.server_port = int(address.group(2))
        elif total:
            self._open(line)
            self._read_totals(line, *total.groups())
        elif server and self._draft is not None:
            self._label = f"server {server.group(1)}" if server.group(1) != "0" else None
        elif (latency := _LATENCY.match(text)) is not None and not self._has_average():
            self._open(line).parameters.round_trip = True if latency.group(1) else None
            self._measure_microseconds(line, self._open(line), Metric.LATENCY_AVG, latency.group(2))
        elif (comma := _COMMA.match(text)) is not None and not _AVERAGE.match(
            text
        ):  # further numbers follow an average
            self._open(line).notice(line.number, repr(comma.group(1)), "a number with a decimal point; left out")
        elif self._draft is None and not any(
            pattern.match(text) for pattern in (_RATE, _AVERAGE, _BANDWIDTH, _PERCENTILE, _EXTREME)
        ):
            return False
        else:
            return self._read_latency(line, self._open(line), text) or self._read_throughput(
                line, self._open(line), text
            )
        return True

    def _read_totals(self, line: Line, scope: str, seconds: str, sent_count: str, received_count: str) -> None:
        draft = self._open(line)
        valid = scope == "Valid Duration"
        value = number(seconds)
        if value is not None:
            draft.parameters.read_setting("valid_duration_s" if valid else "duration_s", value)
        for kind, count in (("sent", sent_count), ("received", received_count)):
            label = ", ".join(filter(None, (self._label, f"{kind} in the valid duration" if valid else kind)))
            draft.measure(Metric.MESSAGES, "messages", int(count), line.number, label=label)

    def _read_latency(self, line: Line, draft: Draft, text: str) -> bool:
        average, losses = _AVERAGE.match(text), _LOSSES.match(text)
        percentile, extreme = _PERCENTILE.match(text), _EXTREME.match(text)
        if average:
            if average.group(1) == "rtt":
                draft.parameters.round_trip = True
            self._measure_microseconds(line, draft, Metric.LATENCY_AVG, average.group(2))
            self._measure_microseconds(line, draft, Metric.LATENCY_STDEV, average.group(3))
        elif losses:
            for metric, count in zip(
                (Metric.DROPPED, Metric.DUPLICATED, Metric.OUT_OF_ORDER), losses.groups(), strict=True
            ):
                draft.measure(metric, "messages", int(count), line.number, label=self._label)
        elif percentile:
            standard_metric = _PERCENTILES.get(percentile.group(1))
            rank = None if standard_metric else f"P{float(percentile.group(1)):g}"
            self._measure_microseconds(
                line, draft, standard_metric or Metric.LATENCY_PERCENTILE, percentile.group(2), rank
            )
        elif extreme:
            is_minimum = extreme.group(1) == "MIN"
            metric = Metric.LATENCY_MIN if is_minimum else Metric.LATENCY_MAX
            self._measure_microseconds(line, draft, metric, extreme.group(2))
            self._minima += is_minimum
        return bool(average or losses or percentile or extreme)

    def _measure_microseconds(
        self, line: Line, draft: Draft, metric: Metric, cell: str, rank: str | None = None
    ) -> None:
        value = number(cell)
        if value is not None:
            label = ", ".join(filter(None, (self._label, rank))) or None
            draft.measure(metric, "us", value, line.number, label=label)

    def _read_throughput(self, line: Line, draft: Draft, text: str) -> bool:
        messages_sent, rate, bandwidth = _MESSAGES_SENT.match(text), _RATE.match(text), _BANDWIDTH.match(text)
        handled, size = _HANDLED.match(text), _MESSAGE_SIZE.search(text)
        if messages_sent:
            draft.measure(Metric.MESSAGES, "messages", int(messages_sent.group(1)), line.number, label="sent")
            draft.parameters.duration_s = float(messages_sent.group(2))
        elif handled:
            draft.measure(Metric.MESSAGES, "messages", int(handled.group(1)), line.number, label="received")
            draft.complete = True
        elif rate:
            draft.test = "throughput"
            draft.measure(Metric.MSG_RATE, "msg/s", int(rate.group(1)), line.number)
            if rate.group(2):
                draft.measure(Metric.MSG_RATE, "pkt/s", int(rate.group(2)), line.number)
        elif bandwidth:
            draft.test = "throughput"
            amount, prefix, bits, _ = bandwidth.groups()
            digits = len(amount.partition(".")[2])
            thousands = prefix == "G" and digits != _ALL_DIGITS
            for metric, cell, unit in ((Metric.BW_AVG, amount, "MiB/s"), (Metric.BITRATE, bits, "Mib/s")):
                value = number(cell)
                if value is not None:
                    draft.measure(metric, f"1000 {unit}" if thousands else unit, value, line.number)
            draft.complete = True
        elif size:
            draft.parameters.message_bytes = int(size.group(1))
        return bool(messages_sent or handled or rate or bandwidth or size)
