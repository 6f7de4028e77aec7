#!/usr/bin/env bash
# What the last run of ctest left out, and why: tests/not_tried.sh BUILD_DIR prints "TEST: reason" for each "not tried: reason" that a test
# said (Testing/Temporary/LastTest.log), and ends with 1 if ctest.log has a skipped test that said none. Without BUILD_DIR: whether it does so.
set -euo pipefail

reasons_of() {  # LastTest.log
  awk '/^[0-9]+\/[0-9]+ Testing: / { name = $0; sub(/^[^:]*: /, "", name) }
       /^Output:$/ { said = 1 }
       /^<end of output>$/ { said = 0 }
       said && sub(/.*not tried: /, "") { print name ": " $0 }' "$1"
}

names_of_skipped() {  # what ctest printed
  sed -nE 's/^[[:space:]]+[0-9]+ - (.*) \(Skipped\)[[:space:]]*$/\1/p' "$1"
}

check() {  # build folder
  local reasons name untold=0
  reasons=$(reasons_of "$1"/Testing/Temporary/LastTest.log)
  [ -z "$reasons" ] || printf 'Not tried:\n%s\n' "$reasons"
  while IFS= read -r name; do
    [[ $'\n'$reasons = *$'\n'"$name: "* ]] || { echo "$name was skipped and does not say why" >&2; untold=1; }
  done < <(names_of_skipped "$1"/ctest.log)
  return $untold
}

samples() {
  local folder found
  folder=$(mktemp -d)
  mkdir -p "$folder"/Testing/Temporary
  cat >"$folder"/Testing/Temporary/LastTest.log <<'END'
1/3 Testing: layout
1/3 Test: layout
Command: "sh" "-c" "echo not tried: what is typed is not what is said"
Output:
not tried: clang-format is not installed
<end of output>
2/3 Testing: cli: a full disk: an error
2/3 Test: cli: a full disk: an error
Output:
a_test.cpp:50: MESSAGE: not tried: it takes rights
<end of output>
3/3 Testing: silent
3/3 Test: silent
END
  printf 'The following tests did not run:\n\t  1 - layout (Skipped)\n\t  9 - off (Disabled)\n' >"$folder"/ctest.log
  found=$(check "$folder") || { echo "a reason was not seen" >&2; return 1; }
  [ "$found" = $'Not tried:\nlayout: clang-format is not installed\ncli: a full disk: an error: it takes rights' ] ||
    { echo "found: $found" >&2; return 1; }
  printf '\t  3 - silent (Skipped)\n' >>"$folder"/ctest.log
  ! check "$folder" >/dev/null 2>&1 || { echo "a test was skipped in silence" >&2; return 1; }
  rm -r "$folder"
}

if [ $# -eq 0 ]; then samples; else check "$1"; fi
