#!/bin/sh
# Lends devices of abel2. Run it there, as root, before borrow.sh on the borrower.
#
# ./lend.sh         dry run: print what would be done
# ./lend.sh --yes   do it; take-back.sh ends the loan
#
# Interrupts: whatever uses the devices. Unmount the file systems of a drive before it is lent.
# The GPU's kernel module stays loaded: adding a GPU after it was unloaded freezes the host (Johansen, Fast Multi-GPU
# communication over PCI Express, section 3.2.6).
set -eu

usage='usage: lend.sh [--yes]
Without --yes it is a dry run: it prints what it would do, and changes nothing.'
yes='' would='would '
case "$#:${1-}" in
0:) echo "dry run: nothing is changed" ;;
1:--yes) yes=1 would='' ;;
1:-h | 1:--help)
  echo "$usage"
  exit 0
  ;;
*)
  echo "$usage" >&2
  exit 2
  ;;
esac
PATH=/opt/DIS/sbin:$PATH

run() {
  echo "${would}run: $*"
  [ -z "$yes" ] || "$@"
}

# smartio_tool appears to race with itself: two runs in quick succession seem to work, but CUDA programs end with
# "unknown error" (Johansen, Fast Multi-GPU communication over PCI Express, section 3.2.6).
slowly() {
  run "$@"
  [ -z "$yes" ] || sleep 2
}

# If a command or test fails, the commands in "undo" are run, the latest first. Without any, what ran before stays.
undo=
on_failure() { # command that undoes what comes next
  undo="$*
$undo"
}

finish() {
  status=$?
  trap - EXIT
  if [ "$status" != 0 ] && [ -n "$yes" ] && [ -z "$undo" ]; then
    echo "lend.sh: failed; no rollback: the commands before stay in effect" >&2
  elif [ "$status" != 0 ] && [ -n "$yes" ]; then
    echo "lend.sh: failed; rolling back" >&2
    echo "$undo" | while read -r line; do
      [ -n "$line" ] || continue
      echo "roll back: $line"
      $line </dev/null || echo "lend.sh: $line: failed too" >&2
      sleep 2
    done
  fi
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' HUP TERM

# A test before success; without --yes it is only printed.
check() { # what is tested, command
  echo "${would}test: $1"
  shift
  [ -z "$yes" ] || "$@"
}

if [ -n "$yes" ] && ! grep -q '^nvidia ' /proc/modules; then
  echo "lend.sh: the kernel module nvidia is not loaded: adding a GPU now would freeze this host; reboot first" >&2
  exit 1
fi
slowly smartio_tool connect 4
on_failure smartio_tool remove 04:00.0
slowly smartio_tool add 04:00.0
on_failure smartio_tool remove 05:00.0
slowly smartio_tool add 05:00.0
slowly smartio_tool available 04:00.0
slowly smartio_tool available 05:00.0
run smartio_tool list
[ -n "$yes" ] || echo "dry run: nothing was changed; to make the changes: ./lend.sh --yes"
