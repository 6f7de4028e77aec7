#!/usr/bin/env bash
# The Debian packages of a build: made, read by lintian, and installed, used and removed in a fresh Debian of their own.
#   tests/package/debian.sh [BUILD_DIR]        as root, on Debian; some minutes, most of them for the shared library
set -euo pipefail
cd "$(dirname "$0")/../.."
source .install.sh
build=$(realpath -m "${1:-${BUILD_DIR:-build}}")/package
suite=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
[ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null || { echo "The packages are tried as root on Debian" >&2; exit 1; }
install_packages debootstrap lintian dpkg-dev

launcher=()
! command -v ccache >/dev/null || launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_FLAGS=-fpch-preprocess)
python=()
if [ -e python/CMakeLists.txt ]; then  # what its build takes is not in Debian
  install_packages python3-dev python3-venv
  python3 -m venv "$build/venv"
  "$build/venv/bin/pip" install --quiet --disable-pip-version-check nanobind
  python=(-DCLGAUSS_PYTHON=ON -DPython_EXECUTABLE="$build/venv/bin/python")
fi
cmake --preset package -B "$build" "${launcher[@]}" "${python[@]}" >/dev/null
cmake --build "$build" | tail -1
rm -f "$build"/*.deb
(cd "$build" && cpack -G DEB >cpack.log 2>&1) || { tail -20 "$build/cpack.log" >&2; exit 1; }
ls -s --block-size=K "$build"/*.deb
lintian --allow-root --fail-on error "$build"/*.deb

# Debian from where this machine gets its own.
sources=$(apt-get indextargets --format 'deb $(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' |
  sort -u | grep " $suite")
mirror=$(awk -v suite="$suite" '$3 == suite && $4 == "main" {print $2; exit}' <<<"$sources")
proxy=$(apt-config dump --format '%v%n' Acquire::http::Proxy)
[ -z "$proxy" ] || export http_proxy=$proxy
root=$(mktemp -d)
chmod 755 "$root"  # apt reads as a user of its own
clean() {
  for each in proc sys; do ! mountpoint -q "$root/$each" || umount "$root/$each"; done
  rm -rf --one-file-system "$root"
}
trap clean EXIT
debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$build/debootstrap.log" || { tail -5 "$build/debootstrap.log" >&2; exit 1; }
echo "$sources" >"$root/etc/apt/sources.list"
apt-config dump Acquire::http >"$root/etc/apt/apt.conf.d/90machine"
cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
for each in proc sys; do mount --bind "/$each" "$root/$each"; done  # PoCL counts the cores
mkdir "$root/packages"
cp "$build"/*.deb examples/c/solve.c tests/package/use.sh "$root/packages"
env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root ${http_proxy:+http_proxy=$http_proxy} \
  chroot "$root" bash /packages/use.sh
