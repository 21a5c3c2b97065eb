"""BGP on Arista EOS: configured, printed back, and read from what real switches print.

``WIRESPEED_ACCEPT=1 pytest tests/platforms/switch/test_eos_bgp.py`` writes the files anew; read the difference.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from platforms.round_trip import answers, build_facts, find_losses
from platforms.switch.test_eos import EOS, compare
from wirespeed.cluster import read_text
from wirespeed.errors import Refusal
from wirespeed.facts import Facts, Source, State
from wirespeed.plan import build
from wirespeed.platforms import Output, Outputs
from wirespeed.platforms.templates import fill_answer, fill_template
from wirespeed.settings import Bgp, BgpPeer, Place, Port, Switch, walk

LEAF = Place("leaf1")
BASE = Switch(
    os_version="4.33.1F",
    chip="tomahawk4",
    routing=True,
    lldp=True,
    loopbacks=("10.255.0.1/32",),
    bgp=Bgp(4200010000, "10.255.0.1", 2, multipath_relax=True, networks=("10.255.0.1/32", "10.1.0.0/31")),
)
NUMBERED = replace(
    BASE,
    ports={f"Ethernet{number}/1": Port(addresses=(f"10.2.0.{2 * number}/31",)) for number in (1, 2)},
    peers={
        f"10.2.0.{2 * number + 1}": BgpPeer(4200000000, f"spine{number} Ethernet1/1", ipv4=True, ipv6=False, bfd=True)
        for number in (1, 2)
    },
)
UNNUMBERED = replace(
    BASE,
    bgp=replace(BASE.bgp, networks=("10.255.0.1/32", "2001:db8:1::/64")),
    ports={f"Ethernet{number}/1": Port(unnumbered=True) for number in (1, 2, 3)},
    peers={
        f"Ethernet{number}/1": BgpPeer(4200000000 + number // 3, unnumbered=True, ipv4=True, ipv6=True, bfd=False)
        for number in (1, 2, 3)
    },
)
CASES = {"eos-bgp-numbered": NUMBERED, "eos-bgp-unnumbered": UNNUMBERED}


@pytest.mark.parametrize("case", CASES)
def test_configuration(case: str) -> None:
    compare(f"{case}.cfg", fill_template(EOS, "startup.j2", "leaf1", CASES[case]))


@pytest.mark.parametrize("case", CASES)
def test_running_configuration(case: str) -> None:
    compare(f"{case}.running-config.txt", fill_answer(EOS, "running-config", "leaf1", CASES[case]))


@pytest.mark.parametrize("case", CASES)
def test_settings_come_back(case: str) -> None:
    assert find_losses(EOS, "leaf1", CASES[case]) == []


@pytest.mark.parametrize("case", CASES)
def test_what_is_configured_is_read_like_what_is_printed(case: str) -> None:
    answer_texts = answers(EOS, "leaf1", CASES[case])
    output = answer_texts.outputs["running-config"]
    terminal_output = replace(output, text=fill_template(EOS, "startup.j2", "leaf1", CASES[case]))
    assert build_facts(EOS, Outputs("leaf1", {"running-config": terminal_output})).devices == (
        build_facts(EOS, Outputs("leaf1", {"running-config": output})).devices
    )


FABRIC = """\
version: 1
name: two-tiers
hosts:
  node[1-2]: {model: dell-xe9680-mi300x, os: ubuntu-22.04, nics: 8 x broadcom-bcm957608-p1400gd}
switches:
  leaf[1-2]: {model: arista-7060dx5-64s, role: leaf}
  spine[1-2]: {model: arista-7804r3-36p, role: spine}
links: [{a: "leaf[1-2]", b: "spine[1-2]", count: 2}]
addresses: {scheme: link-31, pool: 10.1.0.0/16, loopbacks: 10.255.0.0/24}
"""


@pytest.mark.parametrize("text", [FABRIC, FABRIC.replace("loopbacks:", "fabric: 10.2.0.0/24, loopbacks:")])
def test_a_planned_fabric_comes_back(text: str) -> None:
    """All but the description of an unnumbered session, which EOS has on the port alone."""
    for name, switch in build(read_text(text, "fabric.yaml")).switches.items():
        assert switch.peers
        losses = [
            loss for loss in find_losses(EOS, name, switch) if "Ethernet" not in loss or "peer.description" not in loss
        ]
        assert losses == []


HEAD = "hostname leaf1\n!\ninterface Ethernet1\n   no switchport\n   ipv6 enable\n!\ninterface Ethernet2\n!\n"


def read(router: str) -> Facts:
    """What is read from a running configuration with this BGP."""
    text = f"{HEAD}{router}!\nend\n"
    return build_facts(
        EOS, Outputs("leaf1", {"running-config": Output("running-config", text, Source("leaf1", "show", "file"))})
    )


CEOS = """\
router bgp 65001
   maximum-paths 64 ecmp 64
   neighbor CLOS peer group
   neighbor CLOS out-delay 0
   neighbor CLOS bfd
   neighbor CLOS timers 3 9
   redistribute connected route-map BGP_REDISTRIBUTE_CONNECTED
   neighbor interface Et1-2 peer-group CLOS remote-as 65100
   !
   address-family ipv4
      neighbor CLOS activate
      neighbor CLOS next-hop address-family ipv6 originate
"""
"""In the order of a cEOS leaf's running configuration in public lab notes: short names, a merged range."""
AVD = """\
router bgp 65120.12100
   router-id 172.21.1.3
   no bgp default ipv4-unicast
   neighbor UNDERLAY peer group
   neighbor UNDERLAY remote-as 65100
   neighbor UNDERLAY bfd
   neighbor 10.2.0.1 peer group UNDERLAY
   neighbor 10.2.0.1 description spine1_Ethernet1
   neighbor 10.2.0.3 peer-group UNDERLAY
   neighbor 10.2.0.3 remote-as 65101
   no neighbor 10.2.0.3 bfd
   neighbor 2001:DB8::1 remote-as 65102
   network 192.0.2.0/24 route-map PLAIN
   !
   address-family ipv4
      neighbor UNDERLAY activate
      no neighbor 10.2.0.3 activate
      network 10.255.0.1/32
   !
   address-family ipv6
      neighbor 2001:DB8::1 activate
      network 2001:db8::/64
   !
   vrf mgmt
      neighbor 10.9.0.1 remote-as 65001
"""
"""In the order of Arista AVD's templates."""


def peer(name: str) -> Place:
    """A session of the leaf."""
    return LEAF.child("peer", name)


ROWS: list[tuple[str, Place, str, Any]] = [
    (CEOS, LEAF, "switch.bgp.asn", 65001),
    (CEOS, LEAF, "switch.bgp.maximum_paths", 64),
    (CEOS, LEAF, "switch.bgp.networks", ()),
    (CEOS, LEAF, "switch.bgp.router_id", None),
    (CEOS, peer("Ethernet1"), "peer.asn", 65100),
    (CEOS, peer("Ethernet2"), "peer.asn", 65100),
    (CEOS, peer("Ethernet2"), "peer.bfd", True),
    (CEOS, peer("Ethernet2"), "peer.unnumbered", True),
    (CEOS, peer("Ethernet2"), "peer.ipv4", True),
    (CEOS, peer("Ethernet2"), "peer.ipv6", False),
    (CEOS, LEAF.child("port", "Ethernet1"), "port.unnumbered", True),
    (CEOS, LEAF.child("port", "Ethernet2"), "port.unnumbered", False),
    (CEOS.replace("remote-as 65100", "peer-filter LEAFS"), peer("Ethernet1"), "peer.asn", None),
    (AVD, LEAF, "switch.bgp.asn", 65120 * 65536 + 12100),
    (AVD, LEAF, "switch.bgp.router_id", "172.21.1.3"),
    (AVD, LEAF, "switch.bgp.maximum_paths", 1),
    (AVD, LEAF, "switch.bgp.networks", ("192.0.2.0/24", "10.255.0.1/32", "2001:db8::/64")),
    (AVD, peer("10.2.0.1"), "peer.asn", 65100),
    (AVD, peer("10.2.0.1"), "peer.description", "spine1_Ethernet1"),
    (AVD, peer("10.2.0.1"), "peer.bfd", True),
    (AVD, peer("10.2.0.1"), "peer.ipv4", True),
    (AVD, peer("10.2.0.1"), "peer.unnumbered", False),
    (AVD, peer("10.2.0.3"), "peer.asn", 65101),
    (AVD, peer("10.2.0.3"), "peer.bfd", False),
    (AVD, peer("10.2.0.3"), "peer.ipv4", False),
    (AVD, peer("2001:db8::1"), "peer.ipv6", True),
    (AVD, peer("2001:db8::1"), "peer.ipv4", False),
    (AVD, peer("10.9.0.1"), "peer.asn", None),
    (AVD.replace("no bgp default ipv4-unicast", "bgp default ipv4-unicast"), peer("2001:db8::1"), "peer.ipv4", True),
    (AVD.replace("   neighbor UNDERLAY remote-as 65100\n", ""), peer("10.2.0.1"), "peer.asn", None),
    (AVD.replace("10.255.0.1/32", "10.255.0.1/24"), LEAF, "switch.bgp.networks", None),
    (AVD.replace("router-id 172.21.1.3", "router-id one"), LEAF, "switch.bgp.router_id", None),
    (AVD.replace("65120.12100", "65120.99999"), LEAF, "switch.bgp.asn", None),
]


@pytest.mark.parametrize(("router", "place", "path", "value"), ROWS)
def test_a_printed_configuration(router: str, place: Place, path: str, value: Any) -> None:
    assert read(router).value(place, path) == value


def test_relaxed_multipath_is_assumed_unless_configured() -> None:
    strict = CEOS.replace("   maximum", "   no bgp bestpath as-path multipath-relax\n   maximum")
    readings = [read(router).reading(LEAF, "switch.bgp.multipath_relax") for router in (CEOS, strict)]
    assert [(value.value, value.state) for value in readings if value] == [
        (True, State.ASSUMED),
        (False, State.RUNNING),
    ]


@pytest.mark.parametrize(("router", "complete"), [("", True), (CEOS, True), (CEOS.replace("Et1-2", "Po1"), False)])
def test_sessions_that_are_not_there_are_absent_only_if_every_line_was_read(router: str, complete: bool) -> None:
    assert read(router).complete(LEAF, "switch.peers") is complete


SUMMARY = """\
{"vrfs": {"default": {"vrf": "default", "routerId": "10.1.0.1", "asn": "65100", "peers": {
  "fe80::525a:57ff:fe87:6f51%Et2": {"peerState": "Established", "peerAsn": "65002"},
  "10.2.0.1": {"peerState": "Active", "peerAsn": "65001"},
  "10.2.0.3": {"peerAsn": "65001"}}}}}
"""


def test_states_of_sessions() -> None:
    output = Output("bgp-summary", SUMMARY, Source("leaf1", "show bgp summary", "file"))
    facts = build_facts(EOS, Outputs("leaf1", {"bgp-summary": output}))
    states = {name: facts.value(peer(name), "peer.state") for name in ("Ethernet2", "10.2.0.1", "10.2.0.3")}
    assert states == {"Ethernet2": "Established", "10.2.0.1": "Active", "10.2.0.3": None}


REFUSED = {
    "sessions without a system of one's own": (
        replace(NUMBERED, bgp=Bgp()),
        "leaf1: switch.bgp.asn: found none; expected the autonomous system of the switch, for BGP",
    ),
    "a neighbour without a system": (
        replace(NUMBERED, peers={"10.2.0.1": BgpPeer(ipv4=True)}),
        "leaf1 peer 10.2.0.1: peer.asn: found none; expected the neighbour's autonomous system",
    ),
    "an unnumbered session on no port": (
        replace(UNNUMBERED, peers={"Ethernet9/1": BgpPeer(65001, unnumbered=True)}),
        "leaf1 peer Ethernet9/1: peer.unnumbered: found on, of Ethernet9/1; expected a port of the switch",
    ),
    "a description of two lines": (
        replace(NUMBERED, peers={"10.2.0.1": BgpPeer(65001, "spine1\nno bgp")}),
        r"leaf1 peer 10.2.0.1: peer.description: found 'spine1\nno bgp'; expected printable text",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    switch, message = REFUSED[case]
    with pytest.raises(Refusal) as refusal:
        fill_template(EOS, "startup.j2", "leaf1", switch)
    assert str(refusal.value) == message


COMMANDS: list[tuple[str, Place, str, Any, tuple[str, ...]]] = [
    (
        "eos-bgp-numbered",
        peer("10.2.0.3"),
        "peer.asn",
        65009,
        ("router bgp 4200010000", "neighbor 10.2.0.3 remote-as 65009"),
    ),
    ("eos-bgp-numbered", peer("10.2.0.3"), "peer.bfd", False, ("router bgp 4200010000", "no neighbor 10.2.0.3 bfd")),
    (
        "eos-bgp-unnumbered",
        peer("Ethernet3/1"),
        "peer.asn",
        4200000001,
        (
            "router bgp 4200010000",
            "neighbor FABRIC peer group",
            "neighbor interface Ethernet3/1 peer-group FABRIC remote-as 4200000001",
        ),
    ),
    (
        "eos-bgp-unnumbered",
        peer("Ethernet3/1"),
        "peer.ipv4",
        True,
        (
            "router bgp 4200010000",
            "address-family ipv4",
            "neighbor FABRIC activate",
            "neighbor FABRIC next-hop address-family ipv6 originate",
        ),
    ),
    (
        "eos-bgp-unnumbered",
        LEAF,
        "switch.bgp.networks",
        ("10.255.0.1/32", "2001:db8:1::/64"),
        (
            "router bgp 4200010000",
            "address-family ipv4",
            "network 10.255.0.1/32",
            "exit",
            "address-family ipv6",
            "network 2001:db8:1::/64",
            "exit",
        ),
    ),
    (
        "eos-bgp-numbered",
        LEAF,
        "switch.loopbacks",
        ("10.255.0.1/32",),
        ("interface Loopback0", "ip address 10.255.0.1/32"),
    ),
    (
        "eos-bgp-unnumbered",
        LEAF.child("port", "Ethernet1/1"),
        "port.unnumbered",
        True,
        ("interface Ethernet1/1", "no switchport", "ipv6 enable"),
    ),
]


@pytest.mark.parametrize(("case", "place", "path", "value", "lines"), COMMANDS)
def test_commands_of_a_setting(case: str, place: Place, path: str, value: Any, lines: tuple[str, ...]) -> None:
    assert EOS.commands_for is not None
    worded = EOS.commands_for(place, path, value, CASES[case])
    assert worded is not None
    assert worded.commands == ("configure", *lines, "end", "write memory")


@pytest.mark.parametrize("case", CASES)
def test_every_rendered_setting_has_commands(case: str) -> None:
    assert EOS.commands_for is not None
    without_commands = [
        path
        for place, path, value in walk(CASES[case], LEAF)
        if value is not None
        and EOS.support(path).rendered
        and EOS.commands_for(place, path, value, CASES[case]) is None
    ]
    assert without_commands == []
