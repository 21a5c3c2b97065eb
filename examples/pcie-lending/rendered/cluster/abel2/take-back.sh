#!/bin/sh
# Ends the loans of abel2. Run it there, as root, after return.sh on the borrowers.
#
# ./take-back.sh         dry run: print what would be done
# ./take-back.sh --yes   do it
#
# Before lending again, reboot if the GPU's kernel module was unloaded.
set -eu

usage='usage: take-back.sh [--yes]
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
    echo "take-back.sh: failed; no rollback: the commands before stay in effect" >&2
  elif [ "$status" != 0 ] && [ -n "$yes" ]; then
    echo "take-back.sh: failed; rolling back" >&2
    echo "$undo" | while read -r line; do
      [ -n "$line" ] || continue
      echo "roll back: $line"
      $line </dev/null || echo "take-back.sh: $line: failed too" >&2
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

slowly smartio_tool remove 05:00.0
slowly smartio_tool remove 04:00.0
run smartio_tool list
[ -n "$yes" ] || echo "dry run: nothing was changed; to make the changes: ./take-back.sh --yes"
