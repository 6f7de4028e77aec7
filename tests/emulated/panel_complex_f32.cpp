#define REAL_BITS 32
#define COMPLEX 1
#define LANE_ROWS 4
#include "emulated/panel.hpp"
