#!/usr/bin/env bash
# Of debian.sh, in the fresh Debian: installs the packages of this folder and the wheel as a person would, uses and removes them.
set -euo pipefail
cd "$(dirname "$0")"
export DEBIAN_FRONTEND=noninteractive LC_ALL=C
step() { printf '\n$ %s\n' "$*"; "$@"; }
fail() { echo "packages: $*" >&2; exit 1; }

find / -xdev -name '*clgauss*' -not -path '/packages/*' | sort >before
printf '\n$ apt install ./*.deb\n'
apt-get install -y -q --no-install-recommends ./*.deb >install.log 2>&1 || fail "$(tail -20 install.log)"
step clgauss devices
step clgauss-tune --version
step clgauss generate --kind random --n 200 -o system.txt
step clgauss solve system.txt -o x.txt
[ -s x.txt ] || fail "no x was written"
# Files of .npz, .mat and HDF5 by libclgauss-formats, and by the programs and the library themselves none.
for format in npz mat h5; do
  step clgauss generate --kind random --n 50 -o "s.$format"
  step clgauss solve "s.$format" -o x.csv
done
! ldd /usr/bin/clgauss /usr/bin/clgauss-tune /usr/lib/*/libclgauss*.so.1 | grep -E 'libhdf5|libmatio|libzip' || fail "the above are needed"
if command -v clgauss-distributed >/dev/null; then
  step clgauss solve system.txt --devices all -o x_of_all.txt
  [ -s x_of_all.txt ] || fail "no x was written beyond one device"
fi
# The layer and the shim where they are installed. python3-numpy, which python3-clgauss brings, calls LAPACK by liblapack.so.3.
step clgauss solve system.txt --method gauss -o x_by_gauss.txt
step clgauss-tune watch --json launches.json -- clgauss solve system.txt --method gauss -o watched.txt
grep -q gauss_fwd launches.json || fail "the layer saw no launch: $(head -c 300 launches.json)"
cmp x_by_gauss.txt watched.txt || fail "x is another one under the layer"
step clgauss run --force --report calls.txt -- /usr/bin/python3 -c 'import numpy
a = numpy.random.default_rng(1).standard_normal((300, 300))
assert abs(numpy.linalg.solve(a, a.sum(axis=1)) - 1).max() <= 1e-9'
awk '$1 == "dgesv" && $2 >= 1 {found = 1} END {exit !found}' calls.txt || fail "the device had no call: $(cat calls.txt)"
for name in clgauss clgauss-tune; do
  gzip -t "/usr/share/man/man1/$name.1.gz"
  [ -s "/usr/share/bash-completion/completions/$name" ] || fail "no completion of $name"
done
# shellcheck disable=SC2046
step cc -std=c99 -Wall -Wextra -pedantic -Werror solve.c -o solve $(pkg-config --cflags --libs clgauss)
step ./solve
ldd solve | grep -q 'libclgauss\.so\.1 => /' || fail "the example is not linked to libclgauss.so.1"

# shellcheck disable=SC2046
step cc -std=c99 solve.c -o solve_core $(pkg-config --cflags --libs clgauss-core)
step ./solve_core
! ldd solve_core | grep -E 'libhdf5|libmatio|libzip' || fail "libclgauss_core needs the libraries above"

step /usr/bin/python3 solve.py  # by python3-clgauss
apt-get purge -y -q libclgauss-formats >remove.log 2>&1 || fail "$(tail -20 remove.log)"
code=0
clgauss solve s.mat 2>error || code=$?
[ $code = 3 ] && grep 's.mat: is .mat.*libclgauss-formats' error || fail "without libclgauss-formats: $code, $(cat error)"
step clgauss solve system.txt -o x.txt
mapfile -t installed < <(for deb in ./*.deb; do dpkg-deb -f "$deb" Package; done | grep -vx libclgauss-formats)
apt-get purge -y -q "${installed[@]}" >remove.log 2>&1 || fail "$(tail -20 remove.log)"
find / -xdev -name '*clgauss*' -not -path '/packages/*' -not -path '/root/*' | sort | diff before - || fail "the files above (>) stay behind"
echo "packages: installed, used and removed: ${installed[*]}"

# The wheel needs nothing of that.
step python3 -m venv user
step user/bin/pip install --quiet --no-compile ./*.whl  # brings NumPy
step user/bin/python solve.py
step user/bin/python -c 'import clgauss, numpy
a = numpy.random.default_rng(1).standard_normal((500, 500))
x = clgauss.solve(a, a.sum(axis=1))
print(abs(x - 1).max())
assert abs(x - 1).max() <= 1e-9'
