#include "linalg/lu/getrf_tall.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>

#include "kernels/lu/lu_common.hpp"
#include "linalg/lu/pivots.hpp"

namespace clgauss {

namespace {

/// Columns of a block. On a GPU they depend on n, on a CPU on the kernels for m rows.
cl_uint block_columns(Context& context, RealType type, Index m, Index n) {
  // The kernels for CPUs store candidate row numbers as numbers of A's type.
  const unsigned bits = type == RealType::f32 ? 24 : 30;
  if (m > Index{1} << bits)
    throw DimensionError(
        fmt::format("A has {} rows, more than 2^{}, in {}", m, bits, real_type_name(type)));
  if (n > m) throw DimensionError(fmt::format("A is {} x {}: more columns than rows", m, n));
  const bool is_cpu = context.profile().type == DeviceType::cpu;
  return usual_block_columns(context, type, is_cpu ? m : n);
}

}  // namespace

TallLu::TallLu(Context& context, RealType type, Index m, Index n)
    : context_(context),
      m_(static_cast<cl_uint>(m)),
      n_(static_cast<cl_uint>(n)),
      width_(block_columns(context, type, m, n)) {
  context.programs().prepare([&] {
    steps_.reset();
    steps_ = make_column_steps(context, type, m, width_);
    steps_->prepare(0);
  });
  for (cl_uint k = 0; k < n_; k += width_) {
    const cl_uint w = std::min(width_, n_ - k);
    blocks_.push_back({{{}, m_ - k, w},
                       context.allocate((w + PanelOutcome::kCount) * sizeof(cl_int), "pivots"),
                       k + 1});
  }
}

void TallLu::factor(const MatrixView& a) {
  for (FactoredBlock& block : blocks_) {
    const cl_uint k = m_ - block.block.rows, w = block.block.columns, next = k + w;
    block.block.view = a.at(k, k);
    steps_->panel(block);                                            // P A1 = L U
    if (next < n_) steps_->update(block, a.at(k, next), n_ - next);  // A2, the columns on the right
    if (k > 0) steps_->exchange(block, a.at(k, 0), k);               // the L of the earlier blocks
  }
}

std::vector<cl_int> TallLu::report_of(const FactoredBlock& block) const {
  std::vector<cl_int> numbers(block.block.columns + PanelOutcome::kCount);
  context_.queue().enqueueReadBuffer(block.pivots, CL_TRUE, 0, numbers.size() * sizeof(cl_int),
                                     numbers.data());
  return numbers;
}

std::optional<Index> TallLu::failed_column() const {
  std::optional<Index> failed;
  for (const FactoredBlock& block : blocks_) {
    const cl_uint k = m_ - block.block.rows, w = block.block.columns;
    const std::vector<cl_int> numbers = report_of(block);
    if (numbers[w + 1] != 0) lose_residency(context_, "a panel");
    if (numbers[w] >= 0 && static_cast<cl_uint>(numbers[w]) < w && !failed)
      failed = k + static_cast<Index>(numbers[w]);
  }
  return failed;
}

std::vector<Index> TallLu::pivots() const {
  std::vector<Index> rows;
  for (const FactoredBlock& block : blocks_) {
    const Index k = m_ - block.block.rows;
    const std::vector<cl_int> numbers = report_of(block);
    for (Index i = 0; i < block.block.columns; ++i)
      rows.push_back(checked_pivot_row(k + static_cast<Index>(numbers[i]), k + i, m_));
  }
  return rows;
}

}  // namespace clgauss
