"""iperf3 --json and --json-stream: bytes and bits per second as printed, in B and b/s.

Labels are those of the text report. A document that is cut keeps the values before the cut. The output that
--get-server-output adds, as text or as JSON, is a separate run. --json-stream-full-output prints the whole document
after its events, which is then ignored.
"""

from __future__ import annotations

from dataclasses import replace

from wirespeed.benchmarks.logs.iperf_intervals import IMPOSSIBLE_LOSS, NEGATIVE_COUNT, is_negative
from wirespeed.benchmarks.logs.json_documents import Document, Node
from wirespeed.benchmarks.logs.log import Source, source
from wirespeed.benchmarks.logs.run_draft import Draft, ReadRun
from wirespeed.benchmarks.tools.iperf3.processes import Report, join_processes
from wirespeed.benchmarks.tools.iperf3.reader import read_lines
from wirespeed.results.benchmarks import Metric, RunStatus

LOOKS_FOR = "the JSON of iperf3 ('start', 'intervals', 'end')"
IDENTIFYING_TEXTS = ('"start"', '"event"', '"error"')

_SETTINGS = {
    "num_streams": "streams",
    "duration": "duration_s",
    "blksize": "message_bytes",
    "omit": "omitted_s",
    "tos": "tos",
    "target_bitrate": "target_bits_per_second",
}
_FLAGS = {"reverse": "reverse", "bidir": "bidirectional"}
_EVENTS = ("start", "interval", "end", "error", "server_output_text", "server_output_json")
_NO_TEST = ("error - ", "interrupt - ", "unable to connect to server", "the server is busy running a test")
_SUMS = {
    "sum": "SUM",
    "sum_sent": "SUM sender",
    "sum_received": "SUM receiver",
    "sum_bidir_reverse": "SUM reverse",
    "sum_sent_bidir_reverse": "SUM reverse sender",
    "sum_received_bidir_reverse": "SUM reverse receiver",
}


def read(log: Source) -> list[ReadRun]:
    """Every run of iperf3 in the JSON documents of the log; processes that measured one pair at once are one run."""
    reports: list[Report] = []
    runs = []
    stream: list[Document] = []
    streamed: set[str] = set()  # cookies of tests whose events came one by one
    for document in log.documents:
        if document.root.text("event") in _EVENTS and document.root.get("data") is not None:
            if document.root.text("event") == "start" and stream:
                runs += _read_stream(stream)
                stream = []
            stream.append(document)
            streamed.add(document.root.text("data", "cookie") or "")
        elif _is_iperf(document) and (document.root.text("start", "cookie") or "-") not in streamed:
            draft = Draft("iperf3", document.first)
            _read_start(draft, document.root.get("start"))
            _read_intervals(draft, document.root.get("intervals"))
            _read_end(draft, document.root.get("end"))
            title = document.root.text("title")
            if title is not None:
                draft.parameters.title = title
            run = _finish(draft, document.root, complete=document.problem is None, problem=document.problem)
            seconds = document.root.number("start", "timestamp", "timesecs")
            start_s = seconds.value if seconds is not None and isinstance(seconds.value, int) else None
            reports.append(Report(run, start_s))
            runs += _read_server_output(
                document.root.get("server_output_json"), document.root.get("server_output_text")
            )
    if stream:
        runs += _read_stream(stream)
    return [
        read_run
        for read_run in sorted((*join_processes(reports), *runs), key=lambda read_run: read_run.line)
        if read_run.run.version or read_run.run.measurements or read_run.run.error or read_run.notices
    ]


def _is_iperf(document: Document) -> bool:
    version = document.root.text("start", "version") or ""
    has_parts = all(document.root.get(key) is not None for key in ("start", "intervals"))
    if list(_list_keys(document.root)) == ["error"]:  # output of old releases if no test was possible
        return (document.root.text("error") or "").startswith(_NO_TEST)
    return version.startswith("iperf") or has_parts or document.root.get("start", "connected") is not None


def _list_keys(node: Node) -> tuple[str, ...]:
    return tuple(node.value) if isinstance(node.value, dict) else ()


def _read_server_output(document: Node | None, text: Node | None) -> list[ReadRun]:
    """The server's output of the same test; its lines are one line in the file."""
    if document is not None and document.get("start") is not None:
        draft = Draft("iperf3", document.line)
        _read_start(draft, document.get("start"))
        _read_intervals(draft, document.get("intervals"))
        _read_end(draft, document.get("end"))
        draft.parameters.side = "server"
        return [_finish(draft, document, complete=True, problem=None)]
    if text is None or not isinstance(text.value, str):
        return []
    runs = []
    for read_run in read_lines(source(text.value).lines):
        measurements = tuple(measurement._replace(line=text.line) for measurement in read_run.run.measurements)
        read_run.run.parameters.side = "server"
        run = replace(read_run.run, measurements=measurements)
        notices = tuple(replace(notice, location=f"line {text.line}") for notice in read_run.notices)
        runs.append(ReadRun(text.line, run, notices))
    return runs


def _read_stream(documents: list[Document]) -> list[ReadRun]:
    """Read a run whose events are on one line each, and the server's output in these events."""
    draft = Draft("iperf3", documents[0].first)
    errors = Node({}, documents[0].first)
    complete = False
    served: list[ReadRun] = []
    problem = next((document.problem for document in documents if document.problem), None)
    for document in documents:
        event, data = document.root.text("event"), document.root.get("data")
        if event == "start":
            _read_start(draft, data)
        elif event == "interval" and data is not None:
            _read_interval(draft, data)
        elif event == "end":
            _read_end(draft, data)
            complete = document.problem is None
        elif event == "error" and data is not None:
            errors = Node({"error": data}, data.line)
        elif event == "server_output_json":
            served += _read_server_output(data, None)
        elif event == "server_output_text":
            served += _read_server_output(None, data)
    return [_finish(draft, errors, complete=complete, problem=problem), *served]


def _finish(draft: Draft, root: Node, *, complete: bool, problem: str | None) -> ReadRun:
    error = root.text("error")
    if error is not None:
        draft.fail(error)
    if problem is not None:
        line, _, excerpt = problem.partition(": ")
        excerpt, _, expected = excerpt.removeprefix("found ").partition("; expected ")
        draft.notice(int(line.removeprefix("line ")), excerpt, expected)
    draft.complete = complete and bool(draft.measurements)
    interrupted = error is not None and ("interrupt" in error or "terminated" in error)
    return draft.finish(RunStatus.TRUNCATED if interrupted else None)


def _read_start(draft: Draft, start: Node | None) -> None:
    if start is None:
        return
    version = start.text("version")
    draft.version = version.removeprefix("iperf ") if version else None
    draft.test = start.text("test_start", "protocol")
    parameters = draft.parameters
    for name, parameter in (*_SETTINGS.items(), *_FLAGS.items()):
        node = start.number("test_start", name)
        if node is not None and isinstance(node.value, int | float):
            parameters.read_setting(parameter, bool(node.value) if name in _FLAGS else node.value)
    host = start.text("connecting_to", "host")
    port = start.number("connecting_to", "port")
    if host is not None:
        parameters.side, parameters.server_address = "client", host
    elif start.get("accepted_connection") is not None:
        parameters.side = "server"
    if port is not None and isinstance(port.value, int):
        parameters.server_port = port.value
    mss = start.number("tcp_mss") or start.number("tcp_mss_default")
    if mss is not None and isinstance(mss.value, int) and mss.value > 0:
        parameters.tcp_mss_bytes = mss.value
    connected = start.get("connected")
    if connected is not None and connected.items():
        first = connected.items()[0]
        parameters.local_address, parameters.remote_address = first.text("local_host"), first.text("remote_host")


def _read_intervals(draft: Draft, intervals: Node | None) -> None:
    for interval in intervals.items() if intervals is not None else []:
        _read_interval(draft, interval)


def _read_interval(draft: Draft, interval: Node) -> None:
    """An interval: its sums, and its streams where there are several."""
    streams = interval.get("streams")
    nodes = streams.items() if streams is not None else []
    if len(nodes) > 1:
        for node in nodes:
            _measure(draft, node, _name_stream(node), in_interval=True)
    for name in ("sum", "sum_bidir_reverse"):
        total = interval.get(name)
        if total is not None:
            _measure(draft, total, _SUMS[name], in_interval=True)


def _read_end(draft: Draft, end: Node | None) -> None:
    if end is None:
        return
    congestion = end.text("sender_tcp_congestion")
    if congestion is not None:
        draft.parameters.congestion_control = congestion
    for name, label in (("host_total", "local"), ("remote_total", "remote")):
        load = end.number("cpu_utilization_percent", name)
        if load is not None and isinstance(load.value, int | float):
            draft.measure(Metric.CPU_USED, "%", load.value, load.line, label=label)
    streams = end.get("streams")
    for stream in streams.items() if streams is not None else []:
        for name, suffix in (("sender", " sender"), ("receiver", " receiver"), ("udp", "")):
            part = stream.get(name)
            if part is not None:
                _measure(draft, part, f"{_name_stream(part)}{suffix}")
    for name, label in _SUMS.items():
        total = end.get(name)
        if total is not None:
            _measure(draft, total, label)
            if name.endswith("bidir_reverse"):
                draft.parameters.bidirectional = True
            packets = total.number("packets")
            if packets is None or not isinstance(packets.value, int):
                continue
            if name == "sum":
                draft.parameters.datagrams = packets.value
            elif name == "sum_sent":
                draft.parameters.sent_datagrams = packets.value


def _name_stream(node: Node) -> str:
    socket = node.number("socket")
    return f"stream {socket.value}" if socket is not None else "stream"


def _measure(draft: Draft, node: Node, label: str, *, in_interval: bool = False) -> None:
    if in_interval:
        start, end = (_format_seconds(node, name) for name in ("start", "end"))
        omitted = node.get("omitted")
        if omitted is not None and omitted.value is True:
            return
        if start == end:
            draft.notice(node.line, f"the interval {start}-{end} s has no length and so no bandwidth: left out")
            return
        label = f"{label} interval {start}-{end}"
    for name, metric, unit in (
        ("bytes", Metric.TRANSFER, "B"),
        ("bits_per_second", Metric.BITRATE, "b/s"),
        ("retransmits", Metric.RETRANSMITS, "segments"),
        ("jitter_ms", Metric.JITTER, "ms"),
        ("lost_packets", Metric.LOST, "datagrams"),
        ("snd_cwnd", Metric.CONGESTION_WINDOW, "B"),
        ("max_snd_cwnd", Metric.CONGESTION_WINDOW, "B"),
        ("rtt", Metric.RTT, "us"),
        ("mean_rtt", Metric.RTT, "us"),
    ):
        value = node.number(name)
        if value is None or not isinstance(value.value, int | float):
            continue
        packets = node.number("packets") if metric is Metric.LOST else None
        if packets is not None and isinstance(packets.value, int) and value.value > packets.value:
            draft.notice(value.line, f"{value.value}/{packets.value} lost datagrams", IMPOSSIBLE_LOSS)
            continue
        if metric is Metric.RETRANSMITS and is_negative(int(value.value)):
            draft.notice(value.line, f"{value.value} retransmits", NEGATIVE_COUNT)
            continue
        draft.measure(metric, unit, value.value, value.line, label=label)


def _format_seconds(node: Node, name: str) -> str:
    value = node.number(name)
    return f"{value.value:.2f}" if value is not None and isinstance(value.value, int | float) else "?"
