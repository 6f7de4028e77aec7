#!/usr/bin/env bash
# The conda recipe as far as it can be tried without a channel: rattler-build (PyPI's py-rattler-build) renders it as it is; then it builds the
# package clgauss from this machine's libraries in place of conda-forge's, and tests what is in it. The recipe's own commands try its programs.
#   tests/package/conda.sh [BUILD_DIR]    half an hour on two cores; ends with 77 where rattler-build is not to be had
set -euo pipefail
cd "$(dirname "$0")/../.."
source .install.sh
install_packages zstd
build=$(realpath -m "${1:-${BUILD_DIR:-build}}")
work=$build/package/conda
rm -rf "$work"
mkdir -p "$work"
python3 -m venv "$work/tools"
"$work/tools/bin/pip" install --quiet --disable-pip-version-check py-rattler-build==0.73.0 pyyaml ||
  { echo "The conda recipe is not tried: PyPI's py-rattler-build is not to be had" >&2; exit 77; }
git clone --quiet . "$work/source"
cd "$work/source"
"$work/tools/bin/python" - "$work/packages" <<'END'
import pathlib
import sys
import warnings

import rattler_build
import yaml

warnings.simplefilter("ignore", DeprecationWarning)
VARIANTS = {"c_stdlib": ["sysroot"], "python": ["3.11"]}
FOLDER = "packaging/conda/"


def run(recipe, **options):
    rattler_build.build_recipes([FOLDER + recipe], channel=[], output_dir=sys.argv[1], variant_overrides=VARIANTS, **options)


run("recipe.yaml", render_only=True)
with open(FOLDER + "recipe.yaml", encoding="utf-8") as file:
    recipe = yaml.safe_load(file)
package = recipe["outputs"][0]
package["requirements"] = {}
package["build"]["script"].insert(0, "export PATH=/usr/bin:/bin:$PATH")
package["build"]["script"][1] = package["build"]["script"][1].replace("${CMAKE_ARGS}", "-DCMAKE_UNITY_BUILD=ON")
commands = [line for test in package["tests"] for line in test.get("script", [])]
pathlib.Path(sys.argv[1]).with_name("try.sh").write_text("\n".join(["set -eux", *commands, ""]), encoding="utf-8")
package["tests"] = [test for test in package["tests"] if "package_contents" in test]
recipe["outputs"] = [package]
with open(FOLDER + "without_channel.yaml", "w", encoding="utf-8") as file:
    yaml.safe_dump(recipe, file, sort_keys=False)
run("without_channel.yaml")
END
made=$(ls "$work"/packages/*/clgauss-*.conda)
ls -s --block-size=K "$made"
mkdir "$work/prefix"
cd "$work/prefix"
python3 -m zipfile -e "$made" .
tar --zstd -xf pkg-*.tar.zst
PATH=$work/prefix/bin:$PATH sh "$work/try.sh"
