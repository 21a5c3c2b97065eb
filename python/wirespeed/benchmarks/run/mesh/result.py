"""The mesh of a campaign: what the logs of its steps say of every pair of NICs, held against the planned ways."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from ipaddress import ip_address, ip_network

from wirespeed.benchmarks.endpoints.fabric import Fabric, Seat
from wirespeed.benchmarks.run.mesh.causes import causes
from wirespeed.plan import Plan
from wirespeed.results.benchmarks import Metric, Run
from wirespeed.results.campaign import Grade
from wirespeed.results.mesh import ASPECTS, Cell, Mesh
from wirespeed.settings import Host

_NOT_INSTALLED = 127
_WORDS = ("via", "dev", "table")


def mesh(plan: Plan, fabric: Fabric, runs: Iterable[Run], aspects: tuple[str, ...] = ASPECTS) -> Mesh:
    """Every pair of NICs of different hosts that a cable leads from one to the other, and what bad ones share."""
    seats = {seat.name: seat for seat in fabric.seats}
    grades: dict[tuple[str, str], dict[str, Grade]] = {}
    says: dict[tuple[str, str], dict[str, str]] = {}
    small: dict[tuple[str, str], bool] = {}
    for source in fabric.seats:
        for target in fabric.seats:
            if source.host != target.host and source.fabric == target.fabric:
                grades[source.name, target.name] = dict.fromkeys(aspects, Grade.UNKNOWN)
    for run in runs:
        for (source_name, target_name), found in _of(run).items():
            if (source_name, target_name) not in grades:
                continue
            pairs = [(source_name, target_name)]
            told = _ping(found) if run.test == "ping" else {"rdma": _rdma(found)}
            if run.test == "ping":
                told["route"] = _route(plan, seats[source_name], seats[target_name], found)
                if "small" in found:
                    small[source_name, target_name] = found["small"] == 0
            else:
                pairs.append((target_name, source_name))  # an exchange goes both ways
            for pair in pairs:
                for aspect, (grade, said) in told.items():
                    grades[pair][aspect] = grade
                    if said:
                        says.setdefault(pair, {})[aspect] = said
    cells = {
        pair: Cell(*pair, of, tuple(f"{a}: {said}" for a, said in says.get(pair, {}).items()), small.get(pair))
        for pair, of in grades.items()
    }
    return Mesh(tuple(seats), cells, aspects, causes(plan, fabric, cells))


def grade_of(plan: Plan, fabric: Fabric, runs: tuple[Run, ...]) -> tuple[Grade, str]:
    """What the log of one step of a mesh says, over all its pairs."""
    pairs = [pair for run in runs for pair in _of(run)]
    whole = mesh(plan, fabric, runs)
    aspects = ("ping", "route") if all(run.test == "ping" for run in runs) else ("rdma",)
    found = [whole.cells[pair].grades[aspect] for pair in pairs if pair in whole.cells for aspect in aspects]
    expected = sum(int(run.parameters.get("pairs") or 0) for run in runs) * len(aspects)
    good, bad = found.count(Grade.GOOD), found.count(Grade.BAD)
    said = f"{good} of {expected} good" + (f", {bad} bad" if bad else "")
    first = next((cell for pair in pairs if (cell := whole.cells.get(pair)) and cell.says), None)
    if first is not None:
        said += f"; {first.source} -> {first.target} {first.says[0]}"
    if bad:
        return Grade.BAD, said
    return (Grade.GOOD if good == expected and expected else Grade.UNKNOWN), said


Found = Mapping[str, object]
Told = tuple[Grade, str | None]


def _of(run: Run) -> dict[tuple[str, str], dict[str, object]]:
    """What a run says of each pair: exit code, route, words, and its numbers by metric."""
    if run.tool != "mesh":
        return {}
    found: dict[tuple[str, str], dict[str, object]] = {}
    for name, value in run.parameters.items():
        kind, _, place = name.partition(" ")
        source, arrow, target = place.partition(" -> ")
        if arrow:
            found.setdefault((source, target), {})[kind] = value
    for one in run.measurements:
        source, _, target = (one.place or "").partition(" -> ")
        if (source, target) in found:
            found[source, target][one.metric.value] = one.value
    return found


def _ping(found: Found) -> dict[str, Told]:
    """Good when all came back. Without a summary of ping's own, nothing was sent."""
    lost, says = found.get(Metric.LOST.value), found.get("says")
    if found.get("exit") == _NOT_INSTALLED:
        return {"ping": (Grade.UNKNOWN, "ping is not installed")}
    if lost == 0 and found.get("exit") == 0:
        return {"ping": (Grade.GOOD, None)}
    if lost is None and not says:
        return {"ping": (Grade.UNKNOWN, "no summary in what ping printed")}
    said = str(says) if says else f"{lost} packets lost"
    passes = {None: "", 0: "; small packets come back"}.get(_code(found.get("small")), "; small packets neither")
    return {"ping": (Grade.BAD, said + passes)}


def _code(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _rdma(found: Found) -> Told:
    if found.get("exit") == _NOT_INSTALLED:
        return Grade.UNKNOWN, "ib_send_lat is not installed"
    if found.get("exit") == 0 and Metric.LATENCY_TYPICAL.value in found:
        return Grade.GOOD, None
    if found.get("exit") == 0:
        return Grade.UNKNOWN, "no row in what ib_send_lat printed"
    return Grade.BAD, str(found.get("says") or f"exit code {found.get('exit')}")


def _route(plan: Plan, source: Seat, target: Seat, found: Found) -> Told:
    """The kernel's way against the planned one, as far as both are known."""
    wanted = planned_way(plan.hosts[source.host], source, target)
    said = found.get("route")
    if not isinstance(said, str):
        return Grade.UNKNOWN, "no route was printed"
    words = said.split()
    got = {name: words[place + 1] for place, name in enumerate(words[:-1]) if name in _WORDS}
    if wanted is None:
        return Grade.UNKNOWN, "no route is planned"
    if said.startswith("none: "):
        return Grade.BAD, f"planned {_said(dict(zip(_WORDS, wanted, strict=True)))}, found {said}"
    way = dict(zip(_WORDS, wanted, strict=True))
    differs = [name for name, value in way.items() if (got.get(name) or None) != value]
    # The kernel names no table where it looked in the main one.
    if not differs or (differs == ["table"] and wanted[2] == "254" and "table" not in got):
        return Grade.GOOD, None
    return Grade.BAD, f"planned {_said(way)}, found {_said(got)}"


def _said(way: Mapping[str, str | None]) -> str:
    return " ".join(f"{name} {way[name]}" for name in _WORDS if way.get(name)) or "none"


def planned_way(host: Host, source: Seat, target: Seat) -> tuple[str | None, str | None, str | None] | None:
    """Gateway, device and table by which the plan sends: the rule of the source, and the longest prefix there.

    None where nothing is planned. A subnet of the interface itself is reached without a gateway.
    """
    address = ip_address(source.address)
    rule = host.rules.get(f"from {source.address}/{address.max_prefixlen}")
    table = rule.table if rule is not None else None
    ways = []
    for key, route in host.routes.items():
        number, _, destination = key.partition(" ")
        prefix = ip_network("::/0" if address.version == 6 else "0.0.0.0/0") if destination == "default" else None
        prefix = prefix or ip_network(destination)
        if table is not None and int(number) == table and ip_address(target.address) in prefix:
            ways.append((prefix.prefixlen, route))
    if not ways:
        return None
    route = max(ways, key=lambda way: way[0])[1]
    return route.gateway or None, route.device, str(table)
