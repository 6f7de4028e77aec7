#!/usr/bin/env bash
# Installs what is missing, builds clgauss and runs every test on every OpenCL platform present.
# On Debian 12 as root it installs by itself; elsewhere it says what is needed. BUILD_DIR chooses the build folder.
set -euo pipefail
cd "$(dirname "$0")"
source .install.sh
build=${BUILD_DIR:-build}

install_packages "${build_packages[@]}" "${device_packages[@]}" "${test_packages[@]}"
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release
cmake --build "$build"

# A driver that went missing must fail the tests, not shrink them.
export RUSTICL_ENABLE=${RUSTICL_ENABLE:-llvmpipe}
export CLGAUSS_REQUIRED_DEVICES=${CLGAUSS_REQUIRED_DEVICES-"pocl rusticl:"}
"$build"/clgauss devices
ctest --test-dir "$build" --output-on-failure --timeout 600
