#define REAL_BITS 64
#include "emulated/persistent.hpp"
