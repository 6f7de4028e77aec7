# An answer without a digit, told by nobody but clgauss; then one with proven digits.
import warnings

import numpy as np

import clgauss

a = np.array([[1.0, 1e20],   # x + 1e20 y = 1e20
              [1.0, 1.0]])   # x +      y = 2:   x and y are 1, but for 1e-20
b = np.array([1e20, 2.0])
print("NumPy:             ", np.linalg.solve(a, b))  # [0. 1.], without a word

with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    print("clgauss.solve:     ", clgauss.solve(a, b), "-", told[0].message)

proof = clgauss.certify(a, b)
print("clgauss.certify:   ", proof.x, "off by at most", proof.bounds)
proof = clgauss.certify(a, b, accuracy="max")
print("with accuracy max: ", proof.x, "off by at most", proof.bounds)
assert proof.proven and proof.digits > 15

hilbert = 1 / (np.arange(14)[:, None] + np.arange(14) + 1.0)
with warnings.catch_warnings():
    warnings.simplefilter("ignore", clgauss.IllConditionedWarning)
    print("Hilbert's of 14:   ", clgauss.certify(hilbert, np.ones(14)).reason)
