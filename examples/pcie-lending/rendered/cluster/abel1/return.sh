#!/bin/sh
# No public source confirms: the command `smartio_tool return`; smartio_tool without arguments lists the commands (for loan.borrowed).
# Returns the devices that abel1 borrowed. Run it there, as root, before take-back.sh on the lender.
#
# ./return.sh         dry run: print what would be done
# ./return.sh --yes   do it
#
# Interrupts: every program on the devices and on this host's GPUs.
set -eu

usage='usage: return.sh [--yes]
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
    echo "return.sh: failed; no rollback: the commands before stay in effect" >&2
  elif [ "$status" != 0 ] && [ -n "$yes" ]; then
    echo "return.sh: failed; rolling back" >&2
    echo "$undo" | while read -r line; do
      [ -n "$line" ] || continue
      echo "roll back: $line"
      $line </dev/null || echo "return.sh: $line: failed too" >&2
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

on_failure systemctl start dis_sisci
run systemctl stop dis_sisci
on_failure modprobe nvidia
run modprobe --remove nvidia_uvm nvidia_drm nvidia_modeset nvidia
slowly smartio_tool return 80500
on_failure smartio_tool enable-p2p 80400 80500
on_failure smartio_tool enable-p2p 80500 80400
on_failure smartio_tool borrow 80500 1024
slowly smartio_tool return 80400
on_failure smartio_tool borrow 80400 1024
# All are returned: a failure below does not borrow them again.
undo=
on_failure systemctl start dis_sisci
run modprobe nvidia
run systemctl start dis_sisci
run nvidia-smi
[ -n "$yes" ] || echo "dry run: nothing was changed; to make the changes: ./return.sh --yes"
