#!/bin/sh
# Installs the files beside this script on node01 and activates them. Run it there, as root.
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
# /etc/NetworkManager/system-connections/wirespeed-enp33s0f0np0.nmconnection: addresses and routes of the interface are reconfigured
#   jobs on it lose their connections
#
# Other effects:
# /etc/wirespeed/kernel-arguments: takes effect after a reboot
#   a rollback removes only the parameters that were added
# /etc/sysctl.d/90-wirespeed.conf: parameters change at once
#   a parameter that a rollback or a later plan removes keeps its value until the next reboot
# /etc/modules-load.d/90-wirespeed.conf: takes effect after a reboot
# /etc/security/limits.d/90-wirespeed-memlock.conf: takes effect at the next login
# /etc/systemd/system.conf.d/90-wirespeed-memlock.conf: applies to services started afterwards
#   restart sshd and slurmd
# /etc/udev/rules.d/60-rdma-persistent-naming.rules: RDMA devices get their new names after a reboot
# /etc/bnxt_re/bnxt_re.conf: takes effect after a reboot, or after a reload of bnxt_re
#   the reload ends all RDMA connections
# /usr/local/sbin/wirespeed-nvm: no effect until you run "wirespeed-nvm set"
#   its changes take effect after a reboot
# /usr/local/sbin/wirespeed-capture: no effect until you run "wirespeed-capture prepare"
#   its changes take effect after a reboot
#
# Where the format of each file is documented:
# /etc/NetworkManager/system-connections/wirespeed-enp33s0f0np0.nmconnection: nm-settings-keyfile(5); libnm 1.42 reads the files in tests
# /usr/local/sbin/wirespeed-kernel-arguments: grubby(8); grubby-bls of Red Hat: --args replaces all values of a key, --remove-args one value
# /etc/wirespeed/kernel-arguments: Linux, Documentation/admin-guide/kernel-parameters.txt: one parameter a line, as the kernel takes it
# /etc/sysctl.d/90-wirespeed.conf: sysctl.d(5); Linux, Documentation/admin-guide/sysctl and Documentation/networking/ip-sysctl.rst
# /etc/modules-load.d/90-wirespeed.conf: modules-load.d(5)
# /etc/security/limits.d/90-wirespeed-memlock.conf: limits.conf(5); Broadcom 957608-AN210, appendix A.1
# /etc/systemd/system.conf.d/90-wirespeed-memlock.conf: systemd-system.conf(5)
# /etc/udev/rules.d/60-rdma-persistent-naming.rules: rdma-core, kernel-boot/rdma-persistent-naming.rules; udev(7)
# /etc/bnxt_re/bnxt_re.conf: Broadcom, bnxt_re.conf and bnxt_setupcc.sh of bnxt_re_conf 236.1.155.0
# /usr/local/sbin/wirespeed-nvm: Broadcom 957608-AN210, 2.2.4
# /usr/local/sbin/wirespeed-capture: Broadcom 957608-AN210, 5.1 question 9
# /usr/local/sbin/wirespeed-capture-undo: Broadcom 957608-AN210, 5.1 question 9
# /etc/mvapich2.conf: MVAPICH2 2.3.7 user guide, section 11; ibv_param.c
# /etc/wirespeed/mvapich2-hosts: MVAPICH2 2.3.7 user guide, mpirun_rsh -hostfile
# /usr/local/bin/wirespeed-mpirun-rsh: MVAPICH2 2.3.7 user guide, mpirun_rsh
# /usr/local/bin/wirespeed-perftest: linux-rdma/perftest, ib_write_bw --help
#
# What no public source confirms:
# /etc/mvapich2.conf: variables of MVAPICH's Broadcom build, known from a talk (2024 OFA workshop) only (for host.launch.eager_sgl, host.launch.eager_sgl_limit)
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
/etc/NetworkManager/system-connections/wirespeed-enp33s0f0np0.nmconnection
/usr/local/sbin/wirespeed-kernel-arguments
/etc/wirespeed/kernel-arguments
/etc/sysctl.d/90-wirespeed.conf
/etc/modules-load.d/90-wirespeed.conf
/etc/security/limits.d/90-wirespeed-memlock.conf
/etc/systemd/system.conf.d/90-wirespeed-memlock.conf
/etc/udev/rules.d/60-rdma-persistent-naming.rules
/etc/bnxt_re/bnxt_re.conf
/usr/local/sbin/wirespeed-nvm
/usr/local/sbin/wirespeed-capture
/usr/local/sbin/wirespeed-capture-undo
/etc/mvapich2.conf
/etc/wirespeed/mvapich2-hosts
/usr/local/bin/wirespeed-mpirun-rsh
/usr/local/bin/wirespeed-perftest
END
  )" || { echo "apply.sh: not all of the earlier plan is undone" >&2; status=1; }
fi
if [ -n "$yes" ]; then
  install -D -m 755 -- "$here/rollback.sh" "$earlier.new" && mv -- "$earlier.new" "$earlier" || stop "$earlier"
fi

if put /etc/NetworkManager/system-connections/wirespeed-enp33s0f0np0.nmconnection 600 acts 'addresses and routes of the interface are reconfigured
    jobs on it lose their connections'; then
  run nmcli connection load /etc/NetworkManager/system-connections/wirespeed-enp33s0f0np0.nmconnection && run nmcli connection up wirespeed-enp33s0f0np0 && obeyed /etc/NetworkManager/system-connections/wirespeed-enp33s0f0np0.nmconnection || failed /etc/NetworkManager/system-connections/wirespeed-enp33s0f0np0.nmconnection
fi
put /usr/local/sbin/wirespeed-kernel-arguments 755 || :
if put /etc/wirespeed/kernel-arguments 644 acts '' reboot; then
  run /usr/local/sbin/wirespeed-kernel-arguments && obeyed /etc/wirespeed/kernel-arguments || failed /etc/wirespeed/kernel-arguments
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
put /etc/bnxt_re/bnxt_re.conf 644 '' '' reboot || :
put /usr/local/sbin/wirespeed-nvm 755 || :
put /usr/local/sbin/wirespeed-capture 755 || :
put /usr/local/sbin/wirespeed-capture-undo 755 || :
put /etc/mvapich2.conf 644 || :
put /etc/wirespeed/mvapich2-hosts 644 || :
put /usr/local/bin/wirespeed-mpirun-rsh 755 || :
put /usr/local/bin/wirespeed-perftest 755 || :
if [ -z "$yes$root" ]; then
  echo "installing these files interrupts ${interrupts:+traffic:}${interrupts:-no traffic}"
fi
[ -n "$root" ] || [ -z "$reboots" ] || echo "these files take effect after a reboot:$reboots"
[ -n "$yes" ] || echo "dry run: nothing was changed; to make the changes: ./apply.sh --yes$image"
[ -z "$yes" ] || [ -z "$root" ] || echo "the files are installed in $root; no command was run"
exit "$status"
