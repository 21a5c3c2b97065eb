"""A made-up fabric whose pairs are measured, with faults put into it."""

import random

from wirespeed.benchmarks.peers import MemberDirectory, compare
from wirespeed.benchmarks.peers.samples import Key, Sample
from wirespeed.results.benchmarks import Metric
from wirespeed.results.peers import Member, Reading

KEY = Key("perftest", "ib_write_bw", (), None, Metric.BW_AVG, "Gb/s", 1 << 20, "pairs")
LATENCY = Key("perftest", "ib_write_lat", (), None, Metric.LATENCY_TYPICAL, "us", 8, "pairs")
LINE = 390.0


def members(hosts, rails=1, per_leaf=None, by_rail=False):
    """NICs of hosts; each leaf connects this number of hosts, or one rail."""
    fabric_members = []
    for host in range(hosts):
        for rail in range(1, rails + 1):
            leaf = f"leaf{rail}" if by_rail else None if per_leaf is None else f"leaf{host // per_leaf + 1}"
            device = f"nic{rail}" if rails > 1 else None
            name = f"node{host + 1}:{device}" if device else f"node{host + 1}"
            fabric_members.append(Member(name, f"node{host + 1}", device, rail if rails > 1 else None, leaf))
    return fabric_members


def pairs(group, same_rail=True):
    """Every pair of members of different hosts, in both directions."""
    return [
        (a, b)
        for a in group
        for b in group
        if a.host != b.host and (not same_rail or a.rail == b.rail or a.rail is None)
    ]


def matrix(group, slow=lambda a, b: 1.0, noise=0.005, seed=1, key=KEY, same_rail=True, times=1):
    """What is compared of such pairs; ``slow`` gives each its fraction of the line rate."""
    chance = random.Random(seed)
    samples = []
    for reading in range(times):
        for number, (a, b) in enumerate(pairs(group, same_rail), start=1):
            value = LINE * slow(a, b) * (1 + noise * chance.gauss(0, 1))
            if key.lower_is_better:
                value = 1e3 / value
            samples.append(Sample(a, b, Reading(value, f"run{reading}.log", number)))
    return compare(key, samples, MemberDirectory(None))


def list_suspects(peer_matrix):
    """Kind, direction and name of the suspects."""
    return [(suspect.kind.value, suspect.pattern.value, suspect.name) for suspect in peer_matrix.suspects]
