#!/usr/bin/env bash
# What the layer of `clgauss-tune watch --repair` must not change, where it takes long to see: tests/long/layer.sh [BUILD_DIR]. The caller
# of the layer's tests under oclgrind; every OpenCL call failing below the layer; the layer's tests by Khronos's loader; others' programs and
# clgauss's own tests of its kernels on each platform of OCL_ICD_VENDORS. Ends with 1 at the first fault.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$(realpath "${1:-${BUILD_DIR:-build}}")
layer=$build/layer/libclgauss_layer.so caller=$build/tests/layer/layer_caller
oclgrind=/usr/lib/oclgrind/liboclgrind-rt-icd.so  # as a driver: the program `oclgrind` takes the loader's place, and layers with it
[ -f "$oclgrind" ] || { echo "oclgrind is not installed (Debian package oclgrind)" >&2; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
repaired=(env "XDG_CACHE_HOME=$scratch/cache" "OPENCL_LAYERS=$layer" CLGAUSS_LAYER_REPAIR=1)

# The same answers, and no access out of bounds, data race or wrong call that the program does not make by itself.
export OCLGRIND_DATA_RACES=1 OCLGRIND_CHECK_API=1
for what in unreleased errors objects; do
  OCL_ICD_VENDORS=$oclgrind OCLGRIND_LOG=$scratch/log "$caller" $what >"$scratch/out"
  OCL_ICD_VENDORS=$oclgrind OCLGRIND_LOG=$scratch/log.repaired CLGAUSS_LAYER_EXPLAIN=axpy \
    "${repaired[@]}" "$caller" $what >"$scratch/out.repaired" 2>"$scratch/report.$what"
  cmp "$scratch/out" "$scratch/out.repaired"
  cmp "$scratch/log" "$scratch/log.repaired"
done
grep 'tried split, ' "$scratch/report.unreleased"  # it was there

CLGAUSS_FAULTS=${CLGAUSS_FAULTS:-every:5} "${repaired[@]}" tests/faults/every_call.sh

# Intel's packages bring Khronos's loader of today, which then takes the place of the distribution's.
khronos=$build/intel-opencl/venv/lib
if [ -e "$khronos/libOpenCL.so.1" ]; then
  LD_LIBRARY_PATH=$khronos RUSTICL_ENABLE=llvmpipe "$build/layer_tests"
else
  echo "Left out: Khronos's loader, which ./.intel-opencl.sh brings"
fi

# Debian's package of pyopencl has no tests; PyPI has them with the sources of the same version. Another Python may stand before Debian's.
python=/usr/bin/python3
version=$($python -c 'import pyopencl; print(pyopencl.VERSION_TEXT)')
$python -m venv "$scratch/pip"
"$scratch/pip/bin/pip" download --quiet --disable-pip-version-check --no-deps --no-binary pyopencl --dest "$scratch" "pyopencl==$version"
tar -C "$scratch" -xf "$scratch/pyopencl-$version.tar.gz"

RUSTICL_ENABLE=llvmpipe $python tests/bench/layer_programs.py "$layer" --answers --clgauss "$build/clgauss" --limit 600 \
  --pyopencl "$scratch/pyopencl-$version/test"
