#!/bin/sh
# Builds p2pBandwidthLatencyTest of the CUDA samples for the GPUs of abel1, in a clone of
# https://github.com/NVIDIA/cuda-samples. `wirespeed bench run gpu-copies` runs it, and so does borrow.sh.
#
# ./cuda-samples.sh         print what would be done
# ./cuda-samples.sh --yes   do it, in the current folder
#
# Compiler, toolkit and GPUs are named because the makefile looks for the toolkit in /usr/local/cuda, and its default may
# omit these GPUs (Johansen, Fast Multi-GPU communication over PCI Express, section 3.2.2 and appendix A.3.8).
set -eu

yes=
case "$#:${1-}" in
0:) ;;
1:--yes) yes=1 ;;
*)
  echo "usage: cuda-samples.sh [--yes]" >&2
  exit 2
  ;;
esac

run() {
  echo "run: $*"
  [ -z "$yes" ] || "$@"
}

# A release of the toolkit without a tag of the samples uses the newest older one.
last=v11.4.999
tag=$({ git tag --list 'v[0-9]*' 2>/dev/null || :; echo "$last"; } | sort -V | sed "/^$last\$/q" | tail -n 2 | head -n 1)
[ "$tag" != "$last" ] || tag=v11.4
run git checkout "$tag"
run make -C Samples/p2pBandwidthLatencyTest NVCC=/opt/nvidia/hpc_sdk/Linux_x86_64/21.9/compilers/bin/nvcc \
  CUDA_PATH=/opt/nvidia/hpc_sdk/Linux_x86_64/21.9/cuda/11.4 SMS=35 -j"$(nproc)"
echo "the program is in $PWD/Samples/p2pBandwidthLatencyTest: --path of bench run, and the PATH of root for borrow.sh"
[ -n "$yes" ] || echo "no changes made; to apply: ./cuda-samples.sh --yes"
