#!/usr/bin/env bash
# Puts Intel's OpenCL runtime for CPUs (PyPI packages, 830 MB) beside the platforms of this machine, for test.sh, which takes it from
# then on: a virtual environment and a folder of ICD files, both in the build folder. Quick where they are there already.
set -euo pipefail
cd "$(dirname "$0")"
source .install.sh
folder=$(realpath -m "${BUILD_DIR:-build}")/intel-opencl
packages=(intel-opencl-rt==2026.2.0 intel-cmplr-lib-rt==2026.2.0)
library=$folder/venv/lib/libintelocl.so

if [ "$(cat "$folder/installed" 2>/dev/null)" != "${packages[*]}" ]; then
  install_packages python3-venv
  rm -rf "$folder"
  python3 -m venv "$folder/venv"
  "$folder/venv/bin/pip" install --quiet --disable-pip-version-check "${packages[@]}"
  [ -e "$library" ] || { echo "The packages ${packages[*]} brought no $library" >&2; exit 1; }
  echo "${packages[*]}" >"$folder/installed"
fi

# The loader looks into one folder only. The runtime finds its own libraries beside itself.
rm -rf "$folder/vendors"
mkdir "$folder/vendors"
for icd in /etc/OpenCL/vendors/*.icd; do [ ! -e "$icd" ] || cp "$icd" "$folder/vendors"; done
echo "$library" >"$folder/vendors/intel-cpu.icd"
