#pragma once
/// The 1-norm of a matrix that is known by its products alone.

#include <clgauss/condition.hpp>
#include <clgauss/matrix.hpp>
#include <cstdint>
#include <random>
#include <vector>

namespace clgauss {

/// Estimates ||B||_1 of an n-by-n B from below (Higham & Tisseur, SIAM J. Matrix Anal. Appl. 21
/// (2000), algorithm 2.4). It asks for one product after the other, by B and by B^T in turn, so
/// that several can be run side by side:
///   while (!e.done()) e.answer(e.wants_transposed() ? B^T e.question() : B e.question());
/// Of a complex B, with `pairs`, as LAPACK's zlacn2 does: B^T is B^H then, signs are z / |z|, and
/// rows 2 i and 2 i + 1 of questions and products hold the parts of number i.
class NormEstimator {
 public:
  /// By which product it begins: with random vectors, or with random signs as if they were those of
  /// a product. Then half of the columns of the next question are random still, and by B^T it asks
  /// once more whether columns of B are larger than those that it took, and for those only where
  /// they are: three products lead nearly as far, and now and then it takes four.
  enum class First { plain, transposed };
  /// `n` rows, two a number with `pairs`.
  NormEstimator(Index n, const NormEstimateOptions& options, First first, bool pairs = false);

  [[nodiscard]] bool done() const { return done_; }
  [[nodiscard]] bool wants_transposed() const { return transposed_; }
  /// A few columns, n-by-t; 1 is the largest magnitude in each.
  [[nodiscard]] const Matrix& question() const { return question_; }
  void answer(const Matrix& product);

  /// NaN if a product held one.
  [[nodiscard]] double estimate() const { return estimate_; }

 private:
  /// Keeps the larger of the estimate and what was found, or NaN; says whether that is more than
  /// there was.
  bool improve(double found);
  void hear_product(const Matrix& y);
  void hear_transposed(const Matrix& z);
  [[nodiscard]] double modulus(const Matrix& y, Index number, Index c) const;
  [[nodiscard]] std::vector<double> column_sums(const Matrix& y) const;
  [[nodiscard]] bool take_signs(const Matrix& y);
  [[nodiscard]] bool take_phases(const Matrix& y);
  void ask_unit_columns(const std::vector<Index>& rows);
  double random_sign() {  // 64 of each random number
    if (signs_left_-- == 0) {
      random_ = engine_();
      signs_left_ = 63;
    }
    return (random_ >> signs_left_ & 1U) != 0 ? 1 : -1;
  }

  Index rows_of_one_, n_;  // n_ numbers
  Index columns_, products_;
  std::mt19937_64 engine_;
  std::uint64_t random_ = 0;
  int signs_left_ = 0;
  bool done_ = false, transposed_ = false;
  bool knows_columns_ = false;  // the estimate is the norm of a column of B
  Index heard_ = 0;             // products
  double estimate_ = 0;
  Matrix question_, signs_;      // signs_: the last question by B^T
  double weight_;                // 1 / the 1-norm of columns that are no unit columns
  std::vector<Index> asked_;     // the unit columns of the question, its first ones
  std::vector<bool> was_asked_;  // of all numbers
};

/// For factors on a device, where every column counts: of 300 matrices of all kinds the estimate
/// was never below 0.69 of the norm.
inline constexpr NormEstimateOptions kFewColumns{.columns = 2};

/// Vectors in the blocks that estimate_trust() asks for by kFewColumns with so many right-hand
/// sides.
[[nodiscard]] inline Index columns_of_trust(Index nrhs) { return kFewColumns.columns * (1 + nrhs); }

/// What estimates by kFewColumns of an n-by-n inverse are the first to multiply with it, n-by-2.
[[nodiscard]] Matrix first_question(Index n);

/// A vector of which one product with A^-1 tells how large that is: of no pattern, and no number of
/// it near 0, so that hardly a row of A^-1 cancels, those of nearly equal equations least.
[[nodiscard]] Matrix doubt_question(Index n);
/// Its signs.
[[nodiscard]] Values doubt_signs(Index n);

/// Whether an x of n unknowns, solved with unit roundoff `eps`, may have fewer than 3 digits.
/// `norm` is that of A and `product` the largest number of A^-1 doubt_question(), which may hide
/// three digits of ||A^-1||: more, once in a thousand matrices if at all.
[[nodiscard]] bool is_doubtful(Index n, double eps, double norm, double product);

/// 1 / (||A||_1 ||A^-1||_1), at most 1, of an n-by-n A; NaN where ||A||_1 is, 0 where one of them
/// is infinite.
[[nodiscard]] double rcond_of(Index n, double norm1_of_a, double norm1_of_inverse);

/// estimate_trust() by kFewColumns. `first`, if it is not empty, is A^-1 first_question(), which
/// came with a solve: the errors begin with it, too, as if their weights were equal, and so it is
/// for an A whose rows are of about one size.
[[nodiscard]] ConditionAndError estimate_trust_from(const Matrix& first,
                                                    const InverseProducts& inverse,
                                                    double norm1_of_a, const AnswerErrors& answer);

}  // namespace clgauss
