#!/usr/bin/env bash
# The wheel for older systems in an older Debian: without an OpenCL loader its import works and the first call says what to install; with
# Intel's runtime for CPUs, which that message names, it solves. As that Debian's Python is too old for the wheel, the Python of this
# machine's Debian is compiled there.
#   tests/package/older_debian.sh [BUILD_DIR]    as root, on Debian, ten minutes the first time; ends with 77 where that cannot be done
set -euo pipefail
cd "$(dirname "$0")/../.."
source .install.sh
build=$(realpath -m "${1:-${BUILD_DIR:-build}}")
suite=bullseye  # glibc 2.31, the oldest Debian that mirrors still have
glibc=2.28
work=$build/package
skip() { echo "The wheel is not tried in an older Debian: $*" >&2; exit 77; }
[ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null && unshare --mount true 2>/dev/null || skip "that takes root, Debian, and mounts"
[ -n "${WITH_OWN_MOUNTS-}" ] || WITH_OWN_MOUNTS=1 exec unshare --mount tests/package/older_debian.sh "$build"  # they go when it does
install_packages mmdebstrap
mkdir -p "$work"
lap() { echo "== $1: $((SECONDS - started)) s"; started=$SECONDS; }
started=$SECONDS

wheels=$build/glibc-$glibc
compgen -G "$wheels/wheel/*.whl" >/dev/null || python/wheel.sh "$build" --glibc $glibc
wheel=$(ls "$wheels"/wheel/*.whl)
python=$(sed -E 's/.*-cp3([0-9]+)-.*/3.\1/' <<<"$wheel")
lap "the wheel"

# The main archive of this machine's Debian, and what the mirror has of the older one.
archive() { apt-get indextargets --format '$(REPO_URI) $(CODENAME)' 'Created-By: Packages' 'Origin: Debian' 'Component: main' | head -1; }
[ -n "$(archive)" ] || apt-get update -q >/dev/null
read -r mirror newer <<<"$(archive)"
/usr/lib/apt/apt-helper download-file "${mirror%/}/dists/$suite/Release" "$work/Release" >/dev/null 2>&1 || skip "the mirror has no $suite"

root=$work/older/root
mkdir -p "$work/older"
mount -t tmpfs -o size=6g,mode=755 none "$work/older"
mkdir "$root"
older=$work/$suite-python$python.tar
if [ ! -e "$older" ]; then
  apt-config dump Acquire::http >"$work/apt.conf"
  TMPDIR=$work/older mmdebstrap --quiet --variant=minbase --aptopt="$work/apt.conf" --dpkgopt=force-unsafe-io \
    --include=gcc,libc6-dev,make,zlib1g-dev,libffi-dev "$suite" "$work/older/new.tar" "deb $mirror $suite main" >"$work/older.log" 2>&1 ||
    { tail -5 "$work/older.log" >&2; exit 1; }
  tar -C "$root" -xf "$work/older/new.tar"
  lap "$suite"
  lists=$work/older/lists
  mkdir -p "$lists" "$root/python"
  echo "deb-src $mirror $newer main" >"$work/older/sources"
  own=(-o Dir::Etc::sourcelist="$work/older/sources" -o Dir::Etc::sourceparts=- -o Dir::State::lists="$lists" -o APT::Sandbox::User=root)
  (cd "$work/older" && apt-get "${own[@]}" update -q >/dev/null && apt-get "${own[@]}" source -q --download-only "python$python" >/dev/null) ||
    skip "$newer has no source of Python $python, for which the wheel is"
  tar -C "$root/python" --strip-components=1 -xf "$work"/older/python*.orig.tar.*
  chroot "$root" sh -c 'cd /python && ./configure -q --prefix=/opt/python && nice make -j2 CFLAGS=-O1 && make install' >"$work/older.log" 2>&1 ||
    { tail -20 "$work/older.log" >&2; exit 1; }
  rm -r "$root/python" "$root/opt/python/lib/python$python/test"
  tar -C "$root" -cf "$older.new" .
  mv "$older.new" "$older"
  lap "Python $python for $suite"
else
  tar -C "$root" -xf "$older"
fi

# That Python has no TLS: packages are downloaded here, for a system of the wheel's age.
platforms=()
for version in 2_28 2_27 2_17; do platforms+=(--platform "manylinux_${version}_$(uname -m)"); done
"$wheels/python-tools/bin/pip" download --quiet --disable-pip-version-check --only-binary :all: --python-version "$python" "${platforms[@]}" \
  --platform "manylinux2014_$(uname -m)" --dest "$root/wheels" --find-links "$wheels/wheel" "clgauss[cpu]"
cp examples/solve.py "$root"
lap "packages"
for each in proc sys; do mount --rbind "/$each" "$root/$each"; done  # drivers count the cores
cat >"$root/use.sh" <<'END'
set -euo pipefail
cd
step() { printf '\n$ %s\n' "$*"; "$@"; }
ldd --version | head -1
/opt/python/bin/python3 -m venv user
add() { step user/bin/pip install --quiet --no-compile --disable-pip-version-check --no-index --find-links /wheels "$@"; }
add clgauss
step user/bin/python -c 'import clgauss
try:
    clgauss.solve([[0.0, 2.0], [1.0, 1.0]], [4.0, 5.0])
except clgauss.DeviceError as error:
    print(error)
    for package in ("ocl-icd-libopencl1", "clgauss[cpu]"):
        assert package in str(error)
else:
    raise SystemExit("there is an OpenCL loader")'
add 'clgauss[cpu]'
step user/bin/python /solve.py
step user/bin/python -c 'import clgauss, numpy
a = numpy.random.default_rng(1).standard_normal((500, 500))
x = clgauss.solve(a, a.sum(axis=1))
print(abs(x - 1).max())
assert abs(x - 1).max() <= 1e-9
assert clgauss.certify(a, a.sum(axis=1)).proven'
END
env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root chroot "$root" bash /use.sh
lap "imported, and solved by Intel's runtime"
