#include <clgauss/version.hpp>

namespace clgauss {

const char* version() { return CLGAUSS_PROJECT_VERSION; }

const char* revision() { return CLGAUSS_REVISION; }

}  // namespace clgauss
