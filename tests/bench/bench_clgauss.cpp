#include <algorithm>
#include <clgauss/batched.hpp>
#include <clgauss/gemm.hpp>
#include <clgauss/lu.hpp>
#include <clgauss/mixed_lu.hpp>
#include <clgauss/solve.hpp>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "bench_contestant.hpp"
#include "kernels/substitution/triangle_inverse.hpp"
#include "linalg/complex/complex_lu.hpp"
#include "linalg/qr/geqrf.hpp"
#include "matrix/transfer.hpp"

namespace clgauss::bench {

namespace {

/// multiply() for a square product, update() for the shape of an LU's trailing update.
class ClgaussGemm : public Contestant {
 public:
  explicit ClgaussGemm(const DeviceProblem& device)
      : device_(device), size_(device.problem().size), gemm_(device.context(), size_.type) {}

  void restore() override { device_.restore(); }

  void run() override {
    const cl::CommandQueue& queue = device_.context().queue();
    if (size_.panel_update)
      gemm_.update(size_.m, size_.n, size_.k, device_.a(), device_.b(), device_.work());
    else
      gemm_.multiply({size_.m, size_.n, size_.k}, -1, device_.a(), device_.b(), 1, device_.work());
    queue.finish();
  }

  [[nodiscard]] Matrix result() override { return device_.result(); }

  [[nodiscard]] std::string detail() const override {
    return gemm_.kernel_name({size_.m, size_.n, size_.k}, device_.a(), device_.b(), device_.work());
  }

 private:
  const DeviceProblem& device_;
  ProblemSize size_;
  Gemm gemm_;
};

class ClgaussLu : public Contestant {
 public:
  explicit ClgaussLu(const DeviceProblem& device)
      : device_(device),
        solve_(device.problem().size.what != What::lu),
        cholesky_(device.problem().size.what == What::cholesky),
        ldlt_(device.problem().size.what == What::ldlt),
        lu_(device.context(), device.problem().size.type, device.problem().size.n,
            {.pivoting = device.problem().size.rook ? Pivoting::rook : Pivoting::partial,
             .positive_definite = cholesky_,
             .symmetric = ldlt_}) {}

  void restore() override { device_.restore(); }

  void run() override {
    if (solve_)
      lu_.factor_and_solve(device_.work(), device_.x(), 1);
    else
      lu_.factor(device_.work());
    device_.context().queue().finish();
  }

  [[nodiscard]] Matrix result() override {
    if (!solve_) lu_.solve(device_.x(), 1);
    return device_.result();
  }

  [[nodiscard]] std::string detail() const override {
    return cholesky_                          ? "Cholesky"
           : lu_.pivoting() == Pivoting::rook ? "L D L^T, rook pivoting"
           : ldlt_                            ? "L D L^T"
                   : std::string(pivoting_name(lu_.pivoting())) + " pivoting";
  }

 private:
  const DeviceProblem& device_;
  bool solve_, cholesky_, ldlt_;
  mutable Lu lu_;
};

class ClgaussMixed : public Contestant {
 public:
  ClgaussMixed(const DeviceProblem& device, MixedFactors factors)
      : device_(device), lu_(device.context(), device.problem().size.n, 1, factors) {}

  void restore() override { device_.restore(); }
  void run() override { done_ = lu_.solve(device_.a(), device_.x()); }
  [[nodiscard]] Matrix result() override { return device_.result(); }
  [[nodiscard]] std::string detail() const override {
    return fmt::format("f32 and {} corrections to {:.1e}", done_.corrections(),
                       done_.backward_errors.back());
  }

 private:
  const DeviceProblem& device_;
  MixedLu lu_;
  Refinement done_;
};

/// [A | b] becomes R and Q^T b, of which x is made.
class ClgaussLeastSquares : public Contestant {
 public:
  explicit ClgaussLeastSquares(const DeviceProblem& device)
      : device_(device),
        size_(device.problem().size),
        qr_(device.context(), size_.type, rows_of_lstsq(size_.n), size_.n, 1) {}

  void restore() override { device_.restore(); }

  void run() override {
    const cl::CommandQueue& queue = device_.context().queue();
    const MatrixView &a = device_.work(), &x = device_.x();
    const std::size_t element = bytes_of(size_.type);
    qr_.factor(queue, a, 1);
    enqueue_copy_rows(queue, {a.buffer, size_.n * element, a.ld * element}, {x.buffer, 0, element},
                      element, size_.n);
    qr_.solve(queue, x, 1, false);
    queue.finish();
  }

  [[nodiscard]] Matrix result() override { return device_.result(); }
  [[nodiscard]] std::string detail() const override { return "Householder's QR"; }

 private:
  const DeviceProblem& device_;
  ProblemSize size_;
  Geqrf qr_;
};

/// [A | B] becomes the factors and X; by Cholesky U = D L^H.
class ClgaussComplex : public Contestant {
 public:
  explicit ClgaussComplex(const DeviceProblem& device)
      : device_(device),
        size_(device.problem().size),
        lu_(device.context(), size_.type, size_.n, size_.k,
            {.positive_definite = size_.what == What::hermitian,
             .symmetric = size_.what != What::hermitian && size_.batched.symmetric}),
        a_(space()),
        work_(space()) {
    const ComplexLayout& layout = lu_.layout();
    const Matrix& joined = device.problem().a;
    Matrix whole(size_.n, layout.ld);
    for (Index i = 0; i < size_.n; ++i) {
      std::ranges::copy(joined.row(i).first(2 * size_.n), whole.row(i).begin());
      std::ranges::copy(joined.row(i).subspan(2 * size_.n), whole.row(i).subspan(layout.b).begin());
    }
    upload_rows(device.context(), a_.buffer, a_.ld, size_.type, {&whole});
  }

  void restore() override {
    device_.context().queue().enqueueCopyBuffer(a_.buffer, work_.buffer, 0, 0,
                                                size_.n * a_.ld * bytes_of(size_.type));
    device_.context().queue().finish();
  }

  void run() override {
    const cl::CommandQueue& queue = device_.context().queue();
    lu_.factor(queue, work_);
    lu_.solve(queue, work_);
    queue.finish();
  }

  [[nodiscard]] Matrix result() override {
    const Values all =
        download(device_.context().queue(), work_.buffer, size_.type, size_.n * work_.ld);
    const Index of_x = 2 * size_.k;
    return matrix_of(all.data() + lu_.layout().b, size_.n, of_x, work_.ld);
  }
  [[nodiscard]] std::string detail() const override {
    return size_.what == What::hermitian ? "Cholesky"
           : size_.batched.symmetric     ? "L D L^H"
                                         : "LU, pivoting partial";
  }

 private:
  [[nodiscard]] MatrixView space() const {
    const Index ld = lu_.layout().ld;
    return {device_.context().allocate(size_.n * ld * bytes_of(size_.type), "a complex system"), 0,
            ld};
  }

  const DeviceProblem& device_;
  ProblemSize size_;
  ComplexLu lu_;
  MatrixView a_, work_;
};

/// The factors, and U^-1 L^-1: the exchanges of its columns are made on the way to the host.
class ClgaussInvert : public Contestant {
 public:
  explicit ClgaussInvert(const DeviceProblem& device)
      : device_(device),
        size_(device.problem().size),
        lu_(device.context(), size_.type, size_.n),
        gemm_(device.context(), size_.type),
        by_factors_(device.context(), size_.type, size_.n),
        x_{device.context().allocate(device.work().buffer.getInfo<CL_MEM_SIZE>(), "an inverse"), 0,
           device.work().ld} {}

  void restore() override { device_.restore(); }

  void run() override {
    lu_.factor(device_.work());
    enqueue_identity(device_.context(), size_.type, x_, size_.n);
    by_factors_.enqueue(device_.context().queue(), gemm_, device_.work(), x_);
    device_.context().queue().finish();
  }

  [[nodiscard]] Matrix result() override {
    const Values values =
        download(device_.context().queue(), x_.buffer, size_.type, size_.n * x_.ld);
    std::vector<Index> columns(size_.n);
    std::iota(columns.begin(), columns.end(), Index{0});
    const std::vector<Index> exchanges = lu_.pivots();
    for (Index j = 0; j < size_.n; ++j) std::swap(columns[j], columns[exchanges[j]]);
    Matrix x(size_.n, size_.n);
    for (Index i = 0; i < size_.n; ++i)
      for (Index j = 0; j < size_.n; ++j) x(i, columns[j]) = values[i * x_.ld + j];
    return x;
  }
  [[nodiscard]] std::string detail() const override { return "by LU and products"; }

 private:
  const DeviceProblem& device_;
  ProblemSize size_;
  mutable Lu lu_;
  Gemm gemm_;
  FactorInverse by_factors_;
  MatrixView x_;
};

class ClgaussBatched : public Contestant {
 public:
  explicit ClgaussBatched(const DeviceProblem& device)
      : device_(device),
        size_(device.problem().size),
        lu_(device.context(), size_.type, size_.n, size_.batched),
        info_(device.context().allocate(size_.batch * sizeof(cl_int), "the outcomes")) {}

  void restore() override { device_.restore(); }

  void run() override {
    const Index n = size_.n, nrhs = size_.k;
    lu_.factor_and_solve({device_.a().buffer, 0, n, n * n}, {device_.x().buffer, 0, nrhs, n * nrhs},
                         nrhs, size_.batch, info_);
    device_.context().queue().finish();
  }

  [[nodiscard]] Matrix result() override { return device_.result(); }

  [[nodiscard]] std::string detail() const override { return lu_.kernel_name(); }

 private:
  const DeviceProblem& device_;
  ProblemSize size_;
  BatchedLu lu_;
  cl::Buffer info_;
};

}  // namespace

std::unique_ptr<Contestant> make_clgauss(const DeviceProblem& problem) {
  if (problem.problem().size.what == What::batched)
    return std::make_unique<ClgaussBatched>(problem);
  if (problem.problem().size.what == What::gemm) return std::make_unique<ClgaussGemm>(problem);
  if (problem.problem().size.what == What::lstsq)
    return std::make_unique<ClgaussLeastSquares>(problem);
  if (is_complex(problem.problem().size.what)) return std::make_unique<ClgaussComplex>(problem);
  if (problem.problem().size.what == What::invert) return std::make_unique<ClgaussInvert>(problem);
  return std::make_unique<ClgaussLu>(problem);
}

namespace {

std::unique_ptr<Contestant> make_mixed_with(const DeviceProblem& problem, MixedFactors factors) {
  const ProblemSize& size = problem.problem().size;
  if (size.what != What::solve || size.type != RealType::f64)
    throw UsageError("mixed and rbt are for solve in f64");
  return std::make_unique<ClgaussMixed>(problem, factors);
}

}  // namespace

std::unique_ptr<Contestant> make_mixed(const DeviceProblem& problem) {
  return make_mixed_with(problem, MixedFactors::partial_pivoting);
}
std::unique_ptr<Contestant> make_rbt(const DeviceProblem& problem) {
  return make_mixed_with(problem, MixedFactors::butterflies);
}

}  // namespace clgauss::bench
