#pragma once
/// Powers of two that bring the numbers of a system into the range of the type it is solved in.

#include <bit>
#include <clgauss/condition.hpp>
#include <clgauss/lab/elimination.hpp>
#include <clgauss/matrix.hpp>
#include <clgauss/real_type.hpp>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

namespace clgauss {

/// A' = R A C and B' = R B S, with diagonal matrices of powers of two: A' X' = B' for X = C X'
/// S^-1. Nothing is rounded by it.
///
/// C alone leaves every choice of a pivot, and every bit of the answer, as they would be in a type
/// without limits; R does not.
struct Scaling {
  std::vector<int> rows, columns, right_hand_sides;  // exponents of R, C and S; empty: all 0
  bool finite = true;                                // no NaN and no Inf in A and B
  MatrixSize size{};                                 // of A as it is
  /// products of two numbers of A' may be below the type's range: a zero pivot proves nothing
  bool may_underflow = false;

  /// Whether A' is A.
  [[nodiscard]] bool keeps_matrix() const { return rows.empty() && columns.empty(); }
};

/// Largest magnitudes of the rows and columns of a matrix, and of all of it; the least that is not
/// 0.
struct Sizes {
  std::vector<double> rows, columns;
  double norm1 = 0;  // the largest sum of magnitudes of a column
  double least = HUGE_VAL, largest = 0;
  bool finite = true;  // no NaN and no Inf
};

/// Of row-major numbers with so many columns, by all cores.
[[nodiscard]] Sizes sizes_of(std::span<const double> values, Index columns);

/// sizes_of() of a matrix that passes by in any case, each row once, on any number of threads.
class SizesByRows {
 public:
  /// Of row-major `values`, which must outlive it; `transposed`: of the matrix of which these are
  /// the columns.
  SizesByRows(std::span<const double> values, Index columns, bool transposed = false);
  SizesByRows(const SizesByRows&) = delete;
  SizesByRows& operator=(const SizesByRows&) = delete;
  ~SizesByRows();

  void look_at(Index first, Index last);
  /// At row i alone, of which the numbers are given.
  void look_at_row(Index i, std::span<const double> row);
  /// When every row was looked at, once.
  [[nodiscard]] Sizes all();

 private:
  struct Part;
  [[nodiscard]] Part& mine(Index first);

  std::span<const double> values_;
  Index columns_;
  bool transposed_;
  std::vector<double> of_rows_;
  std::mutex one_at_a_time_;
  std::map<std::thread::id, std::unique_ptr<Part>> parts_;
};

/// Its norm and largest number; NaN if it holds one.
[[nodiscard]] MatrixSize size_of(const Sizes& sizes);

/// Whether the numbers of A and B, of one system or of many, are finite and nothing of them asks
/// for scaling.
[[nodiscard]] bool fits_range(std::span<const double> a, std::span<const double> b, RealType type);

/// What the row-major numbers of A (n-by-n) and B (n-by-nrhs) need to be solved in `type`. Without
/// equilibration nothing is scaled unless the range of A or of a right-hand side asks for it, and
/// rows only where they are too far apart for one type. Reads A once where the answer is nothing,
/// up to five times else.
[[nodiscard]] Scaling scaling_for(Index n, Index nrhs, std::span<const double> a,
                                  std::span<const double> b, RealType type,
                                  Equilibration equilibration = Equilibration::off);
[[nodiscard]] Scaling scaling_for(const System& system, RealType type,
                                  Equilibration equilibration = Equilibration::off);

/// The same where its sizes are known.
[[nodiscard]] Scaling scaling_for(const Sizes& sizes, Index nrhs, std::span<const double> a,
                                  std::span<const double> b, RealType type,
                                  Equilibration equilibration);

/// The same; `transposed`: system.a holds A^T.
[[nodiscard]] Scaling scaling_for(const Sizes& sizes, const System& system, bool transposed,
                                  RealType type, Equilibration equilibration);

/// That of A^T, without what it says of right-hand sides.
[[nodiscard]] Scaling transposed(const Scaling& scaling);

/// The same for Cholesky's factors of a symmetric A, R = C: they change with R as A does, not by a
/// bit otherwise, and so it is the range alone that may ask for it. The diagonal, which nothing of
/// a positive definite A exceeds, then comes to lie in [1, 4).
[[nodiscard]] Scaling definite_scaling_for(Index n, Index nrhs, std::span<const double> a,
                                           std::span<const double> b, RealType type);
[[nodiscard]] Scaling definite_scaling_for(const Sizes& sizes, Index nrhs,
                                           std::span<const double> a, std::span<const double> b,
                                           RealType type);

/// The same for L D L^T of any symmetric A, whose rows then have their largest numbers in [1/2, 4),
/// or as near to that as R = C brings them.
[[nodiscard]] Scaling symmetric_scaling_for(const Sizes& sizes, Index nrhs,
                                            std::span<const double> a, std::span<const double> b,
                                            RealType type);

/// value 2^exponent, as std::ldexp.
inline double times_power(double value, int exponent) {
  constexpr int kBias = 1023, kDigits = 52;
  if (exponent < 1 - kBias || exponent > kBias) return std::ldexp(value, exponent);
  return value * std::bit_cast<double>(static_cast<std::uint64_t>(exponent + kBias) << kDigits);
}

/// Row `row` of A' or B', from values(column) of A or B on to out(column), for exponents of which
/// each may be empty.
template <typename Real>
Real* scale_row(std::span<const double> values, std::span<const int> rows,
                std::span<const int> columns, Index row, Real* out) {
  const int by = rows.empty() ? 0 : rows[row];
  for (Index j = 0; j < values.size(); ++j)
    *out++ = static_cast<Real>(times_power(values[j], by + (columns.empty() ? 0 : columns[j])));
  return out;
}

/// A' and B' in place.
void scale(const Scaling& scaling, Index n, Index nrhs, std::span<double> a, std::span<double> b);

/// X from X', n-by-nrhs, in place.
void scale_back(const Scaling& scaling, Index nrhs, std::span<double> x);

/// The same for what an elimination of A' left, with what the scaling says of it.
void scale_back(const Scaling& scaling, EliminationResult& result);

/// Whether elimination with partial pivoting takes a number of column `column` of A', n-by-n,
/// beyond the largest of the type, before that column's own step.
[[nodiscard]] bool grows_beyond(RealType type, Index n, std::span<const double> a, Index column);

}  // namespace clgauss
