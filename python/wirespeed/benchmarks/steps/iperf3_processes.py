"""Shell scripts that start several iperf3 at once between the same two addresses, each pair of them on its own port.

Values are passed as arguments and never interpreted as shell code: COUNT, the first PORT, then the words of iperf3. The
reports of the clients are printed one after the other, so that they do not mix.
"""

_CLIENTS = (
    'count=$1 port=$2; shift 2; folder=$(mktemp -d) || exit; trap \'rm -rf "$folder"\' EXIT; trap "exit 143" TERM; '
    'processes= code=0 i=0; while [ "$i" -lt "$count" ]; do "$@" -p "$((port + i))" >"$folder/$i" & '
    'processes="$processes $!" i=$((i + 1)); done; for process in $processes; do wait "$process" || code=$?; done; '
    'i=0; while [ "$i" -lt "$count" ]; do cat "$folder/$i"; i=$((i + 1)); done; exit "$code"'
)

_SERVERS = (
    'count=$1 port=$2; shift 2; i=1; while [ "$i" -lt "$count" ]; do "$@" -p "$((port + i))" >/dev/null & '
    'i=$((i + 1)); done; sleep 0.3; "$@" -p "$port"; wait'
)  # the first port is the one whose server the client's host waits for, so it listens last


def start_clients(count: int, port: int, words: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a command that runs clients at the same time; it fails if one of them does."""
    return ("sh", "-c", _CLIENTS, "iperf3-clients", str(count), str(port), *words)


def start_servers(count: int, port: int, words: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a command that runs their servers."""
    return ("sh", "-c", _SERVERS, "iperf3-servers", str(count), str(port), *words)
