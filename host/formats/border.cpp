#include "formats/border.hpp"

#include <clgauss/export.hpp>

// Of border.hpp as this module knows it; see there.
extern "C" CLGAUSS_EXPORT const char clgauss_border[];
const char clgauss_border[] = CLGAUSS_BORDER_HERE;
