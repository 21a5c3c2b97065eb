#!/bin/sh
# Borrows devices for abel1. Run it there, as root, after lend.sh on the lender.
#
# ./borrow.sh         dry run: print what would be done
# ./borrow.sh --yes   do it; return.sh returns them
#
# Interrupts: every program on this host's GPUs, whose kernel modules are reloaded.
set -eu

usage='usage: borrow.sh [--yes]
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
    echo "borrow.sh: failed; no rollback: the commands before stay in effect" >&2
  elif [ "$status" != 0 ] && [ -n "$yes" ]; then
    echo "borrow.sh: failed; rolling back" >&2
    echo "$undo" | while read -r line; do
      [ -n "$line" ] || continue
      echo "roll back: $line"
      $line </dev/null || echo "borrow.sh: $line: failed too" >&2
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
echo "${would}run: smartio_tool list"
devices=
if [ -n "$yes" ]; then
  devices=$(smartio_tool list)
  echo "$devices"
  sleep 2
fi
if [ -n "$yes" ] && ! echo "$devices" | grep -qi '^ *80400:.*\[available\]'; then
  echo "borrow.sh: smartio_tool list does not show 80400 as available: run lend.sh on its host first" >&2
  exit 1
fi
if [ -n "$yes" ] && ! echo "$devices" | grep -qi '^ *80500:.*\[available\]'; then
  echo "borrow.sh: smartio_tool list does not show 80500 as available: run lend.sh on its host first" >&2
  exit 1
fi
on_failure modprobe nvidia
on_failure smartio_tool return 80400
slowly smartio_tool borrow 80400 1024
on_failure smartio_tool return 80500
slowly smartio_tool borrow 80500 1024
slowly smartio_tool enable-p2p 80400 80500
slowly smartio_tool enable-p2p 80500 80400
on_failure modprobe --remove nvidia_uvm nvidia_drm nvidia_modeset nvidia
run modprobe --remove nvidia_uvm nvidia_drm nvidia_modeset nvidia
run modprobe nvidia
on_failure systemctl stop dis_sisci
run systemctl start dis_sisci
run nvidia-smi

has_gpus() {
  count=$(nvidia-smi --query-gpu=pci.bus_id --format=csv,noheader | wc -l)
  [ "$count" = 4 ] || {
    echo "borrow.sh: nvidia-smi lists $count GPUs, 4 are planned" >&2
    return 1
  }
}
check "nvidia-smi lists 4 GPUs" has_gpus

# A loan that was made too fast looks complete, and CUDA programs end with "unknown error": only one of them shows it.
copies_between_gpus() {
  if command -v p2pBandwidthLatencyTest >/dev/null; then
    p2pBandwidthLatencyTest
  else
    echo "borrow.sh: no p2pBandwidthLatencyTest in the PATH (cuda-samples.sh builds it): not tested with CUDA" >&2
  fi
}
check "p2pBandwidthLatencyTest ends without an error" copies_between_gpus
[ -n "$yes" ] || echo "dry run: nothing was changed; to make the changes: ./borrow.sh --yes"
