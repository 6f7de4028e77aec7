#include "linalg/lu/kept_lu.hpp"

#include "linalg/lu/pivots.hpp"
#include "matrix/shapes.hpp"

namespace clgauss {

LuWork LuWork::without_backend(const Context& context, RealType type, Index n, Index nrhs,
                               Index question_columns, const std::string& what) {
  const auto columns = [&](Index count) {
    return context.allocate(n * count * bytes_of(type), what);
  };
  return {.b = columns(nrhs),
          .diagonal = columns(1),
          .question = question_columns > 0 ? columns(question_columns) : cl::Buffer()};
}

void LuWork::build(Context& context, RealType type, const MatrixView& a, Index n, Index nrhs,
                   const LuOptions& options, bool by_gesv) {
  backend.reset();
  backend =
      make_lu_backend(context.observer(), type, n, options, lu_spec_for(context, type, n, options));
  if (by_gesv)
    backend->prepare_gesv(a, nrhs);
  else
    backend->prepare(a, nrhs);
  diagonal_kernel = backend->diagonal_kernel();
  if (!diagonal_kernel) diagonal_kernel = prepared_diagonal_kernel(context, type);
}

PassingLu::PassingLu(Context& context, RealType type, Index n, Index nrhs, const LuOptions& options)
    : context_(context), nrhs_(nrhs), kind_(KeptLu::kind_of(type, n, nrhs, 0, 0, options)) {
  if (std::optional<LuWork> kept = context.kept_lu().take(kind_)) {
    work_ = *std::move(kept);
    return;
  }
  work_ = LuWork::without_backend(context, type, n, nrhs, 0, "the workspace of an LU");
  const MatrixView a{{}, 0, padded_ld(n, type)};
  context.programs().prepare([&] { work_.build(context, type, a, n, nrhs, options, nrhs > 0); });
}

void PassingLu::factor_and_solve(const MatrixView& a) {
  const cl::CommandQueue& queue = context_.queue();
  if (nrhs_ == 0)
    work_.backend->getrf(queue, a);
  else
    (void)work_.backend->gesv(queue, a, b(), nrhs_);
}

std::optional<Index> PassingLu::failed_column() {
  return work_.backend->failed_column(context_.queue());
}

std::vector<Index> PassingLu::pivots() { return work_.backend->pivots(context_.queue()); }

void PassingLu::give_back() {
  if (kind_) context_.kept_lu().give(*kind_, std::move(work_));
}

}  // namespace clgauss
