#include "bench_host.hpp"

#include <clgauss.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <cstdint>
#include <deque>
#include <string>
#include <type_traits>
#include <utility>

#include "matrix/transposed.hpp"

namespace clgauss::bench {

namespace {

void require(clgauss_status status) {
  if (status != CLGAUSS_OK)
    throw Error(static_cast<ErrorCode>(status), std::string("clgauss.h: ") + clgauss_last_error());
}

/// A clgauss_context that the contestants share.
class SharedContext {
 public:
  explicit SharedContext(const std::string& spec) {
    require(clgauss_context_create(spec.empty() ? nullptr : spec.c_str(), CLGAUSS_USE_ENVIRONMENT,
                                   &handle_));
  }
  SharedContext(const SharedContext&) = delete;
  SharedContext& operator=(const SharedContext&) = delete;
  ~SharedContext() { clgauss_context_destroy(handle_); }

  [[nodiscard]] clgauss_context handle() const { return handle_; }

 private:
  clgauss_context handle_ = nullptr;
};

enum class Call { gesv, solve };

template <typename T>
class HostContestant : public Contestant {
 public:
  HostContestant(std::shared_ptr<const SharedContext> context, const Problem& problem, Call call,
                 int layout)
      : context_(std::move(context)),
        call_(call),
        layout_(layout),
        n_(problem.a.rows()),
        nrhs_(problem.b.cols()),
        a_(typed(problem.a)),
        b_(typed(problem.b)),
        work_(a_),
        x_(b_),
        pivots_(n_) {}

  void restore() override {
    if (call_ == Call::gesv) std::ranges::copy(a_, work_.begin());
    std::ranges::copy(b_, x_.begin());
  }

  void run() override { require(call_ == Call::gesv ? gesv() : solve()); }

  [[nodiscard]] Matrix result() override {
    return by_columns() ? transposed(matrix_of(x_.data(), nrhs_, n_, n_))
                        : matrix_of(x_.data(), n_, nrhs_, nrhs_);
  }

  [[nodiscard]] std::string detail() const override {
    return by_columns() ? "by columns" : "by rows";
  }

 private:
  [[nodiscard]] bool by_columns() const { return layout_ == CLGAUSS_COLUMN_MAJOR; }

  std::vector<T> typed(const Matrix& matrix) const {
    return by_columns() ? typed_rows<T>(transposed(matrix), matrix.rows())
                        : typed_rows<T>(matrix, matrix.cols());
  }

  clgauss_status gesv() {
    const Index ldb = by_columns() ? n_ : nrhs_;
    if constexpr (std::is_same_v<T, float>)
      return clgauss_sgesv(context_->handle(), layout_, n_, nrhs_, work_.data(), n_, pivots_.data(),
                           x_.data(), ldb);
    else
      return clgauss_dgesv(context_->handle(), layout_, n_, nrhs_, work_.data(), n_, pivots_.data(),
                           x_.data(), ldb);
  }

  clgauss_status solve() {
    const Index ldb = by_columns() ? n_ : nrhs_;
    if constexpr (std::is_same_v<T, float>)
      return clgauss_ssolve(context_->handle(), layout_, n_, nrhs_, a_.data(), n_, b_.data(), ldb,
                            x_.data(), ldb, nullptr, nullptr);
    else
      return clgauss_dsolve(context_->handle(), layout_, n_, nrhs_, a_.data(), n_, b_.data(), ldb,
                            x_.data(), ldb, nullptr, nullptr);
  }

  std::shared_ptr<const SharedContext> context_;
  Call call_;
  int layout_;
  Index n_, nrhs_;
  std::vector<T> a_, b_, work_, x_;
  std::vector<std::int32_t> pivots_;
};

/// Of complex numbers by columns, with B as the last ones. Call::gesv of a Hermitian A is hesv.
template <typename T>
class ComplexHostContestant : public Contestant {
 public:
  ComplexHostContestant(std::shared_ptr<const SharedContext> context, const Problem& problem,
                        Call call)
      : context_(std::move(context)),
        call_(call),
        n_(problem.size.n),
        nrhs_(problem.size.k),
        hermitian_(problem.size.batched.symmetric),
        a_(typed_complex_columns<T>(problem.a)),
        work_(a_),
        pivots_(n_) {}

  void restore() override { std::ranges::copy(a_, work_.begin()); }

  void run() override { require(call_ == Call::solve ? solve() : hermitian_ ? hesv() : gesv()); }

  [[nodiscard]] Matrix result() override { return complex_matrix_of(x(), n_, nrhs_); }
  [[nodiscard]] std::string detail() const override { return "from host memory, by columns"; }

 private:
  [[nodiscard]] Index elements_of_a() const { return 2 * n_ * n_; }
  [[nodiscard]] T* x() { return work_.data() + elements_of_a(); }

  clgauss_status gesv() {
    const auto call = std::is_same_v<T, float> ? clgauss_cgesv : clgauss_zgesv;
    return call(context_->handle(), CLGAUSS_COLUMN_MAJOR, n_, nrhs_, work_.data(), n_,
                pivots_.data(), x(), n_);
  }
  clgauss_status hesv() {
    const auto call = std::is_same_v<T, float> ? clgauss_chesv : clgauss_zhesv;
    return call(context_->handle(), CLGAUSS_COLUMN_MAJOR, CLGAUSS_LOWER, n_, nrhs_, work_.data(),
                n_, pivots_.data(), x(), n_);
  }
  clgauss_status solve() {
    const auto call = std::is_same_v<T, float> ? clgauss_csolve : clgauss_zsolve;
    return call(context_->handle(), CLGAUSS_COLUMN_MAJOR, n_, nrhs_, a_.data(), n_,
                a_.data() + elements_of_a(), n_, x(), n_, nullptr, nullptr);
  }

  std::shared_ptr<const SharedContext> context_;
  Call call_;
  Index n_, nrhs_;
  bool hermitian_;
  std::vector<T> a_, work_;
  std::vector<std::int32_t> pivots_;
};

/// By columns, with b as the last one.
template <typename T>
class GelsyContestant : public Contestant {
 public:
  GelsyContestant(std::shared_ptr<const SharedContext> context, const Problem& problem)
      : context_(std::move(context)),
        m_(problem.size.m),
        n_(problem.size.n),
        a_(typed_rows<T>(transposed(problem.a), m_)),
        x_(std::max(m_, n_)) {}

  void restore() override { std::copy_n(a_.begin() + offset(m_ * n_), m_, x_.begin()); }

  void run() override {
    const Index ldb = x_.size();
    if constexpr (std::is_same_v<T, float>)
      require(clgauss_sgelsy(context_->handle(), CLGAUSS_COLUMN_MAJOR, m_, n_, 1, a_.data(), m_,
                             x_.data(), ldb, -1, &rank_));
    else
      require(clgauss_dgelsy(context_->handle(), CLGAUSS_COLUMN_MAJOR, m_, n_, 1, a_.data(), m_,
                             x_.data(), ldb, -1, &rank_));
  }

  [[nodiscard]] Matrix result() override { return matrix_of(x_.data(), n_, 1, 1); }
  [[nodiscard]] std::string detail() const override { return "rank " + std::to_string(rank_); }

 private:
  static std::ptrdiff_t offset(Index index) { return static_cast<std::ptrdiff_t>(index); }

  std::shared_ptr<const SharedContext> context_;
  Index m_, n_;
  std::vector<T> a_, x_;
  std::size_t rank_ = 0;
};

template <typename T>
class GeconContestant : public Contestant {
 public:
  GeconContestant(std::shared_ptr<const SharedContext> context, const Problem& problem, int layout)
      : context_(std::move(context)),
        layout_(layout),
        n_(problem.size.n),
        lu_(typed_rows<T>(by_columns() ? transposed(problem.a) : problem.a, n_)) {}

  void restore() override {}

  void run() override {
    if constexpr (std::is_same_v<T, float>)
      require(clgauss_sgecon_host(context_->handle(), layout_, CLGAUSS_ONE_NORM, n_, lu_.data(), n_,
                                  1, &rcond_));
    else
      require(clgauss_dgecon_host(context_->handle(), layout_, CLGAUSS_ONE_NORM, n_, lu_.data(), n_,
                                  1, &rcond_));
  }

  [[nodiscard]] Matrix result() override { return {1, 1, {rcond_}}; }
  [[nodiscard]] std::string detail() const override {
    return by_columns() ? "by columns" : "by rows";
  }

 private:
  [[nodiscard]] bool by_columns() const { return layout_ == CLGAUSS_COLUMN_MAJOR; }

  std::shared_ptr<const SharedContext> context_;
  int layout_;
  Index n_;
  std::vector<T> lu_;
  double rcond_ = 0;
};

template <typename T>
class VbatchedContestant : public Contestant {
 public:
  VbatchedContestant(std::shared_ptr<const SharedContext> context, const Problem& problem)
      : context_(std::move(context)),
        n_(sizes_of_systems(problem.size)),
        nrhs_(n_.size(), 1),
        a_(typed_rows<T>(problem.a, problem.a.cols())),
        b_(typed_rows<T>(problem.b, problem.b.cols())),
        x_(b_),
        info_(n_.size()) {
    const T* a = a_.data();
    T* x = x_.data();
    for (const Index n : n_) {
      a_of_.push_back(std::exchange(a, a + n * n));
      x_of_.push_back(std::exchange(x, x + n));
    }
  }

  void restore() override { std::ranges::copy(b_, x_.begin()); }

  void run() override {
    const auto call = [&](const auto& function) {
      require(function(context_->handle(), CLGAUSS_ROW_MAJOR, n_.data(), nrhs_.data(), a_of_.data(),
                       n_.data(), x_of_.data(), nrhs_.data(), n_.size(), info_.data()));
    };
    if constexpr (std::is_same_v<T, float>)
      call(clgauss_sgesv_vbatched);
    else
      call(clgauss_dgesv_vbatched);
  }

  [[nodiscard]] Matrix result() override { return matrix_of(x_.data(), 1, x_.size(), x_.size()); }
  [[nodiscard]] std::string detail() const override { return "one call"; }

 private:
  std::shared_ptr<const SharedContext> context_;
  std::vector<Index> n_, nrhs_;
  std::vector<T> a_, b_, x_;
  std::vector<const T*> a_of_;
  std::vector<T*> x_of_;
  std::vector<std::int32_t> info_;
};

/// The systems of vbatched, one call after the other.
template <typename T>
class LoopContestant : public Contestant {
 public:
  LoopContestant(const std::shared_ptr<const SharedContext>& context, const Problem& problem,
                 Call call) {
    for (auto& [a, b] : systems_of(problem))
      calls_.emplace_back(context, Problem{problem.size, std::move(a), std::move(b), {}}, call,
                          CLGAUSS_ROW_MAJOR);
  }

  void restore() override {
    for (auto& call : calls_) call.restore();
  }
  void run() override {
    for (auto& call : calls_) call.run();
  }

  [[nodiscard]] Matrix result() override {
    Values all;
    for (auto& call : calls_) {
      const Matrix x = call.result();
      all.insert(all.end(), x.values().begin(), x.values().end());
    }
    const Index count = all.size();
    return {1, count, std::move(all)};
  }
  [[nodiscard]] std::string detail() const override { return "one after the other"; }

 private:
  std::deque<HostContestant<T>> calls_;
};

}  // namespace

std::vector<Entry> vbatched_entries(const Problem& problem, const std::string& spec) {
  const auto context = std::make_shared<const SharedContext>(spec);
  std::vector<Entry> entries;
  const auto add = [&]<typename T>(T /*type*/) {
    entries.push_back({"clgauss", std::make_unique<VbatchedContestant<T>>(context, problem)});
    entries.push_back({"gesv", std::make_unique<LoopContestant<T>>(context, problem, Call::gesv)});
    entries.push_back(
        {"solve", std::make_unique<LoopContestant<T>>(context, problem, Call::solve)});
  };
  if (problem.size.type == RealType::f32)
    add(float{});
  else
    add(double{});
  return entries;
}

std::vector<Entry> gecon_entries(const Problem& problem, const std::string& spec) {
  const auto context = std::make_shared<const SharedContext>(spec);
  std::vector<Entry> entries;
  for (const int layout : {CLGAUSS_COLUMN_MAJOR, CLGAUSS_ROW_MAJOR}) {
    std::unique_ptr<Contestant> contestant;
    if (problem.size.type == RealType::f32)
      contestant = std::make_unique<GeconContestant<float>>(context, problem, layout);
    else
      contestant = std::make_unique<GeconContestant<double>>(context, problem, layout);
    entries.push_back({entries.empty() ? "clgauss" : "gecon", std::move(contestant)});
  }
  return entries;
}

Entry gelsy_entry(const Problem& problem, const std::string& spec) {
  auto context = std::make_shared<const SharedContext>(spec);
  if (problem.size.type == RealType::f32)
    return {"clgauss", std::make_unique<GelsyContestant<float>>(std::move(context), problem)};
  return {"clgauss", std::make_unique<GelsyContestant<double>>(std::move(context), problem)};
}

std::vector<Entry> complex_host_entries(const Problem& problem, const std::string& spec) {
  const auto context = std::make_shared<const SharedContext>(spec);
  std::vector<Entry> entries;
  for (const Call call : {Call::gesv, Call::solve}) {
    std::unique_ptr<Contestant> contestant;
    if (problem.size.type == RealType::f32)
      contestant = std::make_unique<ComplexHostContestant<float>>(context, problem, call);
    else
      contestant = std::make_unique<ComplexHostContestant<double>>(context, problem, call);
    entries.push_back({call == Call::solve              ? "solve"
                       : problem.size.batched.symmetric ? "hesv"
                                                        : "gesv",
                       std::move(contestant)});
  }
  return entries;
}

std::vector<Entry> host_entries(const Problem& problem, const std::string& spec) {
  const auto context = std::make_shared<const SharedContext>(spec);
  std::vector<Entry> entries;
  const auto add = [&](std::string_view name, Call call, int layout) {
    std::unique_ptr<Contestant> contestant;
    if (problem.size.type == RealType::f32)
      contestant = std::make_unique<HostContestant<float>>(context, problem, call, layout);
    else
      contestant = std::make_unique<HostContestant<double>>(context, problem, call, layout);
    entries.push_back({name, std::move(contestant)});
  };
  add("clgauss", Call::gesv, CLGAUSS_COLUMN_MAJOR);
  add("gesv", Call::gesv, CLGAUSS_ROW_MAJOR);
  add("solve by columns", Call::solve, CLGAUSS_COLUMN_MAJOR);
  add("solve", Call::solve, CLGAUSS_ROW_MAJOR);
  return entries;
}

}  // namespace clgauss::bench
