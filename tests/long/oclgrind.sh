#!/usr/bin/env bash
# Small solves and products under oclgrind, whose device is a GPU to clgauss: no access out of bounds, data race, divergent barrier, uninitialised read or wrong call
# of OpenCL, and right answers. Ends with 1 if anything is found. Programs from BUILD_DIR (default build).
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$(realpath "${BUILD_DIR:-build}")
command -v oclgrind >/dev/null || { echo "oclgrind is not installed (Debian package oclgrind)" >&2; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
runs=0 faults=0

# A simulated device whose programs must not come from the user's cache, nor its choices from the user's tuning.
export CLGAUSS_CACHE=off XDG_DATA_HOME=$scratch

checked() {
  runs=$((runs + 1))
  : >"$scratch/log"
  local code=0
  oclgrind --data-races --check-api --log "$scratch/log" "$@" >"$scratch/out" 2>&1 || code=$?
  if [ "$code" -ne 0 ] || [ -s "$scratch/log" ] || grep -q wrong_result "$scratch/out"; then
    faults=$((faults + 1))
    echo "FAULT (exit $code): ${*##*/}"
    head -n 20 "$scratch/log" "$scratch/out"
  fi
}

for n in 5 33; do
  "$build"/clgauss generate --kind random --n "$n" --seed 1 -o "$scratch/$n.npy"
  for type in f32 f64; do
    for pivot in partial tournament; do
      checked "$build"/clgauss solve "$scratch/$n.npy" --type "$type" --pivot "$pivot" -o "$scratch/x.npy"
    done
    for ndrange in fixed shrinking; do
      checked "$build"/clgauss solve "$scratch/$n.npy" --type "$type" --method gauss --ndrange "$ndrange" --local 8 -o "$scratch/x.npy"
    done
  done
done
# Above lu_small's sizes: panels, row exchanges, triangular solves, trailing updates.
"$build"/clgauss generate --kind random --n 140 --seed 1 -o "$scratch/140.npy"
for type in f32 f64; do
  checked "$build"/clgauss solve "$scratch/140.npy" --type "$type" -o "$scratch/x.npy"
done
for method in mixed rbt; do
  checked "$build"/clgauss solve "$scratch/140.npy" --method "$method" --no-rcond -o "$scratch/x.npy"
done
# A block at the diagonal that is full and one that is not.
"$build"/clgauss generate --kind spd --n 140 --rhs none -o "$scratch/spd.npy"
checked "$build"/clgauss solve "$scratch/spd.npy" --rhs ones --method cholesky -o "$scratch/x.npy"
checked "$build"/clgauss solve "$scratch/spd.npy" --rhs ones --method ldlt -o "$scratch/x.npy"
printf '9 1 2 3\n1 8 -2 1\n0.5 1 7 2\n1 1 1 6\n' >"$scratch/dominant.txt"
for method in jacobi seidel; do
  checked "$build"/clgauss solve "$scratch/dominant.txt" --rhs ones --method "$method" -o "$scratch/x.npy"
done
checked "$build"/clgauss invert "$scratch/dominant.txt" -o "$scratch/x.npy"
checked "$build"/clgauss lstsq "$scratch/dominant.txt" -o "$scratch/x.npy"
checked "$build"/clgauss lstsq "$scratch/33.npy" --nrhs 5 -o "$scratch/x.npy"
checked "$build"/clgauss lstsq "$scratch/140.npy" --nrhs 60 --accuracy single -o "$scratch/x.npy"  # two blocks, one cut
printf '%%%%MatrixMarket matrix array complex hermitian\n2 2\n2 0\n1 1\n3 0\n' >"$scratch/h.mtx"
for type in f32 f64; do  # small, but the known answers of the kernels are of n = 133
  checked "$build"/clgauss solve "$scratch/h.mtx" --rhs ones --type "$type" -o "$scratch/x.npy"
done
# Of work-groups that wait for each other one alone, for they run one after the other here.
CLGAUSS_TEST_KERNELS=$PWD/cl CLGAUSS_TEST_DATA=$PWD/data CLGAUSS_REQUIRED_DEVICES="" checked "$build"/device_tests -tc="L D L^T's*"
for method in cholesky ldlt; do
  checked "$build"/clgauss solve "$scratch/h.mtx" --rhs ones --method $method -o "$scratch/x.npy"
done
printf '1 2 3\n2 4 1\n3 6 1\n4 8 2\n' >"$scratch/deficient.txt"
checked "$build"/clgauss lstsq "$scratch/deficient.txt" --rhs ones -o "$scratch/x.npy"
checked "$build"/clgauss solve "$scratch/33.npy" --certify -o "$scratch/x.npy"
checked "$build"/clgauss-bench gemm --sizes 20 --types f32,f64 --peers none --reps 1
for options in "--kernel auto" "--kernel tile" "--kernel panels" --definite "--definite --kernel panels" --complex "--complex --kernel panels"; do
  # shellcheck disable=SC2086
  checked "$build"/clgauss-bench batched $options --sizes 4,17 --batch 5 --peers none --reps 1
done
checked "$build"/clgauss-bench batched --symmetric --sizes 4,17,40 --batch 2 --peers none --reps 1
checked "$build"/solver_tests -tc='RBT: blocks and windows*'
# Hermitian positive definite batches, in registers and by panels.
python3 - "$scratch" <<'END'
import struct
import sys

for n in (4, 17, 97):
    numbers = [(2 * n, 0) if i == j else (0.5, (i > j) - (i < j)) for s in range(2) for i in range(n) for j in range(n)]
    header = f"{{'descr': '<c16', 'fortran_order': False, 'shape': (2, {n}, {n}), }}".ljust(117) + "\n"
    with open(f"{sys.argv[1]}/h{n}.npy", "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        for number in numbers:
            file.write(struct.pack("<dd", *number))
END
for system in "h4.npy --type f32" "h4.npy --type f64" "h17.npy --type f32" "h17.npy --type f64" "h97.npy --type f64 --no-rcond"; do
  # shellcheck disable=SC2086
  checked "$build"/clgauss solve --batched "$scratch"/$system --rhs ones --method cholesky -o "$scratch/x.npy"
done
checked "$build"/clgauss solve "$scratch/h.mtx" --rhs ones --check device --method mixed --equilibrate on -o "$scratch/x.npy"
echo "oclgrind: $runs runs, $faults with faults"
[ "$faults" -eq 0 ]
