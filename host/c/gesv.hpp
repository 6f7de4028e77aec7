#pragma once
/// gesv and getrf of host matrices whose arguments were looked at.

#include <complex>

#include "c/handles.hpp"
#include "c/host_matrix.hpp"

namespace clgauss::c {

/// The n-by-n `a`, n > 0, <- L and U of P A = L U, the n numbers of ipiv <- the row exchanges as
/// LAPACK counts them, `b` <- A^-1 B, all of it as clgauss_dgesv() says.
template <typename Real>
[[nodiscard]] clgauss_status gesv(const Use& use, const HostMatrix<Real>& a, int32_t* ipiv,
                                  const HostMatrix<Real>& b);
template <typename Real>
[[nodiscard]] clgauss_status gesv(const Use& use, const HostMatrix<std::complex<Real>>& a,
                                  int32_t* ipiv, const HostMatrix<std::complex<Real>>& b);

/// The m-by-n `a`, m >= n > 0, <- L and U, the n numbers of ipiv <- the row exchanges, as
/// clgauss_dgetrf_host() says.
template <typename Real>
[[nodiscard]] clgauss_status tall_getrf(const Use& use, const HostMatrix<Real>& a, int32_t* ipiv);
template <typename Real>
[[nodiscard]] clgauss_status tall_getrf(const Use& use, const HostMatrix<std::complex<Real>>& a,
                                        int32_t* ipiv);

}  // namespace clgauss::c
