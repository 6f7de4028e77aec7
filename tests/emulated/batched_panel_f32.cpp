#define REAL_BITS 32
#include "emulated/batched_panel.hpp"
