"""BGP sessions with every neighbour of a range, which have no line each.

A vEOS spine of batfish/lab-validation (snapshots/cv_demo_base_panos) has sessions with four leaves so.
"""

from __future__ import annotations

import pytest

from platforms.round_trip import build_facts
from wirespeed.facts import Source
from wirespeed.platforms import Output, Outputs, platform
from wirespeed.settings import Place

EOS = """\
hostname spine1
router bgp 65100
   neighbor LEAFS peer group
   {range}
end
"""
NXOS = """\
hostname spine1
router bgp 65100
  router-id 192.0.2.1
  {range}
    remote-as 65001
spine1
"""
JUNOS = """\
protocols {{
    bgp {{
        group LEAFS {{
            type external;
            {range}
        }}
    }}
}}
"""
CUMULUS = """\
nv set vrf default router bgp autonomous-system 65100
{range}
nv set vrf default router bgp enable on
"""
ENTERPRISE = """\
hostname spine1
!
router bgp 65100
 router-id 192.0.2.1
 {range}
!
"""
SONIC = """\
{{
    "BGP_GLOBALS": {{"default": {{"local_asn": "65100"}}}},
    "{range}": {{"default|192.0.2.0/24": {{}}}},
    "PORT": {{"Ethernet0": {{}}}}
}}
"""


@pytest.mark.parametrize(
    ("name", "command", "text", "plain", "ranged"),
    [
        ("eos", "running-config", EOS, "", "bgp listen range 192.0.2.0/24 peer-group LEAFS peer-filter LEAFS"),
        ("nxos", "running-config", NXOS, "neighbor 192.0.2.2", "neighbor 192.0.2.0/24"),
        ("junos", "configuration", JUNOS, "", "allow 192.0.2.0/24;"),
        ("cumulus", "config", CUMULUS, "", "nv set vrf default router bgp dynamic-neighbor listen-range 192.0.2.0/24"),
        ("enterprise-sonic", "running-config", ENTERPRISE, "", "bgp listen range 192.0.2.0/24 peer-group LEAFS"),
        ("sonic", "config-db", SONIC, "BGP_GLOBALS_AF_NETWORK", "BGP_GLOBALS_LISTEN_PREFIX"),
    ],
)  # fmt: skip
def test_a_range_leaves_open_which_sessions_there_are(
    name: str, command: str, text: str, plain: str, ranged: str
) -> None:
    def lists_all_sessions(line: str) -> bool:
        output = Output(command, text.format(range=line), Source("spine1", "show", "file"))
        facts = build_facts(platform("switch", name), Outputs("spine1", {command: output}))
        return facts.complete(Place("spine1"), "switch.peers")

    assert (lists_all_sessions(plain), lists_all_sessions(ranged)) == (True, False)
