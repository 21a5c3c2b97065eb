"""Whether a rule set drops what arrives: in a chain for incoming packets, or in one such a chain goes to."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping, Sequence

_CHAIN = re.compile(r"\s*chain (\S+) \{\s*(?:#.*)?")
_TABLE = re.compile(r"\s*table (\S+ \S+) \{\s*(?:#.*)?")
_HOOK = re.compile(r"\bhook (?:input|prerouting|ingress)\b")
_POLICY_DROP = re.compile(r"\bpolicy drop\b")
_VERDICT = re.compile(r"\b(?:drop|reject)\b")
_GOES_TO = re.compile(r"\b(?:jump|goto) (\S+)")
_QUOTED_TEXT = re.compile(r'"[^"]*"')

Rules = Mapping[str, Sequence[tuple[int, str]]]


def is_whole(text: str) -> bool:
    """Whether every brace is closed again: a rule set that was cut must not pass for one that drops nothing."""
    bare = _QUOTED_TEXT.sub("", text)
    return bare.count("{") == bare.count("}")


def filters_nft(text: str) -> int | None:
    """The line of an ``nft list ruleset`` that drops incoming packets; None when none does."""
    chains: dict[str, list[tuple[int, str]]] = {}
    table = chain = ""
    for number, line in enumerate(text.split("\n"), 1):
        bare = _QUOTED_TEXT.sub("", line).partition("#")[0]
        if match := _TABLE.fullmatch(bare):
            table, chain = match[1], ""
        elif match := _CHAIN.fullmatch(bare):
            chain = f"{table} {match[1]}"
            chains[chain] = []
        elif bare.strip() == "}":
            chain = ""
        elif chain:
            chains[chain].append((number, bare))
    for name, rules in chains.items():
        if not any(_HOOK.search(rule) for _, rule in rules):
            continue
        policy = next((number for number, rule in rules if _POLICY_DROP.search(rule)), None)
        is_dropped = policy or _drops(chains, name, _reach_nft, set())
        if is_dropped:
            return is_dropped
    return None


def filters_iptables(text: str) -> int | None:
    """The line of an ``iptables -S`` that drops incoming packets; None when none does."""
    chains: dict[str, list[tuple[int, str]]] = {}
    for number, line in enumerate(text.split("\n"), 1):
        words = line.split()
        if words[:3] == ["-P", "INPUT", "DROP"]:
            return number
        if len(words) > 2 and words[0] == "-A":
            chains.setdefault(words[1], []).append((number, line))
    return _drops(chains, "INPUT", _reach_iptables, set())


def _reach_nft(name: str, rule: str) -> tuple[bool, list[str]]:
    table = name.rpartition(" ")[0]
    return bool(_VERDICT.search(rule)), [f"{table} {target}" for target in _GOES_TO.findall(rule)]


def _reach_iptables(name: str, rule: str) -> tuple[bool, list[str]]:
    words = rule.split()
    targets = [target for word, target in itertools.pairwise(words) if word in ("-j", "-g")]
    return bool({"DROP", "REJECT"} & set(targets)), targets


def _drops(
    chains: Rules, name: str, reach: Callable[[str, str], tuple[bool, list[str]]], visited_chains: set[str]
) -> int | None:
    if name in visited_chains:
        return None
    visited_chains.add(name)
    for number, rule in chains.get(name, ()):
        drops, targets = reach(name, rule)
        if drops:
            return number
        for target in targets:
            line = _drops(chains, target, reach, visited_chains)
            if line:
                return line
    return None
