#pragma once
/// A X = B of host matrices by LU, as solve() does it.

#include <clgauss/condition.hpp>
#include <clgauss/lab/elimination.hpp>
#include <clgauss/lu.hpp>
#include <clgauss/progress.hpp>
#include <clgauss/solve.hpp>
#include <functional>

#include "linalg/answer_residual.hpp"
#include "linalg/device_operator.hpp"
#include "linalg/refine.hpp"
#include "matrix/scaling.hpp"

namespace clgauss {

/// What can be done with the factors of a solve as long as they are there.
struct LiveFactors {
  std::function<Refinement(SystemOperator& other, Matrix& x)>
      refine;  // with residuals of the device where that kept A in f64, else of `other`
  /// The residual of x from A on the device, where that keeps it in f64; see confirmed_residual().
  std::function<std::optional<AnswerResidual>(const Matrix& x, double eps)> residual_on_device;
  std::function<Refinement(Matrix& x)>
      refine_in_extra_precision;         // from the first x; where GesvCall has asked for it
  InverseProducts inverse;               // as good as the factors are
  Matrix first_product;                  // A^-1 first_question(), if it came with the solve
  InverseProducts scaled_inverse;        // of A as it was factored
  std::function<double()> largest_of_u;  // of the scaled matrix
  std::optional<double> growth;          // where it is known already, instead of that
  const Scaling* scaling = nullptr;      // with which A was factored
};

/// What is done to an answer while the factors are there. It fills in what it measured and did, and the times it took.
using Polish = std::function<void(EliminationResult&, const LiveFactors&)>;

/// What gesv() is to do.
struct GesvCall {
  RealType type = RealType::f64;  // of the factors
  LuOptions lu = {};
  Equilibration equilibration = Equilibration::automatic;
  Polish polish = {};
  bool keeps_f64 = false;  // A and B stay on the device in f64, for residuals
  Index estimate_columns =
      0;  // the polish will estimate by blocks of so many vectors, estimate_trust_from(); 0: it will not
  bool extra_precise =
      false;  // the polish may refine in extra precision: A and B are needed once more
};

/// With times and pivots. Memory on the device: n (ld + nrhs) elements, ld slightly above n, and the workspace of Lu; whether all of
/// it is there is asked before anything starts. Repeated as repeat_until_co_resident() says. Throws as gauss_solve().
[[nodiscard]] EliminationResult gesv(Context& context, const System& system, const GesvCall& call,
                                     const ProgressCallback& progress = {});

/// The same without keeping A: system.a is given back to the operating system row by row while it is uploaded, and left empty.
/// On a CPU device, whose memory is the host's, A is so there once and not twice. `read_again` is called only where it has to
/// be done once more.
[[nodiscard]] EliminationResult gesv_in_place(Context& context, System& system,
                                              const ReadMatrix& read_again, const GesvCall& call,
                                              const ProgressCallback& progress = {});

/// LiveFactors::residual_on_device of what stays in `in_f64`. Both must outlive it.
[[nodiscard]] std::function<std::optional<AnswerResidual>(const Matrix& x, double eps)> residual_by(
    DeviceOperator& in_f64, const System& system);

}  // namespace clgauss
