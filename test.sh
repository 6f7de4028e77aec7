#!/usr/bin/env bash
# Installs what is missing, builds clgauss and runs every test on every OpenCL platform present, Intel's runtime for CPUs included
# where .intel-opencl.sh has set it up. On Debian 12 as root it installs by itself; elsewhere it says what is needed.
# The Python package is built, and tried in a virtual environment in the build folder, with packages from PyPI. As root on Debian the
# packages are made, installed in a fresh Debian in memory, used, and removed.
# --long: then the longer checks: fuzzing, faults of OpenCL calls, oclgrind, sanitizers; each prints its figures.
# BUILD_DIR chooses the build folder.
set -euo pipefail
cd "$(dirname "$0")"
source .install.sh
export BUILD_DIR=${BUILD_DIR:-build}
case "${1-}" in
  '' | --long) ;;
  *) echo "Usage: ./test.sh [--long]" >&2; exit 2 ;;
esac

echo "Some 15 minutes on two cores behind ./demo.sh: the rest of the build, the Python package, the Debian packages, then ctest."
install_packages "${build_packages[@]}" "${device_packages[@]}" "${test_packages[@]}"
mkdir -p "$BUILD_DIR"
# ON by name: demo.sh leaves OFF in the build folder.
cmake -S . -B "$BUILD_DIR" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCLGAUSS_TESTS=ON >"$BUILD_DIR"/configure.log ||
  { cat "$BUILD_DIR"/configure.log >&2; exit 1; }
quiet_build "$BUILD_DIR"

# A driver that went missing must fail the tests, not shrink them.
export RUSTICL_ENABLE=${RUSTICL_ENABLE:-llvmpipe}
required="pocl rusticl:"
if [ -e "$BUILD_DIR/intel-opencl/installed" ]; then
  ./.intel-opencl.sh
  OCL_ICD_VENDORS=$(realpath "$BUILD_DIR")/intel-opencl/vendors
  export OCL_ICD_VENDORS
  required+=" intel(r):"
fi
export CLGAUSS_REQUIRED_DEVICES=${CLGAUSS_REQUIRED_DEVICES-$required}
"$BUILD_DIR"/clgauss devices
python/check.sh "$BUILD_DIR" "$@"
tests/package/debian.sh "$BUILD_DIR" || [ $? -eq 77 ]
# Two at a time: a test often waits for a driver that compiles on one core. Those that look at the clock run alone. A line for each
# that passed is in the log alone.
ctest --test-dir "$BUILD_DIR" --output-on-failure --no-tests=error --timeout 900 -j 2 2>&1 | tee "$BUILD_DIR"/ctest.log |
  grep --line-buffered -vE '^ +Start +[0-9]+:|^ *[0-9]+/[0-9]+ Test +#.* Passed '
[ "${1-}" != --long ] || tests/long/all.sh
