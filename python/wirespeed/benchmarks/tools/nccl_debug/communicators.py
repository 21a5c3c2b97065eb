"""Build communicators from the debug lines of NCCL and RCCL (NCCL_DEBUG=INFO); other lines in between are ignored.

Lines of many processes are mixed. Lines that a process prints before it joins a communicator (version, NICs,
environment) apply to each communicator that it joins; later lines belong to the one it joined last, or to the one whose
pointer RCCL prints. Processes belong to the same communicator by its id, or, for old releases that print none, by its
size and the ranks that are not taken yet.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass

from wirespeed.benchmarks.logs.log import Line, Source
from wirespeed.benchmarks.tools.nccl_debug import lines
from wirespeed.benchmarks.tools.nccl_debug.facts import Facts
from wirespeed.results.nccl import Communicator


def communicators(log: Source) -> tuple[Communicator, ...]:
    """Every communicator of a log, in the order of its first line."""
    reader = _Reader()
    undecided_lines = [
        line for line in log.without_debug() if "CCL " in line.text
    ]  # warnings, and lines after a partial row
    for line in heapq.merge(log.debug(*lines.MARKERS), undecided_lines, key=lambda line: line.number):
        if line.is_complete:
            reader.take(line)
    return reader.finish()


@dataclass(slots=True, eq=False)
class _Process:
    """A GPU of a process on a host: what it prints about itself, and the communicator that it joined last.

    ``ready``: this communicator is initialized, and later lines may belong to the next one. ``silent``: a release that
    prints a communicator only after its initialization.
    """

    host: str
    pid: str
    facts: Facts
    joined: Facts | None = None
    ready: bool = False
    silent: bool = False
    rank: int | None = None
    cores: tuple[str | None, str | None] | None = None  # of the process, and near its GPU

    def note_cores(self) -> None:
        """Add the cores to the rank of the communicator."""
        if self.joined is not None and self.rank is not None and self.cores is not None:
            self.joined.rank_cores[self.rank] = self.cores

    @property
    def current(self) -> Facts:
        """The facts that a line about one communicator belongs to."""
        return self.facts if self.joined is None or (self.silent and self.ready) else self.joined

    @property
    def setup(self) -> tuple[Facts, ...]:
        """The facts that a line valid for every communicator belongs to: those of the process and of a pending one."""
        return (self.facts,) if self.joined is None or self.ready else (self.facts, self.joined)


_RANK_WORDS = 5  # of ``: 3[3] -> 8[0] [send]``, after the channel


class _Reader:
    def __init__(self) -> None:
        self._processes: dict[tuple[str, str, str], _Process] = {}
        self._prefixes: dict[str, tuple[_Process, str | None] | None] = {}
        self._pointers: dict[tuple[str, str, str], Facts] = {}  # by host, process and memory address
        self._communicators: list[Facts] = []
        self._versions: list[tuple[int, str, str]] = []  # lines that only the first process prints, without its name
        self._handlers: dict[str, Callable[[Line, _Process, str], None]] = {
            "Channel": self._read_ring,
            "Trees": self._read_trees,
            "comm": self._read_comm,
            "Using": self._read_network_line,
            "NCCL": self._read_version,
            "RCCL": self._read_version,
            "Bootstrap": self._read_bootstrap,
            "DMA-BUF": self._read_dma_buf,
            "Dmabuf": self._read_dma_buf,
            "NVLS": self._read_nvls,
            "P2P": self._read_plugin,
            "Connected": self._read_tuner,
            "Successfully": self._read_loaded_plugin,
            "GIN/Plugin": self._read_plugin,
            "GIN/Plugin:": self._read_plugin,
            "Setting": self._read_affinity,
            "ncclTopoGetCpuAffinity:": self._read_affinity,
        }

    def take(self, line: Line) -> None:
        text = line.text
        if text.startswith("NCCL "):  # a line that was pasted without its prefix
            line = line.with_text(f" {text}", line.is_complete)
            text = line.text
        start = text.find(lines.INFO)
        if start < 0:
            self._read_rare_line(line)
            return
        if _begins_another_line(
            text, start + len(lines.INFO)
        ):  # a page without line ends, or two processes in one line
            self._read_continued_lines(line)
            return
        prefix = text[:start]
        printed = self._prefixes[prefix] if prefix in self._prefixes else self._find_process(prefix, line.number)
        if printed is None:
            return
        process, message = printed[0], text[start + 11 :].strip()
        via_at = message.find(" via ")
        if via_at >= 0:  # most lines of a log
            self._read_connection(process, message, via_at)
            return
        word, _, _ = message.partition(" ")
        handler = self._handlers.get(word)
        if handler is not None:
            handler(line, process, message)
        else:
            self._read_other_line(line, process, word, message)

    def finish(self) -> tuple[Communicator, ...]:
        unassigned = Facts(0)
        for process in self._processes.values():
            if process.joined is not None:
                process.joined.take_setup(process.facts)
            else:  # no line names the communicator of this process
                unassigned.line = unassigned.line or process.facts.line
                unassigned.add(process.facts)
        if unassigned.is_stated():
            self._communicators.append(unassigned)
        for facts in self._communicators:
            self._name_version(facts)
        self._communicators.sort(key=lambda facts: facts.line)
        return tuple(facts.communicator() for facts in self._communicators)

    def _name_version(self, facts: Facts) -> None:
        """Set the version that was printed before the last process joined, or the only version in the log."""
        if facts.version is not None or not self._versions:
            return
        earlier = [version for version in self._versions if version[0] <= facts.joined]
        if earlier or len({version[1:] for version in self._versions}) == 1:
            _, facts.library, facts.version = (earlier or self._versions)[-1]

    def _find_process(self, prefix: str, line: int) -> tuple[_Process, str | None] | None:
        match = lines.PREFIX.search(prefix)
        bare = lines.BARE_PREFIX.match(prefix.strip()) if match is None else None
        source_of_line = None
        if match is not None:
            process = self._get_process(match["host"], match["pid"], match["device"], line)
            source_of_line = process, match["where"]
        elif bare is not None:
            process = self._get_process(bare["host"] or "", "", bare["device"] or "", line)
            source_of_line = process, bare["where"]
        self._prefixes[prefix] = source_of_line
        return source_of_line

    def _get_process(self, host: str, pid: str, device: str, line: int) -> _Process:
        """The process; ``host`` is empty where the line was pasted without it."""
        process = self._processes.get((host, pid, device))
        if process is None:
            process = self._processes[host, pid, device] = _Process(host, pid, Facts(line))
            if host:
                process.facts.hosts[host] = None
        return process

    def _read_rare_line(self, line: Line) -> None:
        """Read a warning, or a line that contains only the version."""
        start = line.text.find(lines.WARN)
        if start < 0:
            match = lines.VERSION.match(line.text.strip(" \t|"))
            if match:
                self._versions.append((line.number, f"{match.group(1)}CCL", match.group(2)))
            return
        printed = self._find_process(line.text[:start], line.number)
        if printed is not None:
            process, prefix = printed
            text = " ".join(f"{prefix or ''} {line.text[start + 11 :]}".split())
            process.current.warn(process.host, text, line.number)

    def _read_continued_lines(self, line: Line) -> None:
        matches = list(lines.ANY_PREFIX.finditer(line.text))
        hosts = {process.host for process in self._processes.values() if process.host}
        hosts.update(match["host"] for match in matches[:1])
        starts = [_find_start(match, hosts) for match in matches]
        for start, end in zip(starts, [*starts[1:], len(line.text)], strict=True):
            part = line.text[start:end]
            if part.count(lines.INFO) + part.count(lines.WARN) <= 1:
                self.take(line.with_text(part, line.is_complete))

    def _read_connection(self, process: _Process, message: str, via_at: int) -> None:
        """Read ``Channel 00/0 : 3[3] -> 8[0] [send] via NET/IB/0/GDRDMA``; ``Ring`` in releases before 2.6."""
        transport = message[via_at + 5 :]
        via = lines.via(transport)
        words = message[:via_at].split()
        if via is None or len(words) < 4 or words[0] not in ("Channel", "Ring", "CollNet"):
            return
        channel = words[1].partition("/")[0]
        if not channel.isdecimal() or len(channel) > 9:
            return
        direction = words[-1].strip("[]") if words[-1] in ("[send]", "[receive]") else ""
        facts = process.current
        if via.pointer is not None:
            facts = self._pointers.get((process.host, process.pid, via.pointer), facts)
        if via.device is not None and direction and len(words) > _RANK_WORDS:
            rank = words[-2 if direction == "receive" else -4].partition("[")[0]
            if rank.isdecimal() and len(rank) <= 9:
                facts.rank_devices.setdefault(int(rank), {})[process.host, via.transport, via.device] = None
        key = process.host, transport, direction
        channels = facts.paths.get(key)
        if channels is None:
            channels = facts.paths[key] = {}
        channels[channel] = channels.get(channel, 0) + 1

    # -- messages --------------------------------------------------------------------------------------------------

    def _read_other_line(self, line: Line, process: _Process, word: str, message: str) -> None:
        if " Bytes -> Algo " in message:
            self._read_choice(line, process, message)
        elif message.startswith(lines.NO_RDMA):
            process.current.warn(process.host, message, line.number)
        elif word.startswith("NET/"):
            self._read_net(line, process, message)
        elif " comm 0x" in message:
            self._read_comm(line, process, message)
        elif " channels, " in message:
            self._read_channels(line, process, message)
        elif word.startswith(("NCCL_", "RCCL_")):
            self._read_environment(line, process, message)
        elif word.startswith("TUNER/"):
            self._read_tuner(line, process, message)
        elif lines.LOADED in message:  # a page left out the middle of the line
            self._read_loaded_plugin(line, process, message[message.index(lines.LOADED) :])

    def _read_ring(self, line: Line, process: _Process, message: str) -> None:
        match = lines.RING.match(message)
        if match:
            process.current.rings[int(match.group(1))] = tuple(int(rank) for rank in match.group(2).split())

    def _read_trees(self, line: Line, process: _Process, message: str) -> None:
        for channel, rank, parent in lines.whole(lines.TREE.findall(message), message):
            parents = process.current.trees.setdefault(int(channel), {})
            parents[int(rank)] = int(parent) if int(parent) >= 0 else None

    def _read_comm(self, line: Line, process: _Process, message: str) -> None:
        if " channels, " in message:
            self._read_channels(line, process, message)
            return
        match = lines.RANK.match(message)
        if match is None:
            return
        rank, state = int(match["rank"]), match["state"]
        pointer = process.host, process.pid, match["pointer"]
        if state in ("Abort COMPLETE", "Destroy COMPLETE"):
            self._pointers.pop(pointer, None)
            return
        facts = self._pointers.get(pointer)
        if facts is None or (state == "Init START" and rank in facts.initialized):
            facts = self._pointers[pointer] = self._find_communicator(line, match["id"], rank, int(match["ranks"]))
        if process.joined is not facts:
            self._join(line, process, facts, is_silent=state == "Init COMPLETE")
        facts.ranks_joined.add(rank)
        process.rank = rank
        process.note_cores()
        if rank not in facts.gpus or match["bus"]:
            # A process may see only some GPUs (CUDA_VISIBLE_DEVICES), of which its first is cudaDev 0.
            facts.gpus[rank] = process.host, match["nvml"] or match["gpu"], match["bus"]
        if process.host:
            facts.hosts[process.host] = None
        if match["nodes"]:
            facts.nodes = int(match["nodes"])
            facts.ranks_per_node.add(int(match["local"]))
        if match["mnnvl"]:
            facts.multi_node_nvlink = match["mnnvl"] == "1"
        if state == "Init COMPLETE":
            facts.initialized.add(rank)
            process.ready = True

    def _find_communicator(self, line: Line, identity: str | None, rank: int, ranks: int) -> Facts:
        """The communicator with an id; without an id, the last one of this size in which the rank is not taken yet."""
        for facts in reversed(self._communicators):
            if facts.ranks == ranks and facts.id == identity and (identity or rank not in facts.ranks_joined):
                return facts
        facts = Facts(line.number, id=identity, ranks=ranks)
        self._communicators.append(facts)
        return facts

    def _join(self, line: Line, process: _Process, facts: Facts, is_silent: bool) -> None:
        process.joined, process.ready = facts, False
        facts.add(process.facts)
        facts.joined = line.number
        if is_silent:
            process.silent = True
            facts.line, process.facts.line = min(facts.line, process.facts.line), line.number

    def _read_network_line(self, line: Line, process: _Process, message: str) -> None:
        if message.startswith("Using network "):
            process.facts.networks.clear()  # each communicator may take another
            for facts in process.setup:
                facts.networks[message.removeprefix("Using network ")] = None

    def _read_net(self, line: Line, process: _Process, message: str) -> None:
        using, gdr, queue_pair = (pattern.match(message) for pattern in (lines.USING, lines.GDR_HCA, lines.GID))
        provider = lines.PROVIDER.match(message)
        if using:
            network, nics = using.group(1), using.group(2).partition(";")[0]
            for facts in process.setup:
                for device, name, port, link, sharp in lines.whole(lines.USED.findall(nics), message):
                    port_number = int(port) if port else None
                    facts.nics[process.host, network, int(device)] = name, port_number, link or None, bool(sharp)
                if network == "IB":
                    facts.relaxed_ordering.add("[RO]" in nics)
        elif gdr:
            for facts in process.setup:
                facts.gpudirect[process.host, gdr.group(4)] = gdr.group(2) == "Enabled"
        elif queue_pair:
            process.current.gids.add(int(queue_pair.group(2)))
            process.current.mtus |= {lines.MTUS[int(mtu)] for mtu in queue_pair.group(1) if int(mtu) in lines.MTUS}
        elif provider:
            for facts in process.setup:
                facts.plugins.add(f"{lines.LIBFABRIC_PROVIDER}{provider.group(1)}")
        elif "DMA-BUF" in message:
            self._read_dma_buf(line, process, message)
        else:
            self._read_plugin(line, process, message)

    def _read_plugin(self, line: Line, process: _Process, message: str) -> None:
        match = lines.PLUGIN.match(message)
        if match:
            for facts in process.setup:
                facts.plugins.add(next(name for name in match.groups() if name))

    def _read_loaded_plugin(self, line: Line, process: _Process, message: str) -> None:
        if " tuner " in message:
            self._read_tuner(line, process, message)
        else:
            self._read_plugin(line, process, message)

    def _read_bootstrap(self, line: Line, process: _Process, message: str) -> None:
        match = lines.BOOTSTRAP.match(message)
        if match:
            for facts in process.setup:
                facts.bootstrap.add(f"{process.host} {match.group(1).removesuffix('<0>')}")

    def _read_dma_buf(self, line: Line, process: _Process, message: str) -> None:
        match = lines.DMA_BUF.search(message)
        if match:
            for facts in process.setup:
                facts.dma_buf.add("available" in message or match.group(1) == "true")

    def _read_nvls(self, line: Line, process: _Process, message: str) -> None:
        match = lines.NVLS.match(message)
        if match:
            process.current.nvls.add(match.group(1) is None)

    def _read_channels(self, line: Line, process: _Process, message: str) -> None:
        match = lines.CHANNELS.match(message)
        if match:
            coll, collnet, nvls, p2p = (int(count) if count else None for count in match.groups())
            facts = process.current
            facts.channels, facts.collnet_channels = coll, collnet
            facts.nvls_channels, facts.p2p_channels = nvls, p2p

    def _read_environment(self, line: Line, process: _Process, message: str) -> None:
        match = lines.ENVIRONMENT.match(message)
        if match:
            for facts in (process.facts, process.current):  # some are read only when they are first needed
                facts.environment.setdefault(match.group(1), {})[match.group(2)] = None

    def _read_affinity(self, line: Line, process: _Process, message: str) -> None:
        """Read the cores that NCCL leaves to a process. It leaves a process on its cores if none is near the GPU."""
        match = lines.AFFINITY.match(message)
        if match:
            used = match["process"] if match["is"] == "empty" else match["set"] or match["is"]
            cores = lines.parse_cores(used) or f"{used}?" if used else None
            process.cores = cores, match["gpu"] or None
            process.note_cores()

    def _read_tuner(self, line: Line, process: _Process, message: str) -> None:
        match = lines.TUNER.match(message)
        if match:
            for facts in process.setup:
                facts.tuner = match.group(1) or match.group(2)

    def _read_choice(self, line: Line, process: _Process, message: str) -> None:
        match = lines.CHOICE.match(message)
        if match is None:
            return
        function, size, algorithm, protocol, low, high = match.groups()
        channels = (int(low), int(high)) if low is not None else None
        key = (function, int(size), lines.algorithm(algorithm), lines.protocol(protocol), channels)
        choices = process.current.choices
        count, first = choices.get(key, (0, line.number))
        choices[key] = count + 1, first

    def _read_version(self, line: Line, process: _Process, message: str) -> None:
        match = lines.VERSION.match(message)
        if match:
            for facts in process.setup:
                facts.library, facts.version = f"{match.group(1)}CCL", match.group(2)


def _begins_another_line(text: str, position: int) -> bool:
    """Whether the text after a position contains the kind of another debug line."""
    return text.find(lines.INFO, position) >= 0 or text.find(lines.WARN, position) >= 0


def _find_start(match: re.Match[str], hosts: Collection[str]) -> int:
    """Where a prefix begins: the text of a line may touch the host of the next, ``Using network IBnode1:11:21``."""
    host = match["host"]
    if host in hosts:
        return match.start()
    touching = max((name for name in hosts if host.endswith(name)), key=len, default=None)
    return match.start() if touching is None else match.end("host") - len(touching)
