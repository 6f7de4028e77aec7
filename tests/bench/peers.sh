#!/usr/bin/env bash
# Times clgauss beside what a user of Python would pick today on this CPU: the OpenBLAS that SciPy's wheels bring and Intel's oneMKL,
# each with every core type that the CPU takes, in turns with clgauss-bench.
#   tests/bench/peers.sh [BUILD_DIR [FILE.csv]]     SIZES=1000,2048,4096 REPS=7 ROUNDS=3 DEVICE=pocl
# Makes a virtual environment in BUILD_DIR/peers (numpy, scipy, mkl: 0.5 GB). Rows: library, core type, type, n, repetition, seconds.
set -euo pipefail
here=$(realpath "$(dirname "$0")")
build=$(realpath "${1:-$here/../../build}")
rows=${2:-$build/peers.csv}
sizes=${SIZES:-1000,2048,4096} reps=${REPS:-7}
venv=$build/peers
[ -e "$venv/installed" ] || {
  python3 -m venv "$venv"
  "$venv/bin/pip" -q install numpy scipy mkl
  touch "$venv/installed"
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cores=(HASWELL) instructions=(AVX2)
if grep -q avx512f /proc/cpuinfo; then
  cores+=(SKYLAKEX)
  instructions+=(AVX512)
fi
if grep -q avx512_bf16 /proc/cpuinfo; then cores+=(COOPERLAKE); fi

echo library,core_type,type,n,repetition,seconds >"$rows"
for round in $(seq "${ROUNDS:-3}"); do
  echo "round $round" >&2
  "$build/clgauss-bench" solve --device "${DEVICE:-pocl}" --sizes "$sizes" --reps "$reps" --peers none \
    --samples "$work/samples.csv" >"$work/log" || { cat "$work/log" >&2; exit 1; }
  awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
    { print "clgauss", "its own", $at["type"], $at["m"], $at["round"], $at["time_ms"] / 1000 }' "$work/samples.csv" >>"$rows"
  rm -f "$work/samples.csv"
  for core in "${cores[@]}"; do
    OPENBLAS_CORETYPE=$core "$venv/bin/python" "$here/peers.py" openblas --sizes "$sizes" --reps "$reps" >>"$rows"
  done
  for set in "${instructions[@]}"; do
    MKL_ENABLE_INSTRUCTIONS=$set "$venv/bin/python" "$here/peers.py" mkl --sizes "$sizes" --reps "$reps" >>"$rows"
  done
done
"$venv/bin/python" - "$rows" <<'PYTHON'
import collections, csv, statistics, sys
times = collections.defaultdict(list)
for row in csv.DictReader(open(sys.argv[1], encoding="utf-8")):
    times[row["type"], int(row["n"]), row["library"], row["core_type"]].append(float(row["seconds"]))
for (kind, n, library, core), seconds in sorted(times.items()):
    own = statistics.median(times[kind, n, "clgauss", "its own"])
    middle = statistics.median(seconds)
    print(f"{kind} {n:6} {library:9} {core:11} {middle * 1e3:9.2f} ms  {middle / own:5.2f} times clgauss's")
PYTHON
