# The whole of a first program: a system, an answer, and what is known of it.
import numpy as np

import clgauss

a = np.array([[0.0, 2.0],   #      2 y = 4
              [1.0, 1.0]])  #  x +   y = 5
b = np.array([4.0, 5.0])

x = clgauss.solve(a, b)                               # on the best device there is
x, report = clgauss.solve(a, b, full_output=True)     # LinAlgError if a is singular
print(f"x = {x}, rcond {report.rcond:.2g}, backward error {report.backward_error:.1e}, on {report.device}")

factors = clgauss.lu(a)                               # kept on the device, to solve again and again
print(f"det {factors.det():g}, A^-1 b = {factors.solve(b)}, A^-T b = {factors.solve(b, trans='T')}")
