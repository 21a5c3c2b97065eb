"""Switches of several chips, deep memories behind virtual output queues, and latencies: what the plan makes of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from wirespeed.catalogue import load
from wirespeed.cluster import read_text
from wirespeed.errors import Refusal
from wirespeed.plan import Plan, build
from wirespeed.plan.memory import combine_chips, deep
from wirespeed.plan.watchdog import longest_pause
from wirespeed.units import Bandwidth, Duration, Size

CATALOGUE = load()
EXAMPLE = Path(__file__).parents[2] / "examples" / "arista-leaf-spine" / "cluster.yaml"
G400, G100 = Bandwidth.gbps(400), Bandwidth.gbps(100)
GIB = 1 << 30


def plan_with(*changes: tuple[str, str]) -> Plan:
    """The example with its spines of Jericho 2, and its text changed."""
    text = EXAMPLE.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return build(read_text(text, "cluster.yaml"))


@pytest.mark.parametrize(
    ("model", "buffer", "cores"),
    [("arista-7280dr3-24", 2 * 6 * GIB, 4), ("arista-7804r3-36p", 12 * 6 * GIB, 24)],  # 4.8 Tb/s a chip
)
def test_memory_of_several_chips_adds_up(model: str, buffer: int, cores: int) -> None:
    switch = CATALOGUE.switches[model]
    chip = combine_chips(switch, CATALOGUE.chips[switch.chip])
    assert chip is not None and chip.buffer is not None and chip.slices is not None
    assert (chip.buffer.value, chip.slices.value) == (buffer, cores)
    assert f"{cores // 2} chips for {switch.ports.value} × 400 Gb/s" in chip.buffer.source


def test_a_chip_that_takes_all_ports_is_as_it_is() -> None:
    for name, model in CATALOGUE.switches.items():
        chip = CATALOGUE.chips.get(model.chip)
        if model.chip != "jericho2":
            assert combine_chips(model, chip) is chip, name


def test_what_a_group_takes_is_that_of_its_speed_or_the_next_slower() -> None:
    chip = CATALOGUE.chips["jericho2"]
    shares = {gbps: chip.share_at(Bandwidth.gbps(gbps)) for gbps in (10, 40, 100, 200, 400, 800)}
    assert shares == {10: 1 / 64, 40: 1 / 64, 100: 1 / 64, 200: 1 / 64, 400: 1 / 32, 800: 1 / 32}
    assert CATALOGUE.chips["tomahawk5"].share_at(G400) == 1
    assert CATALOGUE.chips["trident3"].share_at(G400) is None


def test_lossless_traffic_holds_a_part_of_a_deep_memory() -> None:
    """Of 12 chips with six ports of 400 Gb/s a core: 6/32 of what is free, and the headroom. To wait for all of the
    memory would take longer than a watchdog may."""
    model = CATALOGUE.switches["arista-7804r3-36p"]
    chip = combine_chips(model, CATALOGUE.chips["jericho2"])
    headroom = Size(GIB)
    memory = deep(chip, 144, 1, iter([G400]), headroom)
    assert memory is not None
    assert (memory.groups, memory.cores) == (6, 24)
    assert memory.lossless_maximum == pytest.approx(6 / 32 / (1 + 6 / 32) * 71 * GIB + GIB, abs=1)
    assert memory.pause_threshold == pytest.approx(1 / 32 / (1 + 1 / 32) * 71 * GIB / 24, abs=1)
    quantum = 65_535 * 512 * 10**12 // G400
    assert longest_pause(G400, chip, memory).time == Duration(
        int(memory.lossless_maximum) * 8 * 10**12 // G400 + quantum
    )
    assert longest_pause(G400, chip, memory).time < Duration(10**12) < longest_pause(G400, chip).time


@pytest.mark.parametrize("missing", ["chip", "credit", "share"])
def test_what_is_not_known_of_a_memory_bounds_nothing(missing: str) -> None:
    chip = CATALOGUE.chips["jericho2"]
    change = {"credit": {"credit": None}, "share": {"groups": []}}.get(missing, {})
    changed_chip = None if missing == "chip" else chip.model_copy(update=change)
    assert deep(changed_chip, 24, 1, iter([G100]), Size(1)) is None


def test_a_memory_whose_headroom_is_not_known_holds_at_least_the_rest() -> None:
    chip = CATALOGUE.chips["jericho2"]
    memory = deep(chip, 24, 1, iter([G400]), None)
    assert memory is not None
    part = 12 * 0.03125
    assert memory.lossless_maximum == pytest.approx(part / (1 + part) * 6 * GIB, abs=1)
    assert memory.lossless_maximum_formula == "12 × 0.03125 / (1 + 12 × 0.03125) × 6 GiB"
    assert memory.pause_threshold_formula == "0.03125 / (1 + 0.03125) × 6 GiB / 2 cores"


def test_a_plan_with_jerichos_shows_how() -> None:
    plan = plan_with()
    spine = {
        computed_value.name: computed_value for computed_value in plan.computed if " spine[1-2]" in computed_value.name
    }
    (watchdog,) = (computed_value for name, computed_value in spine.items() if name.startswith("PFC watchdog"))
    pattern = r"6 × 0\.03125 / \(1 \+ 6 × 0\.03125\) × \(12 GiB - [\d.]+ kB\) \+ [\d.]+ kB draining at 400 Gb/s"
    assert re.search(pattern, watchdog.formula), watchdog.formula
    (maximum,) = (computed_value for name, computed_value in spine.items() if name.startswith("ECN maximum"))
    formula_pattern = r"0\.03125 / \(1 \+ 0\.03125\) × \(12 GiB - [\d.]+ kB\) / 4 cores - 1 / 2 × 400 Gb/s ×"
    assert re.search(formula_pattern, maximum.formula), maximum.formula
    assert not plan.warnings


def test_headroom_holds_what_comes_within_the_latency() -> None:
    before, after = plan_with(), plan_with(("arista-7280dr3-24,", "arista-7280dr3-24, latency: 4 us,"))

    def of_spine(plan: Plan) -> tuple[int, str]:
        (headroom,) = (
            computed_value
            for computed_value in plan.computed
            if computed_value.name.startswith("headroom of a lossless priority group of spine")
        )
        match = re.match(r"([\d,]+) B", headroom.value)
        assert match
        return int(match[1].replace(",", "")), headroom.formula

    smaller, larger = of_spine(before), of_spine(after)
    cells = 4e-6 * 400e9 / 8 / 84  # the least frames, one in a cell
    assert larger[0] - smaller[0] == pytest.approx(254 * cells, abs=254)
    assert "time until a pause acts: 4 µs switch latency + 0." in larger[1]
    assert "latency" not in smaller[1]
    assert after.latencies["spine1"].whole == Duration(4_000_000)
    assert after.latencies["leaf1"].whole is None


def test_the_catalogue_s_latency_comes_with_its_document() -> None:
    plan = plan_with(("arista-7280dr3-24", "juniper-qfx5240-64od, os: junos"))
    latency = plan.latencies["spine1"]
    assert (latency.whole, latency.credit) == (Duration(750_000), None)
    assert latency.source is not None and latency.source.startswith("Juniper, QFX5220")


REFUSED = {
    "latency: 2 s": "cluster.yaml:10: found a latency of 2 s; expected at most 1 s",
    "latency: 3 us, credit_latency: 4 us": (
        "cluster.yaml:10: found 4 µs of a latency of 3 µs; expected at most the latency that it is part of"
    ),
    "credit_latency: 1 us": (
        "cluster.yaml:10: found credit_latency without latency; expected the latency of the switch that it is part of"
    ),
}


@pytest.mark.parametrize("text", REFUSED)
def test_refusals(text: str) -> None:
    with pytest.raises(Refusal) as refusal:
        plan_with(("arista-7280dr3-24,", f"arista-7280dr3-24, {text},"))
    assert str(refusal.value) == REFUSED[text]


def test_credits_are_those_of_virtual_output_queues() -> None:
    with pytest.raises(Refusal) as refusal:
        plan_with(("arista-7060dx4-32,", "arista-7060dx4-32, latency: 1 us, credit_latency: 1 us,"))
    assert str(refusal.value) == (
        "cluster.yaml:9: found the latency of credits of arista-7060dx4-32; expected a switch with virtual output "
        "queues"
    )
