#include <clgauss/export.hpp>

// Not revision() itself, whose name the library exports as well.
extern "C" CLGAUSS_EXPORT const char clgauss_revision[];
const char clgauss_revision[] = CLGAUSS_REVISION;
