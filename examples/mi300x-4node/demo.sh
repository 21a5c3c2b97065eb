#!/usr/bin/env bash
# The whole job without any machine: cluster file in; configuration, findings, verdicts and a report out.
# Prints each command before it runs. The last line is the path of the report.
#
#     examples/mi300x-4node/demo.sh [FOLDER]      writes to FOLDER, by default build/demo
set -euo pipefail

out=${1:+$(realpath -m "$1")}
cd "$(dirname "$0")/../.."  # paths in what it prints and in the report are those of the checkout
out=${out:-build/demo}
here=examples/mi300x-4node
PATH="$PWD/.venv/bin:$PATH"
cluster=$here/cluster.yaml

say() { printf '\n== %s\n' "$*"; }
# Runs a command that may exit 0 or the given code; anything else ends the demo.
expect() {
    local code=$1 status=0
    shift
    printf '\n$ %s\n' "$*"
    "$@" || status=$?
    if [ "$status" != 0 ] && [ "$status" != "$code" ]; then
        printf 'the demo stopped: exit code %s\n' "$status" >&2
        exit "$status"
    fi
}

rm -rf "$out"
mkdir -p "$out"

say "the cluster file is validated against the catalogue"
expect 0 wirespeed validate "$cluster"
expect 0 wirespeed plan "$cluster" --classes

say "every host and switch setting as a file, with the path it is installed at"
expect 0 wirespeed render "$cluster" -o "$out/rendered"

say "a cluster that is exactly as planned"
expect 0 wirespeed collect --as-planned "$cluster" -o "$out/healthy"
expect 0 wirespeed check "$cluster" "$out/healthy"

say "the same cluster with twelve faults"
expect 0 python examples/inject_faults.py "$here" "$out/faulty"
expect 1 wirespeed check "$cluster" "$out/faulty"

say "benchmark logs against the physical limit"
expect 0 wirespeed bench judge --cluster "$cluster" "$here"/bench/ib-write-bw-bidirectional.log

say "one report"
logs=()
for log in "$here"/bench/*.log; do logs+=(--bench "$log"); done
# The whole path: `make -C` and CI read the last line from another folder.
expect 1 wirespeed report "$cluster" --bundle "$out/faulty" "${logs[@]}" -o "$(realpath "$out")/report.html"
