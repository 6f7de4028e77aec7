#include "linalg/transfer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <cmath>
#include <limits>

namespace clgauss {

namespace {

void check_f32_range(const Matrix& matrix, const char* name) {
  constexpr double kLargest = std::numeric_limits<float>::max();
  for (Index i = 0; i < matrix.rows(); ++i)
    for (Index j = 0; j < matrix.cols(); ++j)
      if (std::isfinite(matrix(i, j)) && std::abs(matrix(i, j)) > kLargest)
        throw ValueError(
            fmt::format("{}({}, {}) = {:g} does not fit f32; use --type f64 on a device with fp64, "
                        "or scale the system",
                        name, i + 1, j + 1, matrix(i, j)));
}

template <typename Real>
void upload_rows_as(const cl::CommandQueue& queue, const cl::Buffer& buffer, Index ld,
                    std::initializer_list<const Matrix*> parts) {
  const Index rows = (*parts.begin())->rows();
  auto* mapped = static_cast<Real*>(queue.enqueueMapBuffer(
      buffer, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, rows * ld * sizeof(Real)));
  for (Index i = 0; i < rows; ++i) {
    Real* out = mapped + i * ld;
    for (const Matrix* part : parts)
      out = std::ranges::transform(part->row(i), out, [](double value) {
              return static_cast<Real>(value);
            }).out;
  }
  queue.enqueueUnmapMemObject(buffer, mapped);
  queue.finish();
}

template <typename Real>
void upload_values_as(const cl::CommandQueue& queue, const cl::Buffer& buffer,
                      std::span<const double> values) {
  auto* mapped = static_cast<Real*>(queue.enqueueMapBuffer(
      buffer, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, values.size() * sizeof(Real)));
  std::ranges::transform(values, mapped, [](double value) { return static_cast<Real>(value); });
  queue.enqueueUnmapMemObject(buffer, mapped);
  queue.finish();
}

template <typename Real>
std::vector<double> download_as(const cl::CommandQueue& queue, const cl::Buffer& buffer,
                                Index count) {
  std::vector<Real> values(count);
  queue.enqueueReadBuffer(buffer, CL_TRUE, 0, count * sizeof(Real), values.data());
  return {values.begin(), values.end()};
}

}  // namespace

void check_system(const System& system, RealType type) {
  if (system.a.rows() != system.a.cols())
    throw DimensionError(fmt::format("A is {} x {}, not square", system.a.rows(), system.a.cols()));
  if (system.b.rows() != system.a.rows())
    throw DimensionError(fmt::format("b has {} rows, A has {}", system.b.rows(), system.a.rows()));
  if (type == RealType::f64) return;
  check_f32_range(system.a, "A");
  check_f32_range(system.b, "b");
}

void upload_rows(const cl::CommandQueue& queue, const cl::Buffer& buffer, Index ld, RealType type,
                 std::initializer_list<const Matrix*> parts) {
  if (ld == 0 || (*parts.begin())->rows() == 0) return;
  type == RealType::f32 ? upload_rows_as<float>(queue, buffer, ld, parts)
                        : upload_rows_as<double>(queue, buffer, ld, parts);
}

void upload_values(const cl::CommandQueue& queue, const cl::Buffer& buffer, RealType type,
                   std::span<const double> values) {
  if (values.empty()) return;
  type == RealType::f32 ? upload_values_as<float>(queue, buffer, values)
                        : upload_values_as<double>(queue, buffer, values);
}

std::vector<double> download(const cl::CommandQueue& queue, const cl::Buffer& buffer, RealType type,
                             Index count) {
  if (count == 0) return {};
  return type == RealType::f32 ? download_as<float>(queue, buffer, count)
                               : download_as<double>(queue, buffer, count);
}

std::string system_text(const System& system, RealType type) {
  const Index nrhs = system.b.cols();
  return fmt::format("the {} system of n = {} with {} right-hand side{}", real_type_name(type),
                     system.a.rows(), nrhs, nrhs == 1 ? "" : "s");
}

MatrixView to_device(const DeviceContext& context, RealType type, const Matrix& matrix, Index ld,
                     const std::string& what) {
  MatrixView view{context.allocate(matrix.rows() * ld * bytes_of(type), what), 0, ld};
  upload_rows(context.queue(), view.buffer, ld, type, {&matrix});
  return view;
}

void judge_pivots(EliminationResult& result, const std::vector<Index>& rows) {
  const auto bad =
      std::ranges::find_if(result.pivots, [](double p) { return p == 0 || !std::isfinite(p); });
  if (bad != result.pivots.end())
    result.failed_column = static_cast<Index>(bad - result.pivots.begin());
  for (Index k = 0; k < rows.size(); ++k) result.row_exchanges += rows[k] != k ? 1 : 0;
}

}  // namespace clgauss
