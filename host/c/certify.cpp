// Proofs about answers (certify), inverses (certify_inv) and determinants (certify_det).
#include <clgauss.h>

#include <algorithm>
#include <clgauss/certify.hpp>
#include <cmath>
#include <complex>
#include <cstddef>

#include "c/call.hpp"
#include "c/in_double.hpp"
#include "c/struct_size.hpp"

namespace clgauss::c {

namespace {

/// `reason` <- the text, cut off.
template <std::size_t kSize>
void tell_reason(const std::string& text, char (&reason)[kSize]) {
  std::copy_n(text.begin(), std::min(text.size(), kSize - 1), reason);
}

clgauss_certificate told_of(const Certificate& proof) {
  clgauss_certificate told{};
  told.proven = proof.proven ? 1 : 0;
  told.norm_bound = proof.norm_bound;
  told.digits = proof.digits;
  told.norm_digits = proof.norm_digits;
  tell_reason(proof.reason, told.reason);
  return told;
}

std::complex<double> phase_of(const DeterminantCertificate& proof) {
  return static_cast<double>(proof.sign);
}
std::complex<double> phase_of(const ComplexDeterminantCertificate& proof) { return proof.phase; }
double phase_bound_of(const DeterminantCertificate& proof) { return proof.proven ? 0 : HUGE_VAL; }
double phase_bound_of(const ComplexDeterminantCertificate& proof) { return proof.phase_bound; }
int sign_of(const DeterminantCertificate& proof) { return proof.sign; }
int sign_of(const ComplexDeterminantCertificate&) { return 0; }

template <typename Proof>
clgauss_det_certificate told_of_determinant(const Proof& proof) {
  clgauss_det_certificate told{};
  told.proven = proof.proven ? 1 : 0;
  told.sign = sign_of(proof);
  told.phase[0] = phase_of(proof).real();
  told.phase[1] = phase_of(proof).imag();
  told.phase_bound = phase_bound_of(proof);
  told.log10_low = proof.log10_low;
  told.log10_high = proof.log10_high;
  told.norm_bound = proof.norm_bound;
  tell_reason(proof.reason, told.reason);
  return told;
}

/// Proves by prove() and writes the n-by-columns bounds, if there are any.
template <typename Prove>
clgauss_status tell_bounds(int layout, Index n, Index columns, Index ldx, double* bounds,
                           clgauss_certificate* certificate, const Prove& prove) {
  const std::size_t size =
      checked_size(*not_null(certificate, "certificate"), "certificate", "clgauss_certificate");
  const Certificate proof = prove();
  if (proof.proven && bounds != nullptr) {
    const auto to = host_matrix(layout, n, columns, bounds, ldx, "bounds");
    copy(row_major(proof.bounds.values().data(), n, columns, columns), to);
  }
  write(certificate, size, told_of(proof));
  return CLGAUSS_OK;
}

/// Of real or complex numbers.
template <typename Number>
clgauss_status certify_host(clgauss_context context, int layout, size_t n, size_t nrhs,
                            const Number* a, size_t lda, const Number* b, size_t ldb,
                            const Number* x, size_t ldx, double* bounds,
                            clgauss_certificate* certificate) {
  const Use use(object_of(context));
  return tell_bounds(layout, n, nrhs, ldx, bounds, certificate, [&] {
    const auto a_view = host_matrix(layout, n, n, a, lda, "A");
    const auto b_view = host_matrix(layout, n, nrhs, b, ldb, "B");
    const auto x_view = host_matrix(layout, n, nrhs, x, ldx, "X");
    return certify(use.context(), {in_double(a_view, "A"), in_double(b_view, "B")},
                   in_double(x_view, "X"));
  });
}

template <typename Number>
clgauss_status certify_inverse_host(clgauss_context context, int layout, size_t n, const Number* a,
                                    size_t lda, const Number* x, size_t ldx, double* bounds,
                                    clgauss_certificate* certificate) {
  const Use use(object_of(context));
  return tell_bounds(layout, n, n, ldx, bounds, certificate, [&] {
    const auto a_view = host_matrix(layout, n, n, a, lda, "A");
    const auto x_view = host_matrix(layout, n, n, x, ldx, "X");
    return certify_inverse(use.context(), in_double(a_view, "A"), in_double(x_view, "X"));
  });
}

/// A program that was built before the certificate had a phase may call this for real numbers.
template <typename Number>
clgauss_status certify_determinant_host(clgauss_context context, int layout, size_t n,
                                        const Number* a, size_t lda,
                                        clgauss_det_certificate* certificate) {
  const Use use(object_of(context));
  const std::size_t size =
      checked_size(*not_null(certificate, "certificate"), "certificate", "clgauss_det_certificate",
                   offsetof(clgauss_det_certificate, phase));
  const auto a_view = host_matrix(layout, n, n, a, lda, "A");
  const auto proof = certify_determinant(use.context(), in_double(a_view, "A"));
  write(certificate, size, told_of_determinant(proof));
  return CLGAUSS_OK;
}

}  // namespace

}  // namespace clgauss::c

using namespace clgauss::c;

extern "C" {

clgauss_status clgauss_dcertify(clgauss_context context, int layout, size_t n, size_t nrhs,
                                const double* a, size_t lda, const double* b, size_t ldb,
                                const double* x, size_t ldx, double* bounds,
                                clgauss_certificate* certificate) {
  return guarded([&] {
    return certify_host(context, layout, n, nrhs, a, lda, b, ldb, x, ldx, bounds, certificate);
  });
}

clgauss_status clgauss_ccertify(clgauss_context context, int layout, size_t n, size_t nrhs,
                                const void* a, size_t lda, const void* b, size_t ldb, const void* x,
                                size_t ldx, double* bounds, clgauss_certificate* certificate) {
  using Number = std::complex<float>;
  return guarded([&] {
    return certify_host(context, layout, n, nrhs, static_cast<const Number*>(a), lda,
                        static_cast<const Number*>(b), ldb, static_cast<const Number*>(x), ldx,
                        bounds, certificate);
  });
}

clgauss_status clgauss_zcertify(clgauss_context context, int layout, size_t n, size_t nrhs,
                                const void* a, size_t lda, const void* b, size_t ldb, const void* x,
                                size_t ldx, double* bounds, clgauss_certificate* certificate) {
  using Number = std::complex<double>;
  return guarded([&] {
    return certify_host(context, layout, n, nrhs, static_cast<const Number*>(a), lda,
                        static_cast<const Number*>(b), ldb, static_cast<const Number*>(x), ldx,
                        bounds, certificate);
  });
}

clgauss_status clgauss_dcertify_inv(clgauss_context context, int layout, size_t n, const double* a,
                                    size_t lda, const double* x, size_t ldx, double* bounds,
                                    clgauss_certificate* certificate) {
  return guarded([&] {
    return certify_inverse_host(context, layout, n, a, lda, x, ldx, bounds, certificate);
  });
}

clgauss_status clgauss_ccertify_inv(clgauss_context context, int layout, size_t n, const void* a,
                                    size_t lda, const void* x, size_t ldx, double* bounds,
                                    clgauss_certificate* certificate) {
  using Number = std::complex<float>;
  return guarded([&] {
    return certify_inverse_host(context, layout, n, static_cast<const Number*>(a), lda,
                                static_cast<const Number*>(x), ldx, bounds, certificate);
  });
}

clgauss_status clgauss_zcertify_inv(clgauss_context context, int layout, size_t n, const void* a,
                                    size_t lda, const void* x, size_t ldx, double* bounds,
                                    clgauss_certificate* certificate) {
  using Number = std::complex<double>;
  return guarded([&] {
    return certify_inverse_host(context, layout, n, static_cast<const Number*>(a), lda,
                                static_cast<const Number*>(x), ldx, bounds, certificate);
  });
}

clgauss_status clgauss_dcertify_det(clgauss_context context, int layout, size_t n, const double* a,
                                    size_t lda, clgauss_det_certificate* certificate) {
  return guarded([&] { return certify_determinant_host(context, layout, n, a, lda, certificate); });
}

clgauss_status clgauss_ccertify_det(clgauss_context context, int layout, size_t n, const void* a,
                                    size_t lda, clgauss_det_certificate* certificate) {
  return guarded([&] {
    return certify_determinant_host(context, layout, n, static_cast<const std::complex<float>*>(a),
                                    lda, certificate);
  });
}

clgauss_status clgauss_zcertify_det(clgauss_context context, int layout, size_t n, const void* a,
                                    size_t lda, clgauss_det_certificate* certificate) {
  return guarded([&] {
    return certify_determinant_host(context, layout, n, static_cast<const std::complex<double>*>(a),
                                    lda, certificate);
  });
}

}  // extern "C"
