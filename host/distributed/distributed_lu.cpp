#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <clgauss/distributed.hpp>
#include <clgauss/error.hpp>
#include <cmath>
#include <numeric>
#include <thread>

#include "distributed/block_matrix.hpp"
#include "distributed/host_factors.hpp"
#include "distributed/step_tasks.hpp"
#include "linalg/lu/getrf_columns.hpp"
#include "linalg/lu/pivots.hpp"
#include "matrix/scaling.hpp"

namespace clgauss {

namespace {

cl::Buffer buffer_of(void* interface) {
  return cl::Buffer(reinterpret_cast<cl_mem>(STARPU_VECTOR_GET_DEV_HANDLE(interface)), true);
}

}  // namespace

class DistributedLu::Implementation : public BlockMatrix {
 public:
  Implementation(Engine& engine, const ColumnSource& source, const DistributedOptions& options)
      : BlockMatrix(engine, source, options),
        tasks_(
            engine_,
            [this](const Step& step, std::size_t device, void* buffers[]) {
              run(step, device, buffers);
            },
            [this](const Step& step) {
              if (step.kind == StepKind::panel) blocks_[step.k].factored = true;
            },
            options.keep_steps) {
    engine_.ranks.together([&] { make_steps(); });
    fill(engine, source);
  }

  Matrix factor_and_solve(const Matrix& b, const ProgressCallback& progress) {
    ++run_;
    total_flops_ = 2.0 / 3 * std::pow(static_cast<double>(n_), 3) / engine_.ranks.count();
    Matrix x = with_right_hand_sides(b, progress, "factorisation", [&] { submit_factorisation(); });
    read_pivots();
    return failed_ ? Matrix() : x;
  }

  Matrix solve(const Matrix& b, const ProgressCallback& progress) {
    if (failed_) throw SingularFactors(*failed_);
    total_flops_ = 0;
    return with_right_hand_sides(b, progress, "substitution", [&] {
      for (Index k = 0; k < count(); ++k) {
        forward(k);
        forget_copies(k);
      }
    });
  }

  Matrix solve_transposed(const Matrix& b) const {
    if (failed_) throw SingularFactors(*failed_);
    check_height(b);
    Matrix x(n_, b.cols());
    for (Index i = 0; i < n_; ++i)  // A^-T = R A'^-T C
      scale_row(b.row(i), scaling_.columns, {}, i, x.row(i).data());
    host_factors().solve_transposed(x);
    for (Index i = 0; i < n_; ++i) scale_row(x.row(i), scaling_.rows, {}, i, x.row(i).data());
    return x;
  }

  [[nodiscard]] Determinant determinant() const {
    EliminationResult result;
    const std::vector<double> diagonal = host_factors().diagonal();
    result.pivots.assign(diagonal.begin(), diagonal.end());
    for (Index i = 0; i < n_; ++i) result.row_exchanges += pivots_[i] != i ? 1 : 0;
    for (const auto* exponents : {&scaling_.rows, &scaling_.columns})
      result.exponent -= std::accumulate(exponents->begin(), exponents->end(), std::int64_t{0});
    return determinant_of(result);
  }

  [[nodiscard]] double reciprocal_growth() const {
    const double largest = host_factors().largest_of_u();
    return largest == 0 ? 1 : scaled_size().largest / largest;
  }

  [[nodiscard]] std::vector<double> gather(int rank) const {
    return host_factors().gather(rank, run_ > 0);
  }

  [[nodiscard]] std::optional<Index> failed() const { return failed_; }
  [[nodiscard]] const std::vector<Index>& pivots() const { return pivots_; }

 private:
  [[nodiscard]] HostFactors host_factors() const {
    return {engine_.ranks, cut_, options_.type, blocks_, pivots_};
  }

  void check_height(const Matrix& b) const {
    if (b.rows() != n_) throw DimensionError(fmt::format("b has {} rows, A has {}", b.rows(), n_));
    if (b.cols() == 0) throw DimensionError("there is no right-hand side");
  }

  void make_steps() {
    steps_.resize(engine_.workers.size());
    engine_.on_each_worker([&](std::size_t device) {
      steps_[device] = make_column_steps(*engine_.workers[device].context, options_.type, n_,
                                         static_cast<cl_uint>(cut_.width));
      steps_[device]->prepare(1);
    });
  }

  // ---- the algorithm

  /// For each group of columns: applies the finished columns to it, then factors it.
  void submit_factorisation() {
    for (Index k = 0; k < resumed_; ++k) forward(k);
    for (Index begin = resumed_; begin < count(); begin += group_) {
      const Index end = std::min(count(), begin + group_);
      for (Index k = 0; k < begin; ++k) {
        for (Index j = begin; j < end; ++j) update(k, j);  // A_j <- L_k^-1 P_k A_j, A_j -= L_k U_kj
        forget_copies(k);
        pass_by(k);
      }
      for (Index k = begin; k < end; ++k) {
        panel(k);  // P_k A_k = L_k U_kk
        for (Index j = k + 1; j < end; ++j) update(k, j);
        forward(k);  // the same for B
        forget_copies(k);
        keep_pace(k);
        pass_by(k);
      }
    }
  }

  [[nodiscard]] double rows_from(Index k) const { return static_cast<double>(n_ - cut_.first(k)); }
  [[nodiscard]] double columns_of(Index j) const { return static_cast<double>(cut_.columns(j)); }
  [[nodiscard]] StepPlace place_of(Index j, Index order) const {
    return {cut_.owner(j), device(j), order};
  }

  /// The order of panel k and of its update in the step before. They come first: otherwise its
  /// device would run the other updates of that step while all other devices wait for the panel.
  static Index first_of(Index k) { return 2 * k; }
  static Index rest_of(Index k) { return 2 * k + 3; }  // after the update for panel k + 1

  void panel(Index k) {
    const double m = rows_from(k), w = columns_of(k);
    tasks_.submit({StepKind::panel, k, k, (m - w / 3) * w * w}, place_of(k, first_of(k)), STARPU_RW,
                  blocks_[k].columns.get(), STARPU_W, blocks_[k].pivots.get());
  }

  void update(Index k, Index j) {
    const double m = rows_from(k), w = columns_of(k);
    tasks_.submit({StepKind::update, k, j, (2 * m - w) * w * columns_of(j)},
                  place_of(j, j == k + 1 ? first_of(j) : rest_of(k)), STARPU_R,
                  blocks_[k].columns.get(), STARPU_R, blocks_[k].pivots.get(), STARPU_RW,
                  blocks_[j].columns.get());
  }

  /// Applies L_k to B, on rank 0, which holds B.
  void forward(Index k) {
    tasks_.submit({StepKind::forward, k, 0, 0}, {0, device(k), rest_of(k)}, STARPU_R,
                  blocks_[k].columns.get(), STARPU_R, blocks_[k].pivots.get(), STARPU_RW, b_.get());
  }

  void backward(Index k) {
    tasks_.submit({StepKind::backward, k, k, 0}, place_of(k, rest_of(count())), STARPU_R,
                  blocks_[k].columns.get(), STARPU_RW, b_.get());
  }

  /// Drops other ranks' copies of block k once all tasks submitted so far have read them.
  void forget_copies(Index k) {
    if (engine_.ranks.alone()) return;
    starpu_mpi_cache_flush(MPI_COMM_WORLD, blocks_[k].columns.get());
    starpu_mpi_cache_flush(MPI_COMM_WORLD, blocks_[k].pivots.get());
  }

  /// Another rank's block takes memory as soon as it is requested, so blocks are requested only a
  /// few steps ahead.
  void keep_pace(Index k) {
    constexpr Index kStepsAhead = 4;
    const auto ranks = static_cast<Index>(engine_.ranks.count());
    if (ranks > 1) wait_for(kStepsAhead * ((count() - k) / ranks + 1));
  }

  /// If the devices cannot hold all blocks, block k is the first to be evicted. Later tasks are
  /// submitted only when they are due, because StarPU fetches data for submitted tasks in advance.
  void pass_by(Index k) {
    if (group_ >= count()) return;
    if (cut_.own(k)) starpu_data_wont_use(blocks_[k].columns.get());
    wait_for(2 * group_);
  }

  /// Runs in the thread of a worker.
  void run(const Step& step, std::size_t device, void* buffers[]) {
    ColumnSteps& steps = *steps_[device];
    const Index k = step.k, row = cut_.first(k), width = cut_.width;
    const MatrixView a{buffer_of(buffers[0]), 0, width};
    const auto w = static_cast<cl_uint>(cut_.columns(k)), nrhs = static_cast<cl_uint>(nrhs_);
    if (step.kind == StepKind::backward) {
      steps.backward(a, static_cast<cl_uint>(row), w, {buffer_of(buffers[1]), 0, nrhs_}, nrhs);
      return;
    }
    const FactoredBlock block{{a.at(row, 0), static_cast<cl_uint>(n_ - row), w},
                              buffer_of(buffers[1]),
                              run_ * count() + k + 1};
    if (step.kind == StepKind::panel)
      steps.panel(block);
    else if (step.kind == StepKind::update)
      steps.update(block, MatrixView{buffer_of(buffers[2]), 0, width}.at(row, 0),
                   static_cast<cl_uint>(width));
    else
      steps.forward(block, MatrixView{buffer_of(buffers[2]), 0, nrhs_}.at(row, 0), nrhs);
  }

  // ---- everything else

  /// Solves for X; `submit` submits the tasks that apply L to B.
  template <typename Submit>
  Matrix with_right_hand_sides(const Matrix& b, const ProgressCallback& progress, const char* what,
                               const Submit& submit) {
    check_height(b);
    nrhs_ = b.cols();
    Scaling scaling = scaling_;
    scale_right_hand_sides(scaling, n_, nrhs_, b.values(), options_.type);
    const bool root = engine_.ranks.rank() == 0;
    b_memory_.assign(root ? n_ * nrhs_ * element_ : 0, std::byte{0});
    if (root && options_.type == RealType::f64)
      write_scaled<double>(b, scaling);
    else if (root)
      write_scaled<float>(b, scaling);
    b_ = Handle();
    b_.make(root ? b_memory_.data() : nullptr, n_ * nrhs_, element_);
    if (!engine_.ranks.alone()) b_.give_to(0, static_cast<std::int64_t>(2 * count()));
    tasks_.clear();
    progress_ = &progress;
    what_ = what;
    begin_ = last_told_ = last_stored_ = std::chrono::steady_clock::now();
    try {
      submit();
      for (Index k = count(); k-- > 0;) backward(k);
      if (!engine_.ranks.alone()) starpu_mpi_cache_flush(MPI_COMM_WORLD, b_.get());
      finish();
    } catch (const std::exception&) {
      abandon();
      throw;
    }
    Matrix x(n_, nrhs_);
    if (root) {
      const HostAccess access(b_, STARPU_R);
      if (options_.type == RealType::f64)
        copy_from<double>(access.data(), x.values());
      else
        copy_from<float>(access.data(), x.values());
      scale_back(scaling, nrhs_, x.values());
    }
    b_ = Handle();
    engine_.ranks.broadcast(0, x.values());
    return x;
  }

  /// B' = R B S.
  template <typename T>
  void write_scaled(const Matrix& b, const Scaling& scaling) {
    T* to = reinterpret_cast<T*>(b_memory_.data());
    for (Index i = 0; i < n_; ++i)
      to = scale_row(b.row(i), scaling.rows, scaling.right_hand_sides, i, to);
  }
  template <typename T>
  static void copy_from(const std::byte* from, std::span<double> to) {
    const T* const numbers = reinterpret_cast<const T*>(from);
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<double>(numbers[i]);
  }

  /// Waits until at most `most` of this rank's tasks are left. Meanwhile it reports progress and
  /// writes checkpoints. Throws the exception of a failed task.
  void wait_for(Index most) {
    while (static_cast<Index>(starpu_task_nsubmitted()) > most && !engine_.failed()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      const auto now = std::chrono::steady_clock::now();
      if (*progress_ && now - last_told_ > std::chrono::milliseconds(50)) {
        last_told_ = now;
        tell(now);
      }
      if (checkpoints_ &&
          std::chrono::duration<double>(now - last_stored_).count() >= checkpoints_->every_s()) {
        checkpoints_->store_finished(cut_, blocks_);
        last_stored_ = now;
      }
    }
    if (engine_.failed()) engine_.rethrow();
  }

  void finish() {
    wait_for(0);
    if (engine_.ranks.alone())
      starpu_task_wait_for_all();
    else
      starpu_mpi_wait_for_all(MPI_COMM_WORLD);
    engine_.ranks.together([&] { engine_.rethrow(); });
  }

  /// Lets the submitted tasks end without doing anything, so that their data can be freed.
  void abandon() {
    if (!engine_.ranks.alone()) return;  // the process ends
    engine_.stop();
    starpu_task_wait_for_all();
    b_ = Handle();
    engine_.start_again();
  }

  void tell(std::chrono::steady_clock::time_point now) const {
    if (total_flops_ == 0) {
      (*progress_)(what_, 0);
      return;
    }
    const double done = tasks_.done_flops(),
                 time = std::chrono::duration<double>(now - begin_).count();
    Index own = 0, factored = 0;
    cut_.each_own_block([&](Index j, Index, Index) {
      ++own;
      factored += blocks_[j].factored ? 1 : 0;
    });
    (*progress_)(fmt::format("{}: {} of {} blocks here, {:.1f} GFLOP/s", what_, factored, own,
                             done / time / 1e9),
                 std::min(1.0, done / total_flops_));
  }

  void read_pivots() {
    std::vector<double> all(n_ + 1, 0);
    std::vector<double> bad{-static_cast<double>(n_)};
    bool gave_up = false;
    cut_.each_own_block([&](Index k, Index first, Index columns) {
      const HostAccess access(blocks_[k].pivots, STARPU_R);
      const std::span numbers(reinterpret_cast<const std::int32_t*>(access.data()),
                              columns + PanelOutcome::kCount);
      for (Index i = 0; i < columns; ++i) all[first + i] = static_cast<double>(first) + numbers[i];
      if (numbers[columns] >= 0 && static_cast<Index>(numbers[columns]) < columns)
        bad[0] = std::max(bad[0], -static_cast<double>(first) - numbers[columns]);
      gave_up = gave_up || numbers[columns + 1] != 0;
    });
    engine_.ranks.together([&] {
      if (!gave_up) return;
      for (const auto& worker : engine_.workers) worker.context->trials().forget_residency();
      throw CoResidencyLost(
          "the work-groups of a panel did not all run at once (is a device shared?); try again");
    });
    engine_.ranks.add_up(all);
    engine_.ranks.take_largest(bad);
    failed_ = bad[0] > -static_cast<double>(n_) ? std::optional(static_cast<Index>(-bad[0]))
                                                : std::nullopt;
    pivots_.resize(n_);
    for (Index i = 0; i < n_; ++i)
      pivots_[i] = failed_ ? i : checked_pivot_row(static_cast<Index>(all[i]), i, n_);
  }

  Index nrhs_ = 0;
  std::uint64_t run_ = 0;
  std::vector<std::unique_ptr<ColumnSteps>> steps_;  // one per device
  std::vector<std::byte> b_memory_;
  Handle b_;
  StepTasks tasks_;
  std::vector<Index> pivots_;
  std::optional<Index> failed_;
  const ProgressCallback* progress_ = nullptr;  // of the work in progress
  const char* what_ = "";
  std::chrono::steady_clock::time_point begin_, last_told_, last_stored_;
  double total_flops_ = 0;
};

DistributedLu::DistributedLu(Engine& engine, const ColumnSource& source,
                             const DistributedOptions& options)
    : implementation_(std::make_unique<Implementation>(engine, source, options)) {}
DistributedLu::DistributedLu(DistributedLu&&) noexcept = default;
DistributedLu::~DistributedLu() {
  // With several ranks, an error ends the process; until then, tasks still use this object.
  if (has_ranks() && std::uncaught_exceptions() > 0) (void)implementation_.release();
}

Matrix DistributedLu::factor_and_solve(const Matrix& b, const ProgressCallback& progress) {
  return implementation_->factor_and_solve(b, progress);
}
Matrix DistributedLu::solve(const Matrix& b, const ProgressCallback& progress) {
  return implementation_->solve(b, progress);
}
Matrix DistributedLu::solve_transposed(const Matrix& b) const {
  return implementation_->solve_transposed(b);
}
Matrix DistributedLu::subtract_product(const Matrix& b, const Matrix& x, Matrix* magnitudes) const {
  return implementation_->a().subtract_product(b, x, magnitudes);
}
Residual DistributedLu::judge(const Matrix& b, const Matrix& x, const Matrix& residual) const {
  return implementation_->a().judge(b, x, residual, unit_roundoff(implementation_->type()));
}
MatrixSize DistributedLu::size() const { return implementation_->a().size(); }
Determinant DistributedLu::determinant() const { return implementation_->determinant(); }
double DistributedLu::reciprocal_growth() const { return implementation_->reciprocal_growth(); }
std::vector<double> DistributedLu::gather(int rank) const { return implementation_->gather(rank); }
std::optional<Index> DistributedLu::failed_column() const { return implementation_->failed(); }
const std::vector<Index>& DistributedLu::pivots() const { return implementation_->pivots(); }
Index DistributedLu::n() const { return implementation_->n(); }
Index DistributedLu::block_columns() const { return implementation_->block_columns(); }
Index DistributedLu::resumed_blocks() const { return implementation_->resumed(); }
MatrixSize DistributedLu::scaled_size() const { return implementation_->scaled_size(); }
const std::vector<int>& DistributedLu::row_exponents() const {
  return implementation_->scaling().rows;
}
const std::vector<int>& DistributedLu::column_exponents() const {
  return implementation_->scaling().columns;
}

}  // namespace clgauss
