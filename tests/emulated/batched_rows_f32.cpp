#include <doctest/doctest.h>

#include "emulated/work_group.hpp"

#define REAL_BITS 32
#define COMPLEX 0
#define SIZE 20
#define LANES 32
#define SYSTEMS 3
#define RHS 32
#include "emulated/batched.hpp"
