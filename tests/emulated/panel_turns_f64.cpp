#define REAL_BITS 64
#define LANE_ROWS 16
#include "emulated/panel.hpp"
