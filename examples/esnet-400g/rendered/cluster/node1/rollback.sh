#!/bin/sh
# Restores the files of node1 from before apply.sh. Run it there, as root.
#
# ./rollback.sh              dry run: print the changes
# ./rollback.sh --yes        roll back
# ./rollback.sh --root DIR   only restore files, in the system image mounted at DIR (with --yes)
#
# Interrupts traffic:
# /etc/netplan/60-wirespeed.yaml: addresses and routes of the RDMA interfaces are reconfigured; jobs on them lose their connections; at a terminal, press ENTER within 120 s to keep the new ones
# /usr/local/sbin/wirespeed-tune: rings are recreated, which drops the link briefly; a rollback takes effect after a reboot
# /etc/systemd/system/wirespeed-mlx5.service: priorities, traffic classes and congestion control of the ports change under running traffic; without the service they stay until the next reboot
#
# Other effects:
# /etc/default/grub.d/90-wirespeed.cfg: takes effect after a reboot
# /etc/sysctl.d/90-wirespeed.conf: parameters change at once; after a rollback they keep their values until the next reboot
# /etc/modules-load.d/90-wirespeed.conf: takes effect after a reboot
# /etc/security/limits.d/90-wirespeed-memlock.conf: takes effect at the next login
# /etc/systemd/system.conf.d/90-wirespeed-memlock.conf: applies to services started afterwards; restart sshd and slurmd
# /etc/udev/rules.d/60-rdma-persistent-naming.rules: RDMA devices get their new names after a reboot
# /etc/systemd/system-preset/90-wirespeed.preset: interrupt balancing changes at once; after a rollback, at the next boot
# /usr/local/sbin/wirespeed-mlxconfig: nothing until "wirespeed-mlxconfig set" is run; its changes take effect after a reboot, or a reset of the card, which takes its links down
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
back /usr/local/bin/wirespeed-mpirun || :
back /etc/ucx/ucx.conf || :
back /etc/wirespeed/hostfile || :
back /usr/local/sbin/wirespeed-capture || :
back /usr/local/sbin/wirespeed-mlxconfig || :
if back /etc/systemd/system/wirespeed-mlx5.service; then
  run rm -f /etc/systemd/system/multi-user.target.wants/wirespeed-mlx5.service && run systemctl daemon-reload || failed /etc/systemd/system/wirespeed-mlx5.service
fi
back /usr/local/sbin/wirespeed-mlx5 || :
back /usr/local/bin/wirespeed-near || :
back /usr/local/sbin/wirespeed-tune || :
if back /etc/systemd/system-preset/90-wirespeed.preset; then
  run systemctl unmask irqbalance.service || failed /etc/systemd/system-preset/90-wirespeed.preset
fi
if back /etc/systemd/system/wirespeed-tune.service; then
  run rm -f /etc/systemd/system/multi-user.target.wants/wirespeed-tune.service && run systemctl daemon-reload || failed /etc/systemd/system/wirespeed-tune.service
fi
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
if back /etc/default/grub.d/90-wirespeed.cfg; then
  run update-grub || failed /etc/default/grub.d/90-wirespeed.cfg
fi
if back /etc/netplan/60-wirespeed.yaml; then
  run netplan generate && run netplan apply || failed /etc/netplan/60-wirespeed.yaml
fi
[ -n "$yes" ] || echo "dry run: nothing was changed; ./rollback.sh --yes rolls back"
exit "$status"
