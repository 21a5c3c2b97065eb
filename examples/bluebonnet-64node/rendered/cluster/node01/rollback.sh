#!/bin/sh
# Restores the files of node01 from before the FIRST apply, also after several plans. Run it there, as root.
#
# ./rollback.sh              dry run: print the changes, which files interrupt traffic, and which need a reboot
# ./rollback.sh --yes        roll back
# ./rollback.sh --root DIR   only restore files, in the system image mounted at DIR (with --yes)
# ./rollback.sh --keep LIST  do not restore these files. LIST: the paths, one per line (apply.sh uses this option)
#
# If another plan was applied last, its rollback script, /var/lib/wirespeed/rollback.sh, is run instead of this one.
#
# Restoring these files interrupts traffic at once, without a timer: keep a console at hand.
# /etc/NetworkManager/system-connections/wirespeed-enp33s0f0np0.nmconnection
#
# The earlier state of these may return only after a reboot:
# /etc/wirespeed/kernel-arguments
# /etc/sysctl.d/90-wirespeed.conf
# /etc/modules-load.d/90-wirespeed.conf
# /etc/security/limits.d/90-wirespeed-memlock.conf
# /etc/systemd/system.conf.d/90-wirespeed-memlock.conf
# /etc/udev/rules.d/60-rdma-persistent-naming.rules
# /etc/bnxt_re/bnxt_re.conf
# /usr/local/sbin/wirespeed-nvm
# /usr/local/sbin/wirespeed-capture
set -eu

usage='usage: rollback.sh [--yes] [--root DIR] [--keep LIST]
Without --yes it is a dry run: it prints what it would do, and changes nothing.'
yes='' would='would ' root='' kept=''
line='
'
while [ $# -gt 0 ]; do
  case "$1" in
  --yes) yes=1 would='' ;;
  --root)
    [ $# -gt 1 ] || { echo "rollback.sh: --root needs a folder" >&2; exit 2; }
    root=${2%/}
    [ -n "$root" ] || { echo "rollback.sh: --root needs a folder other than /" >&2; exit 2; }
    shift
    ;;
  --keep)
    [ $# -gt 1 ] || { echo "rollback.sh: --keep needs a list" >&2; exit 2; }
    kept=$2
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
before=$root/var/lib/wirespeed/before
applied=$root/var/lib/wirespeed/rollback.sh
image="${root:+ --root '$root'}"
status=0
interrupts=''
reboots=''

if [ -e "$applied" ] && ! cmp -s -- "$0" "$applied"; then
  echo "another plan was applied last: running its rollback script, $applied"
  exec sh "$applied" ${yes:+--yes} ${root:+--root "$root"} ${kept:+--keep "$kept"}
fi

[ -n "$yes$kept" ] || echo "dry run: nothing is changed"

run() {
  [ -z "$root" ] || { echo "not run (--root): $*"; return 0; }
  echo "${would}run: $*"
  [ -z "$yes" ] || "$@"
}

stop() {
  echo "rollback.sh: stopped at $1; the earlier files are still in $before" >&2
  exit 1
}

failed() { # path
  echo "rollback.sh: a command failed after $1 was restored; run it by hand" >&2
  status=1
}

is_kept() { # path
  case "$line$kept$line" in *"$line$1$line"*) return 0 ;; *) return 1 ;; esac
}

is_installed() { # path
  ! is_kept "$1" && { [ -e "$before$1" ] || [ -e "$before$1.absent" ]; }
}

# Restores one file; fails if apply.sh did not install it.
back() { # path, "interrupts" if that interrupts traffic at once, "reboot" if it takes effect after a reboot
  if is_kept "$1"; then
    return 1
  elif [ -e "$before$1" ]; then
    echo "${would}restore: $1"
    [ -z "${2-}" ] || interrupts="$interrupts$line  $1"
    [ -z "${3-}" ] || reboots="$reboots$line  $1"
    [ -n "$yes" ] || return 0
    cp -p -- "$before$1" "$root$1" && rm -f -- "$before$1" "$before$1.pending" || stop "$1"
  elif [ -e "$before$1.absent" ]; then
    echo "${would}remove: $1"
    [ -z "${2-}" ] || interrupts="$interrupts$line  $1"
    [ -z "${3-}" ] || reboots="$reboots$line  $1"
    [ -n "$yes" ] || return 0
    rm -f -- "$root$1" && rm -f -- "$before$1.absent" "$before$1.pending" || stop "$1"
  elif [ -n "$kept" ]; then
    return 1
  else
    echo "nothing to restore: $1 (not installed, or already rolled back)"
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
back /etc/bnxt_re/bnxt_re.conf '' reboot || :
if back /etc/udev/rules.d/60-rdma-persistent-naming.rules '' reboot; then
  run udevadm control --reload || failed /etc/udev/rules.d/60-rdma-persistent-naming.rules
fi
if back /etc/systemd/system.conf.d/90-wirespeed-memlock.conf; then
  run systemctl daemon-reexec || failed /etc/systemd/system.conf.d/90-wirespeed-memlock.conf
fi
back /etc/security/limits.d/90-wirespeed-memlock.conf || :
back /etc/modules-load.d/90-wirespeed.conf '' reboot || :
if back /etc/sysctl.d/90-wirespeed.conf; then
  run sysctl --quiet --system || failed /etc/sysctl.d/90-wirespeed.conf
fi
if back /etc/wirespeed/kernel-arguments '' reboot; then
  run /usr/local/sbin/wirespeed-kernel-arguments || failed /etc/wirespeed/kernel-arguments
fi
back /usr/local/sbin/wirespeed-kernel-arguments || :
if back /etc/NetworkManager/system-connections/wirespeed-enp33s0f0np0.nmconnection interrupts; then
  run nmcli connection reload || failed /etc/NetworkManager/system-connections/wirespeed-enp33s0f0np0.nmconnection
fi
if [ -z "$yes$root" ] && [ -n "$interrupts" ]; then
  echo "restoring or removing these files interrupts traffic:$interrupts"
elif [ -z "$yes$root$kept" ]; then
  echo "the rollback interrupts no traffic"
fi
[ -n "$root" ] || [ -z "$reboots" ] || echo "the earlier state of these files returns after a reboot:$reboots"
[ -z "$kept" ] || exit "$status"
[ -z "$yes" ] || rm -f -- "$applied"
[ -n "$yes" ] || echo "dry run: nothing was changed; to make the changes: ./rollback.sh --yes$image"
[ -z "$yes" ] || [ -z "$root" ] || echo "the earlier files are restored in $root; no command was run"
exit "$status"
