#!/usr/bin/env bash
# The whole suite with AddressSanitizer, LeakSanitizer and UndefinedBehaviorSanitizer, in a build folder of its own, on the
# machine's own platforms (Intel's runtime is not made for it).
set -euo pipefail
cd "$(dirname "$0")/../.."
source .install.sh
build=${BUILD_DIR:-build}-sanitized
configure "$build" -DCLGAUSS_TESTS=ON -DCLGAUSS_SANITIZE=address,undefined
quiet_build "$build"
unset OCL_ICD_VENDORS
export RUSTICL_ENABLE=${RUSTICL_ENABLE:-llvmpipe} CLGAUSS_REQUIRED_DEVICES="pocl rusticl:"
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
# Drivers keep memory as long as the process lives and are unloaded before leaks are looked for, when they have no name any more:
# only the unit tests, which need none, are asked for leaks.
mkdir -p "$build"/no_drivers
OCL_ICD_VENDORS=$(realpath "$build")/no_drivers "$build"/unit_tests
# ASan's dlopen() does not look where a program says that its modules are.
LD_LIBRARY_PATH=$(realpath "$build")
export LD_LIBRARY_PATH
# LLVM gives the threads in which it compiles kernels signal stacks of its own, which ASan would unmap for its own.
export ASAN_OPTIONS=detect_leaks=0:use_sigaltstack=0
ctest --test-dir "$build" --output-on-failure --no-tests=error --timeout 3600  # a test is all of a source
