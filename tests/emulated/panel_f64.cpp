#define REAL_BITS 64
#define LANE_ROWS 3
#include "emulated/panel.hpp"
