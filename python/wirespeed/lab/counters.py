"""Byte counters of the interfaces of a lab's hosts."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from wirespeed.errors import refuse
from wirespeed.lab.lab import Lab
from wirespeed.reach import Status

_AT_ONCE = 8
_LIMIT_S = 60


def counters(lab: Lab) -> dict[tuple[str, str], tuple[int, int]]:
    """Bytes sent and received by host and interface, since the start of the lab.

    Raises:
        Refusal: the counters of a host cannot be read.
    """
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        links_by_host = pool.map(lambda host: _host_counters(lab, host), lab.hosts)
        return {
            (host, link["ifname"]): (link["stats64"]["tx"]["bytes"], link["stats64"]["rx"]["bytes"])
            for host, links in zip(lab.hosts, links_by_host, strict=True)
            for link in links
        }


def _host_counters(lab: Lab, host: str) -> list[dict[str, Any]]:
    ran = lab.run(host, "ip", "-json", "-statistics", "link", timeout_s=_LIMIT_S)
    if ran.status is not Status.OK:
        raise refuse(host, f"ip -statistics link: {ran.detail}", "counters of its interfaces")
    links: list[dict[str, Any]] = json.loads(ran.stdout)
    return links
