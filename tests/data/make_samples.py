#!/usr/bin/env python3
"""Writes the files in this folder, which the tests read: by NumPy, SciPy and h5py, as their users do.

  python3 -m venv venv && venv/bin/pip install numpy scipy h5py && venv/bin/python tests/data/make_samples.py

Every A is [[4, 1, 2], [1, 5, 3], [0.5, 3, 6]], every b [7, 9, 9.5] = A times ones.
"""

import gzip
import pathlib

import h5py
import numpy as np
import scipy.io
import scipy.sparse

folder = pathlib.Path(__file__).parent
A = np.array([[4.0, 1, 2], [1, 5, 3], [0.5, 3, 6]])
b = A.sum(axis=1)
whole = np.array([[2, 1], [1, 3], [0, 1]])
inexact = np.array([[1, 2], [3, 2**53 + 1]])

np.savez(folder / "system.npz", A=A, b=b)
np.savez_compressed(
    folder / "kinds.npz",
    fortran=np.asfortranarray(A, dtype=">f4"),
    i1=whole.astype("i1"), u2=whole.astype(">u2"), i4=whole.astype("i4"), i8=whole, u8=whole.astype("u8"),
    bool=whole > 0, inexact=inexact, large=np.array([[2**62, -(2**63)]]), complex=A + 1j, text=np.array(["a"]), cube=np.ones((2, 2, 2)),
    nan=np.array([[1, np.nan]]))
np.savez(folder / "one.npz", anything=np.column_stack([A, b]))

columns = b.reshape(-1, 1)
scipy.io.savemat(folder / "system.mat", {"A": A, "b": columns, "comment": "A and b"})
scipy.io.savemat(folder / "compressed.mat", {"A": A, "b": columns}, do_compression=True)
scipy.io.savemat(folder / "level4.mat", {"A": A, "b": columns}, format="4")
scipy.io.savemat(
    folder / "kinds.mat",
    {"sparse": scipy.sparse.csc_matrix(A), "single": A.astype("f4"), "int32": whole.astype("i4"), "int64": whole, "inexact": inexact,
     "logical": whole > 0, "complex": A + 1j, "text": "abc", "cube": np.ones((2, 2, 2)), "structure": {"field": 1.0},
     "cell": np.array([1, "a"], dtype=object), "wide": np.arange(6.0).reshape(2, 3)})


def save_level73(path, arrays):
    """As MATLAB's save -v7.3."""
    with h5py.File(path, "w", userblock_size=512) as file:
        for name, value in arrays.items():
            kind = h5py.h5t.C_S1.copy()
            kind.set_size(6)
            if np.iscomplexobj(value):
                value = value.view([("real", "<f8"), ("imag", "<f8")])
            dataset = file.create_dataset(name, data=value.T)
            attribute = h5py.h5a.create(dataset.id, b"MATLAB_class", kind, h5py.h5s.create(h5py.h5s.SCALAR))
            attribute.write(np.array(b"double", dtype="S6"), kind)
    with open(path, "r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\x00\x02IM")


save_level73(folder / "level73.mat", {"A": A, "b": columns})

# Complex: A + i A^T, and b = A times ones.
complex_A = A + 1j * A.T
complex_arrays = {"A": complex_A, "b": complex_A.sum(axis=1).reshape(-1, 1)}
scipy.io.savemat(folder / "complex.mat", complex_arrays | {
    "real_b": columns, "sparse": scipy.sparse.csc_matrix(complex_A), "single": complex_A.astype("c8"), "row": complex_A[:1]})
scipy.io.savemat(folder / "complex_level4.mat", complex_arrays, format="4")
save_level73(folder / "complex_level73.mat", complex_arrays)

with h5py.File(folder / "system.h5", "w") as file:
    file["A"] = A
    file["b"] = b
with h5py.File(folder / "kinds.h5", "w") as file:
    file.create_dataset("group/chunks", data=A, chunks=(2, 2), compression="gzip", shuffle=True)
    file["big_endian"] = A.astype(">f4")
    file["int64"] = whole
    file["inexact"] = inexact
    file["uint8"] = whole.astype("u1")
    file["complex"] = A + 1j
    file["text"] = "abc"
    file["cube"] = np.ones((2, 2, 2))
    file["scalar"] = 1.0
    file["bool"] = whole > 0
    file["nan"] = np.array([[1, np.nan]])

lines = [" ".join(map(repr, map(float, row))) + "\n" for row in np.column_stack([A, b])]
for name, parts in {"system.txt.gz": ["".join(lines)], "members.txt.gz": lines}.items():
    (folder / name).write_bytes(b"".join(gzip.compress(part.encode(), mtime=0) for part in parts))
