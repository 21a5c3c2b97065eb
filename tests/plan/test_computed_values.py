"""Headroom, marking thresholds and watchdog times: the formulas, against numbers from outside and by their terms."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirespeed import wire
from wirespeed.catalogue import load
from wirespeed.catalogue.model import ChipModel, EcnDefaults
from wirespeed.cluster import read, read_text
from wirespeed.errors import Refusal
from wirespeed.plan import Cable, End, Plan, build
from wirespeed.plan.control_loop import loop
from wirespeed.plan.dcqcn import alpha
from wirespeed.plan.ecn import scale_to_speed, window
from wirespeed.plan.headroom import explain_headroom, explain_total, headroom
from wirespeed.plan.model import Latency
from wirespeed.plan.watchdog import longest_pause
from wirespeed.settings import Congestion
from wirespeed.units import Bandwidth, Duration, Length, Size

EXAMPLES = Path(__file__).parents[2] / "examples"
CHIPS = load().chips
SAMPLES = [(name, sample) for name, chip in CHIPS.items() if chip.cell for sample in chip.headroom]


def by_hand(gbps: int, metres: float, mtu: int, cell: int, response_bits: int) -> int:
    """The terms added up on paper: the link full of 64-byte frames, one cell each, and a long frame at both ends."""
    long = mtu + 22  # Ethernet header, tag, FCS
    link = (long + 20) + (64 + 20) + 2 * metres * 5 * gbps / 8 + response_bits / 8  # bytes
    return (int(link // 84) + 2 * -(-long // cell)) * cell


@pytest.mark.parametrize(
    ("gbps", "metres", "mtu", "cell", "response_bits"),
    [  # the response of IEEE 802.3 annex 31B.3.7, bit times
        (10, 300, 9000, 208, 30_720),
        (25, 100, 4200, 208, 40_960),
        (100, 5, 9100, 254, 201_728),
        (400, 3, 9100, 254, 463_360),
        (400, 1000, 9214, 254, 463_360),
    ],
)
def test_headroom_by_hand(gbps: int, metres: int, mtu: int, cell: int, response_bits: int) -> None:
    chip = ChipModel(title="x", cell={"value": f"{cell} B", "source": "row"})
    headroom_value = headroom(Bandwidth.gbps(gbps), Length(metres * 1000), mtu, chip=chip)
    assert headroom_value.size == by_hand(gbps, metres, mtu, cell, response_bits)


@given(st.sampled_from([10, 25, 100, 400, 800]), st.integers(1, 2000), st.integers(1, 8), st.sampled_from([208, 254]))
def test_headroom_grows_with_every_term(gbps: int, metres: int, lossless: int, cell: int) -> None:
    def size(metres: int, lossless: int, mtu: int) -> int:
        return wire.headroom(gbps * 10**9, metres * 5000, mtu, lossless, cell).bytes

    headroom = size(metres, lossless, 9000)
    assert headroom < size(metres + 100, lossless, 9000)
    assert headroom <= size(metres, lossless + 1, 9000)
    assert headroom < size(metres, lossless, 9600)
    assert headroom % cell == 0


@pytest.mark.parametrize(("name", "sample"), SAMPLES, ids=lambda value: getattr(value, "source", value))
def test_the_formula_is_of_the_size_vendors_ship(name: str, sample: object) -> None:
    """Vendors differ by more than two on one chip; a formula outside of a third to thrice of each would be wrong."""
    assert hasattr(sample, "speed")
    headroom_value = headroom(sample.speed, sample.length, 9100, chip=CHIPS[name])
    assert headroom_value.size / 3 < sample.size < headroom_value.size * 3


def test_vendors_stand_beside_it() -> None:
    headroom_value = headroom(Bandwidth.gbps(400), Length(10_000), 9100, chip=CHIPS["tomahawk3"])
    number = explain_headroom(headroom_value, CHIPS["tomahawk3"], "leaf1")
    assert number.compared == (
        "SONiC, Arista 7060DX4-32: 995.9 kB up to 300 m (4.22 × the computed value); "
        "SONiC, Dell Z9332F: 201.9 kB up to 40 m (0.85 × the computed value); for comparison only"
    )
    assert number.formula == (
        "time until a pause acts: 0.183 µs (the 9,122 B frame already being sent) + 0.00168 µs (PFC frame)"
        " + 2 × 10 m × 5 ns/m (cable) + 1.16 µs (response of the peer);"
        " received in this time at 400 Gb/s, in the worst case (64 B frames, one 254 B cell each): 858 cells;"
        " plus one maximum frame at each end: 72 cells; 930 cells × 254 B = 236,220 B"
    )


def test_without_a_cell_the_link_is_counted_and_reported() -> None:
    headroom_value = headroom(Bandwidth.gbps(100), Length(3000), 9000, chip=CHIPS["trident3"])
    assert headroom_value.formula.endswith("together 52,684 B; cell size of the chip unknown")


def test_headroom_of_all_ports_against_the_buffer() -> None:
    headroom_value = headroom(Bandwidth.gbps(400), Length(3000), 9100, chip=CHIPS["tomahawk4"])
    whole = explain_total({"a": headroom_value, "b": headroom_value}, 1, CHIPS["tomahawk4"], "leaf1")
    assert whole is not None
    assert whole.value == "451,612 B (451.6 kB)"
    assert whole.formula == "2 ports × 1 lossless priority × 225,806 B; 0.4 % of the buffer, 119.2 MB"
    assert explain_total({"a": headroom_value}, 1, ChipModel(title="x"), "leaf1") is None
    small = explain_total({"a": headroom_value}, 1, CHIPS["jericho2"], "leaf1")
    assert small is not None and small.formula.endswith("; 0.0035 % of the buffer, 6.442 GB")


@pytest.mark.parametrize(
    ("gbps", "flows", "settles"),
    [  # the fixed point solved apart from this code; its fluid equations integrated give the same queue
        (40, 2, 0.10136),
        (40, 4, 0.12182),
        (40, 8, 0.14516),
        (40, 16, 0.17130),
        (100, 2, 0.07879),
        (400, 32, 0.11492),
    ],
)
def test_dcqcn_settles_where_its_fluid_model_does(gbps: int, flows: int, settles: float) -> None:
    assert alpha(Bandwidth.gbps(gbps), flows) == pytest.approx(settles, abs=1e-5)


def test_every_speed_marks_after_the_same_delay() -> None:
    eos = load().switch_systems["eos"].ecn
    assert scale_to_speed(eos.minimum.value, eos, Bandwidth.gbps(400)) == Size(1_000_000)
    assert scale_to_speed(eos.minimum.value, eos, Bandwidth.gbps(100)) == Size(250_000)
    plain = EcnDefaults(minimum=eos.minimum, maximum=eos.maximum, probability=eos.probability)
    assert scale_to_speed(eos.minimum.value, plain, Bandwidth.gbps(100)) == Size(1_000_000)


def test_a_step_may_not_stand_below_a_seventh_of_the_loop() -> None:
    control_loop = loop(cables("h1 s1 400 3", "h2 s1 400 3"), roles("h1 h2"), None)
    window_value = window(Bandwidth.gbps(400), Congestion.DCQCN_D, control_loop, None, None)
    assert control_loop is not None
    assert window_value.minimum == control_loop.time * 400 * 10**9 // (7 * 8 * 10**12)
    assert window_value.maximum is None
    assert "the packet buffer of the chip is not in the catalogue" in window_value.maximum_formula


def test_the_most_is_what_two_senders_fill_before_pfc() -> None:
    chip = ChipModel(title="x", buffer={"value": "64 MB", "source": "row"}, share={"value": 0.25, "source": "row"})
    control_loop = loop(cables("h1 s1 400 3", "h2 s1 400 3"), roles("h1 h2"), None)
    assert control_loop is not None
    window_value = window(Bandwidth.gbps(400), Congestion.DCQCN_P, control_loop, chip, Size(4_000_000))
    assert window_value.maximum == 2 * 0.25 * 60_000_000 / 1.5 - control_loop.time * 400 * 10**9 // (8 * 10**12)


def cables(*rows: str) -> list[Cable]:
    """``a b Gb/s metres`` each."""
    words = [row.split() for row in rows]
    return [Cable(End(a, "x"), End(b, b), Bandwidth.gbps(int(g)), Length(int(m) * 1000)) for a, b, g, m in words]


def roles(hosts: str) -> dict[str, str]:
    return dict.fromkeys(hosts.split(), "host")


def test_the_loop_is_the_longest_path() -> None:
    rows = ("h1 l1 400 3", "h2 l1 400 3", "h3 l2 400 30", "l1 s1 400 100", "l2 s1 400 100")
    loop_value = loop(cables(*rows), roles("h1 h2 h3"), None)
    serialization = (wire.data(4096).wire + wire.cnp().wire) * 20  # ps at 400 Gb/s
    assert loop_value is not None
    assert (loop_value.cables, loop_value.time) == (4, Duration(2 * 5 * (3 + 30 + 200) * 1000 + 4 * serialization))


def test_the_loop_takes_the_latency_of_each_switch_twice() -> None:
    rows = ("h1 l1 400 3", "h2 l2 400 3", "l1 s1 400 3", "s1 l2 400 3")
    idle = loop(cables(*rows), roles("h1 h2"), None)
    latencies = {"l1": Latency(Duration(1_000_000)), "l2": Latency(Duration(500_000)), "s1": Latency()}
    loop_value = loop(cables(*rows), roles("h1 h2"), None, latencies)
    assert idle is not None and loop_value is not None
    assert (loop_value.time, loop_value.switch_time) == (idle.time + 3_000_000, Duration(3_000_000))
    assert loop_value.formula == (
        "round trip over 4 cables with a 4096 B packet and its CNP, 3 µs in 2 switches, latency of 1 switch unknown"
    )
    assert idle.formula.endswith("and its CNP, latency of 3 switches unknown")


def test_the_loop_goes_by_the_faster_switches() -> None:
    rows = ("h1 l1 400 3", "h2 l2 400 3", "l1 s1 400 3", "s1 l2 400 3", "l1 s2 400 9", "s2 l2 400 9")
    slow = {"s1": Latency(Duration(1_000_000))}
    loop_value = loop(cables(*rows), roles("h1 h2"), None, slow)
    loop_without_s1 = loop(cables(*(row for row in rows if "s1" not in row)), roles("h1 h2"), None)
    assert loop_value == loop_without_s1


def test_a_step_below_a_seventh_of_the_switches_latency_warns(tmp_path: Path) -> None:
    text = (EXAMPLES / "mi300x-4node" / "cluster-eos.yaml").read_text().replace("dcqcn-p", "dcqcn-d")
    assert not build(read_text(text, "cluster.yaml")).warnings
    slow, replaced = re.subn(r"(leaf1: \{.*)\}", r"\1, latency: 20 us, ecn: {minimum: 200 kB}}", text)
    assert replaced == 1
    (warning,) = build(read_text(slow, "cluster.yaml")).warnings
    assert "ECN minimum" in warning.found
    assert "40 µs in 1 switch)" in (warning.expected or "")


def test_hosts_do_not_forward_and_unknown_lengths_give_no_loop() -> None:
    assert loop(cables("h1 l1 400 3", "h2 l1 400 3", "h2 l2 400 3", "h3 l2 400 3"), roles("h1 h2 h3"), None) is not None
    unknown = [Cable(End("h1", "x"), End("l1", "x"), Bandwidth.gbps(400), None)]
    assert loop(unknown, roles("h1"), None) is None


def test_the_longest_pause() -> None:
    pause = longest_pause(Bandwidth.gbps(100), CHIPS["tomahawk"])
    drain, quantum = 16 * 2**20 * 80, 65_535 * 512 * 10
    assert pause.time == Duration(drain + quantum)
    assert longest_pause(Bandwidth.gbps(100), None).time == Duration(quantum)


def plan_with_leaf(tmp_path: Path, leaf: str) -> Plan:
    """The example with more keys of its leaf."""
    text = (EXAMPLES / "mi300x-4node" / "cluster.yaml").read_text()
    text, count = re.subn(r"(leaf1: \{.*)\}", rf"\1, {leaf}}}", text)
    assert count == 1
    (tmp_path / "cluster.yaml").write_text(text)
    return build(read(tmp_path / "cluster.yaml"))


@pytest.mark.parametrize(
    ("leaf", "message"),
    [
        (
            "watchdog: {detect: 2 ms, poll: 1 ms}",
            "found a watchdog that triggers after a pause of 2 ms; "
            "expected more than 2.467 ms, the longest legitimate pause"
            "\n  hint: 119.2 MB draining at 400 Gb/s (2.384 ms) + 65,535 × 512 bit times (83.88 µs)",
        ),
        (
            "watchdog: {detect: 200 ms, poll: 150 ms}",
            "found a watchdog polling every 150 ms; expected at most half of 200 ms, its shortest time",
        ),
    ],
)
def test_a_watchdog_that_cannot_work_is_refused(tmp_path: Path, leaf: str, message: str) -> None:
    with pytest.raises(Refusal) as refusal:
        plan_with_leaf(tmp_path, leaf)
    assert str(refusal.value).endswith(message)


def test_shared_headroom_is_counted_against_what_all_need(tmp_path: Path) -> None:
    (whole,) = (
        computed_value
        for computed_value in plan_with_leaf(tmp_path, "mtu: 9100").computed
        if computed_value.name == "headroom of all ports of leaf1"
    )
    computed_value_by_name = {
        computed_value.name: computed_value
        for computed_value in plan_with_leaf(tmp_path, "buffers: {shared_headroom: 4 MB}").computed
    }
    shared = computed_value_by_name["shared headroom of leaf1"]
    assert computed_value_by_name[whole.name] == whole
    assert shared.value == "4,000,000 B (4 MB)"
    assert shared.formula == "0.55 of the 7.323 MB that 32 ports × 1 lossless priority need when all pause"


def test_what_groups_share_begins_where_shared_headroom_ends(tmp_path: Path) -> None:
    text = (EXAMPLES / "mi300x-4node" / "cluster.yaml").read_text().replace("dell-z9664f", "dell-z9864f")
    text = text.replace("role: leaf", "role: leaf, buffers: {shared_headroom: 4 MB}")
    computed_values = build(read_text(text, "cluster.yaml")).computed
    (marked,) = (
        computed_value.formula
        for computed_value in computed_values
        if computed_value.name.startswith("ECN maximum of leaf1")
    )
    assert "× (173.3 MB - 4 MB)" in marked


def test_shared_headroom_without_room_for_one_group_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refusal) as refusal:
        plan_with_leaf(tmp_path, "buffers: {shared_headroom: 400 kB}")
    assert str(refusal.value).endswith(
        "found shared headroom of 400 kB; "
        "expected at least 457,708 B (457.7 kB), the headroom of one lossless group in each of 2 slices"
    )


def test_a_threshold_is_compared_with_its_bound(tmp_path: Path) -> None:
    bound = "149.8 kB, the smallest value that keeps the link busy: 0.0545 (rate reduction factor of 2 senders)"
    for size, relation in (("100 kB", "below"), ("200 kB", "above")):
        plan = plan_with_leaf(tmp_path, f"ecn: {{minimum: {size}, maximum: 400 kB}}")
        (formula,) = (value.formula for value in plan.computed if value.name.startswith("ECN minimum of leaf1"))
        assert f"; {relation} {bound} × 400 Gb/s" in formula


def test_headroom_of_all_ports_is_a_sum_for_each_switch() -> None:
    plan = build(read(EXAMPLES / "arista-leaf-spine" / "cluster.yaml"))
    (whole,) = (value for value in plan.computed if value.name == "headroom of all ports of each of leaf[1-2]")
    assert whole.formula.startswith(
        "2 ports × 1 lossless priority × 124,206 B + 4 ports × 1 lossless priority × 237,236 B; "
    )
    assert whole.value == "1,197,356 B (1.197 MB)"


def test_headroom_is_of_the_only_cable_length_of_a_switch() -> None:
    text = """\
version: 1
name: common
hosts:
  node[1-2]: {model: dell-r6525, os: rocky-9, nics: 2 x nvidia-mcx623106an-cdat}
switches:
  leaf[1-2]: {model: nvidia-sn5600, os: cumulus, os_version: "5.15", role: leaf}
links:
  - {a: leaf1, b: leaf2, count: 2, length: 4500 mm}
cabling: {pattern: by-rail, length: 2 m}
addresses: {scheme: link-31, pool: 10.1.0.0/20, loopbacks: 10.255.0.0/24}
classes:
  roce: {dscp: 26, priority: 3, lossless: true, share: 60%, congestion: dcqcn-p}
"""
    plan = build(read_text(text, "cluster.yaml"))
    values = {value.name: value for value in plan.computed}
    assert values["cable length of leaf[1-2]"].value == "5 m"
    assert "lengths of cables: 2 m, 4.5 m; " in values["cable length of leaf[1-2]"].formula
    lengths = {name.rpartition(", ")[2] for name in values if name.startswith("headroom of a lossless")}
    assert lengths == {"5 m of cable"}
    assert {port.cable_length for port in plan.switches["leaf1"].ports.values()} == {Length(5000)}


def test_thresholds_outside_their_window_warn(tmp_path: Path) -> None:
    (warning,) = plan_with_leaf(tmp_path, "ecn: {minimum: 100 kB, maximum: 400 kB}").warnings
    assert warning.found == "an ECN minimum of 100 kB at 400 Gb/s with dcqcn-p"
    assert (
        warning.expected
        == "at least 149.8 kB = 0.0545 (rate reduction factor of 2 senders) × 400 Gb/s × 55 µs (rate increase timer)"
    )
    assert warning.hint == (
        "below it the link runs empty after every congestion notification; "
        "write `ecn: {minimum: 150 kB}` for the switch"
    )
    assert plan_with_leaf(tmp_path, "ecn: {minimum: 150 kB, maximum: 400 kB}").warnings == ()


def test_a_default_threshold_outside_its_window_names_the_key(tmp_path: Path) -> None:
    """Cumulus has one default for all speeds; 800 Gb/s need more."""
    text = """\
version: 1
name: fast
hosts:
  node[1-2]: {model: nvidia-dgx-h100, os: ubuntu-22.04, nics: 8 x fast}
switches:
  leaf1: {model: nvidia-sn5600, os: cumulus, os_version: "5.15", role: leaf}
cabling: {pattern: by-host, length: 3 m}
addresses: {scheme: link-31, pool: 10.1.0.0/20}
hardware:
  nics: {fast: {base: nvidia-mcx75310aas-neat, speed: 800 Gb/s}}
"""
    (warning,) = [row for row in build(read_text(text, "cluster.yaml")).warnings if "ECN" in row.found]
    assert warning.hint == (
        "below it the link runs empty after every congestion notification; "
        "write `ecn: {minimum: 261 kB}` for the switch instead of the default of its operating system"
    )
    text = text.replace("role: leaf}", "role: leaf, ecn: {minimum: 261 kB}}")
    assert not [row for row in build(read_text(text, "cluster.yaml")).warnings if "ECN" in row.found]


@pytest.mark.parametrize(
    ("ecn", "values"),
    [
        (
            "",
            {
                "minimum": ("250,000 B (250 kB)", "20 µs (published: 1 MB at 400 Gb/s) × 100 Gb/s", "Broadcom"),
                "maximum": ("750,000 B (750 kB)", "60 µs (published: 3 MB at 400 Gb/s) × 100 Gb/s", "Broadcom"),
                "probability": ("20 %", "share of packets that are marked", "Broadcom"),
            },
        ),
        (
            "ecn: {maximum: 4 MB, probability: 35%},",
            {
                "minimum": ("250,000 B (250 kB)", "20 µs (published: 1 MB at 400 Gb/s) × 100 Gb/s", "Broadcom"),
                "maximum": ("4,000,000 B (4 MB)", "4,000,000 B requested", "cluster file"),
                "probability": ("35 %", "share of packets that are marked", "cluster file"),
            },
        ),
    ],
)
def test_each_value_of_the_marking_has_its_own_source(ecn: str, values: dict[str, tuple[str, str, str]]) -> None:
    text = (EXAMPLES / "arista-leaf-spine" / "cluster.yaml").read_text(encoding="utf-8")
    changed = re.sub(r"(leaf[^:]*: \{)", rf"\1{ecn} ", text, count=1) if ecn else text
    assert (changed != text) == bool(ecn)
    rows = {value.name: value for value in build(read_text(changed, "cluster.yaml")).computed}
    for name, (value, formula, source) in values.items():
        (row,) = [
            row for key, row in rows.items() if key.startswith(f"ECN {name} of leaf") and key.endswith("100 Gb/s")
        ]
        assert (row.value, row.formula.startswith(formula), row.source.startswith(source)) == (value, True, True)
