#pragma once
/// One run of each launch, for tests of what is right and not of how long it takes.

#include "tuner/measure/timing.hpp"

namespace clgauss::tune {

inline const TimingOptions kUnwarmed{0, 60, {}};

}  // namespace clgauss::tune
