# Sourced by demo.sh and test.sh: the Debian packages that clgauss needs, and how they get there.
build_packages=(
  cmake ninja-build g++
  ocl-icd-opencl-dev opencl-clhpp-headers                                # OpenCL ICD loader and the C++ bindings
  libboost-dev libboost-program-options-dev zlib1g-dev                   # checksums, names; options; gzip
  nlohmann-json3-dev libfmt-dev                                          # reports
  libeigen3-dev libxxhash-dev                                            # the tuner's Gaussian process, names of binaries
  libzip-dev libmatio-dev libhdf5-dev                                    # .npz, .mat and .h5
  pkg-config libstarpu-dev libopenmpi-dev openmpi-bin                    # several devices and ranks
)
device_packages=(pocl-opencl-icd mesa-opencl-icd)                        # OpenCL on any CPU, twice
test_packages=(doctest-dev libopenblas-dev liblapacke-dev libscalapack-openmpi-dev   # LAPACK to check against
  python3 python3-dev python3-venv                                       # the commands of the pages, the Python package
  zsh fish mandoc                                                        # completion and man pages, where they are read
  gfortran                                                               # an example
  liblapack-dev liblapack-test)                                          # `clgauss run`: LAPACK's own tests
all_tests_packages=(chromium                                             # the report, as its reader has it before him
  liblapack64-test                                                       # LAPACK's own tests with 64-bit integers
  clang-format)                                                          # how code is laid out

# Installs those of the named packages that are missing; says so and stops where it cannot.
install_packages() {
  local missing=() package
  if ! command -v apt-get >/dev/null; then
    for tool in cmake ninja c++; do
      command -v "$tool" >/dev/null || { echo "Not Debian: please install what these packages hold: $*" >&2; exit 1; }
    done
    return 0
  fi
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" -ne 0 ]; then
    echo "Missing packages. As root:  apt-get update && apt-get install ${missing[*]}" >&2
    exit 1
  fi
  apt-get update -q
  DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}"
}

# Configures a build folder, all for speed of building: several sources are compiled at once, so that what is unnamed in a folder's sources
# must have names that differ.
configure() {  # build folder, more of cmake's options
  mkdir -p "$1"
  [ -e "$1"/build.ninja ] || rm -f "$1"/build.log
  cmake -S . -B "$1" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON "${@:2}" >"$1"/configure.log ||
    { cat "$1"/configure.log >&2; return 1; }
}

# cmake --build with its output added to build.log of the build folder, which holds all since it was first configured: a line of progress on a terminal, all of
# its end where it fails.
quiet_build() {  # build folder, more of cmake's options
  local log=$1/build.log failed=0
  if [ -t 1 ]; then
    cmake --build "$@" 2>&1 | tee -a "$log" | while IFS= read -r line; do
      [[ $line != \[*\]* ]] || printf '\r\033[Kbuilding %s' "${line%%]*}]"
    done || failed=1
    printf '\r\033[K'
  else
    echo "building, its output goes to $log"
    cmake --build "$@" >>"$log" 2>&1 || failed=1
  fi
  [ $failed = 0 ] || { tail -40 "$log" >&2; echo "The build failed; all it said is in $log" >&2; return 1; }
}
