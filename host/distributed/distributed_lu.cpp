#include <fmt/format.h>
#include <starpu.h>
#include <starpu_mpi.h>

#include <algorithm>
#include <clgauss/distributed.hpp>
#include <clgauss/error.hpp>
#include <clgauss/version.hpp>
#include <cmath>
#include <deque>
#include <limits>
#include <thread>

#include "distributed/block_store.hpp"
#include "distributed/engine.hpp"
#include "distributed/host_memory.hpp"
#include "linalg/getrf_columns.hpp"
#include "matrix/transfer.hpp"
#include "parallel.hpp"

namespace clgauss {

namespace {

enum class StepKind { panel, update, forward, backward };
constexpr const char* kStepNames[]{"panel", "update", "forward", "backward"};

/// Data of StarPU's, unregistered at the end.
class Handle {
 public:
  Handle() = default;
  Handle(Handle&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Handle() {
    // While an error leaves among other ranks nothing ends in order.
    if (handle_ != nullptr && std::uncaught_exceptions() == 0)
      starpu_data_unregister(handle_);
    else if (handle_ != nullptr && !has_ranks())
      starpu_data_unregister_no_coherency(handle_);
  }

  /// `count` elements; at `memory`, or where StarPU likes.
  void make(void* memory, std::size_t count, std::size_t element) {
    starpu_vector_data_register(&handle_, memory != nullptr ? STARPU_MAIN_RAM : -1,
                                reinterpret_cast<uintptr_t>(memory),
                                static_cast<std::uint32_t>(count), element);
    starpu_data_set_sequential_consistency_flag(handle_, 1);
  }
  void give_to(int rank, std::int64_t tag) { starpu_mpi_data_register(handle_, tag, rank); }

  [[nodiscard]] starpu_data_handle_t get() const { return handle_; }

 private:
  starpu_data_handle_t handle_ = nullptr;
};

/// The main thread's hold on data of this rank's, in its own memory.
class HostAccess {
 public:
  HostAccess(const Handle& handle, starpu_data_access_mode mode) : handle_(handle.get()) {
    starpu_data_acquire(handle_, mode);
  }
  HostAccess(const HostAccess&) = delete;
  HostAccess& operator=(const HostAccess&) = delete;
  ~HostAccess() { starpu_data_release(handle_); }

  [[nodiscard]] std::byte* data() const {
    return reinterpret_cast<std::byte*>(starpu_vector_get_local_ptr(handle_));
  }

 private:
  starpu_data_handle_t handle_;
};

cl::Buffer buffer_of(void* interface) {
  return cl::Buffer(reinterpret_cast<cl_mem>(STARPU_VECTOR_GET_DEV_HANDLE(interface)), true);
}

double seconds(const timespec& time) {
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

class DistributedLu::Implementation {
 public:
  Implementation(Engine& engine, const ColumnSource& source, const DistributedOptions& options)
      : engine_(engine.implementation()),
        source_(source),
        options_(options),
        n_(source.n()),
        element_(bytes_of(options.type)) {
    engine_.records.clear();
    engine_.ranks.require_same("the matrix",
                               fmt::format("n = {}, {:016x}", n_, source.fingerprint()));
    if (n_ == 0) throw DimensionError("the system is empty (0 x 0)");
    engine_.ranks.together([&] { check_devices(); });
    choose_blocks();
    engine_.ranks.together([&] {
      make_steps();
      make_blocks();
    });
    engine_.ranks.together([&] { resume(); });
    resumed_ = engine_.ranks.least(resumed_);
    engine_.ranks.together([&] { load(); });
    engine_.ranks.add_up(row_sums_);
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

  Matrix subtract_product(const Matrix& b, const Matrix& x) {
    const Index nrhs = b.cols();
    Matrix sum(n_, nrhs);
    engine_.ranks.together([&] {
      each_own_block([&](Index j, Index first, Index columns) {
        (void)j;
        const std::vector<double> a = read_columns(first, columns);
        in_parallel(n_, std::max<Index>(1, kElementsPerThread / columns),
                    [&](Index from, Index to) {
                      for (Index i = from; i < to; ++i)
                        for (Index c = 0; c < nrhs; ++c) {
                          double dot = 0;
                          for (Index l = 0; l < columns; ++l)
                            dot += a[i * columns + l] * x(first + l, c);
                          sum(i, c) += dot;
                        }
                    });
      });
    });
    engine_.ranks.add_up(sum.values());
    for (Index i = 0; i < n_; ++i)
      for (Index c = 0; c < nrhs; ++c) sum(i, c) = b(i, c) - sum(i, c);
    return sum;
  }

  [[nodiscard]] Residual judge(const Matrix& b, const Matrix& x, const Matrix& r) const {
    const auto largest = [](const Matrix& m, Index c) {
      double most = 0;
      for (Index i = 0; i < m.rows(); ++i)
        if (!(std::abs(m(i, c)) <= most)) most = std::abs(m(i, c));
      return most;
    };
    const double a = *std::ranges::max_element(row_sums_);
    Residual residual;
    for (Index c = 0; c < b.cols(); ++c) {
      const double scale = a * largest(x, c) + largest(b, c), error = largest(r, c);
      const double backward = error == 0 ? 0 : error / scale;
      if (!(backward <= residual.backward_error)) residual.backward_error = backward;
    }
    residual.scaled =
        residual.backward_error / (unit_roundoff(options_.type) * static_cast<double>(n_));
    return residual;
  }

  [[nodiscard]] std::optional<Index> failed() const { return failed_; }
  [[nodiscard]] const std::vector<Index>& pivots() const { return pivots_; }
  [[nodiscard]] Index n() const { return n_; }
  [[nodiscard]] Index block_columns() const { return width_; }
  [[nodiscard]] Index resumed() const { return resumed_; }

 private:
  /// One task, which StarPU hands to the codelet.
  struct Step {
    Implementation* lu;
    StepKind kind;
    Index k, j;
    double flops;
  };

  struct Block {
    std::optional<HostMemory> memory;
    Handle columns, pivots;
    std::vector<std::int32_t> pivot_memory;
    std::atomic<bool> factored = false, stored = false;
  };

  // ---- what the matrix is cut into

  [[nodiscard]] Index count() const { return (n_ + width_ - 1) / width_; }
  [[nodiscard]] Index first(Index j) const { return j * width_; }
  [[nodiscard]] Index columns(Index j) const { return std::min(width_, n_ - first(j)); }
  [[nodiscard]] int owner(Index j) const {
    return static_cast<int>(j % static_cast<Index>(engine_.ranks.count()));
  }
  [[nodiscard]] bool own(Index j) const { return owner(j) == engine_.ranks.rank(); }
  [[nodiscard]] std::size_t device(Index j) const {
    return j / static_cast<Index>(engine_.ranks.count()) % engine_.workers.size();
  }
  /// Numbers of a block in memory, which has `width_` columns even where it needs less.
  [[nodiscard]] std::size_t numbers() const { return n_ * width_; }

  template <typename Body>
  void each_own_block(const Body& body) const {
    for (Index j = 0; j < count(); ++j)
      if (own(j)) body(j, first(j), columns(j));
  }

  void check_devices() const {
    for (const DeviceProfile& profile : engine_.profiles)
      if (options_.type == RealType::f64 && !profile.fp64)
        throw DeviceLimit(profile.name + " has no f64; --type f32 takes it");
  }

  void choose_blocks() {
    std::uint64_t width = options_.block_columns.value_or(std::numeric_limits<cl_uint>::max());
    if (!options_.block_columns)
      engine_.ranks.together([&] {
        engine_.on_each_worker([&](std::size_t device) {
          width = std::min<std::uint64_t>(
              width, usual_block_columns(*engine_.workers[device].context, options_.type, n_));
        });
      });
    width_ = static_cast<Index>(engine_.ranks.least(width));
    std::uint64_t blocks = count();
    for (std::size_t d = 0; d < engine_.workers.size(); ++d)
      blocks = std::min(blocks, blocks_at_once(d));
    // Every device of every rank works at as many columns at a time as its memory holds.
    const std::uint64_t devices = engine_.ranks.least(engine_.workers.size());
    group_ = engine_.ranks.least(blocks) * devices * static_cast<Index>(engine_.ranks.count());
    constexpr Index kCheckpoints = 8;  // what a run that is killed loses at most
    if (options_.checkpoint)
      group_ = std::min(group_, std::max<Index>(1, (count() + kCheckpoints - 1) / kCheckpoints));
  }

  /// Blocks that a device works at; beside them it holds factored ones that pass by: one in use, one on its way.
  [[nodiscard]] std::uint64_t blocks_at_once(std::size_t device) const {
    constexpr std::uint64_t kPassing = 3, kLeast = 4;
    const std::uint64_t room = engine_.matrix_bytes(device) / (numbers() * element_),
                        share = engine_.workers.size() *
                                static_cast<std::uint64_t>(engine_.ranks.count());
    if (room < kLeast)
      throw OutOfMemory(fmt::format(
          "{} blocks of {} columns need {:.0f} MB of {}, which is to give {:.0f} MB", kLeast,
          width_, static_cast<double>(kLeast * numbers() * element_) / 1e6,
          engine_.profiles[device].name, static_cast<double>(engine_.matrix_bytes(device)) / 1e6));
    const std::uint64_t mine = (count() + share - 1) / share;
    return room >= mine + kPassing ? mine : room - kPassing;
  }

  void make_steps() {
    steps_.resize(engine_.workers.size());
    engine_.on_each_worker([&](std::size_t device) {
      steps_[device] = make_column_steps(*engine_.workers[device].context, options_.type, n_,
                                         static_cast<cl_uint>(width_));
      steps_[device]->prepare(1);
    });
  }

  void make_blocks() {
    for (Index j = 0; j < count(); ++j) {
      Block& block = blocks_.emplace_back();
      if (own(j) && engine_.options.spill)
        block.memory.emplace(*engine_.options.spill, numbers() * element_);
      else if (own(j))
        block.memory.emplace(*engine_.workers[device(j)].context, numbers() * element_);
      block.columns.make(own(j) ? block.memory->data() : nullptr, numbers(), element_);
      block.pivot_memory.resize(columns(j) + PanelOutcome::kCount);
      block.pivots.make(own(j) ? block.pivot_memory.data() : nullptr, block.pivot_memory.size(),
                        sizeof(std::int32_t));
      if (engine_.ranks.alone()) continue;
      block.columns.give_to(owner(j), static_cast<std::int64_t>(2 * j));
      block.pivots.give_to(owner(j), static_cast<std::int64_t>(2 * j + 1));
    }
  }

  [[nodiscard]] std::vector<double> read_columns(Index first, Index columns) const {
    std::vector<double> numbers(n_ * columns);
    source_.read(first, columns, numbers);
    return numbers;
  }

  /// This rank's columns, as the type wants them, and what the rows of A sum up to.
  void load() {
    row_sums_.assign(n_, 0);
    each_own_block([&](Index j, Index first, Index columns) {
      const std::vector<double> numbers = read_columns(first, columns);
      check_numbers(numbers);
      const bool finished = j < resumed_;
      std::optional<HostAccess> access;
      if (!finished) access.emplace(blocks_[j].columns, STARPU_W);
      in_parallel(n_, std::max<Index>(1, kElementsPerThread / width_), [&](Index from, Index to) {
        for (Index i = from; i < to; ++i)
          for (Index c = 0; c < columns; ++c) row_sums_[i] += std::abs(numbers[i * columns + c]);
        if (access && options_.type == RealType::f64)
          convert<double>(numbers, columns, from, to, access->data());
        else if (access)
          convert<float>(numbers, columns, from, to, access->data());
      });
    });
  }

  void check_numbers(const std::vector<double>& numbers) const {
    const double most = options_.type == RealType::f64
                            ? std::numeric_limits<double>::max()
                            : static_cast<double>(std::numeric_limits<float>::max());
    for (const double number : numbers)
      if (!(std::abs(number) <= most))
        throw ValueError(fmt::format("A holds {}, which {} does not take", number,
                                     options_.type == RealType::f64 ? "f64" : "f32"));
  }

  template <typename T>
  void convert(const std::vector<double>& from, Index columns, Index first_row, Index end,
               std::byte* to) const {
    T* const numbers = reinterpret_cast<T*>(to);
    for (Index i = first_row; i < end; ++i) {
      for (Index c = 0; c < columns; ++c)
        numbers[i * width_ + c] = static_cast<T>(from[i * columns + c]);
      std::fill(numbers + i * width_ + columns, numbers + (i + 1) * width_, T{0});
    }
  }

  // ---- the algorithm

  /// For each group of columns: what is finished is brought to it, then it is factored.
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
        pass_by(k);
      }
    }
  }

  void panel(Index k) {
    const double m = static_cast<double>(n_ - first(k)), w = static_cast<double>(columns(k));
    insert(StepKind::panel, k, k, (m - w / 3) * w * w, 2 * k + 1, STARPU_RW,
           blocks_[k].columns.get(), STARPU_W, blocks_[k].pivots.get());
  }

  /// Ahead of all other updates is what the next panel waits for.
  void update(Index k, Index j) {
    const double m = static_cast<double>(n_ - first(k)), w = static_cast<double>(columns(k)),
                 c = static_cast<double>(columns(j));
    insert(StepKind::update, k, j, (2 * m - w) * w * c, j == k + 1 ? 2 * k + 1 : 2 * k + 2,
           STARPU_R, blocks_[k].columns.get(), STARPU_R, blocks_[k].pivots.get(), STARPU_RW,
           blocks_[j].columns.get());
  }

  void forward(Index k) {
    insert(StepKind::forward, k, 0, 0, 2 * k + 2, STARPU_R, blocks_[k].columns.get(), STARPU_R,
           blocks_[k].pivots.get(), STARPU_RW, b_.get());
  }

  void backward(Index k) {
    insert(StepKind::backward, k, k, 0, 2 * count(), STARPU_R, blocks_[k].columns.get(), STARPU_RW,
           b_.get());
  }

  /// `order`: tasks of a lower one come first where there is a choice.
  template <typename... Data>
  void insert(StepKind kind, Index k, Index j, double flops, Index order, Data... data) {
    // Forward substitutions are where B is, on rank 0; backward ones where the factors are.
    const int rank = kind == StepKind::forward ? 0 : owner(j);
    Step* step = &tasks_.emplace_back(Step{this, kind, k, j, flops});
    const int worker = engine_.workers[device(kind == StepKind::forward ? k : j)].id;
    const auto submit = [&](auto... arguments) {
      return engine_.ranks.alone()
                 ? starpu_task_insert(&codelet(kind), arguments...)
                 : starpu_mpi_task_insert(MPI_COMM_WORLD, &codelet(kind), arguments...,
                                          STARPU_EXECUTE_ON_NODE, rank, 0);
    };
    const int result =
        submit(data..., STARPU_CL_ARGS_NFREE, step, sizeof *step, STARPU_EXECUTE_ON_WORKER, worker,
               STARPU_PRIORITY, -static_cast<int>(order), STARPU_CALLBACK, &done,
               STARPU_CALLBACK_ARG_NFREE, step, 0);
    if (result != 0) throw UsageError(fmt::format("StarPU does not take a task: {}", result));
  }

  /// Other ranks' blocks are not kept once all has read them that was submitted.
  void forget_copies(Index k) {
    if (engine_.ranks.alone()) return;
    starpu_mpi_cache_flush(MPI_COMM_WORLD, blocks_[k].columns.get());
    starpu_mpi_cache_flush(MPI_COMM_WORLD, blocks_[k].pivots.get());
  }

  /// Where the devices do not hold all: block k is the first to leave, and what comes later waits outside until it is due, for
  /// StarPU would begin to fetch for it.
  void pass_by(Index k) {
    if (group_ >= count()) return;
    if (own(k)) starpu_data_wont_use(blocks_[k].columns.get());
    wait_for(2 * group_);
  }

  static starpu_codelet& codelet(StepKind kind) {
    static std::array<starpu_codelet, 4> codelets = [] {
      std::array<starpu_codelet, 4> made{};
      for (std::size_t i = 0; i < made.size(); ++i) {
        starpu_codelet_init(&made[i]);
        made[i].where = STARPU_OPENCL;
        made[i].opencl_funcs[0] = run_step;
        made[i].opencl_flags[0] = STARPU_OPENCL_ASYNC;
        made[i].nbuffers = STARPU_VARIABLE_NBUFFERS;
        made[i].name = kStepNames[i];
      }
      return made;
    }();
    return codelets[static_cast<std::size_t>(kind)];
  }

  /// In a worker's thread: enqueues the step on the device.
  static void run_step(void* buffers[], void* argument) {
    const Step& step = *static_cast<Step*>(argument);
    const std::size_t device = Engine::Implementation::current_device();
    Engine::Implementation& engine = step.lu->engine_;
    engine.guard(device, [&] {
      step.lu->run(step, device, buffers);
      // StarPU asks again and again whether a device has finished, on a core that a CPU device needs itself.
      if (engine.profiles[device].type == DeviceType::cpu)
        engine.workers[device].context->queue().finish();
    });
  }

  void run(const Step& step, std::size_t device, void* buffers[]) {
    ColumnSteps& steps = *steps_[device];
    const Index k = step.k, row = first(k);
    const MatrixView a{buffer_of(buffers[0]), 0, width_};
    const auto w = static_cast<cl_uint>(columns(k)), nrhs = static_cast<cl_uint>(nrhs_);
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
      steps.update(block, MatrixView{buffer_of(buffers[2]), 0, width_}.at(row, 0),
                   static_cast<cl_uint>(width_));
    else
      steps.forward(block, MatrixView{buffer_of(buffers[2]), 0, nrhs_}.at(row, 0), nrhs);
  }

  /// Called by StarPU when the device has finished the step.
  static void done(void* argument) {
    const Step& step = *static_cast<Step*>(argument);
    Implementation& lu = *step.lu;
    if (step.kind == StepKind::panel) lu.blocks_[step.k].factored = true;
    lu.done_flops_ += step.flops;
    const starpu_task* const task = starpu_task_get_current();
    if (!lu.options_.keep_steps || task == nullptr || task->profiling_info == nullptr) return;
    const starpu_profiling_task_info& info = *task->profiling_info;
    const std::scoped_lock lock(lu.engine_.mutex);
    lu.engine_.records.push_back(
        {fmt::format("{} {} {}", kStepNames[static_cast<int>(step.kind)], step.k, step.j),
         static_cast<unsigned>(Engine::Implementation::current_device()), seconds(info.start_time),
         seconds(info.end_time)});
  }

  // ---- around it

  /// X, for B that `submit` brings forward.
  template <typename Submit>
  Matrix with_right_hand_sides(const Matrix& b, const ProgressCallback& progress, const char* what,
                               const Submit& submit) {
    if (b.rows() != n_) throw DimensionError(fmt::format("b has {} rows, A has {}", b.rows(), n_));
    nrhs_ = b.cols();
    if (nrhs_ == 0) throw DimensionError("there is no right-hand side");
    const bool root = engine_.ranks.rank() == 0;
    b_memory_.assign(root ? n_ * nrhs_ * element_ : 0, std::byte{0});
    const auto numbers = b.values();
    if (options_.type == RealType::f64)
      copy_to<double>(numbers, b_memory_);
    else
      copy_to<float>(numbers, b_memory_);
    b_ = Handle();
    b_.make(root ? b_memory_.data() : nullptr, n_ * nrhs_, element_);
    if (!engine_.ranks.alone()) b_.give_to(0, static_cast<std::int64_t>(2 * count()));
    tasks_.clear();
    done_flops_ = 0;
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
    }
    b_ = Handle();
    engine_.ranks.broadcast(0, x.values());
    return x;
  }

  template <typename T>
  static void copy_to(std::span<const double> from, std::vector<std::byte>& to) {
    T* const numbers = reinterpret_cast<T*>(to.data());
    for (std::size_t i = 0; i < to.size() / sizeof(T); ++i) numbers[i] = static_cast<T>(from[i]);
  }
  template <typename T>
  static void copy_from(const std::byte* from, std::span<double> to) {
    const T* const numbers = reinterpret_cast<const T*>(from);
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<double>(numbers[i]);
  }

  /// Until no more than `most` of this rank's tasks are left: tells of them, writes checkpoints. Throws what one of them failed with.
  void wait_for(Index most) {
    while (static_cast<Index>(starpu_task_nsubmitted()) > most && !engine_.failed()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      const auto now = std::chrono::steady_clock::now();
      if (*progress_ && now - last_told_ > std::chrono::milliseconds(50)) {
        last_told_ = now;
        tell(now);
      }
      if (options_.checkpoint && std::chrono::duration<double>(now - last_stored_).count() >=
                                     options_.checkpoint->every_s) {
        store_blocks();
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

  /// Lets the tasks that are there end without doing anything, so that what they use can go.
  void abandon() {
    if (!engine_.ranks.alone()) return;  // the process ends
    engine_.stop();
    starpu_task_wait_for_all();
    b_ = Handle();
    engine_.start_again();
  }

  void tell(std::chrono::steady_clock::time_point now) const {
    const double done = done_flops_, time = std::chrono::duration<double>(now - begin_).count();
    const auto blocks =
        std::ranges::count_if(blocks_, [](const Block& block) { return block.factored.load(); });
    if (total_flops_ > 0)
      (*progress_)(fmt::format("{}: {} of {} blocks here, {:.1f} GFLOP/s", what_, blocks,
                               own_count(), done / time / 1e9),
                   std::min(1.0, done / total_flops_));
    else
      (*progress_)(what_, 0);
  }

  [[nodiscard]] Index own_count() const {
    Index own_blocks = 0;
    each_own_block([&](Index, Index, Index) { ++own_blocks; });
    return own_blocks;
  }

  void read_pivots() {
    std::vector<double> all(n_ + 1, 0);
    std::vector<double> bad{-static_cast<double>(n_)};
    bool gave_up = false;
    each_own_block([&](Index k, Index first, Index columns) {
      const HostAccess access(blocks_[k].pivots, STARPU_R);
      const std::span numbers(reinterpret_cast<const std::int32_t*>(access.data()),
                              columns + PanelOutcome::kCount);
      for (Index i = 0; i < columns; ++i) all[first + i] = static_cast<double>(first) + numbers[i];
      if (numbers[columns] >= 0 && static_cast<Index>(numbers[columns]) < columns)
        bad[0] = std::max(bad[0], -static_cast<double>(first) - numbers[columns]);
      gave_up = gave_up || numbers[columns + 1] != 0;
    });
    engine_.ranks.together([&] {
      if (gave_up)
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

  // ---- checkpoints

  [[nodiscard]] BlockStore store() const {
    std::string program(version());
    for (const DeviceProfile& profile : engine_.profiles)
      program += profile.name + profile.driver_version;
    return {
        options_.checkpoint->folder,
        {n_, width_, element_, source_.fingerprint(), checksum(std::as_bytes(std::span(program)))}};
  }

  [[nodiscard]] StoredBlock stored(Index k, const HostAccess& columns,
                                   const HostAccess& pivots) const {
    return {{reinterpret_cast<std::int32_t*>(pivots.data()), blocks_[k].pivot_memory.size()},
            {columns.data(), numbers() * element_}};
  }

  void store_blocks() {
    const BlockStore folder = store();
    each_own_block([&](Index k, Index, Index) {
      Block& block = blocks_[k];
      if (!block.factored || block.stored) return;
      const HostAccess columns(block.columns, STARPU_R), pivots(block.pivots, STARPU_R);
      folder.write(k, stored(k, columns, pivots));
      block.stored = true;
    });
  }

  /// Takes up the blocks that are there, from the first on.
  void resume() {
    if (!options_.checkpoint) return;
    const BlockStore folder = store();
    resumed_ = options_.checkpoint->resume ? count() : 0;
    each_own_block([&](Index k, Index, Index) {
      if (!options_.checkpoint->resume && folder.has(k))
        throw UsageError(options_.checkpoint->folder.string() +
                         " holds a checkpoint: resume from it, or remove it to begin anew");
      if (k >= resumed_) return;
      if (!folder.has(k)) {
        resumed_ = k;
        return;
      }
      const HostAccess columns(blocks_[k].columns, STARPU_W), pivots(blocks_[k].pivots, STARPU_W);
      folder.read(k, stored(k, columns, pivots));
      blocks_[k].factored = blocks_[k].stored = true;
    });
  }

  Engine::Implementation& engine_;
  const ColumnSource& source_;
  DistributedOptions options_;
  Index n_, width_ = 0, group_ = 0, nrhs_ = 0, resumed_ = 0;
  std::size_t element_;
  std::uint64_t run_ = 0;
  std::vector<std::unique_ptr<ColumnSteps>> steps_;  // of the devices
  std::deque<Block> blocks_;
  std::vector<std::byte> b_memory_;
  Handle b_;
  std::deque<Step> tasks_;
  std::vector<double> row_sums_;
  std::vector<Index> pivots_;
  std::optional<Index> failed_;
  const ProgressCallback* progress_ = nullptr;  // of the work that goes on
  const char* what_ = "";
  std::chrono::steady_clock::time_point begin_, last_told_, last_stored_;
  std::atomic<double> done_flops_ = 0;
  double total_flops_ = 0;
};

DistributedLu::DistributedLu(Engine& engine, const ColumnSource& source,
                             const DistributedOptions& options)
    : implementation_(std::make_unique<Implementation>(engine, source, options)) {}
DistributedLu::DistributedLu(DistributedLu&&) noexcept = default;
DistributedLu::~DistributedLu() {
  // Among other ranks an error ends the process, and until then tasks go on with what is here.
  if (has_ranks() && std::uncaught_exceptions() > 0) (void)implementation_.release();
}

Matrix DistributedLu::factor_and_solve(const Matrix& b, const ProgressCallback& progress) {
  return implementation_->factor_and_solve(b, progress);
}
Matrix DistributedLu::solve(const Matrix& b, const ProgressCallback& progress) {
  return implementation_->solve(b, progress);
}
Matrix DistributedLu::subtract_product(const Matrix& b, const Matrix& x) {
  return implementation_->subtract_product(b, x);
}
Residual DistributedLu::judge(const Matrix& b, const Matrix& x, const Matrix& residual) const {
  return implementation_->judge(b, x, residual);
}
std::optional<Index> DistributedLu::failed_column() const { return implementation_->failed(); }
const std::vector<Index>& DistributedLu::pivots() const { return implementation_->pivots(); }
Index DistributedLu::n() const { return implementation_->n(); }
Index DistributedLu::block_columns() const { return implementation_->block_columns(); }
Index DistributedLu::resumed_blocks() const { return implementation_->resumed(); }

}  // namespace clgauss
