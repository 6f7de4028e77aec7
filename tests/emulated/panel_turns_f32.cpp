#define REAL_BITS 32
#define LANE_ROWS 18
#include "emulated/panel.hpp"
