#include "kernels/batched/known_answers.hpp"

#include <fmt/format.h>

#include <clgauss/error.hpp>
#include <clgauss/residual.hpp>

#include "matrix/transfer.hpp"

namespace clgauss {

void require_batched(Context& context, RealType type, Index n, Index nrhs, bool definite,
                     const std::function<void(const BatchedQuestion&)>& solve) {
  constexpr Index kCount = 4, kSingular = 1, kZeroPivot = 2;
  Matrix a = random_of(type, kCount, n * n, 1);
  const Matrix b = random_of(type, kCount, n * nrhs, 2);
  for (Index i = 0; i < n; ++i) a(kSingular, i * n + n - 1) = 0;
  if (n > 1 && !definite) a(kZeroPivot, 0) = 0;
  Matrix given = a;
  for (Index s = 0; s < kCount; ++s)
    for (Index i = 0; i < (definite ? n : 0); ++i) {
      const bool zero = s == kSingular && i + 1 == n;
      a(s, i * n + i) = given(s, i * n + i) = zero ? 0 : 2 * static_cast<double>(n);
      for (Index j = 0; j < i; ++j) {
        if (zero) a(s, i * n + j) = given(s, i * n + j) = 0;
        a(s, j * n + i) = a(s, i * n + j);
      }
    }
  const BatchedQuestion question{
      {to_device(context, type, given, n * n, kKnownAnswer).buffer, 0, n, n * n},
      {to_device(context, type, b, n * nrhs, kKnownAnswer).buffer, 0, nrhs, n * nrhs},
      nrhs,
      kCount,
      context.allocate(kCount * sizeof(cl_int), kKnownAnswer)};
  context.queue().enqueueFillBuffer(question.info, cl_int{-1}, 0, kCount * sizeof(cl_int));
  solve(question);
  const Values x = download(context.queue(), question.b.buffer, type, kCount * n * nrhs);
  const std::vector<Index> info = rows_in(context, question.info, kCount);
  for (Index s = 0; s < kCount; ++s) {
    if (info[s] != (s == kSingular ? n : 0))
      throw WrongAnswer(fmt::format("wrong answer: system {} of {} has info {}, not {}", s, kCount,
                                    static_cast<std::int64_t>(info[s]), s == kSingular ? n : 0));
    if (s == kSingular) continue;
    require_error(
        compute_residual(n, nrhs, a.row(s), b.row(s), std::span(x).subspan(s * n * nrhs, n * nrhs),
                         unit_roundoff(type))
            .scaled,
        kScaledResidualBound, "the scaled residual");
  }
}

}  // namespace clgauss
