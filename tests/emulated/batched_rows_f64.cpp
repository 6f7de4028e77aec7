#include <doctest/doctest.h>

#include "emulated/work_group.hpp"

#define REAL_BITS 64
#define COMPLEX 0
#define SIZE 7
#define LANES 8
#define SYSTEMS 8
#define RHS 4
#include "emulated/batched.hpp"
