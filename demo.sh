#!/usr/bin/env bash
# Installs what is missing, builds clgauss, shows the devices, solves a shipped system, and shows what the work-group size is worth.
set -euo pipefail
cd "$(dirname "$0")"
source .install.sh
build=${BUILD_DIR:-build}

install_packages "${build_packages[@]}" "${device_packages[@]}"
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCLGAUSS_TESTS=OFF >/dev/null
cmake --build "$build"
export RUSTICL_ENABLE=${RUSTICL_ENABLE:-llvmpipe}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

step() { printf '\n\033[1m$ %s\033[0m\n' "$*"; "$@"; }

step "$build"/clgauss devices
step "$build"/clgauss rule --total-cores 144 --compute-units 3 --multiple 32 --limit 1024
step "$build"/clgauss solve data/systems/random_1012.txt -o "$scratch/x.txt" --determinant
echo "x is in x.txt; its first lines:" && head -3 "$scratch/x.txt"
echo
echo "1012 + 1 = 1013 is prime: left to itself, a driver may cut the elimination into work-groups of one work-item."
step "$build"/clgauss solve data/systems/random_1012.txt --compare
