#define REAL_BITS 64
#define LANE_ROWS 4
#include "emulated/panel.hpp"
