// sysv and sytrs of clgauss.h: A = L D L^T or U D U^T with the factors of LAPACK's sytrf; of
// complex numbers hesv and hetrs: L D L^H or U D U^H, as hetrf. The device stores them as L and U
// of an LU whose rows and columns are exchanged (cl/ldlt/ldlt.cl). The host does the exchanges and
// converts between the two formats. U D U^T is L D L^T of A with its rows and columns in reverse
// order.
#include <clgauss.h>
#include <fmt/format.h>

#include <algorithm>
#include <clgauss/lu.hpp>
#include <clgauss/solve.hpp>
#include <complex>
#include <concepts>
#include <optional>
#include <utility>
#include <vector>

#include "c/by_factors.hpp"
#include "c/checked.hpp"
#include "c/complex_system.hpp"
#include "linalg/lu/pivots.hpp"
#include "matrix/shapes.hpp"

namespace clgauss::c {

namespace {

template <typename Number>
Number& at(const HostMatrix<Number>& a, Index i, Index j) {
  return a.data[i * a.row_step + j * a.column_step];
}

/// Doubles of a number of which memory is asked for.
template <typename Number>
constexpr Index kDoubles = std::floating_point<Number> ? 1 : 2;
/// z without an imaginary part.
template <typename Number>
Number real_of(const Number& z) {
  return std::real(z);
}

/// exchanges[k]: the later row and column that k is exchanged with. pairs[k]: whether column k is
/// the first of a 2-by-2 pivot.
struct Pivots {
  std::vector<Index> exchanges;
  std::vector<bool> pairs;

  [[nodiscard]] bool is_second(Index k) const { return k > 0 && pairs[k - 1]; }
  /// The row exchanges of the LU, in order. The LU also swaps the two rows of each 2-by-2 pivot.
  [[nodiscard]] std::vector<Index> of_rows() const { return row_exchanges_of(exchanges, pairs); }
  /// The row of the LU's L that holds row i of L.
  [[nodiscard]] Index row_of_lu(Index i) const {
    return pairs[i] ? i + 1 : is_second(i) ? i - 1 : i;
  }
};

/// Writes ipiv as sytrf does: the entries of a 2-by-2 pivot are negative. With `reversed`, A is in
/// reverse order and so is ipiv.
void write(const Pivots& pivots, bool reversed, int32_t* ipiv) {
  const Index n = pivots.exchanges.size();
  for (Index k = 0; k < n; ++k) {
    const Index partner = pivots.exchanges[pivots.pairs[k] ? k + 1 : k];
    const auto number = static_cast<int32_t>((reversed ? n - 1 - partner : partner) + 1);
    ipiv[reversed ? n - 1 - k : k] = pivots.pairs[k] || pivots.is_second(k) ? -number : number;
  }
}

/// The inverse of write(). Throws UsageError for an ipiv that sytrf cannot have written.
Pivots pivots_of(const int32_t* ipiv, bool reversed, Index n) {
  not_null(ipiv, "ipiv");
  Pivots pivots{std::vector<Index>(n), std::vector<bool>(n)};
  for (Index k = 0; k < n; ++k) {
    const auto place = [&](Index column) { return reversed ? n - 1 - column : column; };
    const std::int64_t number = ipiv[place(k)], row = std::abs(number) - 1;
    const bool two = number < 0;
    const bool second = two && pivots.is_second(k);
    if (two && !second) pivots.pairs[k] = true;
    const auto partner = static_cast<Index>(
        row < 0 || row >= static_cast<std::int64_t>(n) ? n : place(static_cast<Index>(row)));
    const bool fits = partner < n && partner >= k && (!two || second || k + 1 < n) &&
                      (!second || ipiv[place(k - 1)] == ipiv[place(k)]);
    if (!fits)
      throw UsageError(
          fmt::format("ipiv[{}] is {}, which sytrf never writes there", place(k), number));
    pivots.exchanges[k] = two && !second ? k : partner;
  }
  return pivots;
}

/// to(i, j) <- from(n - 1 - i, n - 1 - j) of the n-by-n triangle below `to`'s diagonal.
template <typename From, typename To>
void copy_reversed_triangle(const HostMatrix<From>& from, const HostMatrix<To>& to) {
  const Index last = to.rows - 1;
  for_lower_triangle(to.rows,
                     [&](Index i, Index j) { at(to, i, j) = at(from, last - i, last - j); });
}
template <typename From, typename To>
void copy_reversed_rows(const HostMatrix<From>& from, const HostMatrix<To>& to) {
  for (Index i = 0; i < to.rows; ++i)
    for (Index j = 0; j < to.columns; ++j) at(to, i, j) = at(from, to.rows - 1 - i, j);
}

/// One or two columns of L, in memory without gaps.
template <typename Number>
struct Columns {
  explicit Columns(Index n) : first(n), second(n) {}

  std::vector<Number> first, second;
};

/// Writes L and D to the triangle of `a`, from the LU that the device computed. L's columns are
/// stored without the exchanges of later pivots, as sytrf does.
template <typename Number>
void write_factors(const HostMatrix<const Number>& lu, const Pivots& pivots,
                   const HostMatrix<Number>& a) {
  const Index n = a.rows;
  const auto write_column = [&](std::vector<Number>& column, Index k, Index behind) {
    for (Index j = n; j-- > behind;) std::swap(column[j], column[pivots.exchanges[j]]);
    for (Index i = behind; i < n; ++i) at(a, i, k) = column[i];
  };
  in_parallel(n, kElementsPerThread / n + 1, [&](Index begin, Index end) {
    Columns<Number> l(n);
    for (Index k = begin; k < end; ++k) {
      if (pivots.is_second(k)) continue;
      const bool two = pivots.pairs[k];
      const Index behind = k + (two ? 2 : 1);
      const Number u = at(lu, k, k), multiplier = two ? at(lu, k + 1, k) : Number{0};
      for (Index i = behind; i < n; ++i) {
        const Index row = pivots.row_of_lu(i);
        l.first[i] = two ? at(lu, row, k + 1) : at(lu, row, k);
        if (two) l.second[i] = at(lu, row, k) - multiplier * l.first[i];
      }
      at(a, k, k) = real_of(two ? multiplier * u : u);
      write_column(l.first, k, behind);
      if (!two) continue;
      at(a, k + 1, k) = u;
      at(a, k + 1, k + 1) = real_of(at(lu, k, k + 1));
      write_column(l.second, k + 1, behind);
    }
  });
}

/// The inverse of write_factors(): the LU from the L and D in the triangle of `a`.
template <typename Number>
void read_factors(const HostMatrix<const Number>& a, const Pivots& pivots,
                  const HostMatrix<Number>& lu) {
  const Index n = a.rows;
  const auto read_column = [&](std::vector<Number>& column, Index k, Index behind) {
    for (Index i = behind; i < n; ++i) column[i] = at(a, i, k);
    for (Index j = behind; j < n; ++j) std::swap(column[j], column[pivots.exchanges[j]]);
  };
  in_parallel(n, kElementsPerThread / n + 1, [&](Index begin, Index end) {
    Columns<Number> l(n);
    for (Index k = begin; k < end; ++k) {
      if (pivots.is_second(k)) continue;
      const bool two = pivots.pairs[k];
      const Index behind = k + (two ? 2 : 1);
      const Number d = real_of(at(a, k, k));
      read_column(l.first, k, behind);
      if (!two) {
        at(lu, k, k) = d;
        for (Index i = behind; i < n; ++i) {
          at(lu, pivots.row_of_lu(i), k) = l.first[i];
          at(lu, k, i) = d * conjugated(l.first[i]);
        }
        continue;
      }
      read_column(l.second, k + 1, behind);
      const Number u = at(a, k + 1, k), beside = real_of(at(a, k + 1, k + 1)), multiplier = d / u,
                   last = conjugated(u) - multiplier * beside;
      at(lu, k, k) = u;
      at(lu, k, k + 1) = beside;
      at(lu, k + 1, k) = multiplier;
      at(lu, k + 1, k + 1) = last;
      for (Index i = behind; i < n; ++i) {
        const Index row = pivots.row_of_lu(i);
        at(lu, row, k) = l.second[i] + multiplier * l.first[i];
        at(lu, row, k + 1) = l.first[i];
        at(lu, k, i) = u * conjugated(l.first[i]) + beside * conjugated(l.second[i]);
        at(lu, k + 1, i) = last * conjugated(l.second[i]);
      }
    }
  });
}

/// Whether the factors are A's with its rows and columns exchanged.
template <typename Number>
bool agree_exchanged(WeightedSums<Number> of_a, const HostMatrix<const Number>& lu,
                     const Pivots& pivots) {
  for (Index k = 0; k < lu.rows; ++k) std::swap(of_a.sums[k], of_a.sums[pivots.exchanges[k]]);
  return agree(of_a, lu, pivots.of_rows());
}

clgauss_status singular_or_ok(const std::optional<Index>& column, bool reversed, Index n) {
  return column ? singular(reversed ? n - 1 - *column : *column) : CLGAUSS_OK;
}

/// sysv for the lower triangle of `a`, which is the caller's matrix or, with `reversed`, a copy.
template <std::floating_point Real>
clgauss_status sysv(const Use& use, const HostMatrix<Real>& a, bool reversed, int32_t* ipiv,
                    const HostMatrix<Real>& b) {
  Context& context = use.context();
  const Index n = a.rows;
  const RealType type = choose_type(context.profile(), kRealType<Real>);
  LuOptions options;
  options.symmetric = true;
  Lu ldlt(context, type, n, options);
  const MatrixView factors = uploaded(context, constant(a), padded_ld(n, type), "A");
  MatrixView x;
  if (b.empty()) {
    ldlt.factor(factors);
  } else {
    x = uploaded(context, b, b.columns, "B");
    ldlt.factor_and_solve(factors, x, b.columns);
  }
  Checked<Real> checked(use, a, b, weighted_sums_of_symmetric(constant(a)));
  const auto column = ldlt.failed_column();
  const SymmetricPivots found = ldlt.symmetric_pivots().value();
  const Pivots pivots{found.exchanges, found.pairs};
  checked.fetch_factors(factors);
  if (!column) checked.fetch_answer(x);
  if (!agree_exchanged(checked.of_a(), checked.factors(), pivots) || !checked.has_answer())
    return out_of_range_or_wrong(checked.of_a().norm1);
  write_factors(checked.factors(), pivots, a);
  checked.write_answer();
  write(pivots, reversed, ipiv);
  return singular_or_ok(column, reversed, n);
}

/// hesv, in the same way.
template <std::floating_point Real>
clgauss_status sysv(const Use& use, const HostMatrix<std::complex<Real>>& a, bool reversed,
                    int32_t* ipiv, const HostMatrix<std::complex<Real>>& b) {
  using Number = std::complex<Real>;
  Context& context = use.context();
  const cl::CommandQueue& queue = context.queue();
  const Index n = a.rows, nrhs = b.columns;
  check_complex_counts(n, nrhs);
  io::require_memory("A copy of A and B", n, 2 * (n + nrhs));
  Values own, space_of_x(doubles_for(b));
  const auto factors = like(a, use.object().space(doubles_for(a), own).data());
  const auto x = like(b, space_of_x.data());
  LuOptions options;
  options.symmetric = true;
  std::optional<ComplexLu> ldlt;
  context.programs().prepare([&] {
    ldlt.emplace(context, choose_type(context.profile(), kRealType<Real>), n,
                 std::max<Index>(nrhs, 1), options);
  });
  const DeviceSystem<Number> system(context, ldlt->layout());
  system.write(constant(a), constant(b));
  ldlt->factor(queue, system.view());
  const WeightedSums<Number> of_a = weighted_sums_of_symmetric(constant(a));
  const auto column = ldlt->failed_column(queue);
  if (!column && nrhs > 0) {
    ldlt->solve(queue, system.view());
    (void)ldlt->failed_column(queue);  // whether it waited in vain
  }
  const SymmetricPivots found = ldlt->symmetric_pivots(queue).value();
  const Pivots pivots{found.exchanges, found.pairs};
  system.read(factors, x);
  if (!agree_exchanged(of_a, constant(factors), pivots) ||
      (!column && !is_answer(of_a, constant(b), constant(x))))
    return out_of_range_or_wrong(of_a.norm1);
  write_factors(constant(factors), pivots, a);
  if (!column && nrhs > 0) copy(x, b);
  write(pivots, reversed, ipiv);
  return singular_or_ok(column, reversed, n);
}

template <typename Number>
clgauss_status sysv(clgauss_context handle, int layout, int uplo, Index n, Index nrhs,
                    Number* a_data, Index lda, int32_t* ipiv, Number* b_data, Index ldb) {
  const Use use(object_of(handle));
  check_counts(n, nrhs);
  const auto a = host_matrix(layout, n, n, a_data, lda, "A");
  const bool reversed = is_upper(uplo);
  const auto b = host_matrix(layout, n, nrhs, b_data, ldb, "B");
  if (n == 0) return CLGAUSS_OK;
  not_null(ipiv, "ipiv");
  if (!reversed) return sysv(use, a, false, ipiv, b);
  io::require_memory("Copies of A and B", n, kDoubles<Number> * (n + nrhs));
  Values space(doubles_for(a)), space_of_b(doubles_for(b));
  const auto turned = like(a, space.data()), sides = like(b, space_of_b.data());
  copy_reversed_triangle(a, turned);
  copy_reversed_rows(b, sides);
  const clgauss_status status = sysv(use, turned, true, ipiv, sides);
  if (status != CLGAUSS_OK && status != CLGAUSS_SINGULAR) return status;
  for_lower_triangle(n, [&](Index i, Index j) { at(a, n - 1 - i, n - 1 - j) = at(turned, i, j); });
  if (status == CLGAUSS_OK) copy_reversed_rows(sides, b);
  return status;
}

template <typename Number>
clgauss_status sytrs(clgauss_context handle, int layout, int uplo, Index n, Index nrhs,
                     const Number* a_data, Index lda, const int32_t* ipiv, Number* b_data,
                     Index ldb) {
  const Use use(object_of(handle));
  check_counts(n, nrhs);
  const auto a = host_matrix(layout, n, n, a_data, lda, "A");
  const bool reversed = is_upper(uplo);
  const auto b = host_matrix(layout, n, nrhs, b_data, ldb, "B");
  if (b.empty()) return CLGAUSS_OK;
  const Pivots pivots = pivots_of(ipiv, reversed, n);
  io::require_memory("Copies of A and B", n, kDoubles<Number> * (2 * n + nrhs));
  Values space(doubles_for(a)), space_of_lu(doubles_for(a)), space_of_x(doubles_for(b));
  const auto lu = like(HostMatrix<Number>{nullptr, n, n, n, 1}, space_of_lu.data());
  if (reversed) {
    const auto turned =
        like(HostMatrix<Number>{nullptr, n, n, a.row_step, a.column_step}, space.data());
    copy_reversed_triangle(a, turned);
    read_factors(constant(turned), pivots, lu);
  } else {
    read_factors(a, pivots, lu);
  }
  if (const auto column = zero_pivot(lu)) return singular_or_ok(column, reversed, n);
  const auto x = like(b, space_of_x.data());
  if (reversed)
    copy_reversed_rows(b, x);
  else
    copy(b, x);
  exchange_rows(x, pivots.of_rows(), false);  // L U Q X = P B
  const clgauss_status status = solve_by_factors(use, triangles_of_lu(constant(lu), false), x);
  if (status != CLGAUSS_OK) return status;
  exchange_rows(x, pivots.exchanges, true);
  if (reversed)
    copy_reversed_rows(x, b);
  else
    copy(x, b);
  return CLGAUSS_OK;
}

template <typename Real>
std::complex<Real>* complex_of(void* numbers) {
  return static_cast<std::complex<Real>*>(numbers);
}
template <typename Real>
const std::complex<Real>* complex_of(const void* numbers) {
  return static_cast<const std::complex<Real>*>(numbers);
}

}  // namespace

}  // namespace clgauss::c

using namespace clgauss;
using namespace clgauss::c;

extern "C" {

clgauss_status clgauss_ssysv(clgauss_context context, int layout, int uplo, size_t n, size_t nrhs,
                             float* a, size_t lda, int32_t* ipiv, float* b, size_t ldb) {
  return guarded([&] { return sysv(context, layout, uplo, n, nrhs, a, lda, ipiv, b, ldb); });
}

clgauss_status clgauss_dsysv(clgauss_context context, int layout, int uplo, size_t n, size_t nrhs,
                             double* a, size_t lda, int32_t* ipiv, double* b, size_t ldb) {
  return guarded([&] { return sysv(context, layout, uplo, n, nrhs, a, lda, ipiv, b, ldb); });
}

clgauss_status clgauss_ssytrs(clgauss_context context, int layout, int uplo, size_t n, size_t nrhs,
                              const float* a, size_t lda, const int32_t* ipiv, float* b,
                              size_t ldb) {
  return guarded([&] { return sytrs(context, layout, uplo, n, nrhs, a, lda, ipiv, b, ldb); });
}

clgauss_status clgauss_dsytrs(clgauss_context context, int layout, int uplo, size_t n, size_t nrhs,
                              const double* a, size_t lda, const int32_t* ipiv, double* b,
                              size_t ldb) {
  return guarded([&] { return sytrs(context, layout, uplo, n, nrhs, a, lda, ipiv, b, ldb); });
}

clgauss_status clgauss_chesv(clgauss_context context, int layout, int uplo, size_t n, size_t nrhs,
                             void* a, size_t lda, int32_t* ipiv, void* b, size_t ldb) {
  return guarded([&] {
    return sysv(context, layout, uplo, n, nrhs, complex_of<float>(a), lda, ipiv,
                complex_of<float>(b), ldb);
  });
}

clgauss_status clgauss_zhesv(clgauss_context context, int layout, int uplo, size_t n, size_t nrhs,
                             void* a, size_t lda, int32_t* ipiv, void* b, size_t ldb) {
  return guarded([&] {
    return sysv(context, layout, uplo, n, nrhs, complex_of<double>(a), lda, ipiv,
                complex_of<double>(b), ldb);
  });
}

clgauss_status clgauss_chetrs(clgauss_context context, int layout, int uplo, size_t n, size_t nrhs,
                              const void* a, size_t lda, const int32_t* ipiv, void* b, size_t ldb) {
  return guarded([&] {
    return sytrs(context, layout, uplo, n, nrhs, complex_of<float>(a), lda, ipiv,
                 complex_of<float>(b), ldb);
  });
}

clgauss_status clgauss_zhetrs(clgauss_context context, int layout, int uplo, size_t n, size_t nrhs,
                              const void* a, size_t lda, const int32_t* ipiv, void* b, size_t ldb) {
  return guarded([&] {
    return sytrs(context, layout, uplo, n, nrhs, complex_of<double>(a), lda, ipiv,
                 complex_of<double>(b), ldb);
  });
}

}  // extern "C"
