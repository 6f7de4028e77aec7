#!/usr/bin/env bash
# Installs what is missing, builds clgauss and runs every test on every OpenCL platform present, Intel's runtime for CPUs included
# where .intel-opencl.sh has set it up. On Debian 12 as root it installs by itself; elsewhere it says what is needed.
# The Python package is built, and tried in a virtual environment in the build folder, with packages from PyPI.
# --all: every size of every test, OpenCL calls that fail, kernels with inline PTX as C++, fuzzers a second each, projects that use
# clgauss, the commands of the pages, the report in a browser; as root on Debian the packages are made, installed in a fresh Debian in
# memory, used, and removed.
# --long: all that, and then the longer checks: fuzzing, faults of OpenCL calls, oclgrind, sanitizers; each prints its figures.
# BUILD_DIR chooses the build folder.
set -euo pipefail
cd "$(dirname "$0")"
source .install.sh
export BUILD_DIR=${BUILD_DIR:-build}
all=OFF
case "${1-}" in
  '') echo "Some 12 minutes on two cores behind ./demo.sh: the rest of the build, the Python package, then ctest." ;;
  --all | --long)
    echo "Some 30 minutes on two cores behind ./demo.sh, and hours with --long: the rest of the build, the Python and the Debian packages, then ctest."
    all=ON
    export CLGAUSS_TESTS=all ;;
  *) echo "Usage: ./test.sh [--all | --long]" >&2; exit 2 ;;
esac

install_packages "${build_packages[@]}" "${device_packages[@]}" "${test_packages[@]}"
[ $all = OFF ] || install_packages "${all_tests_packages[@]}"
configure "$BUILD_DIR" -DCLGAUSS_TESTS=ON -DCLGAUSS_ALL_TESTS=$all  # by name: demo.sh leaves OFF in the build folder
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
python/wheel.sh "$BUILD_DIR"
[ $all = OFF ] || tests/package/debian.sh "$BUILD_DIR" || [ $? -eq 77 ]
# Two at a time: a test often waits for a driver that compiles on one core. Those that look at the clock run alone, in the end. The
# Python package has its turn meanwhile. A line for each test that passed is in the log alone.
ctest --test-dir "$BUILD_DIR" --output-on-failure --no-tests=error --timeout 1800 -j 2 >"$BUILD_DIR"/ctest.log 2>&1 &
tests=$! failed=0
python/check.sh "$BUILD_DIR" "$@" || { failed=1; echo "The Python package FAILED."; }
tail --pid=$tests -n +1 -f "$BUILD_DIR"/ctest.log | grep --line-buffered -vE '^ +Start +[0-9]+:|^ *[0-9]+/[0-9]+ Test +#.* Passed ' || true
tests/not_tried.sh "$BUILD_DIR" || untold=1
wait $tests
[ -z "${untold-}" ] || { echo "A test was skipped without a reason, see above." >&2; exit 1; }
[ $failed = 0 ] || { echo "The Python package FAILED, see above." >&2; exit 1; }
[ "${1-}" != --long ] || tests/long/all.sh
