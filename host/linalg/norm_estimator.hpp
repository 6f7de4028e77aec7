#pragma once
/// The 1-norm of a matrix that is known by its products alone.

#include <clgauss/condition.hpp>
#include <clgauss/matrix.hpp>
#include <random>
#include <vector>

namespace clgauss {

/// Estimates ||B||_1 of an n-by-n B from below (Higham & Tisseur, SIAM J. Matrix Anal. Appl. 21 (2000), algorithm 2.4). It asks for
/// one product after the other, by B and by B^T in turn, so that several can be run side by side:
///   while (!e.done()) e.answer(e.wants_transposed() ? B^T e.question() : B e.question());
class NormEstimator {
 public:
  NormEstimator(Index n, const NormEstimateOptions& options);

  [[nodiscard]] bool done() const { return done_; }
  [[nodiscard]] bool wants_transposed() const { return transposed_; }
  /// A few columns, n-by-t; 1 is the largest magnitude in each.
  [[nodiscard]] const Matrix& question() const { return question_; }
  void answer(const Matrix& product);

  /// NaN if a product held one.
  [[nodiscard]] double estimate() const { return estimate_; }

 private:
  /// Keeps the larger of the estimate and what was found, or NaN; says whether that is more than there was.
  bool improve(double found);
  void hear_product(const Matrix& y);
  void hear_transposed(const Matrix& z);
  [[nodiscard]] bool take_signs(const Matrix& y);
  void ask_unit_columns(const std::vector<Index>& rows);
  double random_sign() { return (engine_() >> 63U) != 0 ? 1 : -1; }

  Index n_, columns_, products_;
  std::mt19937_64 engine_;
  bool done_ = false, transposed_ = false;
  bool knows_columns_ = false;  // the estimate is the norm of a column of B
  Index heard_ = 0;             // products
  double estimate_ = 0;
  Index best_ = 0;               // the unit column that gave the estimate
  Matrix question_, signs_;      // signs_: the last question by B^T
  double weight_ = 1;            // of a question's columns, 1 / their 1-norm
  std::vector<Index> asked_;     // the unit columns of the question
  std::vector<bool> was_asked_;  // of all rows
};

/// estimate_trust() with an estimator of ||A^-1||_1 that may have heard a product already: its first question costs next to nothing
/// as further right-hand sides of a solve that is done anyway.
[[nodiscard]] ConditionAndError estimate_trust(const InverseProducts& inverse, double norm1_of_a,
                                               const AnswerErrors& answer,
                                               const NormEstimateOptions& options,
                                               NormEstimator of_inverse);

}  // namespace clgauss
