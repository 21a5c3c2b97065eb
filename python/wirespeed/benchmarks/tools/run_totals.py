"""Find the bitrates of the whole run among those of single streams and intervals."""

from __future__ import annotations

from wirespeed.results.benchmarks import Metric, Run


def places_of_total(run: Run) -> frozenset[str | None]:
    """Places of the bitrates of a whole run: the sum of all streams, at the receiver if the log contains it.

    A place is a stream or SUM, a role (TX-C, RX-C) of bidirectional traffic, and sender, receiver or an interval.
    """
    if run.tool in ("qperf", "sockperf"):
        ends = {m.place for m in run.measurements if m.metric is Metric.BW_AVG}
        return frozenset({"recv"} if "recv" in ends else {None})
    places = [m.place for m in run.measurements if m.metric is Metric.BITRATE and m.place and not m.place.isspace()]
    whole = [place for place in places if " interval " not in f" {place} "]
    sums = [place for place in whole if place.split()[0] == "SUM"]
    chosen = sums or whole
    if len({_find_stream(place) for place in chosen}) > len({_find_role(place) for place in chosen}):
        return frozenset()  # several streams and no sum
    last = {place.split()[-1] for place in chosen}
    best = next((end for end in ("receiver", "sender") if end in last), None)
    return frozenset(place for place in chosen if best is None or place.split()[-1] == best)


def _find_stream(place: str) -> str:
    return place.removesuffix(" sender").removesuffix(" receiver")


def _find_role(place: str) -> str | None:
    return next((word for word in place.split() if word[:3] in ("TX-", "RX-")), None)
