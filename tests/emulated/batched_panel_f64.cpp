#define REAL_BITS 64
#include "emulated/batched_panel.hpp"
