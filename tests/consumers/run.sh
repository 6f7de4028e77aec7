#!/usr/bin/env bash
# Installs a build of clgauss into a prefix that is removed again, and uses it as another project would.
#   tests/consumers/run.sh KIND [BUILD_DIR]
# find_package, pkg_config   build a program against the prefix, and run it
# subdirectory, fetch_content   take the sources: configured, and looked at for what they must not do to their parent. With LONG=1
#                            also built, which compiles the library again (minutes), and run
# manual                     man pages and completions lie where man and the shells look for them; README, docs and examples in
#                            share/doc, where their links to each other lead on
# names                      what the library gives out is its public names, of C those of host/c/symbols.txt
# core                       builds programs in C++ and C against libclgauss_core, and looks at what that brings along
# formats                    neither library nor programs need HDF5, libmatio or libzip; a module is opened by the first file that takes it,
#                            and its absence is told by an error that says what to install
# pkg_config_c               builds a C99 program against the prefix, and runs it
# find_package_c             the same by CMake, in a project of C alone and in one of C and C++
# without_starpu             configured without StarPU, nothing of solves beyond one device is left to build. With LONG=1 the programs
#                            are built (minutes), and --devices says what is missing
# exported                   the sources without their history, in a folder of another repository, as packages are built: that one's
#                            commit is not taken for clgauss's. Configured as the vcpkg port does, the library alone is left to build
# shared                     builds libclgauss.so (minutes), then names, find_package and pkg_config with it, each from C and C++
set -euo pipefail
kind=${1:?KIND}
source_folder=$(realpath "$(dirname "$0")/../..")
build=$(realpath "${2:-$source_folder/build}")
here=$source_folder/tests/consumers
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix

fail() {
  echo "consumer $kind: $*" >&2
  exit 1
}

install_clgauss() {
  cmake --install "$build" --prefix "$prefix" >"$work/install.log" || fail "$(tail -5 "$work/install.log")"
  pc=$(find "$prefix" -name clgauss.pc)
  libraries=$(dirname "$(dirname "$pc")")
  export PKG_CONFIG_PATH=$libraries/pkgconfig LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
}

# Whether what is installed solves beyond one device as well.
has_distributed() { [ -e "${libraries-}/libclgauss_distributed.so" ] || [ -e "${libraries-}/libclgauss_distributed.a" ]; }

configure() {  # with further arguments
  cmake -S "$here/$kind" -B "$work/$kind" -G Ninja "$@" >"$work/configure.log" 2>&1 || fail "$(cat "$work/configure.log")"
}

build_and_run() {
  cmake --build "$work/$kind" >"$work/build.log" 2>&1 || fail "$(tail -20 "$work/build.log")"
  "$work/$kind/consumer"
  ! has_distributed || "$work/$kind/distributed_consumer"
}

# What a parent gets of the sources: the library, and nothing else, and its own settings as they were.
check_parent() {
  local targets cache=$work/$kind/CMakeCache.txt
  targets=$(ninja -C "$work/$kind" -t targets all)
  for wanted in consumer clgauss; do
    grep -q "^$wanted: " <<<"$targets" || fail "no target $wanted"
  done
  ! grep -E '^(clgauss_program|clgauss_tune|.*_tests|clgauss_bench):' <<<"$targets" || fail "programs or tests are built"
  grep -q '^CMAKE_BUILD_TYPE:STRING=$' "$cache" || fail "CMAKE_BUILD_TYPE is set"
  ! grep '^BUILD_SHARED_LIBS' "$cache" || fail "BUILD_SHARED_LIBS is set"
}

# What the library $1 gives out.
check_names() {
  local names
  if [[ $1 = *.so ]]; then
    names=$(nm -DC --defined-only "$1")
    readelf -d "$1" | grep -q "SONAME.*$(basename "$1")\.[0-9]" || fail "$1 has no SONAME"
  else
    names=$(nm -C --defined-only --extern-only "$1")
  fi
  grep -q ' T clgauss::solve(' <<<"$names" || fail "clgauss::solve is hidden"
  # After the type letter: nothing of other libraries (but Boost's exceptions and counted pointers, which make themselves visible), nor of the rooms
  # behind the public headers.
  ! grep -vE 'boost::(exception|exception_detail|wrapexcept|detail::sp_counted_base)\b' <<<"$names" |
    grep -E ' [A-Zui] (guard variable for |vtable for |typeinfo .*for )?(nlohmann|fmt|boost|cl|clgauss::io)::' ||
    fail "the names above leave $1"
  ! grep -E ' T .*::(Implementation|State)::' <<<"$names" || fail "the names above leave $1"
  # The C interface, name by name. One that goes, or changes its arguments, ends compatibility: clgauss_soversion in library.cmake.
  grep -oE ' [A-Z] clgauss_[a-z0-9_]+$' <<<"$names" | cut -c4- | LC_ALL=C sort |
    diff "$source_folder/host/c/symbols.txt" - || fail "host/c/symbols.txt lists (<) other C functions than $1 has (>)"
  echo "$(basename "$1"): $(grep -c ' T clgauss::' <<<"$names") functions of clgauss, none of others"
}

case $kind in
  manual)
    install_clgauss
    for name in clgauss clgauss-tune; do
      for file in "man/man1/$name.1" "bash-completion/completions/$name" "zsh/site-functions/_$name" \
                  "fish/vendor_completions.d/$name.fish"; do
        [ -s "$prefix/share/$file" ] || fail "share/$file is not there"
      done
      if command -v mandoc >/dev/null; then
        mandoc -T lint "$prefix/share/man/man1/$name.1" || fail "$name.1 is no clean page"
      fi
    done
    documents=$prefix/share/doc/clgauss
    for file in README.md CHANGELOG.md CITATION.cff LICENSE docs/building.md docs/speed.svg examples/first.cpp examples/c/solve.c; do
      [ -s "$documents/$file" ] || fail "share/doc/clgauss/$file is not there"
    done
    links=0
    while IFS=: read -r page link; do
      target=$(realpath -m --relative-to "$documents" "$(dirname "$page")/$link")
      case $target in
        README.md | docs/*.md | docs/*.svg | examples/*) [ -e "$documents/$target" ] || fail "${page#"$prefix/"} leads to $link" ;;
        *) continue ;;  # to the sources
      esac
      links=$((links + 1))
    done < <(grep -oP --with-filename '\]\(\K[^)#: ]+' "$documents"/*.md "$documents"/docs/*.md)
    [ $links -gt 100 ] || fail "only $links links between the documents"
    ;;
  find_package)
    install_clgauss
    configure -DCMAKE_PREFIX_PATH="$prefix"
    build_and_run
    ;;
  find_package_c)
    install_clgauss
    for languages in C "C;CXX"; do
      rm -rf "${work:?}/$kind"
      configure -DCMAKE_PREFIX_PATH="$prefix" -DLANGUAGES="$languages"
      cmake --build "$work/$kind" >"$work/build.log" 2>&1 || fail "$languages: $(tail -20 "$work/build.log")"
      "$work/$kind/consumer"
    done
    ;;
  pkg_config)  # without exceptions of CLHPP, for an older OpenCL; -O0 leaves every inline function in the program
    install_clgauss
    static=$([ -e "$libraries/libclgauss.so" ] || echo --static)
    # shellcheck disable=SC2046,SC2086
    "${CXX:-c++}" -std=c++20 -O0 -Wall -Wextra -Werror -DCL_HPP_TARGET_OPENCL_VERSION=120 -DWANTED_TARGET=120 \
      $(pkg-config --cflags clgauss) "$here/consumer.cpp" -o "$work/consumer" $(pkg-config $static --libs clgauss)
    "$work/consumer"
    if has_distributed; then
      # shellcheck disable=SC2046,SC2086
      "${CXX:-c++}" -std=c++20 $(pkg-config --cflags clgauss-distributed) "$source_folder/examples/distributed.cpp" \
        -o "$work/distributed_consumer" $(pkg-config $static --libs clgauss-distributed)
      "$work/distributed_consumer"
    fi
    ;;
  pkg_config_c)
    install_clgauss
    static=$([ -e "$libraries/libclgauss.so" ] || echo --static)
    # shellcheck disable=SC2046,SC2086
    "${CC:-cc}" -std=c99 -Wall -Wextra -pedantic -Werror $(pkg-config --cflags clgauss) "$source_folder/examples/c/solve.c" \
      -o "$work/consumer" $(pkg-config $static --libs clgauss)
    "$work/consumer"
    ;;
  core)
    install_clgauss
    configure -DCMAKE_PREFIX_PATH="$prefix"
    cmake --build "$work/$kind" >"$work/build.log" 2>&1 || fail "$(tail -20 "$work/build.log")"
    (cd "$here/core" && "$work/$kind/formats") || fail "formats"
    static=$([ -e "$libraries/libclgauss_core.so" ] || echo --static)
    # shellcheck disable=SC2046,SC2086
    "${CC:-cc}" -std=c99 -Wall -Wextra -pedantic -Werror $(pkg-config --cflags clgauss-core) "$source_folder/examples/c/solve.c" \
      -o "$work/$kind/pkg_config" $(pkg-config $static --libs clgauss-core)
    for program in consumer c_consumer pkg_config; do
      "$work/$kind/$program"
      ! ldd "$work/$kind/$program" | grep -E 'libzip|libmatio|libhdf5|libclgauss\.' || fail "$program needs the above"
    done
    ;;
  formats)
    install_clgauss
    modules=$libraries/clgauss
    static=$([ -e "$libraries/libclgauss.so" ] || echo --static)
    # A program with libclgauss.a in it cannot know the prefix that this installation went to.
    [ -z "$static" ] || export LD_LIBRARY_PATH=$modules:$LD_LIBRARY_PATH
    # shellcheck disable=SC2046,SC2086
    "${CXX:-c++}" -std=c++20 $(pkg-config --cflags clgauss) "$here/read_matrix.cpp" -o "$work/read_matrix" $(pkg-config $static --libs clgauss)
    needed=0
    for file in "$work/read_matrix" "$libraries"/libclgauss*.so "$prefix"/bin/*; do
      [ -f "$file" ] || continue
      needed=$((needed + 1))
      ! readelf -d "$file" | grep -E 'NEEDED.*lib(hdf5|matio|zip)' || fail "$file needs the above"
    done
    [ $needed -gt 0 ] || fail "nothing to look at"
    cd "$work"
    printf '1,2\n3,4\n' >a.csv
    for format in npz mat h5; do cp "$source_folder/tests/data/system.$format" a.$format; done
    # The libraries that reading a file opens: those of its module, and of no other.
    opened() { LD_DEBUG=files LD_DEBUG_OUTPUT=$work/opened ./read_matrix "$1" >&2 && cat opened.* && rm opened.*; }
    [ -z "$(opened a.csv | grep -E 'lib(hdf5|matio|zip)|libclgauss_(npz|mat|h5)')" ] || fail "a.csv opens libraries of formats"
    for format in npz mat h5; do
      modules_of=$(opened a.$format | grep -oE 'libclgauss_(npz|mat|h5)' | sort -u)
      [ "$modules_of" = libclgauss_$format ] || fail "a.$format opens $modules_of"
    done
    # The program finds the modules from its own folder. -DCLGAUSS_PROGRAMS=OFF leaves none.
    program=$(find "$prefix/bin" -name clgauss 2>/dev/null || true)
    written() { [ -z "$program" ] || env -u LD_LIBRARY_PATH "$program" generate --kind random --n 3 -o x.mat 2>&1; }
    # $1: what the error says of the module of a.mat
    refused() {
      local said code=0
      said=$(./read_matrix a.mat) || code=$?
      [ $code = 2 ] && [[ $said = "a.mat: is .mat, and "*libclgauss_mat.so*"$1"*libclgauss-formats*libmatio-dev* ]] || fail "$code: $said"
      code=0
      said=$(written) || code=$?
      [ -z "$program" ] || [[ $code = 3 && $said = *"x.mat: is .mat, and "*"$1"* && ! -e x.mat ]] || fail "$code: $said"
      ./read_matrix a.csv
      ./read_matrix a.npz
    }
    mv "$modules/libclgauss_mat.so" kept.so
    refused "No such file"
    : >"$modules/libclgauss_mat.so"
    refused "file too short"
    echo 'extern const char clgauss_border[] = "0"; extern const int clgauss_format = 0;' >other.c
    "${CC:-cc}" -w -shared -fPIC other.c -o "$modules/libclgauss_mat.so"
    refused "of another version"
    mv kept.so "$modules/libclgauss_mat.so"
    ./read_matrix a.mat
    written
    ;;
  subdirectory | fetch_content)
    configure -DCLGAUSS_SOURCE="$source_folder" -DFETCHCONTENT_SOURCE_DIR_CLGAUSS="$source_folder"
    check_parent
    [ -z "${LONG-}" ] || build_and_run
    ;;
  names)
    install_clgauss
    suffix=$([ -e "$libraries/libclgauss.so" ] && echo so || echo a)
    check_names "$libraries/libclgauss.$suffix"
    check_names "$libraries/libclgauss_core.$suffix"
    ! has_distributed || check_names "$libraries/libclgauss_distributed.$suffix"
    ;;
  without_starpu)
    cmake -S "$source_folder" -B "$work/plain" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCLGAUSS_STARPU=OFF >"$work/configure.log" 2>&1 ||
      fail "$(tail -5 "$work/configure.log")"
    targets=$(ninja -C "$work/plain" -t targets all)
    for wanted in clgauss clgauss_program clgauss_tune solver_tests clgauss_bench; do
      grep -q "^$wanted: " <<<"$targets" || fail "no target $wanted"
    done
    ! grep -E '(clgauss|bench|example)_distributed|distributed_tests' <<<"$targets" || fail "the targets above need StarPU"
    ! grep -iE 'starpu|libmpi' "$work/plain/build.ninja" || fail "StarPU or MPI is asked for"
    [ -z "${LONG-}" ] && exit
    cmake --build "$work/plain" --target clgauss_program >"$work/build.log" 2>&1 || fail "$(tail -20 "$work/build.log")"
    cd "$work"
    plain/clgauss generate --kind random --n 5 -o s.txt
    plain/clgauss solve s.txt
    code=0
    plain/clgauss solve s.txt --devices all 2>"$work/err" || code=$?
    [ "$code" = 2 ] && grep -q libstarpu-dev "$work/err" || fail "--devices ends with $code: $(cat "$work/err")"
    ;;
  exported)
    git init -q "$work/other"
    git -C "$work/other" -c user.name=other -c user.email=other@clgauss.invalid commit -q --allow-empty --date 2001-02-03T12:00Z -m other
    mkdir "$work/other/clgauss"
    tar -C "$source_folder" --exclude='./build*' --exclude=./.git -c . | tar -C "$work/other/clgauss" -x
    mapfile -t options < <(grep -oE -e '-DCLGAUSS_[A-Z]+=[A-Z]+' "$source_folder/packaging/vcpkg/ports/clgauss/portfile.cmake")
    cmake -S "$work/other/clgauss" -B "$work/exported" -G Ninja "${options[@]}" >"$work/configure.log" 2>&1 || fail "$(tail -5 "$work/configure.log")"
    grep -qE 'CLGAUSS_REVISION=..?"[0-9.]+..?"' "$work/exported/build.ninja" || fail "$(grep -m 1 -o 'CLGAUSS_REVISION=[^ ]*' "$work/exported/build.ninja")"
    targets=$(ninja -C "$work/exported" -t targets all)
    grep -q '^libclgauss.a: ' <<<"$targets" || fail "no libclgauss.a"
    ! grep -E '^(clgauss_program|clgauss_tune|clgauss_distributed|.*_tests):' <<<"$targets" || fail "programs or tests are built"
    ;;
  shared)
    cmake -S "$source_folder" -B "$work/shared" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON -DCLGAUSS_TESTS=OFF \
      -DCLGAUSS_PROGRAMS=OFF >"$work/configure.log"
    cmake --build "$work/shared" >"$work/build.log" 2>&1 || fail "$(tail -20 "$work/build.log")"
    for each in names core formats find_package find_package_c pkg_config pkg_config_c; do
      "$0" "$each" "$work/shared"
    done
    ;;
  *) fail "no such kind" ;;
esac
