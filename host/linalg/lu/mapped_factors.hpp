#pragma once
/// The factors of an LU on a device whose memory is the host's, solved with by the host's cores.

#include <clgauss/context.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/view.hpp>
#include <functional>
#include <vector>

#include "linalg/solve/factored.hpp"

namespace clgauss {

/// P A' Q = L U as row exchanges P and column exchanges Q, row or column k with number k of the
/// list, one k after the other. Without numbers, none.
struct Exchanges {
  std::vector<Index> rows, columns;
};

/// Whether MappedFactors serve the context's device: a CPU's, whose buffers are mapped without a
/// copy.
[[nodiscard]] bool maps_factors(const Context& context);

/// Solves in f64. Estimates ask for a few columns, for which a device's kernels would take longer
/// to be built than the solves take. The view stays mapped as long as this lives: no kernel may
/// write to it meanwhile.
class MappedFactors : public Factored {
 public:
  /// `lu` holds L\U of `type`, n-by-n. growth(A) answers reciprocal_growth(). Waits.
  MappedFactors(const cl::CommandQueue& queue, RealType type, const MatrixView& lu, Index n,
                Exchanges exchanges, const Scaling& scaling,
                std::function<double(const Matrix& a)> growth);
  ~MappedFactors() override;

  [[nodiscard]] double reciprocal_growth(const Matrix& a) override { return growth_(a); }

 protected:
  void apply_inverse(bool transposed, const Scaling& by, Matrix& x) override;

 private:
  cl::CommandQueue queue_;
  RealType type_;
  MatrixView lu_;
  Index n_;
  Exchanges exchanges_;
  std::function<double(const Matrix& a)> growth_;
  const void* mapped_;
};

}  // namespace clgauss
