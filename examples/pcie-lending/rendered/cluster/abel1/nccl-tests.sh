#!/bin/sh
# Builds nccl-tests 8274cb4 for the GPUs of abel1, in a clone of https://github.com/NVIDIA/nccl-tests.
#
# ./nccl-tests.sh                 dry run: print what would be done
# ./nccl-tests.sh --yes           do it, in the current folder: programs that mpirun starts, in build
# ./nccl-tests.sh --without-mpi   the same without MPI, in build-without-mpi: one process uses the GPUs of this host
#                                 (-g GPUs, -t threads), and no mpirun is needed
#
# NVCC_GENCODE names these GPUs: the makefile's default omits older ones, and the program then stops with
# "no kernel image is available for execution on the device".
set -eu

usage='usage: nccl-tests.sh [--without-mpi] [--yes]
Without --yes it is a dry run: it prints what it would do, and changes nothing.'
yes='' would='would ' mpi=1 folder=build
for option in "$@"; do
  case "$option" in
  --yes) yes=1 would='' ;;
  --without-mpi) mpi=0 folder=build-without-mpi ;;
  -h | --help)
    echo "$usage"
    exit 0
    ;;
  *)
    echo "$usage" >&2
    exit 2
    ;;
  esac
done
[ -n "$yes" ] || echo "dry run: nothing is changed"

run() {
  echo "${would}run: $*"
  [ -z "$yes" ] || "$@"
}

run git checkout 8274cb4
run make -j"$(nproc)" MPI="$mpi" BUILDDIR="$PWD/$folder" MPI_HOME=/opt/nvidia/hpc_sdk/Linux_x86_64/21.9/comm_libs/mpi \
  CUDA_HOME=/opt/nvidia/hpc_sdk/Linux_x86_64/21.9/cuda/11.4 \
  NCCL_HOME=/opt/nvidia/hpc_sdk/Linux_x86_64/21.9/comm_libs/nccl NVCC_GENCODE=-gencode=arch=compute_35,code=sm_35
[ -n "$yes" ] || echo "dry run: nothing was changed; to make the changes: ./nccl-tests.sh${1:+ $*} --yes"
