"""How sure a check of firmware is: a saved answer under an uncertain name warns, what the kernel proves fails."""

import pytest
import small_cluster as small

from wirespeed.facts import Observation, Source, State, assemble_facts

SMT = small.HOST.child("bios", "smt")


@pytest.mark.parametrize(
    ("verified", "readings", "status"),
    [
        (True, {State.CONFIGURED: "disabled"}, "pass"),
        (False, {State.CONFIGURED: "disabled"}, "pass"),
        (True, {State.CONFIGURED: "enabled"}, "fail"),
        (False, {State.CONFIGURED: "enabled"}, "warn"),
        (False, {State.CONFIGURED: "disabled", State.RUNNING: "enabled"}, "fail"),
        (None, {State.RUNNING: "enabled"}, "fail"),
        (None, {}, "unknown"),
    ],
)
def test_status(verified: bool | None, readings: dict[State, str], status: str) -> None:
    source = Source("node1", "redfish-bios", "node1/redfish-bios.out", 5)
    observed = [Observation(SMT, "bios.value", value, source, state) for state, value in readings.items()]
    if verified is not None:
        observed.append(Observation(SMT, "bios.verified", verified, source, State.CONFIGURED))
    (finding,) = small.by_id("host.bios", assemble_facts(observed, devices=["node1"]))
    assert finding.status == status


def test_an_attribute_that_no_output_contains_is_read_in_the_menus() -> None:
    (finding,) = small.by_id("host.bios", assemble_facts([], devices=["node1"]))
    assert [fix.sentence for fix in finding.fix] == [
        "compare BIOS > Processor Settings > Logical Processor with the planned Disable: no collected output contains "
        "this attribute"
    ]
