#!/usr/bin/env bash
# `clgauss run` over the LAPACKs of this machine: tests/lapack/run.sh KIND BUILD_DIR
#   suite-T    LAPACK's own tests of type T (s, d, c, z; ds and zc: dsgesv and zcgesv): every line as without it
#   suite-wide those of types d and z with 64-bit integers, of a library that has the names of liblapack (liblapack64-test)
#   callers    a program of ours, which fork()s, has threads and signals, and ends while kernels are built
#   large      the same with n = 513 and 1025 (a minute)
#   choice     what is measured, kept and obeyed
#   faults     OpenCL calls that fail and numbers that are damaged: every answer is right all the same. With LONG=1 two numbers of each transfer
#   scripts    what R and Octave have of it, and R's workspace saved by SIGUSR1 (r-base-core, octave)
#   suites     the tests of NumPy's and SciPy's linear algebra, PyPI's and Debian's: those pass that pass without it (minutes; python3-scipy,
#              python3-pytest, python3-hypothesis)
set -euo pipefail
here=$(realpath "$(dirname "$0")")
kind=$1 build=$(realpath "$2")
run=$build/clgauss callers=$build/tests/lapack/callers
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export CLGAUSS_DEVICE=${CLGAUSS_DEVICE:-cpu}
unset CLGAUSS_LAPACK CLGAUSS_LAPACK_MIN_N CLGAUSS_LAPACK_LOG CLGAUSS_LAPACK_REPORT

fail() { echo "$kind: $*" >&2; cat "$folder"/*.log 2>/dev/null | tail -20 >&2; exit 1; }

# Debian's folders of the libraries that can stand behind liblapack.so.3.
reference() { echo "$(echo /usr/lib/*/lapack):$(echo /usr/lib/*/blas)"; }
openblas() { echo /usr/lib/*/openblas-pthread; }
wide() { echo "$(echo /usr/lib/*/lapack64):$(echo /usr/lib/*/blas64)"; }

# Programs of several libraries, each by itself and with its systems on the device.
suite() {  # folder of the tests, type, routines that the device must have had a hundred times, libraries
  local folder_of_tests=$1 type=$2 routines=$3 program libraries name routine
  program=$folder_of_tests/xlintst$type
  [ -x "$program" ] || fail "$program is not there (liblapack-test, liblapack64-test)"
  for name in "${@:4}"; do
    libraries=$($name)
    LD_LIBRARY_PATH=$libraries "$program" < "$folder_of_tests/${type}test.in" > without.txt
    LD_LIBRARY_PATH=$libraries "$run" run --force --report report.log -- "$program" < "$folder_of_tests/${type}test.in" > with.txt
    grep -q "passed the threshold" without.txt || fail "no test was run over $name"
    cmp <(grep -v 'Total time' without.txt) <(grep -v 'Total time' with.txt) || fail "other lines over $name"
    for routine in $routines; do
      awk -v name="$routine" '$1 == name && $2 >= 100 {found = 1} END {exit !found}' report.log ||
        fail "the device was not asked for $routine over $name"
    done
    rm report.log
  done
}

case $kind in
  suite-[sdcz]) type=${kind#suite-}
    case $type in [sd]) symmetric=${type}sy ;; *) symmetric=${type}he ;; esac
    suite "$(echo /usr/lib/*/lapack)" "$type" "${type}getrf ${type}getrs ${type}getri ${type}gecon ${type}potrf ${type}potrs ${type}potri ${symmetric}sv ${symmetric}trf ${symmetric}trs" reference openblas ;;
  suite-ds | suite-zc) suite "$(echo /usr/lib/*/lapack)" "${kind#suite-}" "${kind#suite-}gesv" reference openblas ;;
  suite-wide)
    suite "$(echo /usr/lib/*/lapack64)" d "dgetrf dgetri dsytrf dsytrs" wide
    suite "$(echo /usr/lib/*/lapack64)" z "zgetrf zgetri zhetrf zhetrs" wide ;;

  callers)
    for libraries in "$(reference)" "$(openblas)"; do
      export LD_LIBRARY_PATH=$libraries
      "$callers" || fail "without clgauss"
      for what in "" threads fork signals; do
        # At its exit() a child of fork() would wait in Mesa for a thread that only its parent has.
        [ "$what" != fork ] || export RUSTICL_ENABLE=
        "$run" run --force --log calls.log -- "$callers" $what || fail "'$what' over $libraries"
        grep -q ' device ' calls.log || fail "'$what': no call on the device"
        [ "$what" != fork ] || [ "$(cut -d' ' -f1 calls.log | sort -u | wc -l)" = 2 ] || fail "no call of the child"
        [ "$what" != fork ] || ! grep -v "^$(head -1 calls.log | cut -d' ' -f1) " calls.log | grep -q ' device ' ||
          fail "the child had the device"
        rm calls.log
      done
    done
    unset RUSTICL_ENABLE
    # The dynamic linker preloads nothing into a program with other rights than its user's (where files can give such).
    cp "$(command -v id)" "$callers" . && chmod 777 .
    chown nobody id callers 2> /dev/null && chmod u+s id callers || true
    if [ "$(./id -u)" != "$(id -u)" ]; then
      "$run" run --force --log setuid.log -- ./callers one 100 || fail "a setuid program"
      [ ! -e setuid.log ] || fail "a setuid program had the device"
    fi
    # OpenBLAS forgets its kernels at exit(): under a thread that still calls it, it crashes or waits, with clgauss or without.
    LD_LIBRARY_PATH=$(reference)
    for seconds in 0.02 0.1 0.2 0.4 0.8; do  # nothing is built, nor kept
      XDG_CACHE_HOME=$folder/$seconds POCL_CACHE_DIR=$folder/$seconds "$run" run --force -- "$callers" exit $seconds ||
        fail "ending after $seconds s"
    done ;;

  large)
    for libraries in "$(reference)" "$(openblas)"; do
      LD_LIBRARY_PATH=$libraries "$run" run --force --log calls.log -- "$callers" large || fail "over $libraries"
      for routine in {s,d,c,z}{gesv,getrf,getri,gecon,posv,potrf,potri} {s,d,c,z}getrs {s,d}sy{sv,trf} {c,z}he{sv,trf} dsgesv zcgesv; do
        grep -q " $routine n=1025 .* device " calls.log || fail "the device was not asked for $routine over $libraries"
      done
      rm calls.log
    done ;;

  choice)
    export XDG_CACHE_HOME=$folder/cache LD_LIBRARY_PATH
    # What is kept is measured; which of both was faster is said here, so that the machine's load decides nothing.
    kept_says() {  # device or system: it was ten times as fast, at every size, and opening the device is free
      local kept ratio=10
      [ "$1" = system ] || ratio=0.1
      for kept in cache/clgauss/lapack-*.txt; do
        awk -v ratio=$ratio '$1 == "opening" {$2 = 0} /^[0-9]/ {$3 = ratio * $2} {print}' "$kept" > kept.txt
        mv kept.txt "$kept"
      done
    }
    measured() { grep -q 'measured for' "$1"; }
    LD_LIBRARY_PATH=$(reference)
    "$run" run --report first.txt -- "$callers" one 1100
    [ "$(ls cache/clgauss/lapack-*.txt | wc -l)" = 1 ] || fail "nothing was kept"
    measured first.txt || fail "nothing was measured: $(cat first.txt)"
    awk '/^[0-9]/ {++sizes; if (!($2 > 0 && $3 > 0)) exit 1} END {exit !(sizes > 0)}' cache/clgauss/lapack-*.txt ||
      fail "no times: $(cat cache/clgauss/lapack-*)"
    kept_says device
    "$run" run --log second.log --report second.txt -- "$callers" one 1100
    grep -q 'dgesv n=1100 nrhs=1 device' second.log || fail "the device was not taken: $(cat cache/clgauss/lapack-*)"
    ! measured second.txt || fail "measured twice"
    grep -q 'dgesv' second.txt || fail "no report"
    kept_says system
    "$run" run --log slower.log -- "$callers" one 1100
    ! grep -q device slower.log || fail "the device was taken: $(cat cache/clgauss/lapack-*)"
    kept_says device
    sed -i 's/^opening [^ ]*/opening 1000/' cache/clgauss/lapack-*.txt
    "$run" run --log opening.log -- "$callers" one 1100
    ! grep -q device opening.log || fail "the device was opened for less than that takes: $(cat cache/clgauss/lapack-*)"
    echo broken > "$(ls cache/clgauss/lapack-*.txt)"
    "$run" run --report broken.txt -- "$callers" one 1100
    measured broken.txt || fail "a broken file was believed"
    # Of a matrix with twice as many columns the system would have taken (2/3 n + n) / (2/3 n + 2) times as long as for gesv.
    kept_says device
    "$run" run --report wide.txt -- "$callers" wide 1100
    awk 'NR == FNR {if (/^[0-9]/ && $1 <= 1100) {size = $1; long = $2} next} $1 == "dgetrf" && $2 > 0 {told = ($4 + $8) / $2}
      END {wanted = long * (1100 / size) ^ 3 * (5 / 3 * 1100) / (2 / 3 * 1100 + 2)
           exit !(long > 0 && told > 0.98 * wanted && told < 1.02 * wanted)}' cache/clgauss/lapack-*.txt wide.txt ||
      fail "the time of a getrf of more columns: $(cat wide.txt cache/clgauss/lapack-*)"
    LD_LIBRARY_PATH=$(openblas)
    "$run" run -- "$callers" one 1100
    [ "$(ls cache/clgauss/lapack-*.txt | wc -l)" = 2 ] || fail "not one file for each library"
    # What the user says.
    CLGAUSS_LAPACK=off "$run" run --log off.log -- "$callers" one 300
    grep -q device off.log && fail "CLGAUSS_LAPACK=off"
    "$run" run --min-n 250 --log least.log -- "$callers" one 300
    grep -q 'n=300 nrhs=1 device' least.log || fail "--min-n 250"
    "$run" run --min-n 350 --log most.log -- "$callers" one 300
    grep -q device most.log && fail "--min-n 350"
    CLGAUSS_LAPACK_MIN_N=many "$run" run --log many.log -- "$callers" one 100 2> many.txt
    grep -q "CLGAUSS_LAPACK_MIN_N is 'many'" many.txt || fail "a number that is none"
    "$run" run --device nonsense --force --log none.log --report none.txt -- "$callers" one 300
    grep -q "nonsense" none.log || fail "no word of a device that is not there"
    # What is not gesv or posv is timed by itself; few right-hand sides are not worth a copy of them.
    LD_LIBRARY_PATH=$(reference)
    "$run" run --log rest.log -- "$callers" rest 600
    [ "$(ls cache/clgauss/lapack-*.txt | wc -l)" = 24 ] || fail "not one file for each of \
      getri, getrs, gecon, posv, potrs, potri, sysv, sytrs, dsgesv, dgetrf and zgetrf of more rows, zgesv, zgetri, zgetrs, zgecon, zposv, zpotrs, zpotri, chesv, chetrs, zhesv and zhetrs"
    kept_says device
    "$run" run --log rest.log -- "$callers" rest 600
    for call in 'dgetri n=600 nrhs=0' 'dgetrf n=600 nrhs=0 rows=1200'; do
      grep -q "$call device" rest.log || fail "$call: $(cat rest.log cache/clgauss/lapack-*)"
    done
    "$run" run --min-n 250 --log few.log -- "$callers" rest 600
    grep -q 'dgetrf n=600 nrhs=0 rows=1200 device' few.log || fail "a getrf of more rows: $(cat few.log)"
    grep -q 'zgetrf n=300 nrhs=0 rows=600 device' few.log || fail "a zgetrf of more rows: $(cat few.log)"
    grep -q 'dgetrf n=600 nrhs=0 columns=1200 device' few.log || fail "a getrf of more columns: $(cat few.log)"
    for routine in getrs potrs sytrs; do
      grep -q "d$routine n=600 nrhs=150 device" few.log || fail "$routine: $(cat few.log)"
    done
    grep -q 'dsytrf n=600 nrhs=0 device' few.log || fail "sytrf: $(cat few.log)"
    grep -q 'dgecon n=600 nrhs=0 device' few.log || fail "gecon: $(cat few.log)"
    for routine in zgecon zpotri zhetrf; do
      grep -q "$routine n=300 nrhs=0 device" few.log || fail "$routine: $(cat few.log)"
    done
    for routine in getrs potrs hetrs; do
      grep -q "z$routine n=300 nrhs=75 device" few.log || fail "z$routine: $(cat few.log)"
    done
    "$run" run --min-n 250 --log few.log -- "$callers" one 1100
    grep -q 'dgetrs n=1100 nrhs=1 system .* right-hand sides' few.log || fail "a getrs with one right-hand side: $(cat few.log)"
    CLGAUSS_CACHE=off LD_LIBRARY_PATH=$(reference) "$run" run --log kept.log -- "$callers" one 300
    grep -q "cannot be kept" kept.log || fail "measured, and not kept"
    code=0; "$run" run --force -- sh -c 'exit 42' || code=$?
    [ $code = 42 ] || fail "exit code $code"
    code=0; "$run" run -- no-such-program 2> error.txt || code=$?
    [ $code = 2 ] && grep -q no-such-program error.txt || fail "a program that is not there: $code"
    code=0; "$run" run 2> error.txt || code=$?
    [ $code = 2 ] && grep -q 'clgauss run -- ' error.txt || fail "no program: $code" ;;

  scripts)
    for libraries in "$(reference)" "$(openblas)"; do
      export LD_LIBRARY_PATH=$libraries
      RUSTICL_ENABLE= "$run" run --force --log calls.log -- Rscript "$here/script.R" || fail "R over $libraries"
      "$run" run --force --log calls.log -- octave-cli "$here/script.m" || fail "Octave over $libraries"
    done
    for routine in dgesv dgetrf dgetri dpotrf dpotri zgesv; do
      [ "$(grep -c " $routine .* device " calls.log)" -ge 2 ] || fail "the device was not asked for $routine"
    done
    "$run" run --force -- Rscript -e \
      'x <- solve(diag(400), rep(1, 400)); tools::pskill(Sys.getpid(), 10L); Sys.sleep(5)' || true
    [ -s .RData ] || fail "SIGUSR1 saved no workspace" ;;

  suites)
    python3 -m venv python
    python/bin/pip -q install numpy scipy pytest hypothesis
    passed() {  # command of a Python, which passes those tests of $suite that are listed
      local code=0
      "$@" -m pytest -q -rA --tb=no --show-capture=no -p no:cacheprovider --pyargs $suite > pytest.log 2>&1 || code=$?
      [ $code -le 1 ] || fail "pytest ended with $code: $*"  # 1: there are tests that fail
      { grep '^PASSED ' pytest.log || true; } | sort
    }
    compare() {  # name of the libraries, Python
      for suite in numpy.linalg scipy.linalg; do
        passed "$2" > without.txt
        passed "$run" run --force --log calls.log -- "$2" > with.txt
        [ -s without.txt ] || fail "no test of $suite passes over $1"
        diff without.txt with.txt > different.log || fail "other tests of $suite pass over $1"
        echo "$suite over $1: $(wc -l < with.txt) tests pass, as without clgauss;" \
          "$(grep -c ' device ' calls.log) calls on the device of $(wc -l < calls.log)"
        grep -q 'gesv n=.* device' calls.log || fail "the device was not asked"
        rm calls.log
      done
    }
    compare "PyPI's OpenBLAS" python/bin/python
    # Debian's: the modules find liblapack.so.3 as the alternatives are set, or here.
    [ -d /usr/lib/python3/dist-packages/scipy ] || fail "python3-numpy, python3-scipy, python3-pytest, python3-hypothesis"
    for name in reference openblas; do
      LD_LIBRARY_PATH=$($name) compare "Debian's $name" /usr/bin/python3
    done ;;

  faults)
    layer=$(echo "$build"/tests/libfault_layer.so)
    [ -f "$layer" ] || fail "$layer is not there"
    export OPENCL_LAYERS=$layer
    for what in one rest; do
      unset CLGAUSS_TRANSFERS
      CLGAUSS_FAULT_LOG=$folder/every.log "$run" run --force -- "$callers" $what 200
      count=$(wc -l < every.log)
      [ "$count" -gt 100 ] || fail "the layer was not there"
      rm every.log
      for ((k = 1; k <= count; k += 1 + count / 40)); do
        CLGAUSS_FAULT_AT=$k "$run" run --force -- "$callers" $what 200 || fail "$what: call $k failed"
      done
      # What comes back is damaged: seen, and done by the system.
      export CLGAUSS_TRANSFERS=pinned
      CLGAUSS_FAULT_LOG=$folder/every.log "$run" run --force -- "$callers" $what 200
      reads=$(grep -c clEnqueueReadBuffer every.log)
      rm every.log
      for ((read = 1; read <= reads; ++read)); do
        words=$((read % 2 == 1 ? 1 : 4001))
        [ -z "${LONG-}" ] || words="1 4001"
        for word in $words; do
          CLGAUSS_FAULT_FLIP=$read:$word:0x40000000 "$run" run --force --log damaged.log -- "$callers" $what 200 ||
            fail "$what: read $read, word $word was believed"
        done
      done
    done
    grep -q 'nothing was written' damaged.log || fail "no damage was met" ;;

  *) echo "tests/lapack/run.sh suite-{s,d,c,z,ds,zc,wide}|callers|large|choice|faults|scripts|suites BUILD_DIR" >&2; exit 2 ;;
esac
