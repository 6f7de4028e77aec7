#include <clgauss/version.hpp>

namespace clgauss {

const char* version() { return CLGAUSS_VERSION; }

}  // namespace clgauss
