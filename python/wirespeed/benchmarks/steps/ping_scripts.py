"""Shell scripts that the suite mesh runs on a host: they test many pairs, some at the same time.

Values are passed as arguments and never interpreted as shell code. Every line of the scripts begins with ``mesh``; the
others are output of the tools. A pair's lines are printed at once, so that pairs do not mix.
"""

AT_ONCE = 16
MESSAGE, COUNT = 64, 10
"""Bytes and exchanges of an RDMA ping."""

SMALL = 56
"""Bytes of a ping that fits every MTU: the default of ping(8)."""

_SMALL_COUNT = 3
"""Number of small pings: one reply shows that small packets return (ping(8), exit code 0); one loss proves nothing."""


def pings(count: int, wait_s: int, at_once: int, tries: int) -> str:
    """Pings of HOST, then FROM ADDRESS TO ADDRESS PAYLOAD of each pair.

    A first ping, which does not count, lets both ends learn each other's addresses: packets that wait for this may be
    dropped. If replies are missing, small pings show whether all packets or only large ones are lost. If a small ping
    is answered, a busy host may be the cause, and the large pings are sent again.
    """
    return (
        'host=$1; shift; echo "mesh ping from $host: $(($# / 5)) pairs"; '
        'one() { route=$(ip -o route get "$4" from "$2" 2>&1); small=-; '
        f'ping -nq -c 1 -W {min(wait_s, 1)} -I "$2" "$4" >/dev/null 2>&1; '
        f"for try in {' '.join(map(str, range(1, tries + 1)))}; do "
        f'output=$(ping -nq -c {count} -i 0.2 -W {wait_s} -M do -s "$5" -I "$2" "$4" 2>&1); code=$?; small=-; '
        'case $output in *" 0% packet loss"*) break;; esac; [ "$code" -ne 127 ] || break; '
        f'ping -nq -c {_SMALL_COUNT} -i 0.2 -W {wait_s} -s {SMALL} -I "$2" "$4" >/dev/null 2>&1; small=$?; '
        '[ "$small" -eq 0 ] || break; done; '
        "printf 'mesh pair %s -> %s\\n%s\\n%s\\nmesh small %s\\nmesh end %s\\n' "
        '"$1" "$3" "$route" "$output" "$small" "$code"; }; '
        f'n=0; while [ $# -ge 5 ]; do one "$@" & shift 5; n=$((n + 1)); [ $((n % {at_once})) -ne 0 ] || wait; done; '
        'wait; echo "mesh done"'
    )


_TOOL = "command -v ib_send_lat >/dev/null || { echo 'ib_send_lat is not installed' >&2; exit 127; }; "
_OPTIONS = f"-F -s {MESSAGE} -n {COUNT}"

# SECONDS, then DEVICE PORT OPTIONS of each pair. Options are numbers, split at blanks and not expanded (set -f).
RDMA_SERVER = (
    f"set -f; limit=$1; shift; {_TOOL}while [ $# -ge 3 ]; do "
    f'timeout "$limit" ib_send_lat -d "$1" -p "$2" $3 {_OPTIONS} >/dev/null & shift 3; done; wait'
)

# HOST PEER, then FROM TO DEVICE PORT OPTIONS of each pair. A client that starts before its server tries again.
RDMA_CLIENT = (
    f'set -f; host=$1 peer=$2; shift 2; {_TOOL}echo "mesh rdma from $host: $(($# / 5)) pairs"; '
    "one() { for try in 1 2 3; do "
    f'output=$(timeout 15 ib_send_lat -d "$3" -p "$4" $5 {_OPTIONS} "$peer" 2>&1); code=$?; '
    'case $output in *"ouldn\'t connect"*) sleep 0.5;; *) break;; esac; done; '
    f"row=$(printf '%s\\n' \"$output\" | grep -E '^ *{MESSAGE} ' | tail -n 1); "
    "last=; [ \"$code\" -eq 0 ] || last=$(printf '%s\\n' \"$output\" | grep '[A-Za-z]' | tail -n 1); "
    'printf \'mesh pair %s -> %s\\nmesh row %s\\nmesh last %s\\nmesh end %s\\n\' "$1" "$2" "$row" "$last" "$code"; }; '
    f'n=0; while [ $# -ge 5 ]; do one "$@" & shift 5; n=$((n + 1)); [ $((n % {AT_ONCE})) -ne 0 ] || wait; done; '
    'wait; echo "mesh done"'
)
