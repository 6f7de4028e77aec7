#define REAL_BITS 64
#define LANE_ROWS 12
#include "emulated/panel.hpp"
