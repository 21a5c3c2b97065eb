#!/bin/sh
# Installs the software of abel1, step by step in this order. Run it there, as root.
#
# ./software-install.sh         dry run: print what would be done
# ./software-install.sh --yes   do it
#
# Completed steps are skipped: if a step requires a reboot, reboot and run it again.
# Its actions are recorded in /var/lib/wirespeed/software for software-remove.sh.
#
# 1. GPU driver: NVIDIA driver 470.182.03
# 2. HPC SDK: HPC SDK, with toolkit, NCCL and MPI 21.9
# 3. boot image: initramfs (it holds the kernel's own driver, which would be loaded before the new one)
# 4. reboot: host (loaded drivers are not replaced in a running kernel)
set -eu

usage='usage: software-install.sh [--yes]
Without --yes it is a dry run: it prints what it would do, and changes nothing.'
yes='' would='would ' from=.
while [ $# -gt 0 ]; do
  case "$1" in
  --yes) yes=1 would='' ;;
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
state=/var/lib/wirespeed/software
changed=
[ -z "$yes" ] || mkdir -p -- "$state"
[ -n "$yes" ] || echo "dry run: nothing is changed"

step() { # number, what
  echo "step $1: $2"
}

run() {
  changed=1
  echo "  ${would}run: $*"
  [ -z "$yes" ] || "$@"
}

done_already() {
  echo "  done already"
}

stop() {
  echo "software-install.sh: $1" >&2
  exit 1
}

# The file with this name pattern and version; the last by name if there are several.
find_file() { # pattern, version or nothing
  found=
  for one in "$from"/$1; do
    case "$one" in *"${2-}"*) [ ! -e "$one" ] || found=$one ;; esac
  done
}

has() { # package name
  [ "$(dpkg-query -W -f='${db:Status-Abbrev}' "$1" 2>/dev/null)" = "ii " ]
}

offered() { # package name
  apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: *//p'
}

# Installs packages by name, unless all are installed.
install_named() { # names
  for name in "$@"; do
    has "$name" || { run apt-get install -y "$@"; return; }
  done
  done_already
}

# Whether a package has a version, whose release adds numbers: 1:7.1.0.70100-20 is 7.1.0 and 7.1, and 7.10.0 is not 7.1.
is_release() { # version of the package, planned version
  case "${1#*:}" in "$2" | "$2"[.+~-]*) ;; *) return 1 ;; esac
}

# Stops if another version than the planned one is installed, or in the repositories.
expect() { # version, package name, packages that go with it, page of the vendor or nothing
  if has "$2"; then
    installed=$(dpkg-query -W -f='${Version}' "$2" 2>/dev/null)
    if is_release "$installed" "$1"; then return; fi
    echo "  $2 $installed is installed, and $1 is planned: remove it (apt-get autoremove -y $3), then run this script again"
    [ -z "$yes" ] || exit 1
    return 1
  fi
  offer=$(offered "$2")
  if ! is_release "$offer" "$1"; then
    echo "  the repositories have ${offer:-no} $2, and $1 is planned: set up a repository with that version${4:+ as in $4}"
    [ -z "$yes" ] || exit 1
  fi
}

# Adds the vendor's repository, unless one that is set up has the package; Johansen, Fast Multi-GPU communication over PCI
# Express, appendix A.3.8.
add_hpc_sdk_repository() { # package name
  offer=$(offered "$1")
  [ "${offer:-(none)}" = "(none)" ] || return 0
  [ -z "$yes" ] || : >"$state/hpc-sdk-repository"
  run sh -c 'curl -fsSL https://developer.download.nvidia.com/hpc-sdk/ubuntu/DEB-GPG-KEY-NVIDIA-HPC-SDK | gpg --batch --yes --dearmor -o /usr/share/keyrings/nvidia-hpcsdk-archive-keyring.gpg' ||
    stop "no repository has $1, and the key of the vendor's was not stored: set up a repository with it"
  run sh -c 'echo '"'"'deb [signed-by=/usr/share/keyrings/nvidia-hpcsdk-archive-keyring.gpg] https://developer.download.nvidia.com/hpc-sdk/ubuntu/amd64 /'"'"' >/etc/apt/sources.list.d/nvhpc.list'
  run apt-get update
}

is_installed() { # package file
  [ "$(dpkg-query -W -f='${db:Status-Abbrev}${Version}' "$(dpkg-deb -f "$1" Package)" 2>/dev/null)" = "ii $(dpkg-deb -f "$1" Version)" ]
}

# Installs a file of the vendor's release, unless that package is installed.
install_file() { # pattern, version or nothing
  find_file "$1" "${2-}"
  if [ -z "$found" ]; then
    [ -z "$yes" ] || stop "no file $1${2:+ of version $2} in $from"
    echo "  ${would}run: apt-get install -y DIR/$1"
    changed=1
  elif is_installed "$found"; then
    done_already
  else
    [ -z "$yes" ] || ( set -- "$found"; dpkg-deb -f "$1" Package ) >>"$state/packages"
    [ -z "$yes" ] || echo >>"$state/packages"
    case "$found" in /*) ;; *) found=./$found ;; esac
    run apt-get install -y "$found"
  fi
}

# Builds the library of a source archive into /usr/local and puts that first in the linker's search path.
build() { # pattern, version or nothing
  find_file "$1" "${2-}"
  if [ -z "$found" ]; then
    [ -z "$yes" ] || stop "no file $1${2:+ of version $2} in $from"
    echo "  ${would}build DIR/$1 into /usr/local"
    changed=1
  elif [ -e "$state/built-$(basename -- "$found")" ]; then
    done_already
  else
    run build_in "$found"
  fi
}

build_in() { # source archive
  work=$(mktemp -d)
  tar -xf "$1" -C "$work"
  ( cd "$work"/*/ && sh autogen.sh && ./configure --sysconfdir=/etc && make && make install all )
  for driver in "$work"/*/*.driver; do
    [ ! -e "$driver" ] || cp -f -- "$driver" /etc/libibverbs.d/
  done
  rm -rf -- "$work"
  echo /usr/local/lib >/etc/ld.so.conf.d/00-wirespeed.conf
  ldconfig
  : >"$state/built-$(basename -- "$1")"
}

step 1 'GPU driver: NVIDIA driver 470.182.03'
if expect 470.182.03 nvidia-utils-470-server 'nvidia-headless-470-server nvidia-utils-470-server'; then
  install_named nvidia-headless-470-server nvidia-utils-470-server
fi
step 2 'HPC SDK: HPC SDK, with toolkit, NCCL and MPI 21.9'
if ! has nvhpc-21-9; then
  add_hpc_sdk_repository nvhpc-21-9
  # Without --yes the repository is not there yet.
  [ -z "$yes" ] || expect 21.9 nvhpc-21-9 'environment-modules nvhpc-21-9'
fi
install_named environment-modules nvhpc-21-9
step 3 'boot image: initramfs'
[ -z "$changed" ] && done_already || run update-initramfs -u -k "$(uname -r)"
step 4 'reboot: host'
if [ -n "$changed" ]; then
  echo "  reboot now; then check: the loaded drivers have these versions, and ibv_devinfo gives no warning"
else
  done_already
fi
[ -n "$yes" ] || echo "dry run: nothing was changed; to make the changes: ./software-install.sh --yes"
