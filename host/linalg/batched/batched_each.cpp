#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "kernels/batched/batched_backend.hpp"
#include "kernels/lu/lu_common.hpp"
#include "linalg/lu/lu_backend.hpp"
#include "matrix/transfer.hpp"

namespace clgauss {

namespace {

/// Solves one system after another by Lu, each on all cores. Waits for each.
class BatchedEach : public BatchedBackend {
 public:
  BatchedEach(Context& context, RealType type, Index n, const BatchedLuOptions& options)
      : context_(context),
        type_(type),
        n_(n),
        solves_(make_batched_cpu(context, type, n, options)) {
    LuOptions lu;
    lu.positive_definite = options.positive_definite;
    lu_ = make_lu_backend(context, type, n, lu, lu_spec_for(context, type, n, lu));
  }

  void prepare(Index nrhs) override {
    lu_->prepare(workspace(), nrhs);
    prepare_poison(context_, type_);
  }

  void factor(const cl::CommandQueue& queue, const BatchFactors& factors) override {
    std::vector<cl_int> permutation(factors.batch * n_), info(factors.batch);
    for (Index s = 0; s < factors.batch; ++s) {
      lu_->getrf(queue, view_of(factors.lu, s));
      info[s] = info_of(queue);
      const auto rows = permutation.begin() + static_cast<std::ptrdiff_t>(s * n_);
      std::iota(rows, rows + static_cast<std::ptrdiff_t>(n_), cl_int{0});
      const std::vector<Index> pivots = lu_->pivots(queue);
      for (Index j = 0; j < n_; ++j)
        std::swap(permutation[s * n_ + j], permutation[s * n_ + pivots[j]]);
    }
    write(queue, factors.permutation, permutation);
    write(queue, factors.info, info);
  }

  void solve(const cl::CommandQueue& queue, const BatchFactors& factors, const BatchView& b,
             Index nrhs) override {
    solves_->solve(queue, factors, b, nrhs);
  }

  void factor_and_solve(const cl::CommandQueue& queue, const BatchView& a, const BatchView& b,
                        Index nrhs, Index batch, const cl::Buffer& info) override {
    const MatrixView lu = workspace();
    const std::size_t element = bytes_of(type_);
    std::vector<cl_int> outcomes(batch);
    for (Index s = 0; s < batch; ++s) {
      const MatrixView from = view_of(a, s), x = view_of(b, s);
      enqueue_copy_rows(queue, {from.buffer, from.offset * element, from.ld * element},
                        {lu.buffer, 0, lu.ld * element}, n_ * element, n_);
      if (nrhs == 0)
        lu_->getrf(queue, lu);
      else if (!lu_->gesv(queue, lu, x, nrhs))
        lu_->poison_if_failed(queue, x, nrhs);
      outcomes[s] = info_of(queue);
    }
    write(queue, info, outcomes);
  }

  [[nodiscard]] std::string name() const override { return "each"; }

 private:
  static MatrixView view_of(const BatchView& batch, Index s) {
    return {batch.buffer, batch.offset + s * batch.stride, batch.ld};
  }

  /// BatchFactors' info for the last system.
  cl_int info_of(const cl::CommandQueue& queue) {
    const std::optional<Index> failed = lu_->failed_column(queue);
    return failed ? static_cast<cl_int>(*failed) + 1 : 0;
  }

  static void write(const cl::CommandQueue& queue, const cl::Buffer& to,
                    const std::vector<cl_int>& values) {
    queue.enqueueWriteBuffer(to, CL_TRUE, 0, values.size() * sizeof(cl_int), values.data());
  }

  MatrixView workspace() {
    if (workspace_.buffer() == nullptr)
      workspace_ = {
          context_.allocate(n_ * n_ * bytes_of(type_), "the workspace of a batched solve"), 0, n_};
    return workspace_;
  }

  Context context_;
  RealType type_;
  Index n_;
  std::unique_ptr<BatchedBackend> solves_;
  std::unique_ptr<LuBackend> lu_;
  MatrixView workspace_;
};

}  // namespace

std::unique_ptr<BatchedBackend> make_batched_each(Context& context, RealType type, Index n,
                                                  const BatchedLuOptions& options) {
  return std::make_unique<BatchedEach>(context, type, n, options);
}

}  // namespace clgauss
