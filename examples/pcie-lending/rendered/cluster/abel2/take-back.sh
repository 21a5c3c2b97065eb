#!/bin/sh
# Ends the loans of abel2. Run it there, as root, after return.sh on the borrowers.
#
# ./take-back.sh         print what would be done
# ./take-back.sh --yes   do it
#
# Before lending again, reboot if the GPU's kernel module was unloaded.
set -eu

yes=
case "$#:${1-}" in
0:) ;;
1:--yes) yes=1 ;;
*)
  echo "usage: take-back.sh [--yes]" >&2
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

slowly smartio_tool remove 05:00.0
slowly smartio_tool remove 04:00.0
run smartio_tool list
[ -n "$yes" ] || echo "no changes made; to apply: ./take-back.sh --yes"
