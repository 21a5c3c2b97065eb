#!/bin/sh
# Sets the prefetchable memory of the PCIe bridge of abel1. Run it there, as root.
#
# ./ntb-prefetch.sh         dry run: print what would be done
# ./ntb-prefetch.sh --yes   do it; takes effect after a reboot
#
# Interrupts: the reboot. A BIOS without decoding above 4G may not boot with more than 256 MiB: try one
# host first. Rollback: the same command with the size printed before.
set -eu

usage='usage: ntb-prefetch.sh [--yes]
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
    echo "ntb-prefetch.sh: failed; no rollback: the commands before stay in effect" >&2
  elif [ "$status" != 0 ] && [ -n "$yes" ]; then
    echo "ntb-prefetch.sh: failed; rolling back" >&2
    echo "$undo" | while read -r line; do
      [ -n "$line" ] || continue
      echo "roll back: $line"
      $line </dev/null || echo "ntb-prefetch.sh: $line: failed too" >&2
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

run dis_config -gpms
run dis_config -a 1 -spms 4096
echo "then reboot"
[ -n "$yes" ] || echo "dry run: nothing was changed; to make the changes: ./ntb-prefetch.sh --yes"
