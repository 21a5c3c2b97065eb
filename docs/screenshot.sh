#!/usr/bin/env bash
# Make the picture of the report in README.md:
#
#     make demo && docs/screenshot.sh
#
# It needs Chromium (Debian: apt install chromium). The height ends the picture below the topology.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
report=${1:-$root/build/demo/report.html}
profile=$(mktemp -d)
trap 'rm -rf "$profile"' EXIT

chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
    --disable-component-update --disable-sync --user-data-dir="$profile" --hide-scrollbars \
    --window-size=1280,1880 --screenshot="$root/docs/img/report.png" "file://$(realpath "$report")"
