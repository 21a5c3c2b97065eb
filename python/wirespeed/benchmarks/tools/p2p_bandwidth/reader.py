"""p2pBandwidthLatencyTest of the CUDA samples: copies between the GPUs of a host, a run for each of its matrices.

From NVIDIA/cuda-samples p2pBandwidthLatencyTest.cu and its releases since CUDA 8. GB/s are 1e9 bytes per second. A copy
of a GPU to itself counts what is read and what is written. With ``bidirectional`` the
value is the sum of both directions; else the label is the direction of the data, which a read reverses. Without access
to the peer a pair of the matrices with P2P=Enabled is copied as with P2P=Disabled (outputBandwidthMatrix enables peer
access only where cudaDeviceCanAccessPeer allows it).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from wirespeed.benchmarks.logs.device_matrix import Matrix, indices
from wirespeed.benchmarks.logs.log import Line, Source
from wirespeed.benchmarks.logs.run_draft import Draft, ReadRun, read_by_process
from wirespeed.results.benchmarks import Metric
from wirespeed.results.parameters import Parameters

LOOKS_FOR = "the matrices of p2pBandwidthLatencyTest ('Unidirectional P2P=Enabled Bandwidth ... Matrix (GB/s)')"
IDENTIFYING_TEXTS = ("P2P=",)

_NAME = "P2P (Peer-to-Peer) GPU Bandwidth Latency Test"
_DEVICE = re.compile(
    r"Device:\s*\d+, (.+?), pciBusID: ([0-9a-f]{1,2}), pciDeviceID: ([0-9a-f]{1,2})(?:, pciDomainID: ?([0-9a-f]{1,8}))?"
)  # numbers in hexadecimal (p2pBandwidthLatencyTest.cu prints them with %x)
_TITLE = re.compile(
    r"(?:(Uni|Bi)directional )?P2P=(Enabled|Disabled) (Bandwidth|Latency)(?: \(P2P (Writes|Reads)\))?"
    r" Matrix \((GB/s|us)\)"
)
_BROKEN_TITLE = re.compile(r"(?:(?:Uni|Bi)directional )?P2P=(?:Enabled|Disabled)(?: [\w() ]*)?")
_BREAK = re.compile(r"↪ *")  # mark of a broken line by the LaTeX package listings
_ACCESS = re.compile(r"Device=(\d+) (CAN|CANNOT) Access Peer Device=(\d+)")
_CONNECTIVITY = re.compile(r"P2P Connectivity Matrix")
_ERROR = re.compile(r"(?:Cuda|CUDA) (?:failure|error)\b.*|.*\bcode=\d+\(\w+\).*")


def read(log: Source) -> list[ReadRun]:
    """Every matrix of p2pBandwidthLatencyTest in the log."""
    return read_by_process(
        log.without_debug(), lambda text: _TITLE.search(text) is not None, lambda lines: _Reader().read(lines)
    )


@dataclass(slots=True)
class _Report:
    """The lines before the matrices, which apply to all of them."""

    devices: list[str] = field(default_factory=list)
    addresses: list[str] = field(default_factory=list)
    access: dict[str, bool] = field(default_factory=dict)  # by pair; both the lines and the matrix contain it

    def parameters(self) -> Parameters:
        parameters = Parameters()
        if self.devices:
            parameters.gpus = len(self.devices)
            parameters.gpu_addresses = ", ".join(self.addresses)
        if len(set(self.devices)) == 1:
            parameters.gpu_model = self.devices[0]
        if self.access:
            without_access = [pair for pair, has_access in self.access.items() if not has_access]
            parameters.without_p2p_access = ", ".join(without_access) or "none"
        return parameters


class _Reader:
    def __init__(self) -> None:
        self._report = _Report()
        self._read_runs: list[ReadRun] = []
        self._draft: Draft | None = None
        self._matrix: Matrix | None = None
        self._title: re.Match[str] | None = None
        self._columns: list[str] | None = None  # of the connectivity matrix, while its rows come in
        self._broken_title: str | None = None  # whose rest is on the next line

    def read(self, lines: list[Line]) -> list[ReadRun]:
        for line in lines:
            if line.is_complete:
                self._take_line(line, line.text.strip(' \t|"#'))
        self._close()
        return self._read_runs

    def _take_line(self, line: Line, text: str) -> None:
        if _NAME in text:
            self._close()
            self._report = _Report()
            return
        device = _DEVICE.match(text)
        if device:
            model, bus, number, domain = device.groups()
            self._report.devices.append(model)
            self._report.addresses.append(f"{int(domain or '0', 16):04x}:{int(bus, 16):02x}:{int(number, 16):02x}.0")
            return
        access = _ACCESS.match(text)
        if access:
            source, verb, target = access.groups()
            self._report.access[_name_label(source, target)] = verb == "CAN"
            return
        joined = f"{self._broken_title} {_BREAK.sub('', text, count=1)}"
        title = _TITLE.fullmatch(joined) or _TITLE.search(text)
        self._broken_title = text if title is None and _BROKEN_TITLE.fullmatch(text) else None
        if title:
            self._open(line, title)
            return
        if _CONNECTIVITY.search(text):
            self._close()
            self._columns = []
            return
        cells = text.split()
        if not cells:
            return
        if cells[0] in ("D\\D", "GPU", "CPU") and indices(cells[1:]):
            self._read_header(line, cells)
        elif cells[0].isdecimal():
            self._read_row(line, cells)
        elif _ERROR.match(text) and self._draft is not None and not self._draft.complete:
            self._draft.fail(text)

    def _open(self, line: Line, title: re.Match[str]) -> None:
        self._close()
        direction, p2p, kind, operation, _ = title.groups()
        test = f"{direction.lower()}directional_bandwidth" if direction else kind.lower()
        self._title, self._columns = title, None
        self._draft = Draft("p2pBandwidthLatencyTest", line.number, test=test)
        self._draft.parameters.update(self._report.parameters())
        self._draft.parameters.p2p_enabled = p2p == "Enabled"
        if direction == "Bi":
            self._draft.parameters.bidirectional = True
        if operation:
            self._draft.parameters.operation = operation.lower().removesuffix("s")

    def _read_header(self, line: Line, cells: list[str]) -> None:
        if self._columns is not None:
            self._columns = cells[1:]
            return
        if self._title is None:
            return
        if cells[0] == "CPU":  # the second half of a latency table: the host's time per copy
            self._open(line, self._title)
        if self._draft is None or self._matrix is not None:
            return
        if cells[0] in ("GPU", "CPU"):
            self._draft.test = f"{cells[0].lower()}_latency"
        is_bandwidth = self._title.group(3) == "Bandwidth"
        reads = self._title.group(4) == "Reads"
        metric = Metric.BW_AVG if is_bandwidth else Metric.LATENCY_AVG
        label = (lambda row, column: _name_label(column, row)) if reads else _name_label
        self._matrix = Matrix(cells[1:], len(cells) - 1, metric, self._title.group(5), label)

    def _read_row(self, line: Line, cells: list[str]) -> None:
        if self._columns:
            if len(cells) == len(self._columns) + 1 and set(cells[1:]) <= {"0", "1"}:
                pairs = zip(self._columns, cells[1:], strict=True)
                self._report.access |= {_name_label(cells[0], column): can == "1" for column, can in pairs}
            return
        if self._draft is None or self._matrix is None or self._draft.complete:
            return
        self._matrix.take(self._draft, cells[0], cells[1:], line.number)
        self._draft.complete = self._matrix.is_whole

    def _close(self) -> None:
        if self._draft is not None:
            self._read_runs.append(self._draft.finish())
        self._draft = self._matrix = self._columns = None


def _name_label(source: str, target: str) -> str:
    return f"GPU{source} -> GPU{target}"
