#!/bin/sh
# Installs the files beside this script on node1 and makes it obey them. Run it there, as root.
#
# ./apply.sh               print what would be done
# ./apply.sh --yes         do it; what was there before is kept in /var/lib/wirespeed/before for revert.sh
# ./apply.sh --root DIR    only install, into the system image mounted at DIR (with --yes)
#
# What it interrupts:
# /etc/netplan/60-wirespeed.yaml: addresses and routes of the RDMA interfaces are set anew; jobs on them lose their connections
# /etc/default/grub.d/90-wirespeed.cfg: acts after a reboot
# /etc/modules-load.d/90-wirespeed.conf: acts after a reboot
# /etc/systemd/system/wirespeed-acs.service: PCIe Access Control Services stay off until the next reboot, even when the service is gone
# /etc/security/limits.d/90-wirespeed-memlock.conf: acts at the next login
# /etc/systemd/system.conf.d/90-wirespeed-memlock.conf: acts on services that start afterwards; restart sshd and slurmd
# /etc/udev/rules.d/60-rdma-persistent-naming.rules: RDMA devices get their new names after a reboot
# /etc/bnxt_re/bnxt_re.conf: acts after a reboot, or when bnxt_re is loaded anew, which ends all RDMA connections
# /usr/local/sbin/wirespeed-nvm: nothing until "wirespeed-nvm set" is run; what that writes acts after a reboot
set -eu

yes= root=
while [ $# -gt 0 ]; do
  case "$1" in
  --yes) yes=1 ;;
  --root)
    [ $# -gt 1 ] || { echo "apply.sh: --root needs a folder" >&2; exit 2; }
    root=${2%/}
    shift
    ;;
  *)
    echo "usage: apply.sh [--yes] [--root DIR]" >&2
    exit 2
    ;;
  esac
  shift
done
here=$(cd -- "$(dirname -- "$0")" && pwd)
before=$root/var/lib/wirespeed/before

run() {
  echo "run: $*"
  [ -z "$yes" ] || [ -n "$root" ] || "$@"
}

# Installs one file; fails when the device has it already, so that nothing is interrupted for nothing.
put() { # path, mode
  if cmp -s -- "$here$1" "$root$1"; then
    echo "unchanged: $1"
    return 1
  fi
  echo "install: $1"
  [ -n "$yes" ] || return 0
  if [ ! -e "$before$1" ] && [ ! -e "$before$1.absent" ]; then
    mkdir -p -- "$(dirname -- "$before$1")"
    if [ -e "$root$1" ]; then
      cp -p -- "$root$1" "$before$1"
    else
      : >"$before$1.absent"
    fi
  fi
  install -D -m "$2" -- "$here$1" "$root$1"
}

if put /etc/netplan/60-wirespeed.yaml 600; then
  run netplan generate
  run netplan apply
fi
if put /etc/sysctl.d/90-wirespeed.conf 644; then
  run sysctl --quiet --system
fi
if put /etc/default/grub.d/90-wirespeed.cfg 644; then
  run update-grub
fi
put /etc/modules-load.d/90-wirespeed.conf 644 || :
put /usr/local/sbin/wirespeed-acs 755 || :
if put /etc/systemd/system/wirespeed-acs.service 644; then
  run systemctl daemon-reload
  run systemctl enable --now wirespeed-acs.service
fi
put /etc/security/limits.d/90-wirespeed-memlock.conf 644 || :
if put /etc/systemd/system.conf.d/90-wirespeed-memlock.conf 644; then
  run systemctl daemon-reexec
fi
if put /etc/udev/rules.d/60-rdma-persistent-naming.rules 644; then
  run udevadm control --reload
fi
put /etc/bnxt_re/bnxt_re.conf 644 || :
put /usr/local/sbin/wirespeed-nvm 755 || :
put /etc/rccl.conf 644 || :
put /etc/wirespeed/hostfile 644 || :
put /usr/local/bin/wirespeed-mpirun 755 || :
put /usr/local/bin/wirespeed-perftest 755 || :
[ -n "$yes" ] || echo "nothing was done; ./apply.sh --yes does it"
