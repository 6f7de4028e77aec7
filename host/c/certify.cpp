// clgauss_dcertify.
#include <clgauss.h>
#include <fmt/format.h>

#include <algorithm>
#include <clgauss/certify.hpp>
#include <cstring>

#include "c/call.hpp"
#include "c/host_matrix.hpp"
#include "io/memory.hpp"

namespace clgauss::c {

namespace {

Matrix copy_of(const HostMatrix<const double>& from, const char* name) {
  io::require_memory(name, from.rows, from.columns);  // before anything is read
  Matrix own(from.rows, from.columns);
  copy(from, row_major(own.values().data(), from.rows, from.columns, from.columns));
  return own;
}

std::size_t checked_size(const clgauss_certificate* certificate) {
  constexpr std::size_t kLargest = 4096;  // above, struct_size was never set
  const std::size_t size = not_null(certificate, "certificate")->struct_size;
  if (size < sizeof(clgauss_certificate) || size > kLargest)
    throw UsageError(fmt::format(
        "certificate: struct_size is {}; set it to sizeof(clgauss_certificate), which is {} here",
        size, sizeof(clgauss_certificate)));
  return size;
}

/// What a later version's structure has more becomes 0.
void write(const Certificate& proof, clgauss_certificate* to, std::size_t size) {
  clgauss_certificate told{};
  told.struct_size = size;
  told.proven = proof.proven ? 1 : 0;
  told.norm_bound = proof.norm_bound;
  told.digits = proof.digits;
  told.norm_digits = proof.norm_digits;
  std::copy_n(proof.reason.begin(), std::min(proof.reason.size(), sizeof told.reason - 1),
              told.reason);
  std::memset(to, 0, size);
  std::memcpy(to, &told, sizeof told);
}

}  // namespace

}  // namespace clgauss::c

using namespace clgauss::c;

extern "C" clgauss_status clgauss_dcertify(clgauss_context context, int layout, size_t n,
                                           size_t nrhs, const double* a, size_t lda,
                                           const double* b, size_t ldb, const double* x, size_t ldx,
                                           double* bounds, clgauss_certificate* certificate) {
  return guarded([&] {
    const Use use(object_of(context));
    const std::size_t size = checked_size(certificate);
    const auto a_view = host_matrix(layout, n, n, a, lda, "A");
    const auto b_view = host_matrix(layout, n, nrhs, b, ldb, "B");
    const auto x_view = host_matrix(layout, n, nrhs, x, ldx, "X");
    const clgauss::System system{copy_of(a_view, "A"), copy_of(b_view, "B")};
    const clgauss::Certificate proof =
        clgauss::certify(use.context(), system, copy_of(x_view, "X"));
    if (proof.proven && bounds != nullptr) {
      const auto to = host_matrix(layout, n, nrhs, bounds, ldx, "bounds");
      copy(row_major(proof.bounds.values().data(), n, nrhs, nrhs), to);
    }
    write(proof, certificate, size);
    return CLGAUSS_OK;
  });
}
