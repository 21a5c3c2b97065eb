"""What processes said of one communicator, while a log is read; then the communicator itself."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from wirespeed.benchmarks import nccl_lines as lines
from wirespeed.benchmarks.causes import causes
from wirespeed.results.nccl import (
    Communicator,
    NcclChoice,
    NcclNic,
    NcclPath,
    NcclRing,
    NcclTree,
    NcclWarning,
)

PathKey = tuple[str, str, str]  # host, what stands behind via, send or receive
_CHANGING = re.compile(r"0x[0-9a-f]+|<\d+>|\b(?:wr_id|qp_num|qpn|localQp)[ =:]*\d+")
ChoiceKey = tuple[str | None, int, str, str, tuple[int, int] | None]


@dataclass(slots=True)
class Facts:
    """Facts of a process or of a communicator. Sets and counters, so that those of several processes add up."""

    line: int
    joined: int = 0  # the line of the last process that joined
    library: str | None = None
    version: str | None = None
    id: str | None = None
    ranks: int | None = None
    seen: set[int] = field(default_factory=set)
    initialized: set[int] = field(default_factory=set)
    nodes: int | None = None
    ranks_per_node: set[int] = field(default_factory=set)
    hosts: dict[str, None] = field(default_factory=dict)
    networks: dict[str, None] = field(default_factory=dict)
    plugins: set[str] = field(default_factory=set)
    bootstrap: set[str] = field(default_factory=set)
    nics: dict[tuple[str, str, int], tuple[str, int | None, str | None]] = field(default_factory=dict)
    gpudirect: dict[tuple[str, str], bool] = field(default_factory=dict)
    relaxed_ordering: set[bool] = field(default_factory=set)
    dma_buf: set[bool] = field(default_factory=set)
    paths: dict[PathKey, dict[str, int]] = field(default_factory=dict)  # how many connections each channel has
    channels: int | None = None
    collnet_channels: int | None = None
    nvls_channels: int | None = None
    p2p_channels: int | None = None
    rings: dict[int, tuple[int, ...]] = field(default_factory=dict)
    trees: dict[int, dict[int, int | None]] = field(default_factory=dict)
    nvls: set[bool] = field(default_factory=set)
    multi_node_nvlink: bool | None = None
    gids: set[int] = field(default_factory=set)
    mtus: set[int] = field(default_factory=set)
    tuner: str | None = None
    choices: dict[ChoiceKey, tuple[int, int]] = field(default_factory=dict)  # how often, and the first line
    environment: dict[str, dict[str, None]] = field(default_factory=dict)
    warnings: dict[tuple[str, str], tuple[int, int, str]] = field(default_factory=dict)

    def add(self, other: Facts) -> None:
        """Add what a process says that joins, or that is left over at the end."""
        self.library, self.version = self.library or other.library, self.version or other.version
        self.tuner = self.tuner or other.tuner
        self.networks.update(other.networks)
        self.plugins |= other.plugins
        self.bootstrap |= other.bootstrap
        self.relaxed_ordering |= other.relaxed_ordering
        self.dma_buf |= other.dma_buf
        self.nics.update(other.nics)
        self.gpudirect.update(other.gpudirect)
        self.hosts.update(other.hosts)
        for name, values in other.environment.items():
            self.environment.setdefault(name, {}).update(values)
        self.take_setup(other)

    def take_setup(self, other: Facts) -> None:
        """Take over what belongs to one communicator only: a process says it again for the next."""
        self.nvls |= other.nvls
        self.gids |= other.gids
        self.mtus |= other.mtus
        self.rings.update(other.rings)
        if other.channels is not None:
            self.channels, self.collnet_channels = other.channels, other.collnet_channels
            self.nvls_channels, self.p2p_channels = other.nvls_channels, other.p2p_channels
        for channel, parents in other.trees.items():
            self.trees.setdefault(channel, {}).update(parents)
        for key, channels in other.paths.items():
            own = self.paths.setdefault(key, {})
            for name, connections in channels.items():
                own[name] = own.get(name, 0) + connections
        for choice, (count, line) in other.choices.items():
            known, first = self.choices.get(choice, (0, line))
            self.choices[choice] = known + count, min(first, line)
        for warning, (count, line, text) in other.warnings.items():
            known, first, words = self.warnings.get(warning, (0, line, text))
            self.warnings[warning] = known + count, min(first, line), words
        other.forget_setup()

    def forget_setup(self) -> None:
        """Keep only what holds for every communicator of a process."""
        for kept in (self.nvls, self.gids, self.mtus, self.rings, self.trees, self.paths, self.choices, self.warnings):
            kept.clear()
        self.channels = self.collnet_channels = self.nvls_channels = self.p2p_channels = None

    def says_something(self) -> bool:
        """Whether a line said more than who prints it."""
        return bool(
            self.version or self.networks or self.nics or self.paths or self.choices or self.environment
            or self.warnings or self.plugins or self.rings or self.trees or self.dma_buf
        )  # fmt: skip

    def warn(self, host: str, text: str, line: int) -> None:
        """Count a warning; those that differ in addresses and numbers of queue pairs only are one."""
        key = host, _CHANGING.sub("#", text)
        count, first, words = self.warnings.get(key, (0, line, text))
        self.warnings[key] = count + 1, first, words

    def communicator(self) -> Communicator:
        """The communicator, in an order that does not depend on which process printed first."""
        uniform = {name: next(iter(values)) for name, values in self.environment.items() if len(values) == 1}
        differing = {name: tuple(sorted(values)) for name, values in self.environment.items() if len(values) > 1}
        traffic_class = uniform.get("NCCL_IB_TC", "")
        return Communicator(
            library=self.library,
            version=self.version,
            id=self.id,
            line=self.line,
            complete=bool(self.seen) and self.seen == self.initialized,
            ranks=self.ranks,
            ranks_seen=len(self.seen),
            nodes=self.nodes,
            ranks_per_node=tuple(sorted(self.ranks_per_node)),
            hosts=tuple(sorted(self.hosts)),
            network=", ".join(sorted(self.networks)) or None,
            plugins=tuple(sorted(self.plugins)),
            bootstrap=tuple(sorted(self.bootstrap)),
            nics=self._nics(),
            relaxed_ordering=_one(self.relaxed_ordering),
            dma_buf=_one(self.dma_buf),
            gdrdma=self._gdrdma(),
            paths=self._paths(),
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
            nvls=_one(self.nvls),
            multi_node_nvlink=self.multi_node_nvlink,
            gid_indices=tuple(sorted(self.gids)),
            path_mtus=tuple(sorted(self.mtus)),
            traffic_class=int(traffic_class) if traffic_class.isdecimal() else None,
            tuner=self.tuner,
            choices=tuple(
                NcclChoice(function, size, algorithm, protocol, channels, count, line)
                for (function, size, algorithm, protocol, channels), (count, line) in sorted(
                    self.choices.items(), key=lambda item: (item[1][1], str(item[0]))
                )
            ),
            environment=dict(sorted(uniform.items())),
            differing_environment=dict(sorted(differing.items())),
            warnings=tuple(
                NcclWarning(host, text, count, line, causes(text))
                for (host, _), (count, line, text) in sorted(self.warnings.items(), key=lambda item: item[1][1])
            ),
        )

    def _nics(self) -> tuple[NcclNic, ...]:
        return tuple(
            NcclNic(host, network, device, name, port, link, self.gpudirect.get((host, name)))
            for (host, network, device), (name, port, link) in sorted(self.nics.items())
        )

    def _gdrdma(self) -> str | None:
        """Whether connections over a network go straight between GPU and NIC."""
        said = {path.gdrdma for path in self._paths() if path.gdrdma is not None}
        return ("all" if said == {True} else "none" if said == {False} else "some") if said else None

    def _paths(self) -> tuple[NcclPath, ...]:
        found: dict[tuple[str, str, int | None, str | None, bool | None, bool], Counter[int]] = {}
        for (host, text, direction), channels in self.paths.items():
            via = lines.via(text)
            if via is None:
                continue
            key = host, via.transport, via.device, direction or None, via.gdrdma, via.forwarded
            counts = found.setdefault(key, Counter())
            for channel, count in channels.items():
                counts[int(channel)] += count
        return tuple(
            NcclPath(*key, tuple(sorted(counts)), counts.total())
            for key, counts in sorted(found.items(), key=lambda item: tuple(str(part) for part in item[0]))
        )


def _one(values: set[bool]) -> bool | None:
    """The one value that all processes say; None when none does, or not all the same."""
    return next(iter(values)) if len(values) == 1 else None
