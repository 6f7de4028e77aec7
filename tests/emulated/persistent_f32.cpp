#define REAL_BITS 32
#define EACH 0
#include "emulated/persistent.hpp"
