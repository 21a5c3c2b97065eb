"""Facts that processes printed about one communicator while a log is read, and the communicator built from them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from wirespeed.benchmarks.logs.error_causes import Case, causes
from wirespeed.benchmarks.tools.nccl_debug import lines
from wirespeed.results.nccl import (
    Communicator,
    NcclChoice,
    NcclConflict,
    NcclNic,
    NcclPath,
    NcclRank,
    NcclRing,
    NcclTree,
    NcclWarning,
)

PathKey = tuple[str, str, str]  # host, text after "via", send or receive
_CHANGING = re.compile(r"0x[0-9a-f]+|<\d+>|\b(?:wr_id|qp_num|qpn|localQp)[ =:]*\d+")
ChoiceKey = tuple[str | None, int, str, str, tuple[int, int] | None]


_HELD_TOGETHER = ("plugins", "bootstrap", "relaxed_ordering", "dma_buf", "nics", "gpudirect", "hosts", "networks")
_OF_ONE = ("nvls", "gids", "mtus", "rings", "trees", "paths", "rank_devices", "choices", "warnings")
_SETS = frozenset(
    (
        "ranks_joined",
        "initialized",
        "ranks_per_node",
        "plugins",
        "bootstrap",
        "relaxed_ordering",
        "dma_buf",
        "nvls",
        "gids",
        "mtus",
    )
)
_SCALARS = (
    *("library", "version", "id", "ranks", "nodes", "channels", "collnet_channels", "nvls_channels", "p2p_channels"),
    *("multi_node_nvlink", "tuner"),
)


class Facts:
    """Facts of a process or of a communicator: sets and counters, so that facts of several processes can be merged.

    A large job has thousands of processes that print little: an empty set is created when it is first needed.
    """

    line: int
    joined: int  # the line of the last process that joined
    library: str | None
    version: str | None
    id: str | None
    ranks: int | None
    ranks_joined: set[int]
    initialized: set[int]
    nodes: int | None
    ranks_per_node: set[int]
    hosts: dict[str, None]
    networks: dict[str, None]
    plugins: set[str]
    bootstrap: set[str]
    nics: dict[tuple[str, str, int], tuple[str, int | None, str | None, bool]]  # name, port, link, SHARP
    gpus: dict[int, tuple[str, str | None, str | None]]  # of a rank: host, GPU, PCIe address as a number
    rank_devices: dict[int, dict[tuple[str, str, int], None]]  # of a rank: host, transport, device
    rank_cores: dict[int, tuple[str | None, str | None]]  # of a rank: its cores, and those near its GPU
    gpudirect: dict[tuple[str, str], bool]
    relaxed_ordering: set[bool]
    dma_buf: set[bool]
    paths: dict[PathKey, dict[str, int]]  # how many connections each channel has
    channels: int | None
    collnet_channels: int | None
    nvls_channels: int | None
    p2p_channels: int | None
    rings: dict[int, tuple[int, ...]]
    trees: dict[int, dict[int, int | None]]
    nvls: set[bool]
    multi_node_nvlink: bool | None
    gids: set[int]
    mtus: set[int]
    tuner: str | None
    choices: dict[ChoiceKey, tuple[int, int]]  # count, and the first line
    environment: dict[str, dict[str, None]]
    warnings: dict[tuple[str, str], tuple[int, int, str]]

    def __init__(self, line: int, id: str | None = None, ranks: int | None = None) -> None:
        self.line, self.joined = line, 0
        if ranks is not None:
            self.id, self.ranks = id, ranks

    def __getattr__(self, name: str) -> Any:
        if name not in Facts.__annotations__:
            raise AttributeError(name)
        if name in _SCALARS:
            return None
        value: set[Any] | dict[Any, Any] = set() if name in _SETS else {}
        setattr(self, name, value)
        return value

    def add(self, source: Facts) -> None:
        """Add facts that a joining process printed, or that remain at the end of the log."""
        self.library, self.version = self.library or source.library, self.version or source.version
        self.tuner = self.tuner or source.tuner
        self._update(source, _HELD_TOGETHER)
        for name, values in source._get_entries("environment").items():
            self.environment.setdefault(name, {}).update(values)
        self.take_setup(source)

    def take_setup(self, source: Facts) -> None:
        """Take over facts that belong to one communicator only: a process prints them again for the next."""
        self._update(source, ("nvls", "gids", "mtus", "rings"))
        if source.channels is not None:
            self.channels, self.collnet_channels = source.channels, source.collnet_channels
            self.nvls_channels, self.p2p_channels = source.nvls_channels, source.p2p_channels
        for channel, parents in source._get_entries("trees").items():
            self.trees.setdefault(channel, {}).update(parents)
        for key, channels in source._get_entries("paths").items():
            counts = self.paths.setdefault(key, {})
            for name, connections in channels.items():
                counts[name] = counts.get(name, 0) + connections
        for rank, devices in source._get_entries("rank_devices").items():
            self.rank_devices.setdefault(rank, {}).update(devices)
        for choice, (count, line) in source._get_entries("choices").items():
            earlier_count, first = self.choices.get(choice, (0, line))
            self.choices[choice] = earlier_count + count, min(first, line)
        for warning, (count, line, text) in source._get_entries("warnings").items():
            earlier_count, first, first_text = self.warnings.get(warning, (0, line, text))
            self.warnings[warning] = earlier_count + count, min(first, line), first_text
        for name in _OF_ONE:
            source.__dict__.pop(name, None)
        source.channels = source.collnet_channels = source.nvls_channels = source.p2p_channels = None

    def _get_entries(self, name: str) -> dict[Any, Any]:
        return self.__dict__.get(name) or {}

    def _update(self, source: Facts, names: Iterable[str]) -> None:
        for name in names:
            value = source.__dict__.get(name)
            if value:
                getattr(self, name).update(value)

    def is_stated(self) -> bool:
        """Whether any fact was printed."""
        return bool(
            self.version or self.networks or self.nics or self.paths or self.choices or self.environment
            or self.warnings or self.plugins or self.tuner or self.rings or self.trees or self.dma_buf
        )  # fmt: skip

    def warn(self, host: str, text: str, line: int) -> None:
        """Count a warning; warnings that differ only in addresses and queue pair numbers are the same."""
        key = host, _CHANGING.sub("#", text)
        count, first, first_text = self.warnings.get(key, (0, line, text))
        self.warnings[key] = count + 1, first, first_text

    def communicator(self) -> Communicator:
        """The communicator, in an order that does not depend on which process printed first."""
        uniform = {name: next(iter(values)) for name, values in self.environment.items() if len(values) == 1}
        differing = {name: tuple(sorted(values)) for name, values in self.environment.items() if len(values) > 1}
        paths = self._build_paths()
        gdrdma = _summarize_gdrdma(paths)
        links = {link for _, _, link, _ in self.nics.values()} - {None}
        case = Case(uses_gpudirect=None if gdrdma is None else gdrdma != "none", is_mixed_fabric=len(links) > 1)
        traffic_class = uniform.get("NCCL_IB_TC", "")
        return Communicator(
            library=self.library,
            version=self.version,
            id=self.id,
            line=self.line,
            complete=bool(self.ranks_joined) and self.ranks_joined == self.initialized,
            ranks=self.ranks,
            ranks_seen=len(self.ranks_joined),
            nodes=self.nodes,
            ranks_per_node=tuple(sorted(self.ranks_per_node)),
            hosts=tuple(sorted(self.hosts)),
            network=", ".join(sorted(self.networks)) or None,
            plugins=tuple(sorted(self.plugins)),
            bootstrap=tuple(sorted(self.bootstrap)),
            nics=self._build_nics(),
            relaxed_ordering=_common_value(self.relaxed_ordering),
            dma_buf=_common_value(self.dma_buf),
            gdrdma=gdrdma,
            paths=paths,
            channels=self.channels,
            collnet_channels=self.collnet_channels,
            nvls_channels=self.nvls_channels,
            p2p_channels=self.p2p_channels,
            rings=tuple(
                NcclRing(channel, ranks)
                for channel, ranks in sorted(self.rings.items())
                if len(set(ranks)) == self.ranks  # NCCL cuts lines that are too long for it
            ),
            trees=tuple(
                NcclTree(channel, {str(rank): parent for rank, parent in sorted(parents.items())})
                for channel, parents in sorted(self.trees.items())
            ),
            nvls=_common_value(self.nvls),
            multi_node_nvlink=self.multi_node_nvlink,
            gid_indices=tuple(sorted(self.gids)),
            path_mtus=tuple(sorted(self.mtus)),
            traffic_class=int(traffic_class) if traffic_class.isdecimal() and len(traffic_class) < 10 else None,
            tuner=self.tuner,
            choices=tuple(
                NcclChoice(function, size, algorithm, protocol, channels, count, line)
                for (function, size, algorithm, protocol, channels), (count, line) in sorted(
                    self.choices.items(), key=lambda choice: (choice[1][1], str(choice[0]))
                )
            ),
            places=self._build_places(),
            environment=dict(sorted(uniform.items())),
            differing_environment=dict(sorted(differing.items())),
            conflicts=tuple(_find_conflicts(differing)),
            warnings=tuple(
                NcclWarning(host, text, count, line, causes(text, case=case), lines.FATAL.search(text) is not None)
                for (host, _), (count, line, text) in sorted(self.warnings.items(), key=lambda warning: warning[1][1])
            ),
        )

    def _build_nics(self) -> tuple[NcclNic, ...]:
        return tuple(
            NcclNic(host, network, device, name, port, link, self.gpudirect.get((host, name)), sharp)
            for (host, network, device), (name, port, link, sharp) in sorted(self.nics.items())
        )

    def _build_places(self) -> tuple[NcclRank, ...]:
        names = {(host, device): name for (host, _, device), (name, *_) in self.nics.items()}
        return tuple(
            NcclRank(
                rank,
                host or None,
                int(gpu) if gpu else None,
                lines.format_bus_id(bus) if bus else None,
                tuple(
                    dict.fromkeys(
                        names[nic_host, device]
                        for nic_host, _, device in sorted(self._get_entries("rank_devices").get(rank, ()))
                        if (nic_host, device) in names
                    )
                ),
                *self._get_entries("rank_cores").get(rank, ()),
            )
            for rank, (host, gpu, bus) in sorted(self._get_entries("gpus").items())
        )

    def _build_paths(self) -> tuple[NcclPath, ...]:
        counts_by_path: dict[tuple[str, str, int | None, str | None, bool | None, bool], dict[int, int]] = {}
        for (host, text, direction), channels in self.paths.items():
            via = lines.via(text)
            if via is None:
                continue
            key = host, via.transport, via.device, direction or None, via.gdrdma, via.forwarded
            counts = counts_by_path.setdefault(key, {})
            for name, count in channels.items():
                counts[int(name)] = counts.get(int(name), 0) + count
        in_order = sorted(counts_by_path.items(), key=lambda entry: str(entry[0]))
        return tuple(NcclPath(*key, tuple(sorted(counts)), sum(counts.values())) for key, counts in in_order)


def _find_conflicts(differing: Mapping[str, tuple[str, ...]]) -> Iterator[NcclConflict]:
    """The variables that all processes of a job must set to one value."""
    values = differing.get("NCCL_IB_TC")
    if values:
        yield NcclConflict(
            "NCCL_IB_TC",
            tuple(sorted(values, key=lambda value: (len(value), value))),
            "processes send with different DSCPs, so part of the RoCE traffic is not in the lossless traffic class",
            "set the same NCCL_IB_TC in all processes",
            ("QOS-01",),
        )


def _summarize_gdrdma(paths: tuple[NcclPath, ...]) -> str | None:
    """Whether connections over a network use GPUDirect RDMA: all, some or none of them."""
    states = {path.gdrdma for path in paths if path.gdrdma is not None}
    return ("all" if states == {True} else "none" if states == {False} else "some") if states else None


def _common_value(values: set[bool]) -> bool | None:
    """The value that all processes print; None if no process prints it or values differ."""
    return next(iter(values)) if len(values) == 1 else None
