#pragma once
/// gesv and getrf of host matrices; the caller has checked the arguments.

#include <complex>

#include "c/handles.hpp"
#include "c/host_matrix.hpp"

namespace clgauss::c {

/// For the n-by-n `a`, n > 0: `a` <- L and U of P A = L U, the n entries of ipiv <- the row
/// exchanges as LAPACK counts them, `b` <- A^-1 B. Statuses and guarantees are those of
/// clgauss_dgesv().
template <typename Real>
[[nodiscard]] clgauss_status gesv(const Use& use, const HostMatrix<Real>& a, int32_t* ipiv,
                                  const HostMatrix<Real>& b);
template <typename Real>
[[nodiscard]] clgauss_status gesv(const Use& use, const HostMatrix<std::complex<Real>>& a,
                                  int32_t* ipiv, const HostMatrix<std::complex<Real>>& b);

/// For the m-by-n `a`, m >= n > 0: `a` <- L and U, the n entries of ipiv <- the row exchanges.
/// Statuses and guarantees are those of clgauss_dgetrf_host().
template <typename Real>
[[nodiscard]] clgauss_status tall_getrf(const Use& use, const HostMatrix<Real>& a, int32_t* ipiv);
template <typename Real>
[[nodiscard]] clgauss_status tall_getrf(const Use& use, const HostMatrix<std::complex<Real>>& a,
                                        int32_t* ipiv);

}  // namespace clgauss::c
