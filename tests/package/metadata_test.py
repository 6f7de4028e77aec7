#!/usr/bin/env python3
"""What packages of clgauss say they need, against what CMakeLists.txt asks for: Debian's lists in .install.sh and the pages, the vcpkg
port, the conda recipe and pyproject.toml. Versions, options and extras that they name, too."""

import json
import pathlib
import re
import tomllib
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]


def text(name):
    return (SOURCE / name).read_text()


CMAKE = text("CMakeLists.txt")
RECIPE = text("packaging/conda/recipe.yaml")
PORT = json.loads(text("packaging/vcpkg/ports/clgauss/vcpkg.json"))
PYPROJECT = tomllib.loads(text("pyproject.toml"))

# What CMakeLists.txt asks for, and who has it: Debian, vcpkg, conda.
LIBRARY = {
    "OpenCL": ("ocl-icd-opencl-dev", "opencl", "libopencl-devel"),
    "OpenCLHeaders": ("ocl-icd-opencl-dev", "opencl", "libopencl-devel"),
    "OpenCLHeadersCpp": ("opencl-clhpp-headers", "opencl", "clhpp"),
    "boost/crc": ("libboost-dev", "boost-crc", "libboost-devel"),
    "boost/uuid": ("libboost-dev", "boost-uuid", "libboost-devel"),
    "ZLIB": ("zlib1g-dev", "zlib", "zlib"),
    "nlohmann_json": ("nlohmann-json3-dev", "nlohmann-json", "nlohmann_json"),
    "fmt": ("libfmt-dev", "fmt", "fmt"),
}
FORMATS = {
    "ZIP": ("libzip-dev", "libzip", "libzip"),
    "MATIO": ("libmatio-dev", "matio", "libmatio"),
    "HDF5": ("libhdf5-dev", "hdf5", "hdf5"),
}
PROGRAMS = {
    "boost/program_options": ("libboost-program-options-dev", None, "libboost-devel"),
    "Eigen3": ("libeigen3-dev", None, "eigen"),
    "XXHASH_INCLUDE": ("libxxhash-dev", None, "xxhash"),
}
DEBIAN, VCPKG, CONDA = range(3)
TOOLS = {"cmake", "ninja-build", "g++"}
DISTRIBUTED = {"pkg-config", "libstarpu-dev", "libopenmpi-dev", "openmpi-bin"}


def of(column, *tables):
    return {names[column] for table in tables for names in table.values()}


def names(requirements):
    """Without versions and markers."""
    return {re.match(r"[\w.-]+", requirement)[0] for requirement in requirements}


def recipe_lists(kind):
    """The lists `kind` of the recipe's outputs, one after the other."""
    return [names(re.findall(r"- (\S+)", block)) for block in re.findall(rf"\n {{6}}{kind}:\n((?: {{8}}- .*\n)+)", RECIPE)]


class Metadata(unittest.TestCase):
    def test_every_need_has_a_row(self):
        asked = set(re.findall(r"^ *find_(?:package|path)\((\w+)[^)]*REQUIRED", CMAKE, re.M)) - {"Threads", "Boost"}
        self.assertEqual(asked, {name for name in [*LIBRARY, *PROGRAMS] if not name.startswith("boost/")})
        modules = dict(re.findall(r"^add_format_module\((\w+) .* (\S+-dev) ", text("host/cmake/formats.cmake"), re.M))
        self.assertEqual(modules, {name: row[DEBIAN] for name, row in FORMATS.items()})
        used = {part for folder in ("host", "tuner", "python/src") for path in (SOURCE / folder).rglob("*.[ch]pp")
                for part in re.findall(r"#include <(boost/\w+)", path.read_text())}
        self.assertEqual(used, {name for name in [*LIBRARY, *PROGRAMS] if name.startswith("boost/")})
        compiled = {part for parts in re.findall(r"find_package\(Boost [^)]*COMPONENTS ([\w ]+)", CMAKE) for part in parts.split()}
        self.assertEqual(compiled, {"program_options"})

    def test_users_of_the_static_library_find_what_it_needs(self):
        found = set(re.findall(r"^ {0,2}find_dependency\((\w+)", text("host/cmake/clgaussConfig.cmake.in"), re.M)) - {"Threads"}
        linked = {"OpenCL", "OpenCLHeaders", "OpenCLHeadersCpp", "ZLIB", "fmt"}  # the others are headers that nobody else includes
        self.assertEqual(found, linked)

    def test_debian(self):
        array = re.search(r"build_packages=\((.*?)\n\)", text(".install.sh"), re.S)[1]
        listed = set(re.sub(r"#.*", "", array).split())
        needed = of(DEBIAN, LIBRARY, FORMATS, PROGRAMS)
        self.assertEqual(listed, needed | TOOLS | DISTRIBUTED)
        for page in ("README.md", "docs/building.md"):
            missing = {name for name in needed | DISTRIBUTED if not re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text(page))}
            self.assertFalse(missing, page)

    def test_vcpkg(self):
        def ports(dependencies):
            return {each if isinstance(each, str) else each["name"] for each in dependencies if isinstance(each, str) or not each.get("host")}

        self.assertEqual(ports(PORT["dependencies"]), of(VCPKG, LIBRARY))
        self.assertEqual({port for feature in PORT["features"].values() for port in ports(feature["dependencies"])}, of(VCPKG, FORMATS))
        rows = re.search(r"FEATURES\n(.*?)\n\)", text("packaging/vcpkg/ports/clgauss/portfile.cmake"), re.S)[1]
        self.assertEqual(dict(re.findall(r"(\w+) +CLGAUSS_WITH_(\w+)", rows)), {"npz": "ZIP", "mat": "MATIO", "hdf5": "HDF5"})
        self.assertEqual(set(PORT["features"]), {"npz", "mat", "hdf5"})

    def test_conda(self):
        programs, module = recipe_lists("host")
        self.assertEqual(programs, of(CONDA, LIBRARY, FORMATS, PROGRAMS))
        self.assertEqual(module, of(CONDA, LIBRARY) | names(PYPROJECT["build-system"]["requires"]) | {"python", "pip"})
        self.assertEqual(recipe_lists("run"), [names(PYPROJECT["project"]["dependencies"]) | {"python"}])

    def test_versions(self):
        version = re.search(r"^project\(clgauss VERSION ([\d.]+)", CMAKE, re.M)[1]
        self.assertEqual(PORT["version"], version)
        self.assertEqual(re.search(r'^  version: "(.*)"$', RECIPE, re.M)[1], version)
        self.assertEqual(re.search(r"^version: (.*)$", text("CITATION.cff"), re.M)[1], version)

    def test_options_exist(self):
        there = set(re.findall(r"(?:option\(|set\()(CLGAUSS_\w+)(?= [^)]*(?:CACHE|\"|ON|OFF))", CMAKE)) | {f"CLGAUSS_WITH_{name}" for name in FORMATS}
        given = {"pyproject.toml": set(PYPROJECT["tool"]["scikit-build"]["cmake"]["define"])}
        for name in ("packaging/conda/recipe.yaml", "packaging/vcpkg/ports/clgauss/portfile.cmake", "docs/building.md", "CMakePresets.json"):
            given[name] = set(re.findall(r"-D(CLGAUSS_\w+)|\"(CLGAUSS_\w+)\":| (CLGAUSS_WITH_\w+)$", text(name), re.M))
            given[name] = {option for options in given[name] for option in options if option}
        there.add("CLGAUSS_MAINTAINER")  # host/cmake/package.cmake
        for name, options in given.items():
            self.assertTrue(options, name)
            self.assertFalse(options - there, name)

    def test_extras_exist(self):
        named = {extra for path in [*(SOURCE / "docs").glob("*.md"), *(SOURCE / "python/clgauss").glob("*.py")]
                 for extra in re.findall(r"(?:clgauss|'\.)\[(\w+)\]", path.read_text())}
        self.assertIn("cpu", named)
        self.assertFalse(named - set(PYPROJECT["project"]["optional-dependencies"]))

    def test_wheels_take_what_the_port_lists(self):
        linux = PYPROJECT["tool"]["cibuildwheel"]["linux"]
        port = re.search(r"--x-manifest-root (\S+)", " ".join(linux["before-all"]))[1]
        self.assertEqual((SOURCE / port / "vcpkg.json").resolve(), SOURCE / "packaging/vcpkg/ports/clgauss/vcpkg.json")
        self.assertIn("--exclude libOpenCL.so.1", linux["repair-wheel-command"])
        self.assertIn("--exclude libOpenCL.so.1", text("python/wheel.sh"))


if __name__ == "__main__":
    unittest.main()
