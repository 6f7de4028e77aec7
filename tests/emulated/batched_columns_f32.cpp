#include <doctest/doctest.h>

#include "emulated/work_group.hpp"

#define REAL_BITS 32
#define COMPLEX 0
#define SIZE 70
#define SUB_GROUPS 12
#include "emulated/batched.hpp"
