#!/usr/bin/env bash
# python/check.sh BUILD_DIR [--long]: installs the wheel that python/wheel.sh made in a virtual environment that has nothing else, and runs there
# the example of docs/python.md, the tests, the doctests and the notebook. --long: also builds it from nothing, as a user does by `pip install .`, and for glibc 2.28, and checks the types.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "$1")
user=$build/python-user
packages=(numpy scipy pyopencl pytest hypothesis matplotlib nbconvert ipykernel)
export CLGAUSS_DEVICE=${CLGAUSS_DEVICE:-pocl} PIP_DISABLE_PIP_VERSION_CHECK=1

if [ "$(cat "$user/installed" 2>/dev/null)" != "${packages[*]}" ]; then
  rm -rf "$user"
  python3 -m venv "$user"
  "$user/bin/pip" install --quiet --no-compile "$build"/wheel/*.whl                    # brings NumPy, and needs no more
  "$user/bin/python" examples/solve.py
  "$user/bin/pip" install --quiet --no-compile "${packages[@]}"
  echo "${packages[*]}" >"$user/installed"
fi
"$user/bin/pip" install --quiet --no-compile --no-deps --force-reinstall "$build"/wheel/*.whl
export PATH=$user/bin:$build:$PATH  # with clgauss-tune
python examples/solve.py
pytest --quiet -rs -p no:cacheprovider python/tests
pytest --quiet -p no:cacheprovider --doctest-modules --pyargs clgauss
jupyter nbconvert --execute --to notebook --output-dir "$build" --log-level ERROR examples/work_group_size.ipynb \
  2> >(grep -v "Kernel is running over TCP without encryption" >&2)

[ "${2-}" = --long ] || exit 0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python3 -m venv "$scratch/venv"
"$scratch/venv/bin/pip" install --quiet --no-compile -Cbuild-dir="$scratch/build" .
"$scratch/venv/bin/python" examples/solve.py
old=$(python/wheel.sh "$build" --glibc 2.28 | tail -1)
[[ $old =~ manylinux_2_([0-9]+)_ ]] && [ "${BASH_REMATCH[1]}" -le 28 ] || { echo "The wheel for glibc 2.28 is $old" >&2; exit 1; }
python3 -m venv "$scratch/old"
"$scratch/old/bin/pip" install --quiet --no-compile "$old" scipy pytest hypothesis
"$scratch/old/bin/pytest" --quiet -rs -p no:cacheprovider python/tests
"$scratch/venv/bin/pip" install --quiet --no-compile jax torch
"$scratch/venv/bin/python" examples/jax_solve.py
"$scratch/venv/bin/python" examples/torch_autograd.py
"$scratch/venv/bin/pip" install --quiet --no-compile mypy scipy-stubs
"$scratch/venv/bin/mypy" --package clgauss
