#pragma once
/// Estimates the 1-norm of a matrix from products alone.

#include <clgauss/condition.hpp>
#include <clgauss/matrix.hpp>
#include <cstdint>
#include <random>
#include <vector>

namespace clgauss {

/// Estimates ||B||_1 of an n-by-n B from below (Higham & Tisseur, SIAM J. Matrix Anal. Appl. 21
/// (2000), algorithm 2.4). The caller computes the products, alternately by B and B^T, so several
/// estimators can run together:
///   while (!e.done()) e.answer(e.wants_transposed() ? B^T e.question() : B e.question());
/// With `pairs`, B is complex, as in LAPACK's zlacn2. B^T then means B^H, signs are z / |z|, and
/// rows 2 i and 2 i + 1 of probe vectors and products hold the parts of number i.
class NormEstimator {
 public:
  /// The first product: by B with random vectors, or by B^T with random signs in place of those of
  /// a product. In the second case half of the next probe vectors are still random. Another product
  /// by B^T then checks whether other columns of B are larger; only if so are these multiplied.
  /// Three products are nearly as good as the first case, and occasionally it takes four.
  enum class First { plain, transposed };
  /// `n` counts rows; with `pairs`, two per number.
  NormEstimator(Index n, const NormEstimateOptions& options, First first, bool pairs = false);

  [[nodiscard]] bool done() const { return done_; }
  [[nodiscard]] bool wants_transposed() const { return transposed_; }
  /// The probe vectors: a few columns, n-by-t, each with largest magnitude 1.
  [[nodiscard]] const Matrix& question() const { return question_; }
  void answer(const Matrix& product);

  /// The estimate; NaN if a product contained one.
  [[nodiscard]] double estimate() const { return estimate_; }

 private:
  /// Sets the estimate to `found` if that is larger or NaN. Returns whether it was.
  bool improve(double found);
  void hear_product(const Matrix& y);
  void hear_transposed(const Matrix& z);
  [[nodiscard]] double modulus(const Matrix& y, Index number, Index c) const;
  [[nodiscard]] std::vector<double> column_sums(const Matrix& y) const;
  [[nodiscard]] bool take_signs(const Matrix& y);
  [[nodiscard]] bool take_phases(const Matrix& y);
  void ask_unit_columns(const std::vector<Index>& rows);
  double random_sign() {  // a random number gives 64 signs
    if (signs_left_-- == 0) {
      random_ = engine_();
      signs_left_ = 63;
    }
    return (random_ >> signs_left_ & 1U) != 0 ? 1 : -1;
  }

  Index rows_of_one_, n_;  // n_ counts numbers
  Index columns_, products_;
  std::mt19937_64 engine_;
  std::uint64_t random_ = 0;
  int signs_left_ = 0;
  bool done_ = false, transposed_ = false;
  bool knows_columns_ = false;  // the estimate is the norm of a column of B
  Index heard_ = 0;             // products so far
  double estimate_ = 0;
  Matrix question_, signs_;      // signs_: the last probe vectors for B^T
  double weight_;                // 1 / the 1-norm of probe vectors that are not unit vectors
  std::vector<Index> asked_;     // the numbers of the unit vectors, which come first
  std::vector<bool> was_asked_;  // for every number: whether its unit vector was used
};

/// For factors on a device, where every column costs time. For 300 matrices of all kinds, the
/// estimate was never below 0.69 of the norm.
inline constexpr NormEstimateOptions kFewColumns{.columns = 2};

/// Columns of the largest block of vectors that estimate_trust() multiplies with kFewColumns and
/// nrhs right-hand sides.
[[nodiscard]] inline Index columns_of_trust(Index nrhs) { return kFewColumns.columns * (1 + nrhs); }

/// The first probe vectors, n-by-2, of estimates with kFewColumns of an n-by-n inverse.
[[nodiscard]] Matrix first_question(Index n);

/// A probe vector whose product with A^-1 shows how large A^-1 is. It has no pattern and no element
/// near 0. Hardly any row of A^-1 cancels in the product, least of all those of nearly equal
/// equations.
[[nodiscard]] Matrix doubt_question(Index n);
/// The signs of doubt_question().
[[nodiscard]] Values doubt_signs(Index n);

/// Whether an x of n unknowns, solved with unit roundoff `eps`, may have fewer than 3 digits.
/// `norm` is that of A, and `product` the largest magnitude of A^-1 doubt_question(). The product
/// is assumed to be at least ||A^-1|| / 1000; at most one matrix in a thousand is worse.
[[nodiscard]] bool is_doubtful(Index n, double eps, double norm, double product);

/// 1 / (||A||_1 ||A^-1||_1), at most 1, for an n-by-n A. NaN if ||A||_1 is NaN, 0 if one of the
/// norms is infinite.
[[nodiscard]] double rcond_of(Index n, double norm1_of_a, double norm1_of_inverse);

/// estimate_trust() with kFewColumns. `first`, unless empty, is A^-1 first_question() from an
/// earlier solve. The error estimates start from it, too, as if their weights were equal. This is
/// valid if the rows of A have about the same size.
[[nodiscard]] ConditionAndError estimate_trust_from(const Matrix& first,
                                                    const InverseProducts& inverse,
                                                    double norm1_of_a, const AnswerErrors& answer);

}  // namespace clgauss
