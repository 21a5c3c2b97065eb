"""Cables between switches: from `links`, or from the pattern of `fabric`.

A pattern deals the switches of each role, in file order, into planes and these into pods. Every leaf has its uplinks
dealt evenly to the spines of its pod. Every spine has its uplinks dealt evenly to all cores of its plane, or, where
there are more cores than uplinks, the k-th spine of each pod to the k-th group of cores.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from wirespeed.cluster import Cluster
from wirespeed.cluster.fabric import LinkPart, TierPart
from wirespeed.cluster.ranges import format_names
from wirespeed.errors import did_you_mean
from wirespeed.plan.fabric import Box, Domain, even
from wirespeed.plan.problems import Problems

_ROLES = ("leaf", "spine", "core")


@dataclass(frozen=True, slots=True)
class Bundle:
    """Parallel cables from a lower switch to an upper one."""

    a: str
    b: str
    count: int
    part: LinkPart | TierPart
    path: tuple[str | int, ...]
    up: tuple[str, ...]  # the switches that use their last ports for the bundle


def check_roles(cluster: Cluster, problems: Problems) -> None:
    """Refuse roles without a pattern. Other roles are allowed if `links` or a file lists the cables."""
    is_free = cluster.fabric is None and any(spec.role == "leaf" for spec in cluster.switches.values())
    for spec in cluster.switches.values():
        if not is_free and spec.role not in _ROLES:
            hint = did_you_mean(spec.role, _ROLES)
            problems.refuse((*spec.path, "role"), f"the role {spec.role!r}", "leaf, spine or core", hint)


def list_bundles(
    cluster: Cluster, domains: Sequence[Domain], boxes: Mapping[str, Box], problems: Problems
) -> list[Bundle]:
    """Every bundle of the cluster file, in its order."""
    if cluster.fabric is not None and cluster.links:
        problems.refuse(("links",), "both `links` and `fabric`", "one of them")
        return []
    if cluster.fabric is None:
        return list(_link_bundles(cluster, boxes, problems))
    return list(_pattern_bundles(cluster, domains, boxes, problems))


def _link_bundles(cluster: Cluster, boxes: Mapping[str, Box], problems: Problems) -> Iterator[Bundle]:
    for index, (link, a_names, b_names) in enumerate(cluster.links):
        for a, b in ((a, b) for a in a_names for b in b_names):
            if a == b:
                problems.refuse(("links", index), f"{a} on both sides", "two different switches")
                continue
            leaves = tuple(name for name in (a, b) if boxes[name].spec.role == "leaf")
            yield Bundle(a, b, link.count, link, ("links", index), leaves)


def _pattern_bundles(
    cluster: Cluster, domains: Sequence[Domain], boxes: Mapping[str, Box], problems: Problems
) -> Iterator[Bundle]:
    part = cluster.fabric
    if part is None:
        return
    names = {role: [name for name, box in boxes.items() if box.spec.role == role] for role in _ROLES}
    if not _fits_pattern(cluster, names, problems):
        return
    per_plane = part.pods
    spines = [pod for plane in even(names["spine"], part.planes) for pod in even(plane, part.pods)]
    for domain, pod_spines in zip(domains, spines, strict=True):
        path: tuple[str, ...] = ("fabric", "leaf_spine")
        yield from _connect_switches(domain.leaves, pod_spines, part.leaf_spine, path, problems)
    if part.spine_core is None:
        return
    path = ("fabric", "spine_core")
    for plane, cores in enumerate(even(names["core"], part.planes)):
        pods = spines[plane * per_plane : (plane + 1) * per_plane]
        if part.spine_core.uplinks % len(cores) == 0:
            for pod in pods:
                yield from _connect_switches(pod, cores, part.spine_core, path, problems)
        elif len(cores) % len(pods[0]) == 0:
            groups = even(cores, len(pods[0]))
            for pod in pods:
                for spine, group in zip(pod, groups, strict=True):
                    yield from _connect_switches([spine], group, part.spine_core, path, problems)
        else:
            problems.refuse(
                (*path, "uplinks"),
                f"{part.spine_core.uplinks} uplinks of each spine",
                f"a multiple of {len(cores)}: the same number of cables to each of {format_names(cores)}",
                f"or let the number of cores be a multiple of {len(pods[0])}, the spines of a pod",
            )


def _connect_switches(
    lower: Sequence[str], upper: Sequence[str], part: TierPart, path: tuple[str, ...], problems: Problems
) -> Iterator[Bundle]:
    if part.uplinks % len(upper):
        problems.refuse(
            (*path, "uplinks"),
            f"{part.uplinks} uplinks of each {path[1].partition('_')[0]}",
            f"a multiple of {len(upper)}: the same number of cables to each of {format_names(upper)}",
        )
        return
    for a in lower:
        for b in upper:
            yield Bundle(a, b, part.uplinks // len(upper), part, path, (a,))


def _fits_pattern(cluster: Cluster, names: Mapping[str, Sequence[str]], problems: Problems) -> bool:
    """Whether the switches of each role can be divided evenly. Notes problems."""
    part = cluster.fabric
    assert part is not None
    parts = part.planes * part.pods
    divisors = {"leaf": parts, "spine": parts, "core": part.planes}
    if part.spine_core is None:
        if part.pods > 1:
            problems.refuse(("fabric", "pods"), f"{part.pods} pods and no `spine_core`", "cables between the pods")
        if names["core"]:
            problems.refuse(
                ("fabric",),
                f"no `spine_core` for {format_names(names['core'])} with the role core",
                "the cables from spines to cores",
                f"add `spine_core: {{uplinks: {len(names['core'])}}}` to fabric, or write `role: spine`",
            )
            return False
        del divisors["core"]
    for role, share in divisors.items():
        if not names[role]:
            problems.refuse(
                ("switches",),
                f"no switch with the role {role}",
                "at least one for `fabric`",
                f"add `role: {role}` to switches",
            )
        elif len(names[role]) % share:
            problems.refuse(
                ("fabric",),
                f"{len(names[role])} switches with the role {role}",
                f"a multiple of {share}, the number of {'planes' if role == 'core' else 'pods in all planes'}",
            )
    return not problems.refusals
