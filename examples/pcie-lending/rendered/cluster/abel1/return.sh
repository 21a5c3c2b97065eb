#!/bin/sh
# Returns the devices that abel1 borrowed. Run it there, as root, before take-back.sh on the lender.
#
# ./return.sh         print what would be done
# ./return.sh --yes   do it
#
# Interrupts: every program on this host's GPUs.
# Not verified: the command `return`; no source shows it. `smartio_tool` without arguments lists its commands.
set -eu

yes=
case "$#:${1-}" in
0:) ;;
1:--yes) yes=1 ;;
*)
  echo "usage: return.sh [--yes]" >&2
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
run modprobe --remove nvidia_uvm nvidia_drm nvidia_modeset nvidia
slowly smartio_tool return 80500
slowly smartio_tool return 80400
run modprobe nvidia
run systemctl start dis_sisci
run nvidia-smi
[ -n "$yes" ] || echo "no changes made; to apply: ./return.sh --yes"
