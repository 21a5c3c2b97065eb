#!/bin/sh
# Ends what abel2 lends. Run it there, as root, after return.sh on the borrowers.
#
# ./take-back.sh         print what would be done
# ./take-back.sh --yes   do it
#
# To lend again afterwards, reboot first if the GPU's kernel module was unloaded meanwhile.
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

# smartio_tool appears to race with itself: run too fast after another, a loan seems to work, and CUDA programs end with
# "unknown error" (Johansen, Fast Multi-GPU communication over PCI Express, section 3.2.6).
slowly() {
  run "$@"
  [ -z "$yes" ] || sleep 2
}

slowly smartio_tool remove 05:00.0
slowly smartio_tool remove 04:00.0
run smartio_tool list
[ -n "$yes" ] || echo "nothing was done; ./take-back.sh --yes does it"
