import pytest

from wirespeed.facts import COMPLETE, Gap, Observation, Source, State, assemble_facts
from wirespeed.settings import Host, Place, Rule, Switch

SOURCE = Source("node1", "ip -j rule", "node1/ip-rule.out", 1)


def test_observations_become_entities():
    node = Place("node1")
    rule = node.child("rule", "from 10.1.0.1/32")
    facts = assemble_facts(
        [
            Observation(rule, "rule.table", 101, SOURCE),
            Observation(node, "host.rules", COMPLETE, SOURCE),
            Observation(node.child("nic", "ens1"), "nic.link.mtu", 9000, SOURCE),
        ]
    )
    host = facts.devices["node1"]
    assert isinstance(host, Host)
    assert host.rules == {"from 10.1.0.1/32": Rule(table=101)}
    assert host.nics["ens1"].link.mtu == 9000
    assert facts.complete(node, "host.rules")
    assert not facts.complete(node, "host.routes")


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (State.RUNNING, State.CONFIGURED),
        (State.CONFIGURED, State.PERSISTENT),
        (State.PERSISTENT, State.ASSUMED),
    ],
)
def test_what_is_in_effect_is_believed_before_what_will_be(better, worse):
    place = Place("node1")
    facts = assemble_facts(
        [
            Observation(place, "host.memlock", "64", SOURCE, worse),
            Observation(place, "host.memlock", "unlimited", SOURCE, better),
        ]
    )
    assert facts.value(place, "host.memlock") == "unlimited"
    assert len(facts.readings[place, "host.memlock"]) == 2


def test_a_device_with_ports_is_a_switch():
    queue = Place("leaf1").child("port", "Ethernet1/1").child("queue", "3")
    facts = assemble_facts([Observation(queue, "queue.weight", 50, SOURCE)])
    switch = facts.devices["leaf1"]
    assert isinstance(switch, Switch)
    assert switch.ports["Ethernet1/1"].queues["3"].weight == 50


def test_gaps_give_the_reason():
    gap = Gap("lspci -vvv", "permission denied")
    facts = assemble_facts([], {("node1", "pcie.acs"): (gap,)}, devices=["node1"])
    assert (
        facts.find_missing_reason(Place("node1").child("pcie", "0000:1d:00.0"), "pcie.acs")
        == "lspci -vvv: permission denied"
    )
    assert (
        facts.find_missing_reason(Place("node1"), "host.memlock") == "the collected output does not contain its value"
    )
    assert facts.find_missing_reason(Place("node9"), "host.memlock") == "nothing was collected from node9"


def test_an_unknown_path_is_our_bug():
    with pytest.raises(KeyError, match=r"nic\.mtu is not a setting of node1"):
        assemble_facts([Observation(Place("node1"), "nic.mtu", 9000, SOURCE)])


def test_a_device_of_which_nothing_was_observed_is_of_the_requested_kind():
    facts = assemble_facts([], devices=["node1", "leaf1"], switches=["leaf1"])
    assert facts.devices == {"node1": Host(), "leaf1": Switch()}
