#!/usr/bin/env bash
# The Debian packages and the wheel of a finished build, as a person meets them: made, read by lintian, then installed, used and
# removed in a fresh Debian of their own (use.sh).
#   tests/package/debian.sh [BUILD_DIR]        as root, on Debian; a minute
set -euo pipefail
cd "$(dirname "$0")/../.."
source .install.sh
build=$(realpath -m "${1:-${BUILD_DIR:-build}}")
work=$build/package
suite=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
[ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null || { echo "The packages are tried as root on Debian" >&2; exit 1; }
install_packages mmdebstrap lintian dpkg-dev
mkdir -p "$work"
lap() { echo "== $1: $((SECONDS - started)) s"; started=$SECONDS; }
started=$SECONDS

compgen -G "$build/wheel/*.whl" >/dev/null || python/wheel.sh "$build"

# The objects of the static library are those of the shared one: the build folder links that for a moment. The manual belongs to the
# packages, so that `all` would relink the tests as well.
root=
prefix=$(sed -n 's/^CMAKE_INSTALL_PREFIX:PATH=//p' "$build/CMakeCache.txt")
configure() {  # shared, prefix
  cmake -S . -B "$build" -DBUILD_SHARED_LIBS="$1" -DCMAKE_INSTALL_PREFIX="$2" -DCMAKE_SKIP_INSTALL_RPATH="$1" \
    -DCMAKE_SKIP_INSTALL_ALL_DEPENDENCY="$1" >/dev/null
}
clean() {
  [ -z "$root" ] || for each in proc sys; do ! mountpoint -q "$root/$each" || umount "$root/$each"; done
  [ -z "$root" ] || rm -rf --one-file-system "$root"
  configure OFF "$prefix"
  cmake --build "$build" >/dev/null
}
trap clean EXIT
configure ON /usr
targets=$(cmake --build "$build" --target help | grep -oE '^clgauss_(program|tune|distributed_program|program_manual|tune_manual|python|python_stub)\b')
# shellcheck disable=SC2086
cmake --build "$build" --target clgauss $targets | tail -1
rm -f "$build"/*.deb
(cd "$build" && cpack -G DEB >"$work/cpack.log" 2>&1) || { tail -20 "$work/cpack.log" >&2; exit 1; }
ls -s --block-size=K "$build"/*.deb
lap "packages"
lintian --allow-root --fail-on error "$build"/*.deb
tests/consumers/run.sh names "$build"
lap "lintian, and what the shared library gives out"

# Debian from where this machine gets its own, with what a person brings along: a device, a C compiler, Python. Kept for a day.
fresh=$work/fresh-$suite.tar
if [ -z "$(find "$fresh" -mmin -1440 2>/dev/null)" ]; then
  apt-config dump Acquire::http >"$work/apt.conf"
  apt-get indextargets --format 'deb $(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' | sort -u |
    grep " $suite" | mmdebstrap --quiet --variant=minbase --aptopt="$work/apt.conf" --dpkgopt=force-unsafe-io \
      --include=pocl-opencl-icd,gcc,libc6-dev,pkg-config,python3-venv --skip=cleanup/apt/lists \
      "$suite" "$fresh.new" - >"$work/fresh.log" 2>&1 || { tail -5 "$work/fresh.log" >&2; exit 1; }
  mv "$fresh.new" "$fresh"
fi
root=$(mktemp -d)
tar -C "$root" -xf "$fresh"
chmod 755 "$root"  # apt reads as a user of its own
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
