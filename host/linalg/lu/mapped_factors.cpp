#include "linalg/lu/mapped_factors.hpp"

#include <algorithm>
#include <utility>

#include "linalg/estimates/host_triangles.hpp"

namespace clgauss {

namespace {

void permute(Matrix& x, const std::vector<Index>& with) {
  for (Index k = 0; k < with.size(); ++k)
    if (with[k] != k) std::ranges::swap_ranges(x.row(k), x.row(with[k]));
}

void permute_back(Matrix& x, const std::vector<Index>& with) {
  for (Index k = with.size(); k-- > 0;)
    if (with[k] != k) std::ranges::swap_ranges(x.row(k), x.row(with[k]));
}

template <typename Real>
Matrix solved(const void* lu, Index n, Index ld, const Matrix& x, bool transposed) {
  return HostTriangles<Real>{static_cast<const Real*>(lu), n, ld}.solve(x, transposed);
}

}  // namespace

bool maps_factors(const Context& context) {
  return context.profile().type == DeviceType::cpu && context.transfers() == Transfers::mapped;
}

MappedFactors::MappedFactors(const cl::CommandQueue& queue, RealType type, const MatrixView& lu,
                             Index n, Exchanges exchanges, const Scaling& scaling,
                             std::function<double(const Matrix& a)> growth)
    : Factored(scaling),
      queue_(queue),
      type_(type),
      lu_(lu),
      n_(n),
      exchanges_(std::move(exchanges)),
      growth_(std::move(growth)),
      mapped_(queue.enqueueMapBuffer(lu.buffer, CL_TRUE, CL_MAP_READ, lu.offset * bytes_of(type),
                                     ((n - 1) * lu.ld + n) * bytes_of(type))) {}

MappedFactors::~MappedFactors() {
  // Nothing was written: that it fails would change nothing.
  clEnqueueUnmapMemObject(queue_(), lu_.buffer(), const_cast<void*>(mapped_), 0, nullptr, nullptr);
}

void MappedFactors::apply_inverse(bool transposed, const Scaling& by, Matrix& x) {
  if (!by.rows.empty()) x = scaled(x, by.rows, {});
  permute(x, transposed ? exchanges_.columns : exchanges_.rows);
  x = type_ == RealType::f32 ? solved<float>(mapped_, n_, lu_.ld, x, transposed)
                             : solved<double>(mapped_, n_, lu_.ld, x, transposed);
  permute_back(x, transposed ? exchanges_.rows : exchanges_.columns);
  if (!by.columns.empty()) x = scaled(x, by.columns, {});
}

}  // namespace clgauss
