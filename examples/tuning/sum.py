# Prints the sum of the f32 numbers of an .npy file. With NumPy: print(numpy.load(sys.argv[1]).sum(dtype="f8"))
import array
import math
import sys

with open(sys.argv[1], "rb") as file:
    file.seek(8)
    file.seek(int.from_bytes(file.read(2), "little"), 1)  # behind the header
    print(math.fsum(array.array("f", file.read())))
