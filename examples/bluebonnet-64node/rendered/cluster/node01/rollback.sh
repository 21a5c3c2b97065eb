#!/bin/sh
# Restores the files of node01 from before apply.sh. Run it there, as root.
#
# ./rollback.sh              dry run: print the changes
# ./rollback.sh --yes        roll back
# ./rollback.sh --root DIR   only restore files, in the system image mounted at DIR (with --yes)
#
# Interrupts traffic:
# /etc/NetworkManager/system-connections/wirespeed-enp33s0f0np0.nmconnection: addresses and routes of the interface are reconfigured; jobs on it lose their connections
#
# Other effects:
# /etc/wirespeed/kernel-arguments: takes effect after a reboot; rollback removes these arguments even if they were set before
# /etc/sysctl.d/90-wirespeed.conf: parameters change at once; after a rollback they keep their values until the next reboot
# /etc/modules-load.d/90-wirespeed.conf: takes effect after a reboot
# /etc/security/limits.d/90-wirespeed-memlock.conf: takes effect at the next login
# /etc/systemd/system.conf.d/90-wirespeed-memlock.conf: applies to services started afterwards; restart sshd and slurmd
# /etc/udev/rules.d/60-rdma-persistent-naming.rules: RDMA devices get their new names after a reboot
# /etc/bnxt_re/bnxt_re.conf: takes effect after a reboot, or when bnxt_re is reloaded, which ends all RDMA connections
# /usr/local/sbin/wirespeed-nvm: nothing until "wirespeed-nvm set" is run; its changes take effect after a reboot
# /usr/local/sbin/wirespeed-capture: nothing until "wirespeed-capture prepare" is run; its changes take effect after a reboot
set -eu

yes= root=
while [ $# -gt 0 ]; do
  case "$1" in
  --yes) yes=1 ;;
  --root)
    [ $# -gt 1 ] || { echo "rollback.sh: --root needs a folder" >&2; exit 2; }
    root=${2%/}
    shift
    ;;
  *)
    echo "usage: rollback.sh [--yes] [--root DIR]" >&2
    exit 2
    ;;
  esac
  shift
done
before=$root/var/lib/wirespeed/before
status=0

run() {
  echo "run: $*"
  [ -z "$yes" ] || [ -n "$root" ] || "$@"
}

stop() {
  echo "rollback.sh: stopped at $1; the earlier files are still in $before" >&2
  exit 1
}

failed() { # path
  echo "rollback.sh: a command failed after $1 was restored; run it by hand" >&2
  status=1
}

# Restores one file; fails if apply.sh did not install it.
back() { # path
  if [ -e "$before$1" ]; then
    echo "restore: $1"
    [ -n "$yes" ] || return 0
    cp -p -- "$before$1" "$root$1" && rm -f -- "$before$1" "$before$1.pending" || stop "$1"
  elif [ -e "$before$1.absent" ]; then
    echo "remove: $1"
    [ -n "$yes" ] || return 0
    rm -f -- "$root$1" && rm -f -- "$before$1.absent" "$before$1.pending" || stop "$1"
  else
    echo "never installed: $1"
    return 1
  fi
}

back /usr/local/bin/wirespeed-perftest || :
back /usr/local/bin/wirespeed-mpirun-rsh || :
back /etc/wirespeed/mvapich2-hosts || :
back /etc/mvapich2.conf || :
back /usr/local/sbin/wirespeed-capture-undo || :
back /usr/local/sbin/wirespeed-capture || :
back /usr/local/sbin/wirespeed-nvm || :
back /etc/bnxt_re/bnxt_re.conf || :
if back /etc/udev/rules.d/60-rdma-persistent-naming.rules; then
  run udevadm control --reload || failed /etc/udev/rules.d/60-rdma-persistent-naming.rules
fi
if back /etc/systemd/system.conf.d/90-wirespeed-memlock.conf; then
  run systemctl daemon-reexec || failed /etc/systemd/system.conf.d/90-wirespeed-memlock.conf
fi
back /etc/security/limits.d/90-wirespeed-memlock.conf || :
back /etc/modules-load.d/90-wirespeed.conf || :
if back /etc/sysctl.d/90-wirespeed.conf; then
  run sysctl --quiet --system || failed /etc/sysctl.d/90-wirespeed.conf
fi
if back /etc/wirespeed/kernel-arguments; then
  run grubby --update-kernel=ALL --remove-args='amd_iommu=on iommu=pt' || failed /etc/wirespeed/kernel-arguments
fi
if back /etc/NetworkManager/system-connections/wirespeed-enp33s0f0np0.nmconnection; then
  run nmcli connection reload || failed /etc/NetworkManager/system-connections/wirespeed-enp33s0f0np0.nmconnection
fi
[ -n "$yes" ] || echo "dry run: nothing was changed; ./rollback.sh --yes rolls back"
exit "$status"
