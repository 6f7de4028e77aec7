#!/usr/bin/env bash
# Two threads with a context each, and four of a program under the layer of clgauss-tune watch, under ThreadSanitizer, on PoCL; in a
# build folder of its own. Drivers are not instrumented: what they do among themselves is not looked at.
set -euo pipefail
cd "$(dirname "$0")/../.."
source .install.sh
build=${BUILD_DIR:-build}-threads
configure "$build" -DCLGAUSS_TESTS=ON -DCLGAUSS_SANITIZE=thread
quiet_build "$build" --target solver_tests clgauss_layer layer_caller
unset OCL_ICD_VENDORS
export TSAN_OPTIONS=ignore_noninstrumented_modules=1:halt_on_error=1 XDG_DATA_HOME="$PWD/$build/no-user-data"
export RUSTICL_ENABLE=
"$build"/solver_tests -tc='*threads*'
CLGAUSS_CACHE=off CLGAUSS_LAYER_REPAIR=1 OPENCL_LAYERS=$(realpath "$build")/layer/libclgauss_layer.so "$build"/tests/layer/layer_caller threads
