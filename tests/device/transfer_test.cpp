#include "matrix/transfer.hpp"
#include "matrix/scaling.hpp"

#include <doctest/doctest.h>

#include <clgauss/lab/generate.hpp>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "c/host_transfer.hpp"
#include "launch/staging.hpp"
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

/// A caller's matrix, its outer runs `ld` apart, there and back; what lies between them is left.
template <typename Real>
bool comes_back(Context& context, int layout, Index rows, Index columns, std::size_t strip_bytes) {
  const bool by_rows = layout == CLGAUSS_ROW_MAJOR;
  const Index ld = (by_rows ? columns : rows) + 2, outer = by_rows ? rows : columns;
  std::vector<Real> there(outer * ld), back(outer * ld, Real(-1));
  std::iota(there.begin(), there.end(), Real(0.5));
  const auto from = c::host_matrix<const Real>(layout, rows, columns, there.data(), ld, "A");
  const auto to = c::host_matrix<Real>(layout, rows, columns, back.data(), ld, "A");
  const Index device_ld = columns == 1 ? 1 : columns + 3;
  const MatrixView view{context.allocate(rows * device_ld * sizeof(Real), "a test"), 0, device_ld};
  c::upload(context, from, view, strip_bytes);
  const Values seen = download(context.queue(), view.buffer, c::kRealType<Real>, rows * device_ld);
  c::download(context, view, to, strip_bytes);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j) {
      const Index at = i * from.row_step + j * from.column_step;
      if (seen[i * device_ld + j] != double{there[at]} || back[at] != there[at]) return false;
    }
  for (Index o = 0; o + 1 < outer; ++o)
    if (back[o * ld + ld - 1] != Real(-1)) return false;
  return true;
}

/// A context for each way on every device.
void on_every_way(const std::function<void(const Device&, Context&)>& body) {
  on_every_device([&](const Device& device) {
    for (const auto transfers : {Transfers::mapped, Transfers::pinned, Transfers::pageable}) {
      CAPTURE(transfers_name(transfers));
      ContextOptions options = ContextOptions::from_environment();
      options.transfers = transfers;
      Context context(device, options);
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
      CHECK(arrives(context, type, counted(1'000'003)));  // by several threads
      CHECK(arrives(context, type, counted(5'000'011)));  // several chunks of every thread
      CHECK(arrives(context, type, Matrix(2, 4'000'003, counted(8'000'006))));  // long rows
      CHECK(arrives(context, type, Matrix(1031, 517, counted(1031 * 517))));
      CHECK(arrives(context, type, Matrix(7, 1, counted(7))));
    }
  });
}

TEST_CASE("a caller's matrix of either layout goes there and comes back, in one strip or many") {
  on_every_way([](const Device& device, Context& context) {
    for (const int layout : {CLGAUSS_ROW_MAJOR, CLGAUSS_COLUMN_MAJOR}) {
      CAPTURE(layout);
      for (const auto& [rows, columns] :
           {std::pair<Index, Index>{1, 1}, {1, 37}, {37, 1}, {16, 16}, {130, 517}, {1031, 33}}) {
        CAPTURE(rows);
        CAPTURE(columns);
        for (const std::size_t strip_bytes : {std::size_t{1}, std::size_t{10'000}, kStripBytes}) {
          CHECK(comes_back<float>(context, layout, rows, columns, strip_bytes));
          if (device.profile.fp64)
            CHECK(comes_back<double>(context, layout, rows, columns, strip_bytes));
        }
      }
    }
  });
}

TEST_CASE("a caller's large matrix goes there and comes back in many chunks") {
  on_every_way([](const Device& device, Context& context) {
    for (const int layout : {CLGAUSS_ROW_MAJOR, CLGAUSS_COLUMN_MAJOR}) {
      CAPTURE(layout);
      CHECK(comes_back<float>(context, layout, 2203, 2501, kStripBytes));
      if (device.profile.fp64) CHECK(comes_back<double>(context, layout, 2203, 2501, kStripBytes));
    }
  });
}

TEST_CASE("a large matrix is measured on its way, with the same bits each time") {
  on_every_way([](const Device& /*device*/, Context& context) {
    constexpr Index kRows = 3001, kCols = 1501;
    const Matrix matrix = random_matrix(kRows, kCols, 1);
    const cl::Buffer buffer = context.allocate(kRows * kCols * sizeof(float), "a test's matrix");
    const auto measured = [&] {
      return upload_and_measure(context, buffer, kCols, RealType::f32, matrix);
    };
    const Sizes lying = sizes_of(matrix.values(), kCols), passing = measured();
    CHECK(passing.rows == lying.rows);
    CHECK(passing.columns == lying.columns);
    CHECK(passing.norm1 == doctest::Approx(lying.norm1).epsilon(1e-13));
    for (int turn = 0; turn < 3; ++turn) CHECK(measured().norm1 == passing.norm1);
  });
}

TEST_CASE("a matrix is measured on its way as where it lies") {
  on_every_way([](const Device& /*device*/, Context& context) {
    constexpr Index kRows = 700, kCols = 811;
    Matrix matrix(kRows, kCols, counted(kRows * kCols));
    for (Index i = 0; i < kRows; i += 3) matrix(i, 7) = -matrix(i, 7);
    matrix(5, 6) = 0;
    const cl::Buffer buffer = context.allocate(kRows * kCols * sizeof(float), "a test's matrix");
    const Sizes passing = upload_and_measure(context, buffer, kCols, RealType::f32, matrix),
                lying = sizes_of(matrix.values(), kCols);
    CHECK(passing.rows == lying.rows);
    CHECK(passing.columns == lying.columns);
    CHECK(passing.norm1 == doctest::Approx(lying.norm1).epsilon(1e-13));
    CHECK(passing.least == lying.least);
    CHECK(passing.largest == lying.largest);
    CHECK(passing.finite);
    const auto numbers = matrix.values();
    CHECK(download(context.queue(), buffer, RealType::f32, kRows * kCols) ==
          Values(numbers.begin(), numbers.end()));
    matrix(699, 3) = std::numeric_limits<double>::quiet_NaN();
    CHECK_FALSE(upload_and_measure(context, buffer, kCols, RealType::f32, matrix).finite);
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
