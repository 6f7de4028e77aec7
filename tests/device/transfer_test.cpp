#include "matrix/transfer.hpp"
#include "matrix/scaling.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <numeric>

#include "support/devices.hpp"

using namespace clgauss;
using clgauss::test::on_every_device;

namespace {

/// 0.5, 1.5, 2.5 ..: all different, and none that f32 has not.
Values counted(Index count) {
  Values values(count);
  std::iota(values.begin(), values.end(), 0.5);
  return values;
}

bool arrives(const Context& context, RealType type, const Values& values) {
  const cl::Buffer buffer = context.allocate(values.size() * bytes_of(type), "a test's numbers");
  upload_values(context, buffer, type, values);
  return download(context.queue(), buffer, type, values.size()) == values;
}

/// Rows with a gap behind them.
bool arrives(const Context& context, RealType type, const Matrix& matrix) {
  const Index ld = matrix.cols() + 3;
  const MatrixView view = to_device(context, type, matrix, ld, "a test's matrix");
  const Values values = download(context.queue(), view.buffer, type, matrix.rows() * ld);
  for (Index i = 0; i < matrix.rows(); ++i)
    for (Index j = 0; j < matrix.cols(); ++j)
      if (values[i * ld + j] != matrix(i, j)) return false;
  return true;
}

/// A context for each way on every device.
void on_every_way(const std::function<void(const Device&, const Context&)>& body) {
  on_every_device([&](const Device& device) {
    for (const auto transfers : {Transfers::mapped, Transfers::pinned, Transfers::pageable}) {
      CAPTURE(transfers_name(transfers));
      ContextOptions options = ContextOptions::from_environment();
      options.transfers = transfers;
      const Context context(device, options);
      body(device, context);
      CHECK(context.transfers() == transfers);
    }
  });
}

}  // namespace

TEST_CASE("numbers arrive whichever way they take") {
  on_every_way([](const Device& device, const Context& context) {
    for (const RealType type : {RealType::f32, RealType::f64}) {
      if (type == RealType::f64 && !device.profile.fp64) continue;
      CHECK(arrives(context, type, counted(1)));
      CHECK(arrives(context, type, counted(1'000'003)));  // several chunks of every thread
      CHECK(arrives(context, type, Matrix(3, 300'000, counted(900'000))));  // rows beyond a chunk
      CHECK(arrives(context, type, Matrix(1031, 517, counted(1031 * 517))));
      CHECK(arrives(context, type, Matrix(7, 1, counted(7))));
    }
  });
}

TEST_CASE("a matrix that is given up arrives, scaled, whichever way it takes") {
  on_every_way([](const Device& /*device*/, const Context& context) {
    constexpr Index kRows = 700, kCols = 811;
    Matrix matrix(kRows, kCols, counted(kRows * kCols));
    Scaling scaling;
    scaling.columns.assign(kCols, 0);
    scaling.columns[5] = 3;
    const cl::Buffer buffer = context.allocate(kRows * kCols * sizeof(float), "a test's matrix");
    upload_and_release(context, buffer, kCols, RealType::f32, matrix, scaling);
    CHECK(matrix.empty());
    Values expected = counted(kRows * kCols);
    for (Index i = 0; i < kRows; ++i) expected[i * kCols + 5] *= 8;
    CHECK(download(context.queue(), buffer, RealType::f32, kRows * kCols) == expected);
  });
}
