"""Community SONiC: IPv6 routes are exchanged from a release on, which a switch without os_version may not run."""

from __future__ import annotations

import pytest

from wirespeed.cluster import read_text
from wirespeed.plan import build

CLUSTER = """\
version: 1
name: small
hosts:
  node[1-4]: {model: dell-xe9680-mi300x, os: ubuntu-22.04, nics: 8 x broadcom-bcm957608-p1400gd}
switches:
  leaf[1-2]: {model: nvidia-sn5600, os: sonic, role: leafRELEASE}
  spine[1-2]: {model: nvidia-sn5600, os: sonic, role: spineRELEASE}
fabric:
  leaf_spine: {uplinks: 4, length: 10 m}
cabling: {pattern: by-host, length: 3 m}
addresses: {scheme: SCHEME, loopbacks: 10.255.0.0/24}
routing: {underlay: bgp-numbered, bfd: true}
classes:
  roce: {dscp: 26, priority: 3, lossless: true, share: 50%, congestion: dcqcn-p}
  cnp: {dscp: 48, priority: 7, strict: true}
"""
IPV6 = 'link-127, pool: "fd00:1::/48", fabric: "fd00:2::/64"'
IPV4 = "link-31, pool: 10.1.0.0/16, fabric: 10.2.0.0/24"
WARNING = "no os_version: the BGP sessions exchange IPv6 routes from Community SONiC 202505 on only"


@pytest.mark.parametrize(
    ("release", "scheme", "warned"), [("", IPV6, True), ("", IPV4, False), (", os_version: 202505", IPV6, False)]
)
def test_ipv6_sessions_without_a_release_warn(release: str, scheme: str, warned: bool) -> None:
    plan = build(read_text(CLUSTER.replace("RELEASE", release).replace("SCHEME", scheme), "cluster.yaml"))
    assert any(WARNING in str(warning) for warning in plan.warnings) is warned
