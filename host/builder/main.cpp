/// clgauss-builder: the helper that builds programs beside the process that needs them. It is
/// started by the library.
#include "program/build_processes.hpp"

int main() { return clgauss::run_builder(); }
