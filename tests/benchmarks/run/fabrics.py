"""Fabrics for tests: hosts with a NIC on each rail, under leaves by host or by rail, with cables above them."""

from __future__ import annotations

from wirespeed.benchmarks.endpoints.fabric import Endpoint, Fabric
from wirespeed.units import Bandwidth

SPEED = Bandwidth(400 * 10**9)


def fabric(hosts: int, rails: int = 1, leaves: int = 1, uplinks: int = 0, by_rail: bool = False) -> Fabric:
    """Hosts dealt evenly to leaves, or rails; leaves reach each other where cables lead up from them."""
    endpoints = []
    for host in range(hosts):
        for rail in range(rails):
            leaf = rail % leaves if by_rail else host * leaves // hosts
            endpoints.append(
                Endpoint(
                    host=f"node{host + 1}",
                    interface=f"eth{rail}",
                    device=f"rdma{rail}",
                    rail=rail + 1,
                    address=f"10.{rail}.{host // 250}.{host % 250 + 1}",
                    gpu=rail,
                    mtu=9000,
                    speed=SPEED,
                    leaf=f"leaf{leaf + 1}",
                    fabric="all" if uplinks or leaves == 1 else f"leaf{leaf + 1}",
                    pod=f"pod{leaf // 2 + 1}" if uplinks else None,
                )
            )
    names = [f"leaf{leaf + 1}" for leaf in range(leaves)]
    above = dict.fromkeys(names, uplinks) if uplinks else {}
    return Fabric(tuple(endpoints), above, dict.fromkeys(above, SPEED * uplinks), ())
