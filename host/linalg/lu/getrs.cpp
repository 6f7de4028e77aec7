#include "linalg/lu/getrs.hpp"

#include <algorithm>

#include "kernels/common/cpu_tile.hpp"

namespace clgauss {

Getrs::Getrs(const LuSetting& setting, LaswpTrsmKernels& kernels, LuUpdates& updates, bool may_wait)
    : setting_(setting), kernels_(kernels), updates_(updates) {
  if (may_wait) ways_.push_back(make_trsv_persistent(setting));
  ways_.push_back(make_trsv(setting));
}

TrsvKernel* Getrs::way_for_one() {
  if (way_) return *way_;
  const auto found =
      std::ranges::find_if(ways_, [&](const auto& way) { return trsv_works(*way, setting_); });
  way_ = found == ways_.end() ? nullptr : found->get();
  return *way_;
}

void Getrs::prepare(Index nrhs) {
  if (nrhs == 0) return;
  kernels_.prepare(kernels_.solve_block(), false);
  prepare_substitution(nrhs);
}

void Getrs::prepare_substitution(Index nrhs) {
  if (nrhs == 0) return;
  TrsvKernel* one = nrhs == 1 ? way_for_one() : nullptr;
  if (one == nullptr)
    kernels_.prepare_trsm();
  else
    for (const bool upper : {false, true}) one->build(upper);
}

void Getrs::solve(const cl::CommandQueue& queue, const MatrixView& lu, cl_uint n,
                  const cl::Buffer& pivots, const MatrixView& b, cl_uint nrhs) {
  if (nrhs == 0) return;
  const cl_uint block = kernels_.solve_block();
  for (cl_uint k = 0; k < n; k += block)  // B <- P B
    kernels_.laswp_trsm(
        queue, {lu.at(k, k), b.at(k, 0), std::min(block, n - k), nrhs, 0, 0, false, pivots, k});
  substitute(queue, lu, n, b, nrhs);
}

void Getrs::substitute(const cl::CommandQueue& queue, const MatrixView& lu, cl_uint n,
                       const MatrixView& b, cl_uint nrhs) {
  if (nrhs == 0) return;
  TrsvKernel* one = nrhs == 1 && b.ld == 1 ? way_for_one() : nullptr;
  if (one == nullptr) {
    solve_many(queue, lu, n, b, nrhs);
    return;
  }
  for (const bool upper : {false, true})  // b <- L^-1 b, b <- U^-1 b
    one->trsv(queue, lu, n, b, upper);
}

void Getrs::solve_many(const cl::CommandQueue& queue, const MatrixView& lu, cl_uint n,
                       const MatrixView& b, cl_uint nrhs) {
  const cl_uint nb = kernels_.solve_block();
  const auto solve_block = [&](cl_uint k, cl_uint size, bool upper) {
    kernels_.trsm(queue, lu.at(k, k), b.at(k, 0), size, nrhs, upper);
  };
  for (cl_uint k = 0; k < n; k += nb) {
    const cl_uint size = std::min(nb, n - k), rest = n - k - size;
    solve_block(k, size, false);  // Y_k = L_kk^-1 B_k
    updates_.update(queue, rest, nrhs, size, lu.at(k + size, k), b.at(k, 0),
                    b.at(k + size, 0));  // B_i -= L_ik Y_k
  }
  for (cl_uint block = ceil_div(n, nb); block-- > 0;) {
    const cl_uint k = block * nb, size = std::min(nb, n - k);
    solve_block(k, size, true);                                         // X_k = U_kk^-1 Y_k
    updates_.update(queue, k, nrhs, size, lu.at(0, k), b.at(k, 0), b);  // Y_i -= U_ik X_k
  }
}

ColumnSolves* FewSolves::way_for(cl_uint nrhs, bool transposed) {
  const auto found = std::ranges::find_if(ways_, [&](const auto& way) {
    return (transposed || !way->transposed_only()) &&
           way->works(std::min(nrhs, way->most_columns()));
  });
  return found == ways_.end() ? nullptr : found->get();
}

ColumnSolves& FewSolves::transposed_way_for(cl_uint nrhs) {
  if (ColumnSolves* way = way_for(nrhs, true)) return *way;
  std::vector<std::string> names;
  for (const auto& way : ways_) names.emplace_back(way->variant().name);
  memo_.none_works("transposed solves", names);
}

void FewSolves::prepare(Context& context, Index nrhs, std::initializer_list<bool> transposed) {
  const cl::CommandQueue& queue = context.queue();
  const auto zeros = [&](std::uint64_t bytes) {
    cl::Buffer buffer = context.allocate(std::max<std::uint64_t>(bytes, 1), "a first launch");
    queue.enqueueFillBuffer(buffer, cl_uchar{0}, 0, buffer.getInfo<CL_MEM_SIZE>());
    return buffer;
  };
  if (nrhs == 0) return;
  const std::size_t number_bytes = memo_.number().bytes();
  const MatrixView lu{zeros(number_bytes), 0, 1}, b{zeros(nrhs * number_bytes), 0, nrhs};
  const cl::Buffer pivots = zeros(sizeof(cl_int));
  for (const bool direction : transposed)
    solve(queue, lu, 1, order(queue, pivots, 1), b, static_cast<cl_uint>(nrhs), direction);
  queue.finish();
}

void FewSolves::prepare_transposed(Context& context, Index nrhs) {
  if (waits_ && solves_plain(nrhs))
    prepare(context, nrhs, {false, true});  // both, because the self-test also solves plainly
  else
    prepare(context, nrhs, {true});
}

bool FewSolves::prepare_faster(Context& context, Index nrhs) {
  if (!beats_products(nrhs)) return false;
  prepare(context, nrhs, {false, true});  // both, because the self-test also solves transposed
  return true;
}

void FewSolves::prepare_both(Context& context, Index nrhs) {
  const cl_uint columns = std::min(static_cast<cl_uint>(nrhs), ways_.front()->most_columns());
  if (solves_plain(columns))
    prepare(context, columns, {false, true});
  else
    prepare(context, columns, {true});
}

void FewSolves::solve(const cl::CommandQueue& queue, const MatrixView& lu, cl_uint n,
                      const RowOrder& order, const MatrixView& b, cl_uint nrhs, bool transposed) {
  for (cl_uint c = 0; c < nrhs;) {
    ColumnSolves& way = transposed ? transposed_way_for(nrhs - c) : *way_for(nrhs - c, false);
    const cl_uint columns = std::min(way.most_columns(), nrhs - c);
    way.solve(queue, lu, n, order, b.at(0, c), columns, transposed);
    c += columns;
  }
}

RowOrder FewSolves::order(const cl::CommandQueue& queue, const cl::Buffer& pivots, cl_uint n) {
  return transposed_way_for(1).order(queue, pivots, n);
}

ManySolves::Products::Products(Context& context, RealType type, Index n,
                               const GemmOptions& gemm_options)
    : memo(context, type),
      flags(context),
      parameters(default_lu_spec(context.profile(), type, n, LuFamily::gpu).parameters),
      setting{memo, flags, parameters, n},
      gemm(context, type, gemm_options),
      updates(memo, gemm),
      kernels(setting),
      solves(setting, kernels, updates, false) {}

ManySolves::ManySolves(Context& context, RealType type, Index n, const GemmOptions& gemm_options)
    : strips_(context, type, n),
      products_(strips_.works() ? nullptr
                                : std::make_unique<Products>(context, type, n, gemm_options)) {}

void ManySolves::solve(const cl::CommandQueue& queue, const MatrixView& lu, cl_uint n,
                       const cl::Buffer& pivots, const MatrixView& b, cl_uint nrhs) {
  if (products_)
    products_->solves.solve(queue, lu, n, pivots, b, nrhs);
  else
    strips_.solve(queue, lu, n, &pivots, b, nrhs);
}

void ManySolves::substitute(const cl::CommandQueue& queue, const MatrixView& lu, cl_uint n,
                            const MatrixView& b, cl_uint nrhs) {
  if (products_)
    products_->solves.substitute(queue, lu, n, b, nrhs);
  else
    strips_.solve(queue, lu, n, nullptr, b, nrhs);
}

}  // namespace clgauss
