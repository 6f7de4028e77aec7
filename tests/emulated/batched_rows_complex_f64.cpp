#include <doctest/doctest.h>

#include "emulated/work_group.hpp"

#define REAL_BITS 64
#define COMPLEX 1
#define SIZE 18
#define LANES 32
#define SYSTEMS 3
#define RHS 1
#include "emulated/batched.hpp"
