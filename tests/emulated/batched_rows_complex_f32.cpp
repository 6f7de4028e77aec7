#include <doctest/doctest.h>

#include "emulated/work_group.hpp"

#define REAL_BITS 32
#define COMPLEX 1
#define SIZE 5
#define LANES 8
#define SYSTEMS 8
#define RHS 2
#include "emulated/batched.hpp"
