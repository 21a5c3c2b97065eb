#!/bin/sh
# Borrows devices for abel1. Run it there, as root, after lend.sh on the lender.
#
# ./borrow.sh         print what would be done
# ./borrow.sh --yes   do it; return.sh returns them
#
# Interrupts: every program on this host's GPUs, whose kernel modules are reloaded.
set -eu

yes=
case "$#:${1-}" in
0:) ;;
1:--yes) yes=1 ;;
*)
  echo "usage: borrow.sh [--yes]" >&2
  exit 2
  ;;
esac
PATH=/opt/DIS/sbin:$PATH

run() {
  echo "run: $*"
  [ -z "$yes" ] || "$@"
}

# smartio_tool appears to race with itself: two runs in quick succession seem to work, but CUDA programs end with
# "unknown error" (Johansen, Fast Multi-GPU communication over PCI Express, section 3.2.6).
slowly() {
  run "$@"
  [ -z "$yes" ] || sleep 2
}

run systemctl stop dis_sisci
run smartio_tool list
if [ -n "$yes" ] && ! smartio_tool list | grep -qi '^ *80400:.*\[available\]'; then
  echo "borrow.sh: smartio_tool list does not show 80400 as available: run lend.sh on its host first" >&2
  run systemctl start dis_sisci
  exit 1
fi
if [ -n "$yes" ] && ! smartio_tool list | grep -qi '^ *80500:.*\[available\]'; then
  echo "borrow.sh: smartio_tool list does not show 80500 as available: run lend.sh on its host first" >&2
  run systemctl start dis_sisci
  exit 1
fi
slowly smartio_tool borrow 80400 1024
slowly smartio_tool borrow 80500 1024
slowly smartio_tool enable-p2p 80400 80500
slowly smartio_tool enable-p2p 80500 80400
run modprobe --remove nvidia_uvm nvidia_drm nvidia_modeset nvidia
run modprobe nvidia
run systemctl start dis_sisci
run nvidia-smi
[ -n "$yes" ] || echo "no changes made; to apply: ./borrow.sh --yes"
