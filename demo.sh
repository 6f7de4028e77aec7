#!/usr/bin/env bash
# Installs what is missing, builds clgauss, shows the devices, solves a shipped system, and shows what the work-group size is worth.
set -euo pipefail
cd "$(dirname "$0")"
source .install.sh
build=${BUILD_DIR:-build}

install_packages "${build_packages[@]}" "${device_packages[@]}"
echo "Some four minutes on two cores; the first solve after two."
configure "$build" -DCLGAUSS_TESTS=OFF
quiet_build "$build" --target clgauss_program
export RUSTICL_ENABLE=${RUSTICL_ENABLE:-llvmpipe}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

step() { printf '\n\033[1m$ %s\033[0m\n' "$*"; "$@"; }

step "$build"/clgauss devices
step "$build"/clgauss rule --total-cores 144 --compute-units 3 --multiple 32 --limit 1024
step "$build"/clgauss solve data/systems/random_1012.txt -o "$scratch/x.txt" --determinant
echo "x is in x.txt; its first lines:" && head -3 "$scratch/x.txt"
echo
echo "The paper's elimination instead of LU, one launch a kernel and step, with groups of 192 work-items and with those that the"
echo "driver finds for the prime 1012 + 1 = 1013 (PoCL's limit is 4096 work-items a group):"
step "$build"/clgauss solve data/systems/random_1012.txt --device pocl --compare --local 192 --reps 1 --warmup 0

echo
echo "Every method's kernels, built once and kept for the solves to come (without --max-n those of large systems, too):"
step "$build"/clgauss warm --max-n 50

echo
echo "The laboratory, clgauss-tune (--help shows the rest of it):"
quiet_build "$build" --target clgauss_tune
echo
echo "1030 + 1 = 1031 is prime and above the limit of 1024 of Mesa's llvmpipe: left to itself, that driver cuts the range into"
echo "groups of one work-item. The LCM rule does not. Every rule's time for a whole elimination, from 4 of its 1029 steps:"
step "$build"/clgauss-tune rules --sizes 1030 --steps 4 --reps 2 --device rusticl: -o "$scratch/rusticl"
echo
echo "And on PoCL, for n = 500:"
step "$build"/clgauss-tune rules --sizes 500 --steps 16 --reps 3 --device pocl -o "$scratch/pocl"
