#pragma once
/// The factors of an LU on a device whose memory is the host's, solved with by the host's cores.

#include <clgauss/context.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/view.hpp>
#include <functional>
#include <vector>

#include "linalg/solve/factored.hpp"

namespace clgauss {

/// P and Q of P A' Q = L U: row or column k was exchanged with number k of its list, in order of k.
/// An empty list stands for no exchanges.
struct Exchanges {
  std::vector<Index> rows, columns;
};

/// Whether MappedFactors can be used: the device is a CPU, whose buffers are mapped without a copy.
[[nodiscard]] bool maps_factors(const Context& context);

/// Solves in f64, for estimates. They need a few columns, and building the device's kernels would
/// take longer than these solves. The view stays mapped as long as this object lives, and no kernel
/// may write to it meanwhile.
class MappedFactors : public Factored {
 public:
  /// `lu` holds the n-by-n L\U of `type`. growth(A) returns reciprocal_growth(A). Waits.
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
