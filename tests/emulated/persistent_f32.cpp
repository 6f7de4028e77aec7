#define REAL_BITS 32
#include "emulated/persistent.hpp"
