"""The examples in Python, as they are; those for packages that are not installed are left out."""

import importlib.util
import pathlib
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).parents[2] / "examples"
NEEDS = {"solve.py": None, "certify.py": None, "torch_autograd.py": "torch", "jax_solve.py": "jax"}


@pytest.mark.parametrize("name", sorted(NEEDS))
def test_example(name):
    needs = NEEDS[name]
    if needs is not None and importlib.util.find_spec(needs) is None:
        pytest.skip(f"{needs} is not installed")
    done = subprocess.run([sys.executable, FOLDER / name], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_every_example_is_run():
    assert {path.name for path in FOLDER.glob("*.py")} == set(NEEDS)
