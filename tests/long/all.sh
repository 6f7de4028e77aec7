#!/usr/bin/env bash
# The longer checks of ./test.sh --long, one after the other; every one prints its figures, and any fault ends with 1.
set -uo pipefail
cd "$(dirname "$0")/../.."
source .install.sh
build=${BUILD_DIR:-build}
install_packages oclgrind lintian || exit 1
failed=()

check() {
  local name=$1 start=$SECONDS
  shift
  printf '\n== %s\n' "$name"
  "$@" || [ $? -eq 77 ] || failed+=("$name")  # 77: it says why it cannot be done here
  echo "== $name: $((SECONDS - start)) s"
}

for reader in text csv tsv mtx npy gzip npz mat h5 t4 tuned; do
  check "fuzzing the reader of $reader" "$build"/tests/fuzz/fuzz_readers "$reader" 60
done
check "fuzzing clgauss.h" "$build"/tests/fuzz/fuzz_c 60
check "the commands of README and docs" tests/docs/run_commands.py "$build" --long
check "every OpenCL call failing" tests/faults/every_call.sh
for kind in shared subdirectory fetch_content without_starpu; do
  LONG=1 check "consumer: $kind" tests/consumers/run.sh "$kind" "$build"
done
check "lintian" lintian --allow-root --fail-on error "$build"/*.deb  # test.sh has made them
check "the wheel in an older Debian" tests/package/older_debian.sh "$build"
check "the conda recipe" tests/package/conda.sh "$build"
install_packages clang-15 libclc-15-dev || exit 1
check "kernels compiled for AMD's GPUs" docs/which_kernels.py try gfx906 gfx1100
LONG=1 check "39,000 certificates against rational answers, inverses and determinants" "$build"/solver_tests -tc='certify: exact*'
# CLGAUSS_TEST_MATRICES names a folder of .mtx files that are solved as well; CLGAUSS_ORACLES a table to append to.
LONG=1 check "every size of every kind" "$build"/solver_tests -tc="*systems*are solved*,permuted*are solved"
LONG=1 check "every method on every kind of matrix against LAPACK" "$build"/solver_tests -tc='oracles*'
LONG=1 check "the same bits 200 times, beside load" "$build"/solver_tests -tc='determinism*'
LONG=1 check "damaged answers of LAPACK's callers" tests/lapack/run.sh faults "$build"
install_packages r-base-core octave || exit 1
check "R and Octave by clgauss run" tests/lapack/run.sh scripts "$build"
install_packages python3-numpy python3-scipy python3-pytest python3-hypothesis || exit 1
check "NumPy's and SciPy's tests by clgauss run" tests/lapack/run.sh suites "$build"
check "oclgrind" tests/long/oclgrind.sh
install_packages clpeak ffmpeg libopencv-imgproc-dev python3-pyopencl python3-pytest piglit || exit 1
check "the layer of clgauss-tune watch" tests/long/layer.sh "$build"
check "sanitizers" tests/long/sanitizers.sh
check "threads" tests/long/threads.sh

echo
if [ ${#failed[@]} -gt 0 ]; then
  printf 'FAILED: %s\n' "${failed[@]}"
  exit 1
fi
echo "All the longer checks passed."
