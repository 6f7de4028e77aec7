#define REAL_BITS 32
#define COMPLEX 1
#include "emulated/persistent.hpp"
