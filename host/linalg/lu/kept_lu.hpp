#pragma once
/// The LU of a solve without its matrices, kept by the context for the next solve.

#include <clgauss/lab/program.hpp>
#include <clgauss/lu.hpp>
#include <clgauss/opencl.hpp>
#include <clgauss/real_type.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "linalg/lu/lu_backend.hpp"

namespace clgauss {

/// What an LuWork was made for.
struct LuKind {
  RealType type;
  Index n, nrhs, estimate_columns;
  Pivoting pivoting;
  bool positive_definite, symmetric, look_ahead;

  bool operator==(const LuKind&) const = default;
};

/// Everything that a solve by LU needs on the device besides its matrices.
struct LuWork {
  std::unique_ptr<LuBackend> backend = {};
  std::optional<Kernel> diagonal_kernel = {};  // extracts the pivots into `diagonal`
  cl::Buffer b = {}, diagonal = {};            // n-by-nrhs; n
};

/// Looking up kernels, allocating small buffers and freeing them took 0.4 of the 3.5 ms of a solve
/// with n = 1000 on an H200. So the work of the last solve is kept, if n is at most kMostUnknowns,
/// B takes at most kMostBytes and the caller did not choose kernels.
class KeptLu {
 public:
  static constexpr Index kMostUnknowns = 4096;
  static constexpr std::uint64_t kMostBytes = 4U << 20U;

  /// The kind of such a solve; empty if its work would not be kept.
  [[nodiscard]] static std::optional<LuKind> kind_of(RealType type, Index n, Index nrhs,
                                                     Index estimate_columns,
                                                     const LuOptions& options) {
    if (n > kMostUnknowns || n * nrhs * bytes_of(type) > kMostBytes || options.spec ||
        options.gemm.strict || !options.gemm.preferred.empty())
      return std::nullopt;
    return LuKind{type,
                  n,
                  nrhs,
                  estimate_columns,
                  options.pivoting,
                  options.positive_definite,
                  options.symmetric,
                  options.look_ahead};
  }

  /// The work of this kind, if it is kept. Whatever is kept is no longer kept afterwards.
  [[nodiscard]] std::optional<LuWork> take(const std::optional<LuKind>& kind) {
    auto kept = std::exchange(kept_, std::nullopt);
    if (!kind || !kept || kept->first != *kind) return std::nullopt;
    return std::move(kept->second);
  }

  /// Keeps the work. Call it at the end of a solve that threw nothing. The backend must have been
  /// made with Context::observer().
  void give(const LuKind& kind, LuWork work) { kept_.emplace(kind, std::move(work)); }

 private:
  std::optional<std::pair<LuKind, LuWork>> kept_;
};

}  // namespace clgauss
