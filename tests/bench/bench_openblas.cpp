#include "bench_openblas.hpp"
#include "clock.hpp"
#include "command_line/streams.hpp"

#include <cblas.h>
#include <fmt/format.h>
#include <lapacke.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <clgauss/error.hpp>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <thread>
#include <type_traits>

#include "matrix/transposed.hpp"

namespace clgauss::bench {

namespace {

/// LAPACK's and BLAS's integers have 32 bits here.
int narrow(Index value) {
  if (value > static_cast<Index>(std::numeric_limits<int>::max()))
    throw UsageError(fmt::format("{} is too large for OpenBLAS", value));
  return static_cast<int>(value);
}

template <typename T>
constexpr bool is_f32 = std::is_same_v<T, float>;

std::string describe() {
  return fmt::format("host CPU, {} threads, {}", openblas_get_num_threads(),
                     openblas_get_corename());
}

/// C <- C - A B, row-major, which CBLAS does without a copy.
template <typename T>
class OpenBlasGemm : public Contestant {
 public:
  explicit OpenBlasGemm(const Problem& problem)
      : m_(narrow(problem.size.m)),
        n_(narrow(problem.size.n)),
        k_(narrow(problem.size.k)),
        lda_(narrow(problem.size.k + problem.size.pad)),
        ldb_(narrow(problem.size.n + problem.size.pad)),
        a_(typed_rows<T>(problem.a, problem.size.k + problem.size.pad)),
        b_(typed_rows<T>(problem.b, problem.size.n + problem.size.pad)),
        c_(typed_rows<T>(problem.c, problem.size.n + problem.size.pad)),
        work_(c_) {}

  void restore() override { std::ranges::copy(c_, work_.begin()); }

  void run() override {
    if constexpr (is_f32<T>)
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m_, n_, k_, -1, a_.data(), lda_,
                  b_.data(), ldb_, 1, work_.data(), ldb_);
    else
      cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m_, n_, k_, -1, a_.data(), lda_,
                  b_.data(), ldb_, 1, work_.data(), ldb_);
  }

  [[nodiscard]] Matrix result() override {
    return matrix_of(work_.data(), static_cast<Index>(m_), static_cast<Index>(n_),
                     static_cast<Index>(ldb_));
  }

  [[nodiscard]] std::string detail() const override { return describe(); }

 private:
  int m_, n_, k_, lda_, ldb_;
  std::vector<T> a_, b_, c_, work_;
};

void require(lapack_int info) {
  if (info < 0) throw Error(ErrorCode::usage, fmt::format("OpenBLAS: info {}", info));
}

/// getrf, or gesv for solve, on a column-major copy of A: LAPACKE would transpose a row-major one
/// inside the timed call. The `_work` forms leave out LAPACKE's search for NaN, which clgauss does
/// not make either.
template <typename T>
class OpenBlasLu : public Contestant {
 public:
  explicit OpenBlasLu(const Problem& problem)
      : n_(narrow(problem.size.n)),
        lda_(narrow(problem.size.n + problem.size.pad)),
        nrhs_(narrow(problem.b.cols())),
        solve_(problem.size.what == What::solve || problem.size.what == What::host),
        a_(typed_rows<T>(transposed(problem.a), problem.size.n + problem.size.pad)),
        b_(typed_rows<T>(transposed(problem.b), problem.size.n)),
        work_(a_),
        x_(b_),
        pivots_(problem.size.n) {}

  void restore() override {
    std::ranges::copy(a_, work_.begin());
    std::ranges::copy(b_, x_.begin());
  }

  void run() override {
    if (solve_)
      require(gesv());
    else
      require(getrf());
  }

  [[nodiscard]] Matrix result() override {
    if (!solve_) require(getrs());
    return transposed(matrix_of(x_.data(), static_cast<Index>(nrhs_), static_cast<Index>(n_),
                                static_cast<Index>(n_)));
  }

  [[nodiscard]] std::string detail() const override { return describe(); }

 private:
  lapack_int gesv() {
    if constexpr (is_f32<T>)
      return LAPACKE_sgesv_work(LAPACK_COL_MAJOR, n_, nrhs_, work_.data(), lda_, pivots_.data(),
                                x_.data(), n_);
    else
      return LAPACKE_dgesv_work(LAPACK_COL_MAJOR, n_, nrhs_, work_.data(), lda_, pivots_.data(),
                                x_.data(), n_);
  }

  lapack_int getrf() {
    if constexpr (is_f32<T>)
      return LAPACKE_sgetrf_work(LAPACK_COL_MAJOR, n_, n_, work_.data(), lda_, pivots_.data());
    else
      return LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n_, n_, work_.data(), lda_, pivots_.data());
  }

  lapack_int getrs() {
    if constexpr (is_f32<T>)
      return LAPACKE_sgetrs_work(LAPACK_COL_MAJOR, 'N', n_, 1, work_.data(), lda_, pivots_.data(),
                                 x_.data(), n_);
    else
      return LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', n_, 1, work_.data(), lda_, pivots_.data(),
                                 x_.data(), n_);
  }

  /// Positive is a zero pivot: an answer, which check() then refuses.
  int n_, lda_, nrhs_;
  bool solve_;
  std::vector<T> a_, b_, work_, x_;
  std::vector<lapack_int> pivots_;
};

constexpr char kTriangle = 'L';  // of posv: the faster one

/// LAPACK's sysv by columns, with one right-hand side; `size` -1: only asks for the space.
template <typename T>
lapack_int sysv(int n, T* a, int lda, lapack_int* pivots, T* x, T* space, int size) {
  if constexpr (is_f32<T>)
    return LAPACKE_ssysv_work(LAPACK_COL_MAJOR, kTriangle, n, 1, a, lda, pivots, x, n, space, size);
  else
    return LAPACKE_dsysv_work(LAPACK_COL_MAJOR, kTriangle, n, 1, a, lda, pivots, x, n, space, size);
}

/// posv or sysv; A is symmetric and needs no transposition.
template <typename T>
class OpenBlasSymmetric : public Contestant {
 public:
  explicit OpenBlasSymmetric(const Problem& problem)
      : definite_(problem.size.what == What::cholesky),
        n_(narrow(problem.size.n)),
        lda_(narrow(problem.size.n + problem.size.pad)),
        a_(typed_rows<T>(problem.a, problem.size.n + problem.size.pad)),
        b_(typed_rows<T>(problem.b, 1)),
        work_(a_),
        x_(b_),
        pivots_(problem.size.n) {
    if (definite_) return;
    T wanted = 0;
    (void)sysv(n_, a_.data(), lda_, pivots_.data(), b_.data(), &wanted, -1);
    space_.resize(static_cast<Index>(wanted));
  }

  void restore() override {
    std::ranges::copy(a_, work_.begin());
    std::ranges::copy(b_, x_.begin());
  }

  void run() override {
    if (!definite_)
      (void)sysv(n_, work_.data(), lda_, pivots_.data(), x_.data(), space_.data(),
                 static_cast<int>(space_.size()));
    else if constexpr (is_f32<T>)
      LAPACKE_sposv_work(LAPACK_COL_MAJOR, kTriangle, n_, 1, work_.data(), lda_, x_.data(), n_);
    else
      LAPACKE_dposv_work(LAPACK_COL_MAJOR, kTriangle, n_, 1, work_.data(), lda_, x_.data(), n_);
  }

  [[nodiscard]] Matrix result() override {
    return matrix_of(x_.data(), static_cast<Index>(n_), 1, 1);
  }

  [[nodiscard]] std::string detail() const override { return describe(); }

 private:
  bool definite_;
  int n_, lda_;
  std::vector<T> a_, b_, work_, x_, space_;  // of sysv
  std::vector<lapack_int> pivots_;
};

/// gels on column-major copies, with the workspace that it asks for.
template <typename T>
class OpenBlasLeastSquares : public Contestant {
 public:
  explicit OpenBlasLeastSquares(const Problem& problem)
      : m_(narrow(problem.a.rows())),
        n_(narrow(problem.size.n)),
        a_(typed_rows<T>(transposed(problem.a), problem.a.rows())),  // b is the last column
        work_(a_) {
    T wanted = 0;
    (void)gels(&wanted, -1);
    space_.resize(static_cast<Index>(wanted));
  }

  void restore() override { std::ranges::copy(a_, work_.begin()); }

  void run() override { (void)gels(space_.data(), static_cast<int>(space_.size())); }

  [[nodiscard]] Matrix result() override { return matrix_of(b(), static_cast<Index>(n_), 1, 1); }

  [[nodiscard]] std::string detail() const override { return describe(); }

 private:
  T* b() { return work_.data() + static_cast<Index>(m_) * static_cast<Index>(n_); }

  lapack_int gels(T* space, int size) {
    if constexpr (is_f32<T>)
      return LAPACKE_sgels_work(LAPACK_COL_MAJOR, 'N', m_, n_, 1, work_.data(), m_, b(), m_, space,
                                size);
    else
      return LAPACKE_dgels_work(LAPACK_COL_MAJOR, 'N', m_, n_, 1, work_.data(), m_, b(), m_, space,
                                size);
  }

  int m_, n_;
  std::vector<T> a_, work_, space_;
};

/// gelsy, or gelsd, on column-major copies, with the workspace that it asks for.
template <typename T>
class OpenBlasAnyRank : public Contestant {
 public:
  OpenBlasAnyRank(const Problem& problem, bool by_singular_values)
      : by_singular_values_(by_singular_values),
        m_(narrow(problem.size.m)),
        n_(narrow(problem.size.n)),
        a_(typed_rows<T>(transposed(problem.a), problem.a.rows())),  // b is the last column
        work_(a_),
        x_(static_cast<Index>(std::max(m_, n_))),
        singular_(x_.size()),
        order_(x_.size()) {
    T wanted = 0;
    lapack_int integers = 0;
    call(&wanted, -1, &integers);
    space_.resize(static_cast<Index>(wanted));
    integers_.resize(static_cast<Index>(std::max(integers, 1)));
  }

  void restore() override {
    std::ranges::copy(a_, work_.begin());
    std::copy(a_.end() - m_, a_.end(), x_.begin());
    std::ranges::fill(order_, 0);
  }
  void run() override {
    call(space_.data(), static_cast<lapack_int>(space_.size()), integers_.data());
  }
  [[nodiscard]] Matrix result() override {
    return matrix_of(x_.data(), static_cast<Index>(n_), 1, 1);
  }
  [[nodiscard]] std::string detail() const override {
    return fmt::format("{}, rank {}, {}", by_singular_values_ ? "gelsd" : "gelsy", rank_,
                       describe());
  }

 private:
  void call(T* space, lapack_int size, lapack_int* integers) {
    const auto ldb = static_cast<lapack_int>(x_.size());
    const T tolerance = std::numeric_limits<T>::epsilon() * static_cast<T>(std::max(m_, n_));
    if constexpr (is_f32<T>) {
      if (by_singular_values_)
        LAPACKE_sgelsd_work(LAPACK_COL_MAJOR, m_, n_, 1, work_.data(), m_, x_.data(), ldb,
                            singular_.data(), tolerance, &rank_, space, size, integers);
      else
        LAPACKE_sgelsy_work(LAPACK_COL_MAJOR, m_, n_, 1, work_.data(), m_, x_.data(), ldb,
                            order_.data(), tolerance, &rank_, space, size);
    } else {
      if (by_singular_values_)
        LAPACKE_dgelsd_work(LAPACK_COL_MAJOR, m_, n_, 1, work_.data(), m_, x_.data(), ldb,
                            singular_.data(), tolerance, &rank_, space, size, integers);
      else
        LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, m_, n_, 1, work_.data(), m_, x_.data(), ldb,
                            order_.data(), tolerance, &rank_, space, size);
    }
  }

  bool by_singular_values_;
  lapack_int m_, n_, rank_ = 0;
  std::vector<T> a_, work_, x_, singular_, space_;
  std::vector<lapack_int> order_, integers_;
};

lapack_int gesv(int n, float* a, lapack_int* pivots, float* x) {
  return LAPACKE_sgesv_work(LAPACK_COL_MAJOR, n, 1, a, n, pivots, x, n);
}
lapack_int gesv(int n, double* a, lapack_int* pivots, double* x) {
  return LAPACKE_dgesv_work(LAPACK_COL_MAJOR, n, 1, a, n, pivots, x, n);
}
lapack_int gesv(int n, lapack_complex_float* a, lapack_int* pivots, lapack_complex_float* x) {
  return LAPACKE_cgesv_work(LAPACK_COL_MAJOR, n, 1, a, n, pivots, x, n);
}
lapack_int gesv(int n, lapack_complex_double* a, lapack_int* pivots, lapack_complex_double* x) {
  return LAPACKE_zgesv_work(LAPACK_COL_MAJOR, n, 1, a, n, pivots, x, n);
}

lapack_int posv(int n, float* a, float* x) {
  return LAPACKE_sposv_work(LAPACK_COL_MAJOR, kTriangle, n, 1, a, n, x, n);
}
lapack_int posv(int n, double* a, double* x) {
  return LAPACKE_dposv_work(LAPACK_COL_MAJOR, kTriangle, n, 1, a, n, x, n);
}
lapack_int posv(int n, lapack_complex_float* a, lapack_complex_float* x) {
  return LAPACKE_cposv_work(LAPACK_COL_MAJOR, kTriangle, n, 1, a, n, x, n);
}
lapack_int posv(int n, lapack_complex_double* a, lapack_complex_double* x) {
  return LAPACKE_zposv_work(LAPACK_COL_MAJOR, kTriangle, n, 1, a, n, x, n);
}

/// gesv of complex numbers, and of a Hermitian A posv or hesv, on a column-major copy. Number:
/// LAPACK's complex type of which T are the parts.
template <typename T, typename Number>
class OpenBlasComplex : public Contestant {
 public:
  explicit OpenBlasComplex(const Problem& problem)
      : definite_(problem.size.what == What::hermitian),
        n_(narrow(problem.size.n)),
        nrhs_(narrow(problem.size.k)),
        a_(typed_complex_columns<T>(problem.a)),  // B is the last columns
        work_(a_),
        pivots_(problem.size.n) {
    if (definite_ || !problem.size.batched.symmetric) return;
    T wanted[2] = {0, 0};
    (void)hesv(wanted, -1);
    space_.resize(2 * static_cast<Index>(wanted[0]));
  }

  void restore() override { std::ranges::copy(a_, work_.begin()); }

  void run() override {
    if (definite_)
      require(posv(n_, a(), b()));
    else if (!space_.empty())
      require(hesv(space_.data(), narrow(space_.size() / 2)));
    else if constexpr (is_f32<T>)
      require(LAPACKE_cgesv_work(LAPACK_COL_MAJOR, n_, nrhs_, a(), n_, pivots_.data(), b(), n_));
    else
      require(LAPACKE_zgesv_work(LAPACK_COL_MAJOR, n_, nrhs_, a(), n_, pivots_.data(), b(), n_));
  }

  [[nodiscard]] Matrix result() override {
    return complex_matrix_of(reinterpret_cast<const T*>(b()), static_cast<Index>(n_),
                             static_cast<Index>(nrhs_));
  }

  [[nodiscard]] std::string detail() const override { return describe(); }

 private:
  Number* a() { return reinterpret_cast<Number*>(work_.data()); }
  Number* b() { return a() + static_cast<Index>(n_) * static_cast<Index>(n_); }

  /// `size` -1: only asks for the space, in complex numbers.
  lapack_int hesv(T* space, int size) {
    auto* const numbers = reinterpret_cast<Number*>(space);
    if constexpr (is_f32<T>)
      return LAPACKE_chesv_work(LAPACK_COL_MAJOR, kTriangle, n_, nrhs_, a(), n_, pivots_.data(),
                                b(), n_, numbers, size);
    else
      return LAPACKE_zhesv_work(LAPACK_COL_MAJOR, kTriangle, n_, nrhs_, a(), n_, pivots_.data(),
                                b(), n_, numbers, size);
  }

  bool definite_;
  int n_, nrhs_;
  std::vector<T> a_, work_, space_;  // space_: for hesv, else empty
  std::vector<lapack_int> pivots_;
};

/// gesv, posv of definite systems or sysv of symmetric ones, in a loop over column-major copies of
/// the systems, with the number of threads that is the faster one for a sample. Number: real, or
/// LAPACK's complex type of which T are the parts.
template <typename T, typename Number = T>
class OpenBlasBatched : public Contestant {
 public:
  explicit OpenBlasBatched(const Problem& problem)
      : n_(narrow(problem.size.n)),
        batch_(problem.size.batch),
        definite_(problem.size.batched.positive_definite),
        symmetric_(problem.size.batched.symmetric),
        b_(typed_rows<T>(problem.b, problem.b.cols())),
        x_(b_),
        pivots_(problem.size.n),
        all_threads_(openblas_get_num_threads()) {
    const Index n = problem.size.n;
    a_.reserve(problem.a.values().size());
    for (Index s = 0; s < batch_; ++s)
      for (Index j = 0; j < n; ++j)
        for (Index i = 0; i < n; ++i)
          for (Index part = 0; part < kParts; ++part)
            a_.push_back(static_cast<T>(problem.a(s, kParts * (i * n + j) + part)));
    work_ = a_;
    if (symmetric_) {
      if constexpr (kParts == 1) {
        T wanted = 0;
        (void)sysv(n_, a_.data(), n_, pivots_.data(), b_.data(), &wanted, -1);
        space_.resize(static_cast<Index>(wanted));
      }
    }
    threads_ = sample_seconds(all_threads_) < sample_seconds(1) ? all_threads_ : 1;
  }
  ~OpenBlasBatched() override { openblas_set_num_threads(all_threads_); }

  void restore() override {
    std::ranges::copy(a_, work_.begin());
    std::ranges::copy(b_, x_.begin());
    openblas_set_num_threads(threads_);
  }

  void run() override { solve(batch_); }

  [[nodiscard]] Matrix result() override {
    const Index columns = kParts * static_cast<Index>(n_);
    return matrix_of(x_.data(), batch_, columns, columns);
  }

  [[nodiscard]] std::string detail() const override {
    return fmt::format("{} in a loop, host CPU, {} thread{}, {}",
                       definite_    ? "posv"
                       : symmetric_ ? "sysv"
                                    : "gesv",
                       threads_, threads_ == 1 ? "" : "s", openblas_get_corename());
  }

 private:
  static constexpr Index kParts = sizeof(Number) / sizeof(T);

  void solve(Index count) {
    const auto n = static_cast<Index>(n_);
    for (Index s = 0; s < count; ++s) {
      auto* const a = reinterpret_cast<Number*>(work_.data()) + s * n * n;
      auto* const x = reinterpret_cast<Number*>(x_.data()) + s * n;
      if (definite_) {
        (void)posv(n_, a, x);
        continue;
      }
      if constexpr (kParts == 1) {
        if (symmetric_) {
          (void)sysv(n_, a, n_, pivots_.data(), x, space_.data(), static_cast<int>(space_.size()));
          continue;
        }
      }
      (void)gesv(n_, a, pivots_.data(), x);
    }
  }

  double sample_seconds(int threads) {
    threads_ = threads;
    const Index count = std::min<Index>(batch_, 200);
    double least = std::numeric_limits<double>::infinity();
    for (int repeat = 0; repeat < 5; ++repeat) {
      restore();
      const auto begin = std::chrono::steady_clock::now();
      solve(count);
      least = std::min(least, seconds_since(begin));
    }
    return least;
  }

  int n_;
  Index batch_;
  bool definite_, symmetric_;
  std::vector<T> a_, b_, work_, x_, space_;
  std::vector<lapack_int> pivots_;
  int all_threads_, threads_ = 1;
};

/// gecon of L\U by columns.
template <typename T>
class OpenBlasGecon : public Contestant {
 public:
  explicit OpenBlasGecon(const Problem& problem)
      : n_(narrow(problem.size.n)),
        lu_(typed_rows<T>(transposed(problem.a), problem.size.n)),
        space_(4 * problem.size.n),
        integers_(problem.size.n) {}

  void restore() override {}
  void run() override {
    if constexpr (is_f32<T>)
      require(LAPACKE_sgecon_work(LAPACK_COL_MAJOR, '1', n_, lu_.data(), n_, 1, &rcond_,
                                  space_.data(), integers_.data()));
    else
      require(LAPACKE_dgecon_work(LAPACK_COL_MAJOR, '1', n_, lu_.data(), n_, 1, &rcond_,
                                  space_.data(), integers_.data()));
  }
  [[nodiscard]] Matrix result() override { return {1, 1, {static_cast<double>(rcond_)}}; }
  [[nodiscard]] std::string detail() const override { return describe(); }

 private:
  int n_;
  std::vector<T> lu_, space_;
  std::vector<lapack_int> integers_;
  T rcond_ = 0;
};

/// getrf and getri of A's rows as columns, that is of A^T, whose inverse's columns are the rows of
/// A's.
template <typename T>
class OpenBlasInvert : public Contestant {
 public:
  explicit OpenBlasInvert(const Problem& problem)
      : n_(narrow(problem.size.n)),
        a_(typed_rows<T>(problem.a, problem.size.n)),
        work_(a_),
        pivots_(problem.size.n) {
    T best = 0;
    require(getri(&best, -1));
    space_.resize(static_cast<std::size_t>(best));
  }

  void restore() override { std::ranges::copy(a_, work_.begin()); }
  void run() override {
    if constexpr (is_f32<T>)
      require(LAPACKE_sgetrf_work(LAPACK_COL_MAJOR, n_, n_, work_.data(), n_, pivots_.data()));
    else
      require(LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n_, n_, work_.data(), n_, pivots_.data()));
    require(getri(space_.data(), narrow(space_.size())));
  }
  [[nodiscard]] Matrix result() override {
    const auto n = static_cast<Index>(n_);
    return matrix_of(work_.data(), n, n, n);
  }
  [[nodiscard]] std::string detail() const override { return describe(); }

 private:
  lapack_int getri(T* space, int size) {
    if constexpr (is_f32<T>)
      return LAPACKE_sgetri_work(LAPACK_COL_MAJOR, n_, work_.data(), n_, pivots_.data(), space,
                                 size);
    else
      return LAPACKE_dgetri_work(LAPACK_COL_MAJOR, n_, work_.data(), n_, pivots_.data(), space,
                                 size);
  }

  int n_;
  std::vector<T> a_, work_, space_;
  std::vector<lapack_int> pivots_;
};

/// The core type to ask for; empty where the CPU has no AVX-512.
std::optional<const char*> avx512_core_type() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") == 0 || __builtin_cpu_supports("avx512bw") == 0 ||
      __builtin_cpu_supports("avx512dq") == 0 || __builtin_cpu_supports("avx512vl") == 0)
    return std::nullopt;
  return __builtin_cpu_supports("avx512bf16") != 0 ? "COOPERLAKE" : "SKYLAKEX";
#else
  return std::nullopt;
#endif
}

}  // namespace

namespace {

std::unique_ptr<Contestant> make_any_rank(const Problem& problem, bool by_singular_values) {
  if (problem.size.type == RealType::f32)
    return std::make_unique<OpenBlasAnyRank<float>>(problem, by_singular_values);
  return std::make_unique<OpenBlasAnyRank<double>>(problem, by_singular_values);
}

}  // namespace

std::unique_ptr<Contestant> make_gelsd(const DeviceProblem& device) {
  return make_any_rank(device.problem(), true);
}

std::unique_ptr<Contestant> make_openblas(const DeviceProblem& device) {
  const Problem& problem = device.problem();
  const bool f32 = problem.size.type == RealType::f32;
  if (problem.size.what == What::gemm) {
    if (f32) return std::make_unique<OpenBlasGemm<float>>(problem);
    return std::make_unique<OpenBlasGemm<double>>(problem);
  }
  if (problem.size.what == What::cholesky || problem.size.what == What::ldlt) {
    if (f32) return std::make_unique<OpenBlasSymmetric<float>>(problem);
    return std::make_unique<OpenBlasSymmetric<double>>(problem);
  }
  if (problem.size.what == What::gelsy) return make_any_rank(problem, false);
  if (problem.size.what == What::lstsq) {
    if (f32) return std::make_unique<OpenBlasLeastSquares<float>>(problem);
    return std::make_unique<OpenBlasLeastSquares<double>>(problem);
  }
  if (is_complex(problem.size.what)) {
    if (f32) return std::make_unique<OpenBlasComplex<float, lapack_complex_float>>(problem);
    return std::make_unique<OpenBlasComplex<double, lapack_complex_double>>(problem);
  }
  if (problem.size.what == What::invert) {
    if (f32) return std::make_unique<OpenBlasInvert<float>>(problem);
    return std::make_unique<OpenBlasInvert<double>>(problem);
  }
  if (problem.size.what == What::gecon) {
    if (f32) return std::make_unique<OpenBlasGecon<float>>(problem);
    return std::make_unique<OpenBlasGecon<double>>(problem);
  }
  if (problem.size.what == What::batched && problem.size.batched.complex) {
    if (f32) return std::make_unique<OpenBlasBatched<float, lapack_complex_float>>(problem);
    return std::make_unique<OpenBlasBatched<double, lapack_complex_double>>(problem);
  }
  if (problem.size.what == What::batched) {
    if (f32) return std::make_unique<OpenBlasBatched<float>>(problem);
    return std::make_unique<OpenBlasBatched<double>>(problem);
  }
  if (f32) return std::make_unique<OpenBlasLu<float>>(problem);
  return std::make_unique<OpenBlasLu<double>>(problem);
}

void prepare_openblas(char** arguments) {
  constexpr const char* kVariable = "OPENBLAS_CORETYPE";
  constexpr std::string_view kAvx512Cores[] = {"SkylakeX", "Cooperlake", "SapphireRapids"};
  const std::string_view core = openblas_get_corename();
  const auto wanted = avx512_core_type();
  const bool slow = wanted && std::ranges::find(kAvx512Cores, core) == std::end(kAvx512Cores);
  if (slow && std::getenv(kVariable) != nullptr)
    cli::tell(
        fmt::format("clgauss-bench: {} makes OpenBLAS work as {} on a CPU with AVX-512; without it "
                    "OpenBLAS would be faster\n",
                    kVariable, core));
  if (slow && std::getenv(kVariable) == nullptr) {
    cli::tell(fmt::format("clgauss-bench: OpenBLAS picked {}; starting again with {}={}\n", core,
                          kVariable, *wanted));
    ::setenv(kVariable, *wanted, 0);
    ::execv("/proc/self/exe", arguments);
    cli::tell(fmt::format("clgauss-bench: that failed ({}); OpenBLAS goes on as {}\n",
                          std::strerror(errno), core));
  }
  openblas_set_num_threads(static_cast<int>(std::max(1U, std::thread::hardware_concurrency())));
}

}  // namespace clgauss::bench
