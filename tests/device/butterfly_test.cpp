#include "kernels/lu/butterfly.hpp"

#include <doctest/doctest.h>

#include <array>
#include <clgauss/lab/generate.hpp>
#include <clgauss/lab/lu_spec.hpp>
#include <clgauss/residual.hpp>

#include "kernels/common/variants.hpp"
#include "support/devices.hpp"
#include "support/padded_matrix.hpp"
#include "support/thorough.hpp"

using namespace clgauss;
using clgauss::test::on_every_device;
using clgauss::test::PaddedMatrix;
using clgauss::test::rounded;

namespace {

constexpr std::uint64_t kSeed = 42;

/// Column j of W, whose rows beside are zero.
struct Column {
  struct Entry {
    Index row;
    double value;
  };
  std::vector<Entry> entries;
};

/// The rows that column j of a butterfly of `size` rows couples, which begins at row `first`, and
/// their signs.
std::vector<Column::Entry> of_butterfly(Index j, Index first, Index size, Index n) {
  const bool lower = j - first >= size / 2;
  const Index partner = lower ? j - size / 2 : j + size / 2;
  // A row whose partner is beyond the matrix is coupled with itself alone.
  if (partner >= n) return {{j, 1.0}};
  return {{j, lower ? -1.0 : 1.0}, {partner, 1.0}};
}

/// W = diag(B1, B2) B3, each B over the root of 2, by the definition.
std::vector<Column> columns_of(const std::vector<float>& numbers, Index n) {
  const Index half = (n + 3) / 4 * 2;
  std::vector<Column> columns(n);
  for (Index j = 0; j < n; ++j)
    for (const auto& [middle, outer_sign] : of_butterfly(j, 0, 2 * half, n))
      for (const auto& [row, inner_sign] : of_butterfly(middle, middle < half ? 0 : half, half, n))
        columns[j].entries.push_back(
            {row, outer_sign * inner_sign * double{numbers[middle]} * double{numbers[n + j]} / 2});
  return columns;
}

/// W^T X.
Matrix transposed_product(const std::vector<Column>& w, const Matrix& x) {
  Matrix product(x.rows(), x.cols());
  for (Index j = 0; j < w.size(); ++j)
    for (const auto& [row, value] : w[j].entries)
      for (Index c = 0; c < x.cols(); ++c) product(j, c) += value * x(row, c);
  return product;
}

/// W X.
Matrix product(const std::vector<Column>& w, const Matrix& x) {
  Matrix product(x.rows(), x.cols());
  for (Index j = 0; j < w.size(); ++j)
    for (const auto& [row, value] : w[j].entries)
      for (Index c = 0; c < x.cols(); ++c) product(row, c) += value * x(j, c);
  return product;
}

/// A W.
Matrix product(const Matrix& a, const std::vector<Column>& w) {
  Matrix product(a.rows(), a.cols());
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = 0; j < w.size(); ++j)
      for (const auto& [row, value] : w[j].entries) product(i, j) += a(i, row) * value;
  return product;
}

struct InputAndFactors {
  RealType input, factors;
};

std::vector<InputAndFactors> mixtures_of(const DeviceProfile& device) {
  if (!device.fp64) return {{RealType::f32, RealType::f32}};
  return {{RealType::f32, RealType::f32},
          {RealType::f64, RealType::f32},
          {RealType::f64, RealType::f64}};
}

}  // namespace

TEST_CASE("butterflies: the numbers are near 1, differ, and are the seed's alone") {
  const std::vector<float> u = butterfly_diagonals(Butterfly::u, 500, kSeed);
  CHECK(u == butterfly_diagonals(Butterfly::u, 500, kSeed));
  CHECK(u != butterfly_diagonals(Butterfly::v, 500, kSeed));
  CHECK(u != butterfly_diagonals(Butterfly::u, 500, kSeed + 1));
  const auto [least, most] = std::ranges::minmax_element(u);
  CHECK(*least >= 0.951F);  // exp(-1 / 20)
  CHECK(*least <= 0.953F);
  CHECK(*most <= 1.052F);
  CHECK(*most >= 1.049F);
}

TEST_CASE("butterflies: U^T A V, U^T B and V B as the definition has them") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const auto& [input, factors] : mixtures_of(device.profile))
      for (const Index n :  // 7 divides none
           test::some_of(std::vector<Index>{1, 2, 3, 4, 5, 31, 32, 33, 127, 129, 500, 1031}, 3)) {
        CAPTURE(n);
        CAPTURE(bytes_of(input));
        CAPTURE(bytes_of(factors));
        const Parameters parameters =
            usual_parameters(rbt_variants(), {device.profile, factors, n});
        KernelMemo input_kernels(context, input), kernels(context, factors);
        Butterflies butterflies(input_kernels, kernels, parameters, n, kSeed);
        butterflies.prepare();
        const auto u = columns_of(butterfly_diagonals(Butterfly::u, n, kSeed), n),
                   v = columns_of(butterfly_diagonals(Butterfly::v, n, kSeed), n);
        const double eps = unit_roundoff(factors);
        const auto check = [&](const PaddedMatrix& result, const Matrix& expected) {
          double largest = 0;
          for (const double value : expected.values()) largest = std::max(largest, std::abs(value));
          CHECK(max_difference(result.read(context, factors), expected) <= 64 * eps * largest);
        };
        const Matrix a = rounded(random_matrix(n, n, n), input);
        const PaddedMatrix da(context, input, a, 5, 3), dr(context, factors, Matrix(n, n), 7, 2);
        butterflies.two_sided(context.queue(), da.view, dr.view);
        check(dr, transposed_product(u, product(a, v)));
        CHECK(max_difference(da.read(context, input), a) == 0);
        for (const Index nrhs : {1, 3}) {
          const Matrix b = rounded(random_matrix(n, nrhs, n + 1), factors);
          // Rows leave U^T B in their new order.
          std::vector<cl_int> positions(n);
          for (Index i = 0; i < n; ++i) positions[i] = static_cast<cl_int>((i * 7 + 3) % n);
          const cl::Buffer dpositions = context.allocate(n * sizeof(cl_int), "a test");
          context.queue().enqueueWriteBuffer(dpositions, CL_TRUE, 0, n * sizeof(cl_int),
                                             positions.data());
          const Matrix transposed = transposed_product(u, b);
          Matrix expected(n, nrhs);
          for (Index i = 0; i < n; ++i)
            std::ranges::copy(transposed.row(i),
                              expected.row(static_cast<Index>(positions[i])).begin());
          const PaddedMatrix db(context, factors, b, 1, 2),
              dy(context, factors, Matrix(n, nrhs), 2, 0);
          const auto columns = static_cast<cl_uint>(nrhs);
          butterflies.transposed(context.queue(), Butterfly::u, db.view, dy.view, columns,
                                 dpositions);
          check(dy, expected);
          // And what V is applied to lies there.
          Matrix gathered(n, nrhs);
          for (Index i = 0; i < n; ++i)
            std::ranges::copy(b.row(static_cast<Index>(positions[i])), gathered.row(i).begin());
          butterflies.forward(context.queue(), Butterfly::v, db.view, dy.view, columns, dpositions);
          check(dy, product(v, gathered));
          CHECK(max_difference(db.read(context, factors), b) == 0);
        }
      }
  });
}
