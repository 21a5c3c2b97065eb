"""Community SONiC: tables, fields and values that SONiC's models lack are refused, each by release."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from platforms.switch import test_sonic
from platforms.switch.devices import ms
from wirespeed.platforms.switch.sonic.database import build_database
from wirespeed.platforms.switch.sonic.table_models import find_model_problems
from wirespeed.platforms.switch.sonic.view import view

# What the models of sonic-buildimage refuse, by hand from the files that `tables.yaml` names, with the release.
REFUSED: list[tuple[str, str, str, Any, str | None]] = [
    ("BGP_GLOBALS", "default", "ebgp_requires_policy", "false", None),  # a leaf of no release
    ("BGP_NEIGHBOR_AF", "default|10.2.0.1|ipv4_unicast", "admin_status", "true", None),  # admin_status: up, down
    ("BGP_NEIGHBOR_AF", "default|10.2.0.1|ipv4_unicast", "route_map_in", ["ALL"], "202405"),  # unknown to sonic_yang
    ("BGP_NEIGHBOR_AF", "default|10.2.0.1|ipv4_unicast", "filter_list_in", "OTHER", None),  # leafref
    ("PORT_QOS_MAP", "Ethernet0", "pfc_enable", "", "202411"),  # pattern
    ("PORT_QOS_MAP", "Ethernet0", "tc_to_dscp_map", "ROCE", "202405"),  # leaf of later releases, leafref
    ("PFC_WD", "GLOBAL", "POLL_INTERVAL", "2000", "202511"),  # range 100..1000
    ("PFC_WD", "Ethernet0", "action", "errdisable", None),  # enumeration
    ("SCHEDULER", "ROCE-STRICT", "weight", "101", None),  # range
    ("SCHEDULER", "ROCE-STRICT", "pir", "1000", None),  # must: a guaranteed rate
    ("WRED_PROFILE", "ROCE", "green_max_threshold", "0", None),  # must: not below the minimum
    ("VLAN", "Vlan12", "vlanid", "13", None),  # must: the number in the name
    ("CABLE_LENGTH", "AZURE", "Ethernet0", "2.5m", None),  # pattern
    ("QUEUE", "Ethernet0|3", "wred_profile", "AZURE_LOSSLESS", None),  # leafref
    ("DSCP_TO_TC_MAP", "ROCE", "26", "16", None),  # range
    ("PFC_WD", "GLOBAL", "action", "drop", None),  # must
    ("PFC_WD", "GLOBAL", "POLL_INTERVAL", "900", None),  # must: above the detection times
    ("TC_TO_QUEUE_MAP", "ROCE", "0", "8", None),  # pattern
    ("QUEUE", "Ethernet4|3", "scheduler", "ROCE-STRICT", None),  # leafref of the key
    ("BUFFER_PG", "Ethernet0|8", "profile", "NULL", None),  # pattern of the key
    ("INTERFACE", "Ethernet0|10.1.0.0/31", "ipv6_use_link_local_only", "enable", None),  # a leaf of another list
    ("TC_TO_DSCP_MAP", "ROCE", "3", "26", "202405"),  # a model of later releases
    ("TRIMMING", "GLOBAL", "size", "128", None),  # a table that is not rendered
]


def change_row(table: str, key: str, field: str, value: Any) -> dict[str, Any]:
    """The tables of a switch with one value changed."""
    tables: dict[str, Any] = build_database("leaf1", test_sonic.FABRIC)
    rows = tables.get(table, {})
    return {**tables, table: {**rows, key: {**rows.get(key, {}), field: value}}}


@pytest.mark.parametrize(("table", "key", "field", "value", "release"), REFUSED)
def test_what_no_model_takes_is_refused(table: str, key: str, field: str, value: Any, release: str | None) -> None:
    assert list(find_model_problems("leaf1", build_database("leaf1", test_sonic.FABRIC), release)) == []
    problems = list(find_model_problems("leaf1", change_row(table, key, field, value), release))
    assert problems
    assert all(table in problem.location for problem in problems)


def test_a_polling_interval_is_one_that_all_releases_take() -> None:
    (problem,) = view("leaf1", replace(test_sonic.FABRIC, watchdog_poll=ms(2000)))["problems"]
    assert str(problem) == "leaf1: switch.watchdog_poll: found 2 s; expected 100 ms to 1000 ms"


def test_ipv6_sessions_need_a_release_that_reads_their_status() -> None:
    def problems(release: str | None) -> list[str]:
        switch = replace(test_sonic.FABRIC, os_version=release)
        return [problem.location for problem in view("leaf1", switch)["problems"]]

    assert problems("202411.3") == ["leaf1: peer.ipv6"]
    assert problems("202505.1") == problems(None) == []
