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
  void hear_product(const Matrix& y);
  void hear_transposed(const Matrix& z);
  [[nodiscard]] bool take_signs(const Matrix& y);
  void ask_unit_columns(const std::vector<Index>& rows);
  double random_sign() { return (engine_() >> 63U) != 0 ? 1 : -1; }

  Index n_, columns_, iterations_;
  std::mt19937_64 engine_;
  bool done_ = false, transposed_ = false;
  Index iteration_ = 0;
  double estimate_ = 0;
  Index best_ = 0;               // the unit column that gave the estimate
  Matrix question_, signs_;      // signs_: the last question by B^T
  double weight_ = 1;            // of a question's columns, 1 / their 1-norm
  std::vector<Index> asked_;     // the unit columns of the question
  std::vector<bool> was_asked_;  // of all rows
};

}  // namespace clgauss
