"""Statuses that only the runner sets: unknown, skip and error; a cluster as planned passes."""

import dataclasses

import pytest
import small_cluster as small
from hypothesis import given, settings
from hypothesis import strategies as st

from wirespeed.checks import checks, run
from wirespeed.facts import COMPLETE, Facts, assemble_facts
from wirespeed.results.findings import Status
from wirespeed.settings import Place, Route, Rule


def test_a_cluster_as_planned_has_nothing_but_passes() -> None:
    findings = small.find(small.facts())
    assert {finding.status for finding in findings} <= {Status.PASS, Status.SKIP}
    exercised = {finding.check for finding in findings if finding.status is Status.PASS}
    assert exercised == set(checks())


def test_nothing_read_is_never_good() -> None:
    findings = small.find(Facts({}))
    assert {finding.status for finding in findings} == {Status.UNKNOWN, Status.SKIP}
    mtu_finding = next(finding for finding in findings if finding.check == "link.mtu")
    assert mtu_finding.found == "nic.link.mtu not read; nothing was collected from node1"


def test_no_intent_is_skipped_whatever_was_found() -> None:
    nics = small.PLAN.hosts["node1"].nics
    blank = dataclasses.replace(nics["eth1"], link=dataclasses.replace(nics["eth1"].link, fec=None))
    host = dataclasses.replace(small.PLAN.hosts["node1"], nics={"eth1": blank, "eth2": nics["eth2"]})
    plan = dataclasses.replace(small.PLAN, hosts={"node1": host})
    findings = small.by_id("link.fec", small.facts({(small.NIC, "nic.link.fec"): "none"}), plan)
    assert [(finding.status, finding.found) for finding in findings] == [
        (Status.SKIP, "not planned: nic.link.fec"),
        (Status.PASS, "rs"),
    ]


def test_a_gap_names_the_command_and_what_became_of_it() -> None:
    observed = small.observations({(small.HOST.child("pcie", "0000:14:00.0"), "pcie.acs"): None})
    findings = [
        finding
        for finding in small.by_id("pcie.acs", assemble_facts(observed, small.no_permission("pcie.acs")))
        if finding.status is Status.UNKNOWN
    ]
    assert [(finding.place, finding.found) for finding in findings] == [
        ("pcie 0000:14:00.0", "pcie.acs not read; lspci: permission denied")
    ]


def test_an_absent_thing_is_one_failure_and_the_rest_is_skipped() -> None:
    findings = small.bad(small.facts(absent=[small.NIC]))
    assert [(finding.check, finding.status, finding.place) for finding in findings] == [
        ("nic.presence", Status.FAIL, "bnxt_re0 / eth1 / 0000:1d:00.0")
    ]


def test_a_thing_not_seen_in_a_collection_not_read_to_its_end_is_unknown() -> None:
    observed = [
        observation
        for observation in small.observations(absent=[small.HOST.child("rule", "from 10.1.0.1/32")])
        if observation.path != "host.rules"
    ]
    findings = small.bad(assemble_facts(observed))
    assert [(finding.check, finding.status, finding.found) for finding in findings] == [
        (identifier, Status.UNKNOWN, "host.rules not read; the collected output does not contain its value")
        # of the other rule it is unknown whether another one comes before it
        for identifier in ("address.next-hop", "address.next-hop", "address.rule", "address.rule")
    ]


def test_a_broken_check_is_an_error_and_the_others_go_on() -> None:
    def broken(_: object) -> None:
        raise ZeroDivisionError("division by zero")

    broken_check = dataclasses.replace(checks()["link.mtu"], function=broken)
    findings = run(small.PLAN, small.facts(), [broken_check, checks()["link.fec"]])
    assert [(finding.status, finding.found) for finding in findings if finding.check == "link.mtu"] == [
        (Status.ERROR, "internal error in the check: ZeroDivisionError: division by zero")
    ] * 2
    assert {finding.status for finding in findings if finding.check == "link.fec"} == {Status.PASS}


def test_a_check_reads_nothing_it_does_not_declare() -> None:
    undeclared = dataclasses.replace(checks()["link.mtu"], needs=("nic.link.fec",))
    findings = run(small.PLAN, small.facts(), [undeclared])
    assert {finding.status for finding in findings} == {Status.ERROR}
    assert (
        findings[0].found
        == "internal error in the check: KeyError: 'link.mtu does not declare that it needs nic.link.mtu'"
    )


def test_a_format_known_from_memory_warns_at_worst() -> None:
    changes = {(small.NIC, "nic.link.mtu"): 1500, (small.OTHER_NIC, "nic.link.mtu"): 9000}
    unverified = {("node1", "nic.link.mtu")}
    findings = small.by_id("link.mtu", assemble_facts(small.observations(changes), unverified=unverified))
    assert [finding.status for finding in findings] == [Status.WARN, Status.PASS]
    assert findings[0].warning_reasons == ("the output format was not verified on a device for nic.link.mtu",)


def test_a_verdict_depends_on_the_settings_that_differ() -> None:
    planned = small.PLAN.switches["leaf1"].ports["Eth1/1"].qos.dscp_tc or {}
    lossy = {(small.PORT, "port.qos.dscp_tc"): dict.fromkeys(planned, type(next(iter(planned.values())))(0))}
    for path, status in (("port.qos.trust", Status.FAIL), ("port.qos.dscp_tc", Status.WARN)):
        facts = assemble_facts(small.observations(lossy), unverified={("leaf1", path)})
        finding = next(finding for finding in small.by_id("qos.roce-queue", facts) if finding.place == "port Eth1/1")
        assert (finding.status, bool(finding.warning_reasons)) == (status, status is Status.WARN), path


def test_evidence_names_command_file_and_line() -> None:
    finding = small.by_id("link.mtu", small.facts())[0]
    assert len(finding.evidence) == 1
    assert finding.evidence[0].startswith("node1: show (node1/show.out:")


def test_findings_are_the_same_however_often() -> None:
    assert small.find(small.facts()) == small.find(small.facts())


_OBSERVATIONS = small.observations()


@settings(max_examples=40, deadline=None)
@given(st.sets(st.sampled_from(range(len(_OBSERVATIONS)))))
def test_reading_less_never_makes_a_failure(left_out: set[int]) -> None:
    """A passing cluster of which less was read is unknown in places, and nothing else.

    A collection of whose members something was left out was not read to its end.
    """
    absent_places = [_OBSERVATIONS[index].place for index in left_out]
    observations = [
        observation
        for index, observation in enumerate(_OBSERVATIONS)
        if index not in left_out
        and not (observation.value == COMPLETE and any(_is_within(place, observation.place) for place in absent_places))
    ]
    findings = small.find(assemble_facts(observations))
    assert {finding.status for finding in findings} <= {Status.PASS, Status.SKIP, Status.UNKNOWN}


def _is_within(inner: Place, outer: Place) -> bool:
    depth = len(outer.entities)
    return inner.device == outer.device and len(inner.entities) > depth and inner.entities[:depth] == outer.entities


# A NIC or GPU of which anything was read is there, so the presence checks need no separate reading.
@pytest.mark.parametrize("identifier", sorted(set(checks()) - {"gpu.presence", "nic.presence"}))
def test_every_check_states_unknown_when_what_it_needs_was_not_read(identifier: str) -> None:
    check = checks()[identifier]
    observed = [
        observation
        for observation in _OBSERVATIONS
        if observation.path not in check.needs and observation.value != COMPLETE
    ]
    statuses = {finding.status for finding in small.by_id(identifier, assemble_facts(observed))}
    assert statuses - {Status.SKIP} == {Status.UNKNOWN}


@pytest.mark.parametrize(
    ("identifier", "absent", "path"),
    [
        ("address.rule", small.HOST.child("rule", "from fd00::1/128"), "host.ipv6_rules"),
        ("address.route", small.HOST.child("route", "101 ::/0"), "host.ipv6_routes"),
    ],
)
def test_ipv6_routing_is_unknown_until_it_is_read_and_absent_then(identifier: str, absent: Place, path: str) -> None:
    host = dataclasses.replace(
        small.PLAN.hosts["node1"],
        rules={"from fd00::1/128": Rule(101, 1001)},
        routes={"101 ::/0": Route("eth1", "fd00::ffff")},
    )
    plan = dataclasses.replace(small.PLAN, hosts={"node1": host})
    ipv4_alone = small.facts({(small.HOST, path): None}, absent=[absent])
    assert [finding.status for finding in small.by_id(identifier, ipv4_alone, plan)] == ["unknown"]
    facts = small.facts({(small.HOST, path): 2}, absent=[absent])
    assert [finding.status for finding in small.by_id(identifier, facts, plan)] == ["fail"]
