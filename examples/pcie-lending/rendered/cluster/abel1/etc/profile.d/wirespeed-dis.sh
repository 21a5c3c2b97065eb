# shellcheck shell=sh
# eXpressWare's tools in the PATH of login shells (Johansen, Fast Multi-GPU communication over PCI Express, appendix A.3.10).
if [ -d /opt/DIS/sbin ]; then
  PATH=/opt/DIS/sbin:$PATH
fi
