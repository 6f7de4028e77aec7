#pragma once
/// The LU of a solve without its matrices, kept by the context for the next solve.

#include <clgauss/context.hpp>
#include <clgauss/lab/program.hpp>
#include <clgauss/lu.hpp>
#include <clgauss/opencl.hpp>
#include <clgauss/real_type.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "linalg/lu/lu_backend.hpp"
#include "linalg/lu/rbt.hpp"

namespace clgauss {

/// What an LuWork was made for.
struct LuKind {
  RealType type;
  Index n, nrhs, estimate_columns, question_columns;
  Pivoting pivoting;
  bool positive_definite, symmetric, look_ahead;
  bool butterflies = false;  // LuWork::rbt is what is kept
  bool refines = false;      // FactorCall::refines

  bool operator==(const LuKind&) const = default;
};

/// Everything that a solve by LU needs on the device besides its matrices.
struct LuWork {
  std::unique_ptr<LuBackend> backend = {};
  std::optional<RbtLu> rbt = {};               // instead of a backend; without its matrices
  std::optional<Kernel> diagonal_kernel = {};  // extracts the pivots into `diagonal`
  cl::Buffer b = {}, diagonal = {};            // n-by-nrhs; n
  cl::Buffer question = {};                    // n-by-question_columns; null for none

  /// Buffers without a backend. `what` names them in a message about memory.
  [[nodiscard]] static LuWork without_backend(const Context& context, RealType type, Index n,
                                              Index nrhs, Index question_columns,
                                              const std::string& what);
  /// Makes backend and kernels for an A like `a`, whose buffer may be null; those of gesv() alone,
  /// or those of getrf() and getrs(). Call it within ProgramStore::prepare(). Throws as Lu().
  void build(Context& context, RealType type, const MatrixView& a, Index n, Index nrhs,
             const LuOptions& options, bool by_gesv);
};

/// Looking up kernels, allocating small buffers and freeing them took 0.4 of the 3.5 ms of a solve
/// with n = 1000 on an H200, and 1.3 of 7.8 ms with butterflies and n = 2000. So the work of the
/// last solve is kept, if n is at most kMostUnknowns, B takes at most kMostBytes and the caller did
/// not choose kernels.
class KeptLu {
 public:
  static constexpr Index kMostUnknowns = 4096;
  static constexpr std::uint64_t kMostBytes = 4U << 20U;

  /// The kind of such a solve; empty if its work would not be kept.
  [[nodiscard]] static std::optional<LuKind> kind_of(RealType type, Index n, Index nrhs,
                                                     Index estimate_columns, Index question_columns,
                                                     const LuOptions& options) {
    if (n > kMostUnknowns || n * nrhs * bytes_of(type) > kMostBytes || options.spec ||
        options.gemm.strict || !options.gemm.preferred.empty())
      return std::nullopt;
    return LuKind{type,
                  n,
                  nrhs,
                  estimate_columns,
                  question_columns,
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

  /// Keeps the work. Call it at the end of a solve that threw nothing. Backend and RbtLu must have
  /// been made with Context::observer().
  void give(const LuKind& kind, LuWork work) { kept_.emplace(kind, std::move(work)); }

 private:
  std::optional<std::pair<LuKind, LuWork>> kept_;
};

/// The LU of a single call with work that the context keeps, on its queue; no L D L^T.
class PassingLu {
 public:
  /// Throws as LuWork::build() and, as the other functions do, cl::Error.
  PassingLu(Context& context, RealType type, Index n, Index nrhs, const LuOptions& options = {});

  /// Where B is expected and X will be: n-by-nrhs, without gaps.
  [[nodiscard]] MatrixView b() const { return {work_.b, 0, nrhs_}; }
  /// A <- L U and B <- A^-1 B. Does not wait. B is undefined if failed_column() is not empty.
  void factor_and_solve(const MatrixView& a);
  [[nodiscard]] std::optional<Index> failed_column();
  [[nodiscard]] std::vector<Index> pivots();
  /// The last call: keeps the work for the next solve. Makes no OpenCL call that could fail.
  void give_back();

 private:
  Context& context_;
  Index nrhs_;
  std::optional<LuKind> kind_;
  LuWork work_;
};

}  // namespace clgauss
