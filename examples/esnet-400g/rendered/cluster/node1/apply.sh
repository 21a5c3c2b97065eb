#!/bin/sh
# Installs the files beside this script on node1 and activates them. Run it there, as root.
#
# ./apply.sh               dry run: print the changes, what they interrupt, and what needs a reboot
# ./apply.sh --diff        the same, with the lines that differ
# ./apply.sh --yes         apply
# ./apply.sh --root DIR    only install, into the system image mounted at DIR (with --yes)
#
# A file is stored in /var/lib/wirespeed/before the first time that it is replaced. So a rollback returns to the state
# before the FIRST apply, also after several plans. To return to an earlier plan, render and apply that plan again.
#
# First, the rollback script of an earlier plan (/var/lib/wirespeed/rollback.sh) removes the files of that plan that are
# not beside this script.
#
# Interrupts traffic:
# /etc/netplan/60-wirespeed.yaml: addresses and routes of the planned interfaces are reconfigured
#   jobs on them lose their connections
#   at a terminal, press ENTER within 120 s to keep the new configuration
#   without ENTER, netplan restores the previous one
#   without a terminal, no timer restores it
#   after a rollback, the MTU stays changed until the next reboot
# /usr/local/sbin/wirespeed-tune: rings are recreated, which drops the link briefly
#   a rollback takes effect after a reboot
# /usr/local/sbin/wirespeed-mlx5: priorities, traffic classes and congestion control of the ports change under running traffic
#   a rollback removes the service, but the ports keep these settings until the next reboot
#
# Other effects:
# /etc/default/grub.d/90-wirespeed.cfg: takes effect after a reboot
# /etc/sysctl.d/90-wirespeed.conf: parameters change at once
#   a parameter that a rollback or a later plan removes keeps its value until the next reboot
# /etc/modules-load.d/90-wirespeed.conf: takes effect after a reboot
# /etc/security/limits.d/90-wirespeed-memlock.conf: takes effect at the next login
# /etc/systemd/system.conf.d/90-wirespeed-memlock.conf: applies to services started afterwards
#   restart sshd and slurmd
# /etc/udev/rules.d/60-rdma-persistent-naming.rules: RDMA devices get their new names after a reboot
# /etc/systemd/system-preset/90-wirespeed.preset: interrupt balancing changes at once
#   a rollback takes effect at the next boot
# /usr/local/sbin/wirespeed-mlxconfig: no effect until you run "wirespeed-mlxconfig set"
#   its changes take effect after a reboot, or after a reset of the card
#   the reset takes its links down
#
# Where the format of each file is documented:
# /etc/netplan/60-wirespeed.yaml: netplan(5); tested with netplan 0.106
# /etc/default/grub.d/90-wirespeed.cfg: Debian, grub-mkconfig(8): /etc/default/grub.d
# /etc/sysctl.d/90-wirespeed.conf: sysctl.d(5); Linux, Documentation/admin-guide/sysctl and Documentation/networking/ip-sysctl.rst
# /etc/modules-load.d/90-wirespeed.conf: modules-load.d(5)
# /etc/security/limits.d/90-wirespeed-memlock.conf: limits.conf(5); Broadcom 957608-AN210, appendix A.1
# /etc/systemd/system.conf.d/90-wirespeed-memlock.conf: systemd-system.conf(5)
# /etc/udev/rules.d/60-rdma-persistent-naming.rules: rdma-core, kernel-boot/rdma-persistent-naming.rules; udev(7)
# /etc/systemd/system/wirespeed-tune.service: systemd.service(5)
# /etc/systemd/system-preset/90-wirespeed.preset: systemd.preset(5)
# /usr/local/sbin/wirespeed-tune: ethtool(8), tc(8); Linux, Documentation/admin-guide/pm and Documentation/core-api/irq/irq-affinity.rst
# /usr/local/bin/wirespeed-near: numactl(8)
# /etc/systemd/system/wirespeed-mlx5.service: systemd.service(5)
# /usr/local/sbin/wirespeed-mlx5: Mellanox/mlnx-tools, mlnx_qos and cma_roce_tos; NVIDIA MLNX_OFED documentation, Explicit Congestion Notification
# /usr/local/sbin/wirespeed-mlxconfig: public output of mlxconfig -e query
# /usr/local/sbin/wirespeed-capture: NVIDIA MLNX_OFED documentation, Offloaded Traffic Sniffer; tcpdump(8)
# /etc/wirespeed/hostfile: Open MPI, mpirun(1): host files
# /etc/ucx/ucx.conf: UCX, ucx_info -cf
# /usr/local/bin/wirespeed-mpirun: Open MPI, mpirun(1)
# /usr/local/bin/wirespeed-perftest: linux-rdma/perftest, ib_write_bw --help
set -eu

usage='usage: apply.sh [--diff] [--yes] [--root DIR]
Without --yes it is a dry run: it prints what it would do, and changes nothing.'
yes='' would='would ' root='' diff=''
while [ $# -gt 0 ]; do
  case "$1" in
  --yes) yes=1 would='' ;;
  --diff) diff=1 ;;
  --root)
    [ $# -gt 1 ] || { echo "apply.sh: --root needs a folder" >&2; exit 2; }
    root=${2%/}
    [ -n "$root" ] || { echo "apply.sh: --root needs a folder other than /" >&2; exit 2; }
    shift
    ;;
  -h | --help)
    echo "$usage"
    exit 0
    ;;
  *)
    echo "$usage" >&2
    exit 2
    ;;
  esac
  shift
done
[ -n "$yes" ] || echo "dry run: nothing is changed"
here=$(cd -- "$(dirname -- "$0")" && pwd)
before=$root/var/lib/wirespeed/before
earlier=$root/var/lib/wirespeed/rollback.sh
status=0
interrupts=''
reboots=''
line='
'
image="${root:+ --root '$root'}"
umask 022

run() {
  [ -z "$root" ] || { echo "not run (--root): $*"; return 0; }
  echo "${would}run: $*"
  [ -z "$yes" ] || "$@"
}

stop() {
  echo "apply.sh: stopped at $1; files installed before it stay; ./rollback.sh --yes$image rolls back" >&2
  exit 1
}

# Installs one file; fails if the device has it already, so that nothing is interrupted without need. A file whose
# activation failed or was interrupted counts as not installed. A file is stored before it is overwritten, and
# written in one step.
put() { # path, mode, "acts" if commands follow, what they interrupt, "reboot" if it takes effect after a reboot
  if cmp -s -- "$here$1" "$root$1" && [ ! -e "$before$1.pending" ]; then
    echo "unchanged: $1"
    return 1
  fi
  echo "${would}install: $1"
  [ -z "${4-}" ] || interrupts="$interrupts$line  $1: $4"
  [ -z "${5-}" ] || reboots="$reboots$line  $1"
  [ -z "$diff" ] || diff -uN -- "$root$1" "$here$1" || :
  [ -n "$yes" ] || return 0
  mkdir -p -- "$(dirname -- "$before$1")" || stop "$1"
  if [ ! -e "$before$1" ] && [ ! -e "$before$1.absent" ]; then
    if [ -e "$root$1" ]; then
      { cp -p -- "$root$1" "$before$1.new" && mv -- "$before$1.new" "$before$1"; } || stop "$1"
    else
      : >"$before$1.absent" || stop "$1"
    fi
  fi
  [ -z "${3-}" ] || [ -n "$root" ] || : >"$before$1.pending" || stop "$1"
  install -D -m "$2" -- "$here$1" "$root$1.new" && mv -- "$root$1.new" "$root$1" || { rm -f -- "$root$1.new"; stop "$1"; }
}

obeyed() { # path
  [ -z "$yes" ] || rm -f -- "$before$1.pending"
}

failed() { # path
  echo "apply.sh: $1 is not active yet: a command failed; ./apply.sh --yes$image tries again" >&2
  status=1
}

# Removes what an earlier plan installed and this one lacks, then keeps this plan's rollback script instead of that one.
if [ -e "$earlier" ] && ! cmp -s -- "$here/rollback.sh" "$earlier"; then
  sh "$earlier" ${yes:+--yes} ${root:+--root "$root"} --keep "$(cat <<'END'
/etc/netplan/60-wirespeed.yaml
/etc/default/grub.d/90-wirespeed.cfg
/etc/sysctl.d/90-wirespeed.conf
/etc/modules-load.d/90-wirespeed.conf
/etc/security/limits.d/90-wirespeed-memlock.conf
/etc/systemd/system.conf.d/90-wirespeed-memlock.conf
/etc/udev/rules.d/60-rdma-persistent-naming.rules
/etc/systemd/system/wirespeed-tune.service
/etc/systemd/system-preset/90-wirespeed.preset
/usr/local/sbin/wirespeed-tune
/usr/local/bin/wirespeed-near
/etc/systemd/system/wirespeed-mlx5.service
/usr/local/sbin/wirespeed-mlx5
/usr/local/sbin/wirespeed-mlxconfig
/usr/local/sbin/wirespeed-capture
/etc/wirespeed/hostfile
/etc/ucx/ucx.conf
/usr/local/bin/wirespeed-mpirun
/usr/local/bin/wirespeed-perftest
END
  )" || { echo "apply.sh: not all of the earlier plan is undone" >&2; status=1; }
fi
if [ -n "$yes" ]; then
  install -D -m 755 -- "$here/rollback.sh" "$earlier.new" && mv -- "$earlier.new" "$earlier" || stop "$earlier"
fi

if put /etc/netplan/60-wirespeed.yaml 600 acts 'addresses and routes of the planned interfaces are reconfigured
    jobs on them lose their connections
    at a terminal, press ENTER within 120 s to keep the new configuration
    without ENTER, netplan restores the previous one
    without a terminal, no timer restores it
    after a rollback, the MTU stays changed until the next reboot'; then
  run sh -c 'if [ -t 0 ]; then exec netplan try --timeout 120; fi; netplan generate && exec netplan apply' && obeyed /etc/netplan/60-wirespeed.yaml || failed /etc/netplan/60-wirespeed.yaml
fi
if put /etc/default/grub.d/90-wirespeed.cfg 644 acts '' reboot; then
  run update-grub && obeyed /etc/default/grub.d/90-wirespeed.cfg || failed /etc/default/grub.d/90-wirespeed.cfg
fi
if put /etc/sysctl.d/90-wirespeed.conf 644 acts; then
  run sysctl --quiet --system && obeyed /etc/sysctl.d/90-wirespeed.conf || failed /etc/sysctl.d/90-wirespeed.conf
fi
put /etc/modules-load.d/90-wirespeed.conf 644 '' '' reboot || :
put /etc/security/limits.d/90-wirespeed-memlock.conf 644 || :
if put /etc/systemd/system.conf.d/90-wirespeed-memlock.conf 644 acts; then
  run systemctl daemon-reexec && obeyed /etc/systemd/system.conf.d/90-wirespeed-memlock.conf || failed /etc/systemd/system.conf.d/90-wirespeed-memlock.conf
fi
if put /etc/udev/rules.d/60-rdma-persistent-naming.rules 644 acts '' reboot; then
  run udevadm control --reload && obeyed /etc/udev/rules.d/60-rdma-persistent-naming.rules || failed /etc/udev/rules.d/60-rdma-persistent-naming.rules
fi
if put /etc/systemd/system/wirespeed-tune.service 644 acts; then
  run systemctl daemon-reload && run systemctl enable wirespeed-tune.service && obeyed /etc/systemd/system/wirespeed-tune.service || failed /etc/systemd/system/wirespeed-tune.service
fi
if put /etc/systemd/system-preset/90-wirespeed.preset 644 acts; then
  run systemctl mask --now irqbalance.service && obeyed /etc/systemd/system-preset/90-wirespeed.preset || failed /etc/systemd/system-preset/90-wirespeed.preset
fi
if put /usr/local/sbin/wirespeed-tune 755 acts 'rings are recreated, which drops the link briefly
    a rollback takes effect after a reboot'; then
  run /usr/local/sbin/wirespeed-tune && obeyed /usr/local/sbin/wirespeed-tune || failed /usr/local/sbin/wirespeed-tune
fi
put /usr/local/bin/wirespeed-near 755 || :
if put /etc/systemd/system/wirespeed-mlx5.service 644 acts; then
  run systemctl daemon-reload && run systemctl enable wirespeed-mlx5.service && obeyed /etc/systemd/system/wirespeed-mlx5.service || failed /etc/systemd/system/wirespeed-mlx5.service
fi
if put /usr/local/sbin/wirespeed-mlx5 755 acts 'priorities, traffic classes and congestion control of the ports change under running traffic
    a rollback removes the service, but the ports keep these settings until the next reboot'; then
  run systemctl restart wirespeed-mlx5.service && obeyed /usr/local/sbin/wirespeed-mlx5 || failed /usr/local/sbin/wirespeed-mlx5
fi
put /usr/local/sbin/wirespeed-mlxconfig 755 || :
put /usr/local/sbin/wirespeed-capture 755 || :
put /etc/wirespeed/hostfile 644 || :
put /etc/ucx/ucx.conf 644 || :
put /usr/local/bin/wirespeed-mpirun 755 || :
put /usr/local/bin/wirespeed-perftest 755 || :
if [ -z "$yes$root" ]; then
  echo "installing these files interrupts ${interrupts:+traffic:}${interrupts:-no traffic}"
fi
[ -n "$root" ] || [ -z "$reboots" ] || echo "these files take effect after a reboot:$reboots"
[ -n "$yes" ] || echo "dry run: nothing was changed; to make the changes: ./apply.sh --yes$image"
[ -z "$yes" ] || [ -z "$root" ] || echo "the files are installed in $root; no command was run"
exit "$status"
