#include "linalg/solve/solve_again.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "constants.hpp"
#include "matrix/scaling.hpp"
#include "matrix/transfer.hpp"

namespace clgauss {

std::vector<int> exponents_of_columns(const Matrix& r, std::span<const int> rows) {
  std::vector<double> largest(r.cols(), 0.0);
  std::vector<std::optional<int>> exponents(r.cols());
  const auto hear = [&](Index c, double value, int power) {
    const int mine = std::ilogb(value) + power;
    exponents[c] = std::max(exponents[c].value_or(mine), mine);
  };
  for (Index i = 0; i < r.rows(); ++i)
    for (Index c = 0; c < r.cols(); ++c) {
      const double size = std::abs(r(i, c));
      if (!(size < kInfinity)) continue;
      if (rows.empty())
        largest[c] = std::max(largest[c], size);
      else if (size > 0)
        hear(c, size, rows[i]);
    }
  for (Index c = 0; c < r.cols(); ++c)
    if (largest[c] > 0) hear(c, largest[c], 0);
  std::vector<int> by;
  for (const std::optional<int>& exponent : exponents) by.push_back(-exponent.value_or(0));
  return std::ranges::all_of(by, [](int exponent) { return exponent == 0; }) ? std::vector<int>{}
                                                                             : by;
}

void solve_again(const Context& context, const std::function<void()>& getrs, const MatrixView& b,
                 RealType type, const Scaling& scaling, Matrix& r) {
  const Index n = r.rows(), nrhs = r.cols();
  const Scaling mine{scaling.rows, scaling.columns, exponents_of_columns(r, scaling.rows)};
  upload_rows(context, b.buffer, b.ld, type, {UploadPart(&r, mine.rows, mine.right_hand_sides)});
  getrs();
  r = Matrix(n, nrhs, download(context.queue(), b.buffer, type, n * nrhs));
  scale_back(mine, nrhs, r.values());
}

void SolveBlock::require(const Context& context, RealType type, Index rows, Index columns) {
  const std::uint64_t bytes = rows * columns * bytes_of(type);
  if (view_.buffer() == nullptr || view_.buffer.getInfo<CL_MEM_SIZE>() < bytes)
    view_.buffer = context.allocate(bytes, "a block of vectors");
  view_.ld = columns;
}

void FirstProduct::upload(const Context& context, const cl::Buffer& buffer, RealType type,
                          const Matrix& question) {
  view_ = {buffer, 0, question.cols()};
  rows_ = question.rows();
  upload_rows(context, buffer, view_.ld, type, {&question});
  state_ = State::uploaded;
}

Matrix FirstProduct::take(const cl::CommandQueue& queue, RealType type) {
  if (state_ != State::started) return {};
  state_ = State::none;
  return {rows_, view_.ld, download(queue, view_.buffer, type, rows_ * view_.ld)};
}

}  // namespace clgauss
