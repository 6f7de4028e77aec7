#!/usr/bin/env bash
# Whether C++ and OpenCL C lie as .clang-format has it, and no comment is wider than its lines. Exit code 77 without clang-format.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v clang-format >/dev/null || { echo "not tried: clang-format is not installed"; exit 77; }
mapfile -t files < <(find host tuner tests python/src cl -name '*.[ch]pp' -o -name '*.cl' -o -name '*.clh' | sort)
[ ${#files[@]} -gt 500 ] || { echo "only ${#files[@]} files found" >&2; exit 1; }
clang-format --dry-run --Werror "${files[@]}"
wide=$(grep -nE '^ *//.{97,}$' "${files[@]}" | awk -F: '{ line = $0; sub(/^[^:]*:[0-9]*:/, "", line); if (length(line) > 100) print $1 ":" $2 }')
[ -z "$wide" ] || { printf 'a comment wider than 100 characters: %s\n' $wide; exit 1; }
echo "${#files[@]} files"
