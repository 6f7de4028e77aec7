#pragma once
/// The claims of Baranov and Vlatskaya (2013), judged by the rows of one device.

#include "tuner/report/elimination_data.hpp"
#include "tuner/rows/table.hpp"

namespace clgauss::tune::report {

[[nodiscard]] Table claims_table(const EliminationData& data);

}  // namespace clgauss::tune::report
