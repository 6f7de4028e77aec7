#!/usr/bin/env bash
# The Debian packages and the wheel of a finished build, as a person meets them: made, then installed, used and
# removed in a fresh Debian of their own (use.sh). Where lintian is installed, it reads them.
#   tests/package/debian.sh [BUILD_DIR]        as root, on Debian, a minute; ends with 77 where that cannot be done
set -euo pipefail
cd "$(dirname "$0")/../.."
source .install.sh
build=$(realpath -m "${1:-${BUILD_DIR:-build}}")
work=$build/package
suite=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
[ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null && unshare --mount true 2>/dev/null ||
  { echo "The packages are not tried: that takes root, Debian, and mounts" >&2; exit 77; }
[ -n "${WITH_OWN_MOUNTS-}" ] || WITH_OWN_MOUNTS=1 exec unshare --mount tests/package/debian.sh "$build"  # they go when it does
install_packages mmdebstrap dpkg-dev file
mkdir -p "$work"
lap() { echo "== $1: $((SECONDS - started)) s"; started=$SECONDS; }
started=$SECONDS

compgen -G "$build/wheel/*.whl" >/dev/null || python/wheel.sh "$build"

# The objects of the static library are those of the shared one: the build folder links that for a moment. The packages alone are made
# before they are packed; `all` would link the tests anew.
memory=$work/memory
root=$memory/root
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
prefix=$(cached CMAKE_INSTALL_PREFIX)
shared=$(cached BUILD_SHARED_LIBS)
configure() {  # shared, prefix, for packages
  cmake -S . -B "$build" -DBUILD_SHARED_LIBS="$1" -DCMAKE_INSTALL_PREFIX="$2" -DCMAKE_SKIP_INSTALL_RPATH="$3" \
    -DCMAKE_SKIP_INSTALL_ALL_DEPENDENCY="$3" >/dev/null
}
clean() {
  for each in "$root/proc" "$root/sys" "$memory"; do ! mountpoint -q "$each" || umount "$each"; done
  [ "$shared" = ON ] || rm -f "$build"/libclgauss{,_core,_distributed}.so*
  configure "${shared:-OFF}" "$prefix" OFF
  cmake --build "$build" >/dev/null
  lap "the build folder as it was"
}
trap clean EXIT
targets=(libclgauss.so libclgauss_core.so clgauss_program clgauss_tune clgauss_{program,tune}_manual clgauss_python{,_stub} clgauss_builder)
! compgen -G "$build/libclgauss_distributed.*" >/dev/null || targets+=(clgauss_distributed clgauss_distributed_program)
configure ON /usr ON
cmake --build "$build" --target "${targets[@]}" | tail -1
rm -f "$build"/*.deb
(cd "$build" && cpack -G DEB >"$work/cpack.log" 2>&1) || { tail -20 "$work/cpack.log" >&2; exit 1; }
ls -s --block-size=K "$build"/*.deb
lap "packages"
! command -v lintian >/dev/null || lintian --allow-root --fail-on error "$build"/*.deb
tests/consumers/run.sh names "$build"
lap "packages and shared library read"

# Debian from where this machine gets its own, with what a person brings along: a device, a C compiler, Python. Kept for a day.
mkdir -p "$memory"
mount -t tmpfs -o size=4g,mode=755 none "$memory"
fresh=$work/fresh-$suite.tar
if [ -z "$(find "$fresh" -mmin -1440 2>/dev/null)" ]; then
  sources() {
    apt-get indextargets --format 'deb $(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' | sort -u |
      grep " $suite"
  }
  sources >/dev/null || apt-get update -q >/dev/null
  apt-config dump Acquire::http >"$work/apt.conf"
  sources | TMPDIR=$memory mmdebstrap --quiet --variant=minbase --aptopt="$work/apt.conf" --dpkgopt=force-unsafe-io \
    --include=pocl-opencl-icd,gcc,libc6-dev,pkg-config,python3-venv --skip=cleanup/apt/lists "$suite" "$work/new.tar" - \
    >"$work/fresh.log" 2>&1 || { tail -5 "$work/fresh.log" >&2; exit 1; }
  mv "$work/new.tar" "$fresh"
fi
mkdir "$root"
tar -C "$root" -xf "$fresh"
lap "a fresh Debian"
cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
for each in proc sys; do mount --bind "/$each" "$root/$each"; done  # PoCL counts the cores
mkdir "$root/packages"
cp "$build"/*.deb "$build"/wheel/*.whl examples/c/solve.c examples/solve.py tests/package/use.sh "$root/packages"
# The machine's ways to Debian and PyPI.
mapfile -t ways < <(env | grep -E '^(PIP_[A-Z_]+|SSL_CERT_FILE|[a-z]+_proxy|[A-Z]+_PROXY)=' | grep -v '^PIP_FIND_LINKS=')
for certificates in "${PIP_CERT-}" "${SSL_CERT_FILE-}"; do
  [ -z "$certificates" ] || install -D "$certificates" "$root$certificates"
done
env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root "${ways[@]}" chroot "$root" bash /packages/use.sh
lap "installed, used, removed"
