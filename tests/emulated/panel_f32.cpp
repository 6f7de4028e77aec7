#define REAL_BITS 32
#define LANE_ROWS 2
#include "emulated/panel.hpp"
