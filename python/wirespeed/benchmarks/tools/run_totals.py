"""Find the bitrates of the whole run among those of single streams and intervals."""

from __future__ import annotations

from wirespeed.results.benchmarks import Metric, Run


def find_total_labels(run: Run) -> frozenset[str | None]:
    """Labels of the bitrates of a whole run: the sum of all streams, at the receiver if the log contains it.

    A label is a stream or SUM, a role (TX-C, RX-C) of bidirectional traffic, and sender, receiver or an interval.
    """
    if run.tool in ("qperf", "sockperf"):
        ends = {m.label for m in run.measurements if m.metric is Metric.BW_AVG}
        return frozenset({"recv"} if "recv" in ends else {None})
    labels = [m.label for m in run.measurements if m.metric is Metric.BITRATE and m.label and not m.label.isspace()]
    whole = [label for label in labels if " interval " not in f" {label} "]
    sums = [label for label in whole if label.split()[0] == "SUM"]
    chosen = sums or whole
    if len({_find_stream(label) for label in chosen}) > len({_find_role(label) for label in chosen}):
        return frozenset()  # several streams and no sum
    last = {label.split()[-1] for label in chosen}
    best = next((end for end in ("receiver", "sender") if end in last), None)
    return frozenset(label for label in chosen if best is None or label.split()[-1] == best)


def _find_stream(label: str) -> str:
    return label.removesuffix(" sender").removesuffix(" receiver")


def _find_role(label: str) -> str | None:
    return next((word for word in label.split() if word[:3] in ("TX-", "RX-")), None)
