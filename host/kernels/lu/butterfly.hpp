#pragma once
/// Random butterflies (cl/lu/butterfly.cl): U^T A V, whose LU hardly ever needs row exchanges.

#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/lu/known_answers.hpp"
#include "kernels/lu/lu_common.hpp"

namespace clgauss {

/// The butterfly matrix U or V.
enum class Butterfly { u, v };

/// The 2 n numbers of U or V, in the order of cl/lu/butterfly.cl: exp(r / 10) with r uniform in
/// [-1/2, 1/2). r comes from SplitMix64 with a counter as its state, so that every number depends
/// only on the seed and its position.
[[nodiscard]] std::vector<float> butterfly_diagonals(Butterfly which, Index n, std::uint64_t seed);

[[nodiscard]] const KernelVariant& butterfly_variant();

/// U and V for one n and one seed. No function waits.
class Butterflies {
 public:
  /// A has the type of `input`, everything else that of `factors`; both must outlive this object.
  /// `parameters` include the variant's.
  Butterflies(KernelMemo& input, KernelMemo& factors, const Parameters& parameters, Index n,
              std::uint64_t seed);

  /// Builds the kernels. Throws NoUsableKernel.
  void prepare();

  /// R <- U^T A V, n-by-n; A is unchanged.
  void two_sided(const cl::CommandQueue& queue, const MatrixView& a, const MatrixView& r);
  /// Row positions[i] of Y <- row i of U^T B, or V^T B, n-by-nrhs.
  void transposed(const cl::CommandQueue& queue, Butterfly which, const MatrixView& b,
                  const MatrixView& y, cl_uint nrhs, const cl::Buffer& positions);
  /// B <- V Z, or U Z, n-by-nrhs, where row i of Z is row positions[i] of Y.
  void forward(const cl::CommandQueue& queue, Butterfly which, const MatrixView& y,
               const MatrixView& b, cl_uint nrhs, const cl::Buffer& positions);

 private:
  [[nodiscard]] Defines macros() const;
  /// Runs transposed() or forward().
  void one_sided(const cl::CommandQueue& queue, const char* name, Butterfly which,
                 const MatrixView& from, const MatrixView& to, cl_uint nrhs,
                 const cl::Buffer& positions);
  Kernel& kernel(KernelMemo& memo, const char* name);
  void require_works(KernelMemo& memo, const char* what,
                     const std::function<void(const ButterflyQuestion&)>& ask);

  KernelMemo &input_, &factors_;
  const Parameters& parameters_;
  cl_uint n_;
  cl::Buffer u_, v_;
};

}  // namespace clgauss
