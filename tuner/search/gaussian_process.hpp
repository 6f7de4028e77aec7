#pragma once
/// Regression that knows how sure it is, for some hundred observations.

#include <Eigen/Core>
#include <cstddef>
#include <random>
#include <span>
#include <vector>

namespace clgauss::tune {

/// A table of numbers, row-major: one row a configuration, one column a feature.
struct FeatureTable {
  std::size_t columns = 0;
  std::vector<float> values;

  [[nodiscard]] std::size_t rows() const { return columns == 0 ? 0 : values.size() / columns; }
  [[nodiscard]] std::span<const float> row(std::size_t i) const {
    return std::span(values).subspan(i * columns, columns);
  }
};

/// A Gaussian process with a Matern-5/2 kernel and one length scale a feature (Rasmussen and
/// Williams, Gaussian Processes for Machine Learning, 2006, algorithm 2.1 and section 4.2).
/// Features should span about 0 .. 1. n observations and M candidates take n (n + M) numbers.
class GaussianProcess {
 public:
  struct Scales {
    std::vector<double> inverse_lengths;  // one a feature
    double noise = 1e-3;                  // variance, in that of the function
  };

  /// Predicts at the rows of `candidates`.
  explicit GaussianProcess(const FeatureTable& candidates);

  /// What fit() changes; by this it goes from one process to the next.
  [[nodiscard]] const Scales& scales() const noexcept { return scales_; }
  void set_scales(const Scales& scales);

  /// Observed at row `candidate`. O(n M).
  void observe(std::size_t candidate);

  /// Moves the length scales and the noise uphill by `trials` random steps in the marginal
  /// likelihood of the observations `targets`, which have mean 0 and variance 1. O(trials n^3).
  void fit(std::span<const double> targets, int trials, std::mt19937_64& generator);

  /// Mean and standard deviation at each candidate, given the observations' values. O(n M) more
  /// than after the last call, and O(n^2 M) after a fit.
  void predict(std::span<const double> targets, std::vector<float>& mean,
               std::vector<float>& deviation);

 private:
  struct Factor {
    Eigen::MatrixXd lower;    // L of K + noise I = L L^T
    Eigen::VectorXd weights;  // L^-1 targets
    double variance = 1;      // of the function: the value of the largest likelihood
    double penalty = 0;       // negative log of likelihood times prior
  };

  [[nodiscard]] Factor factor(const Scales& scales, std::span<const double> targets) const;
  void add_rows(const Factor& factor);

  Eigen::ArrayXXf candidates_;  // one column a feature
  std::vector<std::size_t> observed_;
  Eigen::ArrayXXd points_;  // the same of the observed
  Scales scales_;
  /// Rows of L^-1 K(observed, candidates), as many as rows_done_; none after a change of scales.
  Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows_;
  Eigen::Index rows_done_ = 0;
  Eigen::ArrayXf unexplained_;  // variance left at each candidate, in that of the function
};

}  // namespace clgauss::tune
