#define REAL_BITS 64
#define EACH 1
#include "emulated/persistent.hpp"
