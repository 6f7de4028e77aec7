"""Kernels of a program's own, tuned by clgauss-tune."""

from __future__ import annotations

import json
import pathlib
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from clgauss import _opencl
from clgauss._contexts import Context
from clgauss._native import DeviceError

_TYPES = {"float32": "float", "float64": "double", "int8": "char", "uint8": "uchar", "int16": "short", "uint16": "ushort", "int32": "int",
          "uint32": "uint", "int64": "long", "uint64": "ulong"}
_AXES = "XYZ"
_USAGE, _INPUT, _OPENCL = 2, 3, 5  # exit codes


def _type_of(dtype: Any) -> str:
    if dtype.name not in _TYPES:
        raise TypeError(f"array type {dtype} is not supported: use one of {', '.join(_TYPES)}")
    return _TYPES[dtype.name]


def _host(array: Any) -> Any:
    """The numbers of NumPy's or pyopencl's array, in C order."""
    return np.ascontiguousarray(array.get() if _opencl.is_array(array) else array)


def _vector(array: Any, name: str, folder: pathlib.Path) -> dict[str, Any]:
    """An array as a T1 file has it: its numbers in a file of their own."""
    numbers = _host(array)
    numbers.astype(numbers.dtype.newbyteorder("<")).tofile(folder / name)
    return {"Name": name, "Type": _type_of(numbers.dtype), "MemoryType": "Vector", "Size": numbers.size, "FillType": "BinaryRaw", "DataSource": name}


def _argument(argument: Any, name: str, folder: pathlib.Path) -> dict[str, Any]:
    if isinstance(argument, np.generic):
        value = argument.item()
        return {"Name": name, "Type": _type_of(argument.dtype), "MemoryType": "Scalar", "FillValue": value}
    if isinstance(argument, np.ndarray) or _opencl.is_array(argument):
        return _vector(argument, name, folder)
    raise TypeError(f"{name} is a {type(argument).__name__}: arrays of NumPy's or pyopencl's and NumPy's numbers, as numpy.int32(5), have a type in OpenCL C")


def _reference(answer: Any, name: str, atol: float | None, folder: pathlib.Path) -> dict[str, Any]:
    expected = _vector(answer, f"{name}_answer", folder)
    reference = {"TargetName": name, "FillType": "BinaryRaw", "DataSource": expected["DataSource"]}
    largest = float(np.max(np.abs(_host(answer).astype(np.float64)), initial=0.0))
    if atol is not None and largest > 0:
        reference["ValidationThreshold"] = atol / largest
    return reference


def _product(factors: Sequence[Any] | None, default: str | None) -> str:
    names = [default] if factors is None and default else [str(factor) for factor in factors or []]
    return "*".join(f"({name})" for name in names) or "1"


def _values(values: Sequence[Any]) -> str:
    plain = [value.item() if isinstance(value, np.generic) else value for value in values]
    return "[" + ", ".join(json.dumps(value) if isinstance(value, str) else str(int(value) if isinstance(value, bool) else value) for value in plain) + "]"


def _conditions(restrictions: str | Sequence[str] | None) -> list[dict[str, Any]]:
    texts = [restrictions] if isinstance(restrictions, str) else list(restrictions or [])
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("restrictions are expressions in strings, as 'block_size_x*tile <= 1024'; functions are not supported")
    return [{"Expression": text} for text in texts]


def _run(command: list[str], folder: pathlib.Path) -> None:
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise FileNotFoundError(f"{command[0]}: clgauss-tune is a program of its own; install it, or say with program= where it is") from None
    message = done.stderr.strip()
    if done.returncode in (_USAGE, _INPUT):
        raise ValueError(message)
    if done.returncode != 0 and not (done.returncode == _OPENCL and (folder / "report.json").exists()):
        raise DeviceError(message or f"{command[0]} ended with exit code {done.returncode}")
    for line in message.splitlines():
        if "may be chance" in line or "launches fail" in line:
            warnings.warn(line, RuntimeWarning, stacklevel=3)


def _results(path: pathlib.Path) -> list[dict[str, Any]]:
    """Of each configuration tried: its parameters, its time in ms or by what it failed, and all times."""
    results = []
    for row in json.loads(path.read_text(encoding="utf-8"))["results"]:
        times = row["times"]["runtimes"]
        time = float(np.median(times)) if row["invalidity"] == "correct" else row["invalidity"]
        results.append({**row["configuration"], "time": time, "times": times, "detail": row.get("detail", "")})
    return results


def tune_kernel(
    kernel_name: str,
    kernel_source: str,
    problem_size: Any,
    arguments: Sequence[Any],
    tune_params: Mapping[str, Sequence[Any]],
    *,
    grid_div_x: Sequence[Any] | None = None,
    grid_div_y: Sequence[Any] | None = None,
    grid_div_z: Sequence[Any] | None = None,
    restrictions: str | Sequence[str] | None = None,
    answer: Sequence[Any] | None = None,
    atol: float | None = None,
    iterations: int = 5,
    block_size_names: Sequence[str] = ("block_size_x", "block_size_y", "block_size_z"),
    compiler_options: Sequence[str] = (),
    strategy: str = "model",
    max_fevals: int | None = None,
    time_limit: float | None = None,
    device: str | Context = "auto",
    program: str = "clgauss-tune",
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The fastest work-group size and macros of an OpenCL kernel, with the arguments of Kernel Tuner's function of this name.

    Every configuration is checked before it is timed. At the end the best ones are timed interleaved. The work is done by the program
    clgauss-tune, in a process of its own; arrays are copied and stay as they are.

    Parameters
    ----------
    kernel_name : str
    kernel_source : str
        OpenCL C, or the path of a file that ends in ``.cl``.
    problem_size : int or tuple of int
        Divided by the group's size, or by ``grid_div_x`` .., and rounded up, this is the number of work-groups in each dimension.
    arguments : list
        Arrays of NumPy or pyopencl, and numbers of NumPy's types.
    tune_params : dict
        The values of each macro. Those of ``block_size_names`` also give the work-group.
    grid_div_x, grid_div_y, grid_div_z : list of str, optional
        Names or expressions by whose product the problem is divided; the group's size if left out, ``[]`` for 1.
    restrictions : str or list of str, optional
        Conditions of a configuration, as ``"block_size_x * tile <= 1024"``.
    answer : list, optional
        For each argument the array that it must hold afterwards, or None, which is not compared. Without `answer` every configuration must
        give the same as the first one.
    atol : float, optional
        The error that is allowed. By default 1e-4 of the largest number in float32, 1e-10 in float64.
    iterations : int, optional
        Timed runs of each configuration.
    compiler_options : list of str, optional
    strategy : str, optional
        ``"model"``, ``"random"`` or ``"exhaustive"``.
    max_fevals : int, optional
        Configurations to try; ``time_limit`` seconds to search. Without both, 60 s.
    device : str or Context, optional
    program : str, optional
        Where clgauss-tune is, if not on the PATH.

    Returns
    -------
    results : list of dict
        For each configuration tried: its parameters; ``"time"``, the median in ms or the word for its failure (compile, runtime, correctness,
        timeout, constraints), ``"times"`` and ``"detail"``.
    env : dict
        ``"best"`` (global, local, macros, median_s of the last comparison), ``"noise"``, ``"control_floor"``, ``"failures"``.

    Raises
    ------
    ValueError
        The arguments do not fit the kernel, or the restrictions leave no configuration.
    DeviceError
        There is no such device, or no configuration works.

    Warns
    -----
    RuntimeWarning
        The machine is too noisy to be sure of the winner, or most configurations fail.

    Examples
    --------
    >>> import clgauss, numpy as np
    >>> source = "kernel void twice(global float* y, global const float* x) { int i = get_global_id(0); y[i] = 2 * x[i]; }"
    >>> x = np.arange(1024, dtype=np.float32)
    >>> import warnings; warnings.simplefilter("ignore")  # of a machine that does more than this
    >>> results, env = clgauss.tune_kernel("twice", source, 1024, [np.zeros_like(x), x], {"block_size_x": [16, 32]},
    ...                                    answer=[2 * x, None], device="pocl")
    >>> sorted(result["block_size_x"] for result in results)
    [16, 32]
    >>> all(result["time"] > 0 for result in results)
    True
    """
    sizes = [int(size) for size in (problem_size if isinstance(problem_size, (tuple, list)) else (problem_size,))]
    if not 1 <= len(sizes) <= len(_AXES):
        raise ValueError(f"problem_size has {len(sizes)} dimensions; there are one to three")
    if answer is not None and len(answer) != len(arguments):
        raise ValueError(f"answer has {len(answer)} entries for {len(arguments)} arguments; None stands for one that is not compared")
    blocks = [name if name in tune_params else None for name in block_size_names]
    divisors = [_product(factors, block) for factors, block in zip((grid_div_x, grid_div_y, grid_div_z), blocks, strict=False)]
    name = str(shutil.which(program) or program)
    with tempfile.TemporaryDirectory(prefix="clgauss-tune-") as scratch:
        folder = pathlib.Path(scratch)
        if kernel_source.endswith(".cl"):
            kernel_file = pathlib.Path(kernel_source).resolve()
        else:
            kernel_file = folder / "kernel.cl"
            kernel_file.write_text(kernel_source, encoding="utf-8")
        task = {
            "ConfigurationSpace": {"TuningParameters": [{"Name": key, "Values": _values(values)} for key, values in tune_params.items()],
                                   "Conditions": _conditions(restrictions)},
            "KernelSpecification": {
                "Language": "OpenCL", "KernelName": kernel_name, "KernelFile": str(kernel_file), "CompilerOptions": list(compiler_options),
                "GlobalSizeType": "CUDA",  # counts work-groups
                "GlobalSize": {axis: f"ceil_div({size}, {divisor})" for axis, size, divisor in zip(_AXES, sizes, divisors, strict=False)},
                "LocalSize": {axis: block or "1" for axis, block, _ in zip(_AXES, blocks, sizes, strict=False)},
                "Arguments": [_argument(argument, f"argument_{i}", folder) for i, argument in enumerate(arguments)],
                "ReferenceArguments": [_reference(one, f"argument_{i}", atol, folder) for i, one in enumerate(answer or []) if one is not None],
            },
        }
        (folder / "task.json").write_text(json.dumps(task), encoding="utf-8")
        command = [name, "kernel", "task.json", "-o", "results", "--json", "report.json", "-q", "--reps", str(iterations), "--strategy", strategy,
                   "--device", device.device.spec if isinstance(device, Context) else device]
        if max_fevals is not None:
            command += ["--evaluations", str(max_fevals)]
        if time_limit is not None:
            command += ["--budget", f"{time_limit}s"]
        _run(command, folder)
        return _results(folder / "results" / "search_T4.json"), json.loads((folder / "report.json").read_text(encoding="utf-8"))
