/// clgauss-builder: a helper program, started by the library, that builds OpenCL programs in a
/// separate process.
#include "program/build_processes.hpp"

int main() { return clgauss::run_builder(); }
