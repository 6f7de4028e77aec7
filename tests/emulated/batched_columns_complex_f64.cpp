#include <doctest/doctest.h>

#include "emulated/work_group.hpp"

#define REAL_BITS 64
#define COMPLEX 1
#define SIZE 40
#define SUB_GROUPS 8
#include "emulated/batched.hpp"
