#!/usr/bin/env bash
# Whether builds went without a warning or note of compiler or linker: tests/build_warnings.sh LOG shows those of a log and ends with 1.
# Without LOG: whether it tells such lines from others.
set -euo pipefail

# "file:line:column: warning: ..", "cc1plus: warning: ..", "ld: file.o: note: .."; not the name of a source that ninja builds, nor CMake's.
lines_of() { grep -nE '(^|[^[:alnum:]_])(warning|note|remark): ' "$1"; }

check() {  # log
  [ -s "$1" ] || { echo "$1: nothing was built" >&2; return 1; }
  ! lines_of "$1" || { echo "$1: the build has the warnings and notes above" >&2; return 1; }
}

samples() {
  local log line
  log=$(mktemp)
  while IFS= read -r line; do
    printf '[1/2] Building CXX object a.o\n%s\n[2/2] Linking CXX executable a\n' "$line" >"$log"
    ! check "$log" >/dev/null 2>&1 || { echo "not seen: $line" >&2; return 1; }
  done <<'END'
a.cpp:3:7: warning: unused variable 'x' [-Wunused-variable]
opencl.hpp:1:1: note: parameter passing for argument of type 'T' changed in GCC 10.1
cc1plus: warning: command-line option '-Wfoo' is valid for C but not for C++
/usr/bin/ld: warning: a.o: missing .note.GNU-stack section implies executable stack
lto1: note: using serial compilation of 2 LTRANS jobs
END
  cat >"$log" <<'END'
[3/9] Building CXX object tests/CMakeFiles/device_tests.dir/kernel_warnings_test.cpp.o
CMake Warning (dev) at CMakeLists.txt:3 (project):
This warning is for project developers.  Use -Wno-dev to suppress it.
-- Note: StarPU was not found
[9/9] Linking CXX executable warnings
END
  check "$log" || { echo "seen where there is none" >&2; return 1; }
  : >"$log"
  ! check "$log" 2>/dev/null || { echo "an empty log passed" >&2; return 1; }
  rm "$log"
}

if [ $# -eq 0 ]; then samples; else check "$1"; fi
