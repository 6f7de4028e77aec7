#pragma once
/// Powers of two that bring the numbers of a system into the range of the type used for the solve.

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
/// S^-1. Scaling rounds nothing.
///
/// C alone changes no choice of a pivot and no bit of the solution, compared with a type of
/// unlimited range. R may change both.
struct Scaling {
  std::vector<int> rows, columns, right_hand_sides;  // exponents of R, C and S; empty: all 0
  bool finite = true;                                // no NaN and no Inf in A and B
  MatrixSize size{};                                 // of the unscaled A
  /// Whether products of two numbers of A' may underflow; a zero pivot then proves nothing.
  bool may_underflow = false;

  /// Whether A' is A.
  [[nodiscard]] bool keeps_matrix() const { return rows.empty() && columns.empty(); }
};

/// Largest magnitude of each row and column and of the whole matrix; least nonzero magnitude.
struct Sizes {
  std::vector<double> rows, columns;
  double norm1 = 0;  // the largest sum of magnitudes of a column
  double least = HUGE_VAL, largest = 0;
  bool finite = true;  // no NaN and no Inf
};

/// The sizes of row-major numbers with `columns` columns. Uses all cores.
[[nodiscard]] Sizes sizes_of(std::span<const double> values, Index columns);

/// sizes_of() of a matrix that is read anyway, each row once, on any number of threads.
class SizesByRows {
 public:
  /// Row-major `values` must outlive this. `transposed`: `values` holds the columns of the matrix
  /// one after the other.
  SizesByRows(std::span<const double> values, Index columns, bool transposed = false);
  /// Without look_at(), of a matrix with so many rows.
  SizesByRows(Index rows, Index columns);
  SizesByRows(const SizesByRows&) = delete;
  SizesByRows& operator=(const SizesByRows&) = delete;
  ~SizesByRows();

  /// The sizes of the rows that one thread reads.
  class Part;
  /// The calling thread's part. `first`: the first row that it reads, if it has read none. Fetch it
  /// once for many rows: threads that wait for each other at every row of 8 KB took four times as
  /// long.
  [[nodiscard]] Part& mine(Index first);

  void look_at(Index first, Index last);
  /// Adds row i to the calling thread's part. The numbers are in `row`.
  void look_at_row(Part& part, Index i, std::span<const double> row);
  /// The sizes, once every row was added exactly once.
  [[nodiscard]] Sizes all();

 private:
  std::span<const double> values_;
  Index columns_;
  bool transposed_;
  std::vector<double> of_rows_;
  std::mutex one_at_a_time_;
  std::map<std::thread::id, std::unique_ptr<Part>> parts_;
};

/// The matrix's norm and largest number; NaN if the matrix contains one.
[[nodiscard]] MatrixSize size_of(const Sizes& sizes);

/// Whether all numbers of A and B are finite and none needs scaling. They may be of many systems.
[[nodiscard]] bool fits_range(std::span<const double> a, std::span<const double> b, RealType type);

/// The scaling that the row-major numbers of A (n-by-n) and B (n-by-nrhs) need for a solve in
/// `type`. Without equilibration, it scales only if the range of A or of a right-hand side requires
/// it. Rows are scaled only if they are too far apart for the type. Reads A once if no scaling is
/// needed, otherwise up to five times.
[[nodiscard]] Scaling scaling_for(Index n, Index nrhs, std::span<const double> a,
                                  std::span<const double> b, RealType type,
                                  Equilibration equilibration = Equilibration::off);
[[nodiscard]] Scaling scaling_for(const System& system, RealType type,
                                  Equilibration equilibration = Equilibration::off);

/// The same for complex numbers, whose real and imaginary parts alternate in A (n-by-2n) and B
/// (n-by-2 nrhs), by the larger part of each. It has one exponent for each row, column and
/// right-hand side of numbers, and its `size` is that of the larger parts.
[[nodiscard]] Scaling complex_scaling_for(Index n, Index nrhs, std::span<const double> a,
                                          std::span<const double> b, RealType type,
                                          Equilibration equilibration = Equilibration::off);

/// The same with known sizes of A.
[[nodiscard]] Scaling scaling_for(const Sizes& sizes, Index nrhs, std::span<const double> a,
                                  std::span<const double> b, RealType type,
                                  Equilibration equilibration);

/// The same with known sizes; `transposed`: system.a holds A^T.
[[nodiscard]] Scaling scaling_for(const Sizes& sizes, const System& system, bool transposed,
                                  RealType type, Equilibration equilibration);

/// The scaling of A^T, without right-hand sides.
[[nodiscard]] Scaling transposed(const Scaling& scaling);

/// The same for Cholesky's factors of a symmetric A, with R = C. Scaling changes these factors by
/// powers of two alone, so only the range can require it. The scaled diagonal lies in [1, 4); no
/// element of a positive definite A exceeds its diagonal's largest.
[[nodiscard]] Scaling definite_scaling_for(Index n, Index nrhs, std::span<const double> a,
                                           std::span<const double> b, RealType type);
[[nodiscard]] Scaling definite_scaling_for(const Sizes& sizes, Index nrhs,
                                           std::span<const double> a, std::span<const double> b,
                                           RealType type);

/// The same for a Hermitian A of complex numbers, stored as for complex_scaling_for().
[[nodiscard]] Scaling complex_definite_scaling_for(Index n, Index nrhs, std::span<const double> a,
                                                   std::span<const double> b, RealType type);

/// The same for L D L^T of any symmetric A, with R = C. The largest number of each row then lies in
/// [1/2, 4), or as near to that as R = C allows.
[[nodiscard]] Scaling symmetric_scaling_for(const Sizes& sizes, Index nrhs,
                                            std::span<const double> a, std::span<const double> b,
                                            RealType type);

/// The same for L D L^H of any Hermitian A, stored as for complex_scaling_for().
[[nodiscard]] Scaling hermitian_scaling_for(Index n, Index nrhs, std::span<const double> a,
                                            std::span<const double> b, RealType type);

/// Number i of exponents that may be empty.
inline int exponent_at(std::span<const int> exponents, Index i) {
  return exponents.empty() ? 0 : exponents[i];
}

/// value 2^exponent, as std::ldexp computes it.
inline double times_power(double value, int exponent) {
  constexpr int kBias = 1023, kDigits = 52;
  if (exponent < 1 - kBias || exponent > kBias) return std::ldexp(value, exponent);
  return value * std::bit_cast<double>(static_cast<std::uint64_t>(exponent + kBias) << kDigits);
}

/// Writes row `row` of A' or B' to out; `values` are the row's numbers in A or B. Each span of
/// exponents may be empty. Returns the end of the output.
template <typename Real>
Real* scale_row(std::span<const double> values, std::span<const int> rows,
                std::span<const int> columns, Index row, Real* out) {
  const int by = exponent_at(rows, row);
  for (Index j = 0; j < values.size(); ++j)
    *out++ = static_cast<Real>(times_power(values[j], by + exponent_at(columns, j)));
  return out;
}

/// Scales A and B, of n > 0 rows, in place. `parts`: 2 for complex numbers, whose parts alternate.
void scale(const Scaling& scaling, Index n, Index parts, std::span<double> a, std::span<double> b);

/// Computes the n-by-nrhs X from X' in place. `parts` as above.
void scale_back(const Scaling& scaling, Index nrhs, std::span<double> x, Index parts = 1);

/// The same for the result of eliminating A'. Also records what was scaled.
void scale_back(const Scaling& scaling, EliminationResult& result);

/// Whether elimination of the n-by-n A' with partial pivoting makes a number of column `column`
/// exceed the type's largest, before that column's own step. `parts` as above; a complex pivot has
/// the largest |re| + |im|.
[[nodiscard]] bool grows_beyond(RealType type, Index n, Index parts, std::span<const double> a,
                                Index column);

}  // namespace clgauss
