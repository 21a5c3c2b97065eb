#!/bin/sh
# Builds p2pBandwidthLatencyTest of the CUDA samples for the GPUs of abel2, in a clone of
# https://github.com/NVIDIA/cuda-samples. `wirespeed bench run gpu-copies` runs it.
#
# ./cuda-samples.sh         dry run: print what would be done
# ./cuda-samples.sh --yes   do it, in the current folder
#
# Compiler, toolkit and GPUs are named because the makefile looks for the toolkit in /usr/local/cuda, and its default may
# omit these GPUs (Johansen, Fast Multi-GPU communication over PCI Express, section 3.2.2 and appendix A.3.8).
set -eu

usage='usage: cuda-samples.sh [--yes]
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
run() {
  echo "${would}run: $*"
  [ -z "$yes" ] || "$@"
}

# A release of the toolkit without a tag of the samples uses the newest older one.
last=v11.4.999
tag=$({ git tag --list 'v[0-9]*' 2>/dev/null || :; echo "$last"; } | sort -V | sed "/^$last\$/q" | tail -n 2 | head -n 1)
[ "$tag" != "$last" ] || tag=v11.4
run git checkout "$tag"
run make -C Samples/p2pBandwidthLatencyTest NVCC=/opt/nvidia/hpc_sdk/Linux_x86_64/21.9/compilers/bin/nvcc \
  CUDA_PATH=/opt/nvidia/hpc_sdk/Linux_x86_64/21.9/cuda/11.4 SMS=35 -j"$(nproc)"
echo "the program is in $PWD/Samples/p2pBandwidthLatencyTest: --path of bench run"
[ -n "$yes" ] || echo "dry run: nothing was changed; to make the changes: ./cuda-samples.sh --yes"
