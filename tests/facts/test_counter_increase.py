"""Counters between two collections, and what the check of losses makes of them."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest
import small_cluster as small

from wirespeed.checks import checks, run
from wirespeed.facts import Facts, Gap, assemble_facts, subtract_counters
from wirespeed.results.findings import Status

RETRIES, ERRORS = (small.NIC, "nic.counters.retries"), (small.NIC, "nic.counters.sequence_errors")


@pytest.mark.parametrize(
    ("before", "after", "status", "text"),
    [
        ((0, 0), (49, 35), Status.FAIL, "49 retries, 35 sequence errors since noon"),
        ((9, 5), (49, 35), Status.FAIL, "40 retries, 30 sequence errors since noon"),
        ((49, 35), (49, 35), Status.PASS, "0 retries, 0 sequence errors since noon"),
        ((49, 35), (64, 35), Status.WARN, "15 retries, 0 sequence errors since noon"),
        ((49, 35), (1, 2), Status.FAIL, "1 retries, 2 sequence errors since noon"),  # the port came up anew
        ((49, None), (49, 35), Status.UNKNOWN, None),
    ],
)
def test_what_was_counted_since(
    before: tuple[int, int | None], after: tuple[int, int], status: Status, text: str | None
) -> None:
    earlier = small.facts({RETRIES: before[0], ERRORS: before[1]})
    if before[1] is None:
        readings = {key: reading for key, reading in earlier.readings.items() if key != ERRORS}
        earlier = type(earlier)(earlier.devices, readings)
    facts = subtract_counters(small.facts({RETRIES: after[0], ERRORS: after[1]}), earlier, "noon")
    finding = run(small.PLAN, facts, [checks()["nic.rdma-losses"]])[0]
    assert (finding.place.partition(" ")[0], finding.status) == ("bnxt_re0", status)
    if text is not None:
        assert finding.found == text


def test_nothing_else_changes() -> None:
    """Nor what the device sets without configuration: a check that needs it stays a skip."""
    silent = assemble_facts([], {}, ["silent"], [], ["silent"]).devices
    base = small.facts()
    facts = replace(
        base,
        devices={**base.devices, **silent},
        gaps={("silent", "switch.ports"): (Gap("show interfaces", "timeout"),)},
        unverified=frozenset({("silent", "switch.ports")}),
        automatic=frozenset({(small.NIC.device, "nic.qos.trust")}),
    )
    later = subtract_counters(facts, facts, None)
    assert {path for (_, path), _ in later.readings.items()} == {path for (_, path), _ in facts.readings.items()}
    unchanged = {field.name for field in fields(Facts)} - {"readings", "counted_since"}
    assert {name: getattr(later, name) for name in unchanged} == {name: getattr(facts, name) for name in unchanged}
    assert later.counted_since == "the earlier collection"
