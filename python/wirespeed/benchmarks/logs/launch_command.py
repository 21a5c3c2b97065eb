"""The ranks and hosts of a job in the command line that started it, as logs print it before a benchmark's output.

From the manual pages of Open MPI's mpirun (releases 4 and 5), MPICH's Hydra and Intel MPI's mpiexec, MVAPICH's
mpirun_rsh and Slurm's srun. The meaning of an option differs: ``-N`` is the ranks of a host for Open MPI, and the
number of hosts for srun. What a host file, an allocation or a variable states is not in the log. Variables of the
transport service: MPI over Broadcom RoCE (MVAPICH, 2024 OFA workshop), "MVAPICH2 Runtime"; UCX,
src/ucp/core/ucp_context.c.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

_LAUNCHERS = ("mpirun", "mpiexec", "mpiexec.hydra", "orterun", "prterun", "mpirun_rsh", "mpirun.mpich", "srun")
_RANKS = ("-n", "-np", "--n", "--np", "-c", "--ntasks")
_RANKS_PER_HOST = ("-npernode", "--npernode", "-ppn", "--ppn", "-perhost", "--ntasks-per-node")
_HOSTS = ("-H", "-host", "--host", "-hosts", "--hosts", "-w", "--nodelist")
_PER_HOST = re.compile(r"ppr:(\d+):node")
_BRACKETS = re.compile(r"([\w.-]*)\[([\d,-]+)\]([\w.-]*)")
_MAX_COUNT = 10**6  # ranks or hosts of a job
_VARIABLE = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
_ONLY_UD = re.compile(r"MV[2P]_USE_ONLY_UD=([01])")
_HYBRID = re.compile(r"MV[2P]_USE_UD_HYBRID=([01])")
_UCX_TRANSPORTS = re.compile(r"UCX_TLS=([a-z_0-9,]+)")
_UCX_SERVICES = {"rc": "RC", "rc_v": "RC", "rc_x": "RC", "ud": "UD", "ud_v": "UD", "ud_x": "UD"}
UCX_WITHIN_HOST = frozenset(
    {
        *("self", "sm", "shm", "posix", "sysv", "xpmem", "cma", "knem"),
        *("cuda", "cuda_copy", "cuda_ipc", "gdr_copy", "rocm", "rocm_copy", "rocm_ipc"),
    }
)
_OPERATOR = re.compile(r"[();<>|&]+")
_ATTACHED = re.compile(r"-{1,2}[\w-]+=")


@dataclass(frozen=True, slots=True)
class Launch:
    """What a command line states of its job; None where it does not. ``names``: the hosts, where it names all."""

    ranks: int | None = None
    hosts: int | None = None
    names: tuple[str, ...] = ()


def parse_launch(text: str) -> Launch | None:
    """The job of a command line that begins with a launcher, or contains one after a prompt; None without a launcher.

    Only what stands before the program counts, as far as the text reaches.
    """
    try:
        words = shlex.split(text)
    except ValueError:
        words = text.split()
    start = next((position for position, word in enumerate(words) if word.rpartition("/")[2] in _LAUNCHERS), None)
    if start is None:
        return None
    launcher = words[start].rpartition("/")[2]
    return _count(launcher, words[start + 1 :])


def parse_command(text: str) -> str | None:
    """The command of a launcher in a line, quoted for a shell, as far as the next pipe or redirection.

    None without a launcher, or where a quote does not end. Variables before the launcher are part of the command.
    """
    lexer = shlex.shlex(text, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        words = list(lexer)
    except ValueError:
        return None
    start = next((position for position, word in enumerate(words) if word.rpartition("/")[2] in _LAUNCHERS), None)
    if start is None:
        return None
    while start and _VARIABLE.fullmatch(words[start - 1]):
        start -= 1
    end = next((position for position in range(start, len(words)) if _OPERATOR.fullmatch(words[position])), len(words))
    if end < len(words) and words[end][0] in "<>" and words[end - 1].isdecimal():
        end -= 1  # the 2 of "2>&1"
    return shlex.join(words[start:end])


def find_transport_service(command: str) -> str | None:
    """RC or UD, if the variables of a command line select this transport service and no other between hosts."""
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    service = None
    values: dict[re.Pattern[str], str] = {}
    for word in words:
        for pattern in (_ONLY_UD, _HYBRID, _UCX_TRANSPORTS):
            match = pattern.fullmatch(word)
            if match is not None:
                values[pattern] = match.group(1)
    if values.get(_ONLY_UD) == "1":
        service = "UD"
    elif values.get(_ONLY_UD) == values.get(_HYBRID) == "0":
        service = "RC"
    elif _UCX_TRANSPORTS in values:
        between_hosts = set(values[_UCX_TRANSPORTS].split(",")) - UCX_WITHIN_HOST
        services = {_UCX_SERVICES.get(name) for name in between_hosts}
        service = services.pop() if len(services) == 1 else None
    return service


def _count(launcher: str, words: Sequence[str]) -> Launch:
    is_srun = launcher == "srun"
    ranks = per_host = hosts = None
    slots: dict[str, int] = {}
    for option, value in _list_options(words):
        number = int(value) if value.isdecimal() and 0 < int(value) <= _MAX_COUNT else None
        if option in _RANKS and not (is_srun and option == "-c"):  # srun's -c: CPUs of a task
            ranks = number
        elif option in _RANKS_PER_HOST or (option == "-N" and not is_srun):
            per_host = number
        elif is_srun and option in ("-N", "--nodes"):
            minimum, _, maximum = value.partition("-")
            hosts = int(minimum) if minimum.isdecimal() and maximum in ("", minimum) else None
        elif option in ("--map-by", "-map-by") and (of_host := _PER_HOST.search(value)):
            per_host = int(of_host[1])
        elif option in _HOSTS:
            slots = _parse_hosts(value)
    if launcher == "mpirun_rsh" and ranks is not None:
        slots = slots or _read_positional_hosts(words, ranks)
    if hosts is None and ranks and per_host:
        hosts = -(-ranks // per_host)
    if hosts is None and ranks and slots:
        hosts = _fill_hosts(slots, ranks)
    if ranks is None and hosts and per_host:
        ranks = hosts * per_host
    return Launch(ranks, hosts, tuple(slots) if len(slots) == hosts else ())


def _list_options(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Options with the word after them, or after their equals sign."""
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if _ATTACHED.match(word):
            option, _, value = word.partition("=")
            yield option, value
        elif word.startswith("-"):
            attached = re.fullmatch(r"(-[nNw])(\d+)", word)  # srun -N4
            yield (attached[1], attached[2]) if attached else (word, following)


def _parse_hosts(text: str) -> dict[str, int]:
    """Slots by host: ``node1:16,node2:16``; a host that is repeated has a slot for each time."""
    slots: dict[str, int] = {}
    for part in _BRACKETS.sub(lambda match: ",".join(_expand(match)), text).split(","):
        name, _, count = part.partition(":")
        if name:
            slots[name] = slots.get(name, 0) + (int(count) if count.isdecimal() else 1)
    return slots


def _expand(match: re.Match[str]) -> Iterable[str]:
    """The names of a Slurm node list: node[1-3,5]."""
    before, ranges, after = match.groups()
    for part in ranges.split(","):
        first, _, last = part.partition("-")
        if not first.isdecimal() or (last and not last.isdecimal()):
            continue
        for number in range(int(first), min(int(last or first), int(first) + _MAX_COUNT) + 1):
            yield f"{before}{number:0{len(first)}}{after}"


def _read_positional_hosts(words: Sequence[str], ranks: int) -> dict[str, int]:
    """The hosts of ``mpirun_rsh -np 4 n0 n0 n1 n1 VARIABLE=value ./program``: one word for each rank."""
    option = next((position for position, word in enumerate(words) if word in _RANKS), None)
    names = list(words[option + 2 : option + 2 + ranks]) if option is not None else []
    if len(names) < ranks or any(not re.fullmatch(r"[A-Za-z0-9][\w.-]*", name) for name in names):
        return {}
    return _parse_hosts(",".join(names))


def _fill_hosts(slots: dict[str, int], ranks: int) -> int | None:
    """The hosts that get a rank, where each is filled before the next; all, where the slots do not suffice."""
    if sum(slots.values()) < ranks:
        return len(slots)
    remaining = ranks
    for count, of_host in enumerate(slots.values(), 1):
        remaining -= of_host
        if remaining <= 0:
            return count
    return None
