#define REAL_BITS 64
#define COMPLEX 1
#include "emulated/persistent.hpp"
