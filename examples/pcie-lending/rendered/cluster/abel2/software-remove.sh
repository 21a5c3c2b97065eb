#!/bin/sh
# Rolls back software-install.sh on abel2, in reverse order. Run it there, as root.
#
# ./software-remove.sh         dry run: print what would be done
# ./software-remove.sh --yes   do it; the kernel's drivers and the distribution's libraries are used again
#
# Another vendor's RDMA stack and modules removed by software-install.sh are not restored; compilers and headers
# stay installed.
set -eu

usage='usage: software-remove.sh [--yes]
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
state=/var/lib/wirespeed/software
changed=

run() {
  changed=1
  echo "${would}run: $*"
  [ -z "$yes" ] || "$@"
}

if [ -e "$state/inbox" ]; then
  sort -u "$state/inbox" | while read -r library; do
    [ ! -e "$library.inbox" ] || run mv -- "$library.inbox" "$library"
  done
  changed=1
  [ -z "$yes" ] || rm -f -- "$state/inbox"
fi
for built in "$state"/built-*; do
  [ -e "$built" ] || continue
  run rm -f -- /etc/ld.so.conf.d/00-wirespeed.conf "$built"
done
run ldconfig
if [ -e "$state/packages" ]; then
  for package in $(sort -u "$state/packages"); do
    run apt-get purge -y "$package"
  done
  [ -z "$yes" ] || rm -f -- "$state/packages"
fi
run apt-get purge -y environment-modules nvhpc-21-9
if [ -e "$state/hpc-sdk-repository" ]; then
  run rm -f -- /etc/apt/sources.list.d/nvhpc.list /usr/share/keyrings/nvidia-hpcsdk-archive-keyring.gpg "$state/hpc-sdk-repository"
  run apt-get update
fi
run apt-get purge -y nvidia-headless-470-server nvidia-utils-470-server
run update-initramfs -u -k "$(uname -r)"
echo "then reboot: loaded drivers are not replaced in a running kernel"
[ -n "$yes" ] || echo "dry run: nothing was changed; to make the changes: ./software-remove.sh --yes"
