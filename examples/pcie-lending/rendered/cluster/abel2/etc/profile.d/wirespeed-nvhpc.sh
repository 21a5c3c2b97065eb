# shellcheck shell=sh
# The HPC SDK in login shells: its libraries in LD_LIBRARY_PATH, nvcc and mpirun in PATH (Johansen, Fast Multi-GPU
# communication over PCI Express, appendix A.3.8). A shell that mpirun starts over ssh does not read this file: pass both
# variables with -x.
if [ -d /opt/nvidia/hpc_sdk/modulefiles ] && command -v module >/dev/null; then
  module use /opt/nvidia/hpc_sdk/modulefiles
  module load nvhpc/21.9
fi
