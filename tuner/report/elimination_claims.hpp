#pragma once
/// The claims of Baranov and Vlatskaya (2013), judged by the rows of one device.

#include "tuner/report/elimination_data.hpp"
#include "tuner/rows/table.hpp"

namespace clgauss::tune::report {

/// `shrinking`: what was timed of the same type with the other NDRange; null if nothing was.
[[nodiscard]] Table claims_table(const EliminationData& data,
                                 const EliminationData* shrinking = nullptr);

}  // namespace clgauss::tune::report
