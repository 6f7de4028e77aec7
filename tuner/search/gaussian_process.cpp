#include "tuner/search/gaussian_process.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

namespace clgauss::tune {

namespace {

// A feature's whole range is 1, so that a length of 1 lets it matter moderately; without a prior on
// the logarithm, short lengths win while there are few observations, and every point looks new.
constexpr double kPriorWeight = 0.3;
constexpr double kMinInverseLength = 0.05, kMaxInverseLength = 20;
constexpr double kMinNoise = 1e-5, kMaxNoise = 0.3;
constexpr float kLeastVariance = 1e-9F;

Eigen::Index as_index(std::size_t size) { return static_cast<Eigen::Index>(size); }

/// Of squared distances d^2: (1 + r + r^2 / 3) exp(-r), r = sqrt(5) d.
template <typename Array>
void to_matern(Array& distances) {
  using Number = typename Array::Scalar;
  distances = (distances * Number{5}).sqrt();
  distances = (1 + distances + distances.square() / Number{3}) * (-distances).exp();
}

/// The same numbers from every standard library: Box and Muller.
double normal(std::mt19937_64& generator) {
  const auto uniform = [&] { return (static_cast<double>(generator() >> 11U) + 0.5) * 0x1p-53; };
  const double radius = std::sqrt(-2 * std::log(uniform()));
  return radius * std::cos(6.283185307179586 * uniform());
}

}  // namespace

GaussianProcess::GaussianProcess(const FeatureTable& candidates)
    : candidates_(candidates.rows(), candidates.columns) {
  for (std::size_t m = 0; m < candidates.rows(); ++m)
    for (std::size_t f = 0; f < candidates.columns; ++f)
      candidates_(as_index(m), as_index(f)) = candidates.row(m)[f];
  scales_.inverse_lengths.assign(candidates.columns, 1.0);
}

void GaussianProcess::set_scales(const Scales& scales) {
  scales_ = scales;
  rows_done_ = 0;
}

void GaussianProcess::observe(std::size_t candidate) {
  observed_.push_back(candidate);
  points_.conservativeResize(as_index(observed_.size()), candidates_.cols());
  points_.bottomRows(1) = candidates_.row(as_index(candidate)).cast<double>();
}

GaussianProcess::Factor GaussianProcess::factor(const Scales& scales,
                                                std::span<const double> targets) const {
  const Eigen::Index n = points_.rows();
  Eigen::ArrayXXd kernel = Eigen::ArrayXXd::Zero(n, n);
  for (Eigen::Index f = 0; f < points_.cols(); ++f) {
    const Eigen::ArrayXd column =
        points_.col(f) * scales.inverse_lengths[static_cast<std::size_t>(f)];
    for (Eigen::Index j = 0; j < n; ++j)
      kernel.col(j).tail(n - j) += (column.tail(n - j) - column(j)).square();
  }
  to_matern(kernel);
  Factor result;
  result.lower = kernel.matrix();
  result.lower.diagonal().array() += scales.noise;
  const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> factors(
      result.lower);                       // in place, of the lower half
  if (factors.info() != Eigen::Success) {  // two that cannot be told apart: no likelihood at all
    result.penalty = std::numeric_limits<double>::infinity();
    return result;
  }
  result.weights = factors.matrixL().solve(Eigen::Map<const Eigen::VectorXd>(targets.data(), n));
  result.variance = std::max(result.weights.squaredNorm() / static_cast<double>(n), 1e-12);
  result.penalty = 0.5 * static_cast<double>(n) * std::log(result.variance) +
                   result.lower.diagonal().array().log().sum();
  for (const double inverse : scales.inverse_lengths)
    result.penalty += kPriorWeight * std::log(inverse) * std::log(inverse);
  return result;
}

void GaussianProcess::fit(std::span<const double> targets, int trials, std::mt19937_64& generator) {
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
    rows_done_ = 0;
  }
}

/// The rows of the observations that have none yet: all after a change of scales, else mostly one.
void GaussianProcess::add_rows(const Factor& factor) {
  const Eigen::Index all = points_.rows(), done = rows_done_, added = all - done;
  const Eigen::Index count = candidates_.rows();
  rows_.conservativeResize(std::max(rows_.rows(), all), count);
  if (done == 0) unexplained_ = Eigen::ArrayXf::Ones(count);
  Eigen::ArrayXf distances(count);
  for (Eigen::Index i = done; i < all; ++i) {
    distances.setZero();
    for (Eigen::Index f = 0; f < points_.cols(); ++f) {
      const auto inverse = static_cast<float>(scales_.inverse_lengths[static_cast<std::size_t>(f)]);
      distances += ((candidates_.col(f) - static_cast<float>(points_(i, f))) * inverse).square();
    }
    to_matern(distances);
    rows_.row(i) = distances.matrix().transpose();
  }
  const Eigen::MatrixXf lower = factor.lower.cast<float>();
  auto fresh = rows_.middleRows(done, added);
  if (done > 0) fresh.noalias() -= lower.block(done, 0, added, done) * rows_.topRows(done);
  lower.block(done, done, added, added).triangularView<Eigen::Lower>().solveInPlace(fresh);
  unexplained_ -= fresh.array().square().colwise().sum().transpose();
  rows_done_ = all;
}

void GaussianProcess::predict(std::span<const double> targets, std::vector<float>& mean,
                              std::vector<float>& deviation) {
  const Factor now = factor(scales_, targets);
  if (rows_done_ < points_.rows()) add_rows(now);
  mean.resize(static_cast<std::size_t>(candidates_.rows()));
  deviation.resize(mean.size());
  Eigen::Map<Eigen::RowVectorXf>(mean.data(), candidates_.rows()).noalias() =
      now.weights.cast<float>().transpose() * rows_.topRows(rows_done_);
  Eigen::Map<Eigen::ArrayXf>(deviation.data(), candidates_.rows()) =
      (static_cast<float>(now.variance) * unexplained_.max(kLeastVariance)).sqrt();
}

}  // namespace clgauss::tune
