#pragma once
/// Who takes part: clgauss itself and the libraries that it is compared with.

#include <clgauss/context.hpp>
#include <clgauss/view.hpp>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "bench_problem.hpp"

namespace clgauss::bench {

/// One library at work on one problem.
class Contestant {
 public:
  virtual ~Contestant() = default;
  Contestant(const Contestant&) = delete;
  Contestant& operator=(const Contestant&) = delete;

  /// Puts the inputs back that run() destroys, and waits. Not timed.
  virtual void restore() = 0;
  /// The work that is timed, from data that lie where the library works to results that lie there,
  /// finished.
  virtual void run() = 0;
  /// What the last run() left, for check(): C, or x. For lu x is found here, with the factors. Not
  /// timed.
  [[nodiscard]] virtual Matrix result() = 0;
  /// Kernel, core type or threads: whatever explains the figure.
  [[nodiscard]] virtual std::string detail() const = 0;

 protected:
  Contestant() = default;
};

/// A problem in device buffers, row-major; nothing of host. The contestants on the device take
/// turns with the one work copy, so that large problems still fit.
class DeviceProblem {
 public:
  DeviceProblem(Context& context, const Problem& problem);

  [[nodiscard]] Context& context() const { return context_; }
  [[nodiscard]] const Problem& problem() const { return problem_; }
  /// The inputs, never written: A, and B of gemm.
  [[nodiscard]] const MatrixView& a() const { return a_; }
  [[nodiscard]] const MatrixView& b() const { return b_; }
  /// The copies to work on: C of gemm, A of lu and solve; and b of lu and solve, which becomes x.
  [[nodiscard]] const MatrixView& work() const { return work_; }
  [[nodiscard]] const MatrixView& x() const { return x_; }

  /// Makes both copies fresh, and waits.
  void restore() const;
  /// C of gemm, or x.
  [[nodiscard]] Matrix result() const;

 private:
  [[nodiscard]] MatrixView upload(const Matrix& matrix, Index ld, const char* what) const;
  [[nodiscard]] MatrixView empty_copy(const MatrixView& view, const char* what) const;

  Context& context_;
  const Problem& problem_;
  MatrixView a_, b_, c_, work_, x_;
};

[[nodiscard]] std::unique_ptr<Contestant> make_clgauss(const DeviceProblem& problem);

/// A library that clgauss is compared with.
struct Peer {
  std::string_view name;
  std::string_view about;
  bool gemm, lu, batched;  // what it does; lu stands for solve too
  bool cholesky = false, ldlt = false, lstsq = false, gelsy = false, complex_solve = false,
       invert = false, gecon = false;
  /// works on the host: by default compared with CPU devices only, and always by host
  bool cpu_only;
  bool not_the_same;  // does less than clgauss in lu and solve: there only if it is named
  std::unique_ptr<Contestant> (*make)(const DeviceProblem& problem);  // null: not compiled in
  void (*prepare)(char** arguments);  // once, before the first make; may execute the program anew

  [[nodiscard]] bool compiled_in() const { return make != nullptr; }
  [[nodiscard]] bool does(What what) const {
    return what == What::gemm       ? gemm
           : what == What::batched  ? batched
           : what == What::cholesky ? cholesky
           : what == What::invert   ? invert
           : what == What::ldlt     ? ldlt
           : what == What::lstsq    ? lstsq
           : what == What::gelsy    ? gelsy
           : is_complex(what)       ? complex_solve
           : what == What::host     ? lu && cpu_only
           : what == What::gecon    ? gecon
           : starts_programs(what)  ? false
           : what == What::vbatched ? false
                                    : lu;
  }
};

/// All that there are adapters for, in the order in which they take turns.
[[nodiscard]] std::span<const Peer> peers();

}  // namespace clgauss::bench
