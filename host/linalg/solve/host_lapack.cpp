#include "linalg/solve/host_lapack.hpp"

#include <dlfcn.h>

#include <clgauss/error.hpp>
#include <limits>

#include "matrix/transposed.hpp"

namespace clgauss {

namespace {

/// LAPACK's Fortran interface with 32-bit integers, as Debian builds it.
struct Library {
  using Getrf = void (*)(const int* m, const int* n, double* a, const int* lda, int* pivots,
                         int* info);
  using Getrs = void (*)(const char* trans, const int* n, const int* nrhs, const double* a,
                         const int* lda, const int* pivots, double* b, const int* ldb, int* info,
                         std::size_t trans_length);
  Getrf getrf = nullptr;
  Getrs getrs = nullptr;

  Library() {
    for (const char* name : {"liblapack.so.3", "libopenblas.so.0"}) {
      void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);  // stays open: its threads may outlive us
      if (handle == nullptr) continue;
      getrf = reinterpret_cast<Getrf>(dlsym(handle, "dgetrf_"));
      getrs = reinterpret_cast<Getrs>(dlsym(handle, "dgetrs_"));
      if (getrf != nullptr && getrs != nullptr) return;
    }
    getrf = nullptr;
  }
};

const Library& library() {
  static const Library loaded;
  return loaded;
}

}  // namespace

bool HostLapack::available() { return library().getrf != nullptr; }

HostLapack::HostLapack(const Matrix& a)
    : lu_(a.values().begin(), a.values().end()), pivots_(a.rows()) {
  if (!available()) throw UsageError("this machine has no LAPACK (liblapack3 or libopenblas0)");
  if (a.rows() > static_cast<Index>(std::numeric_limits<int>::max()))
    throw DimensionError("the system is too large for this machine's LAPACK");
  const int n = static_cast<int>(a.rows());
  int info = 0;
  library().getrf(&n, &n, lu_.data(), &n, pivots_.data(), &info);
  scaling_.size = size_of(a);
  if (info > 0) failed_ = static_cast<Index>(info - 1);
}

void HostLapack::apply_inverse(bool transposed, const Scaling& /*by: nothing*/, Matrix& x) {
  const int n = static_cast<int>(x.rows()), nrhs = static_cast<int>(x.cols());
  Values columns = clgauss::transposed(x.values(), x.rows(), x.cols());
  int info = 0;
  library().getrs(transposed ? "N" : "T", &n, &nrhs, lu_.data(), &n, pivots_.data(), columns.data(),
                  &n, &info, 1);
  x = Matrix(x.rows(), x.cols(), clgauss::transposed(columns, x.cols(), x.rows()));
}

}  // namespace clgauss
