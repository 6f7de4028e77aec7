#include "tuner/search/gaussian_process.hpp"

#include <algorithm>
#include <cmath>

namespace clgauss::tune {

namespace {

// A feature's whole range is 1, so that a length of 1 lets it matter moderately; without a prior on the logarithm, short
// lengths win while there are few observations, and every point looks new.
constexpr double kPriorWeight = 0.3;
constexpr double kMinInverseLength = 0.05, kMaxInverseLength = 20;
constexpr double kMinNoise = 1e-5, kMaxNoise = 0.3;
constexpr float kLeastVariance = 1e-9F;

/// (1 + r + r^2 / 3) exp(-r), r = sqrt(5) times the distance.
template <typename T>
T matern(T squared_distance) {
  const T r = std::sqrt(5 * squared_distance);
  return (1 + r + r * r / 3) * std::exp(-r);
}

/// The same numbers from every standard library: Box and Muller.
double normal(std::mt19937_64& generator) {
  const auto uniform = [&] {
    return (static_cast<double>(generator() >> 11U) + 0.5) * 0x1p-53;
  };
  const double radius = std::sqrt(-2 * std::log(uniform()));
  return radius * std::cos(6.283185307179586 * uniform());
}

}  // namespace

GaussianProcess::GaussianProcess(const FeatureTable& candidates) : candidates_(candidates) {
  scales_.inverse_lengths.assign(candidates.columns, 1.0);
}

void GaussianProcess::set_scales(const Scales& scales) {
  scales_ = scales;
  rows_.clear();
}

void GaussianProcess::observe(std::size_t candidate) { observed_.push_back(candidate); }

float GaussianProcess::kernel(std::span<const float> a, std::span<const float> b) const {
  float sum = 0;
  for (std::size_t f = 0; f < a.size(); ++f) {
    const float difference = (a[f] - b[f]) * static_cast<float>(scales_.inverse_lengths[f]);
    sum += difference * difference;
  }
  return matern(sum);
}

GaussianProcess::Factor GaussianProcess::factor(const Scales& scales,
                                                std::span<const double> targets) const {
  const std::size_t n = observed_.size();
  Factor result;
  result.lower.assign(n * n, 0);
  result.weights.assign(n, 0);
  double sum_of_squares = 0, log_determinant = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double* const row = &result.lower[i * n];
    const auto at = candidates_.row(observed_[i]);
    for (std::size_t j = 0; j <= i; ++j) {
      const auto other = candidates_.row(observed_[j]);
      double distance = 0;
      for (std::size_t f = 0; f < at.size(); ++f) {
        const double difference =
            static_cast<double>(at[f] - other[f]) * scales.inverse_lengths[f];
        distance += difference * difference;
      }
      const double* const above = &result.lower[j * n];
      double sum = matern(distance) + (i == j ? scales.noise : 0);
      for (std::size_t k = 0; k < j; ++k) sum -= row[k] * above[k];
      row[j] = i == j ? std::sqrt(std::max(sum, 1e-12)) : sum / above[j];
    }
    double rest = targets[i];
    for (std::size_t k = 0; k < i; ++k) rest -= row[k] * result.weights[k];
    result.weights[i] = rest / row[i];
    sum_of_squares += result.weights[i] * result.weights[i];
    log_determinant += std::log(row[i]);
  }
  result.variance = std::max(sum_of_squares / static_cast<double>(n), 1e-12);
  result.penalty = 0.5 * static_cast<double>(n) * std::log(result.variance) + log_determinant;
  for (const double inverse : scales.inverse_lengths)
    result.penalty += kPriorWeight * std::log(inverse) * std::log(inverse);
  return result;
}

void GaussianProcess::fit(std::span<const double> targets, int trials,
                          std::mt19937_64& generator) {
  double best = factor(scales_, targets).penalty;
  for (int trial = 0; trial < trials; ++trial) {
    Scales moved = scales_;
    const std::size_t which = generator() % (moved.inverse_lengths.size() + 1);
    if (which < moved.inverse_lengths.size()) {
      double& inverse = moved.inverse_lengths[which];
      inverse = std::clamp(inverse * std::exp(0.8 * normal(generator)), kMinInverseLength,
                           kMaxInverseLength);
    } else {
      moved.noise = std::clamp(moved.noise * std::exp(normal(generator)), kMinNoise, kMaxNoise);
    }
    const double penalty = factor(moved, targets).penalty;
    if (!(penalty < best)) continue;
    best = penalty;
    scales_ = std::move(moved);
    rows_.clear();
  }
}

void GaussianProcess::add_row(const Factor& factor, std::size_t observation) {
  const std::size_t n = observed_.size();
  const auto at = candidates_.row(observed_[observation]);
  std::vector<float> row(candidates_.rows());
  for (std::size_t m = 0; m < row.size(); ++m) row[m] = kernel(at, candidates_.row(m));
  for (std::size_t k = 0; k < observation; ++k) {
    const auto share = static_cast<float>(factor.lower[observation * n + k]);
    const std::vector<float>& other = rows_[k];
    for (std::size_t m = 0; m < row.size(); ++m) row[m] -= share * other[m];
  }
  const auto scale = static_cast<float>(1 / factor.lower[observation * n + observation]);
  for (std::size_t m = 0; m < row.size(); ++m) {
    row[m] *= scale;
    unexplained_[m] -= row[m] * row[m];
  }
  rows_.push_back(std::move(row));
}

void GaussianProcess::predict(std::span<const double> targets, std::vector<float>& mean,
                              std::vector<float>& deviation) {
  const Factor now = factor(scales_, targets);
  if (rows_.empty()) unexplained_.assign(candidates_.rows(), 1);
  while (rows_.size() < observed_.size()) add_row(now, rows_.size());
  mean.assign(candidates_.rows(), 0);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const auto weight = static_cast<float>(now.weights[i]);
    for (std::size_t m = 0; m < mean.size(); ++m) mean[m] += weight * rows_[i][m];
  }
  deviation.resize(mean.size());
  const auto variance = static_cast<float>(now.variance);
  for (std::size_t m = 0; m < mean.size(); ++m)
    deviation[m] = std::sqrt(variance * std::max(unexplained_[m], kLeastVariance));
}

}  // namespace clgauss::tune
