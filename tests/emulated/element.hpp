/// Element, of REAL_BITS and COMPLEX, and its KIND, which is text of a test's name.

#include <complex>

#if COMPLEX
#define KIND "complex f"
using Element = std::complex<REAL>;
#else
#define KIND "f"
using Element = REAL;
#endif
