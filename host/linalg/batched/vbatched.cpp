// solve_vbatched(): sorts systems into groups of similar n for BatchedLu, or deals them out to the
// host's cores.

#include <clgauss/vbatched.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <clgauss/batched.hpp>
#include <clgauss/error.hpp>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "constants.hpp"
#include "linalg/estimates/norm_estimator.hpp"
#include "linalg/solve/host_answer.hpp"
#include "matrix/scaling.hpp"
#include "matrix/shapes.hpp"
#include "matrix/transfer.hpp"
#include "opencl_error.hpp"
#include "parallel.hpp"

namespace clgauss {

namespace {

/// On a CPU device one core solves a system of up to this n sooner than the device is woken up.
constexpr Index kLargestOfOneCore = 512;
/// Up to this n, as many cores solve as many systems sooner than all cores solve one after another.
constexpr Index kLargestOfManyCores = 1024;
/// Above this n, a system by itself is solved sooner by solve().
constexpr Index kLargestAlone = 256;
/// Bytes of matrices on the device at once.
constexpr std::uint64_t kMostGroupBytes = std::uint64_t{1} << 30U;

/// The least of 6, 8, 12, 16, 24, 32 .. that is at least n. Kernels are built for each, and two
/// sizes an octave keep both the builds and the padding few.
Index padded_size(Index n) {
  const Index power = std::bit_ceil(std::max<Index>(n, 8));
  return n <= power / 4 * 3 ? power / 4 * 3 : power;
}

/// Systems that are solved as n-by-n with `nrhs` right-hand sides.
struct Group {
  Index n = 0, nrhs = 0;
  std::vector<Index> systems;
};

/// `order` holds the systems by falling n.
std::vector<Group> groups_of(std::span<const System> systems, const std::vector<Index>& order) {
  std::map<std::pair<Index, Index>, Group> groups;
  for (const Index s : order) {
    const Index n = systems[s].a.rows(), nrhs = systems[s].b.cols();
    Group& group = groups[{padded_size(n), std::bit_ceil(nrhs)}];
    // Equal n need no padding.
    group.n = group.systems.empty() || n == group.n ? n : padded_size(n);
    group.nrhs = std::max(group.nrhs, nrhs);
    group.systems.push_back(s);
  }
  std::vector<Group> all;
  for (auto& [sizes, group] : groups) all.push_back(std::move(group));
  return all;
}

/// Row i of [A 0; 0 I].
void write_padded_row(const Matrix& a, Index i, std::span<double> out) {
  std::ranges::fill(out, 0.0);
  if (i < a.rows())
    std::ranges::copy(a.row(i), out.begin());
  else
    out[i] = 1;
}

std::optional<RealType> wanted_type(const VbatchedOptions& options) {
  if (!options.type && options.accuracy == Accuracy::single_precision) return RealType::f32;
  return options.type;
}

class ManySystems {
 public:
  ManySystems(Context& context, std::span<const System> systems, const VbatchedOptions& options,
              const ProgressCallback& progress)
      : context_(context),
        systems_(systems),
        options_(options),
        progress_(progress),
        type_(choose_type(context.profile(), wanted_type(options))),
        answers_(systems.size()) {}

  std::vector<Solution> solve() {
    std::vector<Index> order;
    for (Index s = 0; s < systems_.size(); ++s)
      if (!systems_[s].a.empty() && !systems_[s].b.empty()) order.push_back(s);
    std::ranges::stable_sort(order, std::greater{}, [this](Index s) { return n_of(s); });
    const bool to_maximum = options_.accuracy == Accuracy::maximum;
    if (!to_maximum && options_.on_host && context_.profile().type == DeviceType::cpu)
      on_cores_of_host(order);
    else if (!to_maximum && !beyond_type())
      in_groups(order);
    std::vector<Solution> solutions;
    for (Index s = 0; s < systems_.size(); ++s)
      solutions.push_back(answers_[s] ? std::move(*answers_[s]) : alone(s));
    return solutions;
  }

 private:
  /// Whether f64's accuracy is asked of a device that has f32.
  [[nodiscard]] bool beyond_type() const {
    return options_.accuracy == Accuracy::double_precision && type_ == RealType::f32;
  }
  [[nodiscard]] Index n_of(Index s) const { return systems_[s].a.rows(); }
  [[nodiscard]] SystemNumbers numbers_of(Index s) const {
    const auto& [a, b] = systems_[s];
    return {a.rows(), b.cols(), a.values(), b.values()};
  }

  void report() {
    if (progress_)
      progress_("solving", static_cast<double>(done_) / static_cast<double>(systems_.size()));
  }

  /// Takes the answer to system `s`, on any thread.
  void take(Index s, RealType type, Values x, const Residual& residual) {
    ++done_;
    if (!(residual.scaled <= options_.max_scaled_residual)) return;
    Solution& solution = answers_[s].emplace();
    solution.type = type;
    if (type == RealType::f32) solution.accuracy = Accuracy::single_precision;
    solution.determinant = {0, kNaN};
    solution.residual = residual;
    solution.x = Matrix(n_of(s), systems_[s].b.cols(), std::move(x));
  }

  Solution alone(Index s) {
    report();
    SolveOptions options;
    options.accuracy = options_.accuracy;
    options.type = options_.accuracy ? options_.type : type_;
    options.max_scaled_residual = options_.max_scaled_residual;
    options.doubt = options_.doubt;
    return clgauss::solve(context_, systems_[s], options, progress_);
  }

  void on_cores_of_host(std::vector<Index> order) {
    const auto count_of = [&](Index least_n) {  // of those with a larger n
      return static_cast<Index>(std::ranges::count_if(
          order, [&](Index s) { return n_of(s) > least_n && n_of(s) <= kLargestOfManyCores; }));
    };
    const Index cores = parts_of(std::numeric_limits<Index>::max(), 1);
    const Index largest =
        count_of(kLargestOfOneCore) >= cores ? kLargestOfManyCores : kLargestOfOneCore;
    std::erase_if(order, [&](Index s) { return n_of(s) > largest; });
    Index work = 0;  // in elements copied, which take as long
    for (const Index s : order) work += n_of(s) * n_of(s) * (n_of(s) + 64) / 16;
    const Index parts = parts_of(work, kElementsPerThread);
    std::atomic<Index> next = 0;
    in_parallel(std::min(parts, order.size()), 1, [&](Index first, Index /*last*/) {
      for (Index i = next++; i < order.size(); i = next++) {
        if (first == 0) {  // the caller's thread, which may throw
          try {
            report();
          } catch (...) {
            next = order.size();
            throw;
          }
        }
        contained([&] { solve_by_core(order[i]); });
      }
    });
  }

  /// Runs body() on a thread that nothing may leave by an exception. If there is no memory, solve()
  /// will say so.
  template <typename Body>
  static void contained(const Body& body) {
    try {
      body();
    } catch (const std::exception&) {
    }
  }

  /// In f32 if that is accurate enough and nobody asks about doubt: see solve_on_host_in_single().
  void solve_by_core(Index s) {
    const SystemNumbers numbers = numbers_of(s);
    const bool single = type_ == RealType::f32 && !beyond_type() && !options_.doubt;
    if (single && !fits_range(numbers.a, numbers.b, RealType::f32)) return;
    if (auto answer = single ? solve_on_host_in_single(numbers) : solve_on_host(numbers))
      take(s, single ? RealType::f32 : RealType::f64, std::move(answer->x), answer->residual);
  }

  void in_groups(std::vector<Index> order) {
    std::erase_if(order, [this](Index s) {
      return n_of(s) > kLargestBatchedSystem ||
             !fits_range(systems_[s].a.values(), systems_[s].b.values(), type_);
    });
    for (const Group& group : groups_of(systems_, order)) {
      if (group.systems.size() == 1 && group.n > kLargestAlone) continue;
      try {
        translate_opencl_errors([&] { solve_group(group); });
      } catch (const NoUsableKernel&) {  // the self-tests say why; solve() has other kernels
      }
    }
  }

  void solve_group(const Group& group) {
    const Index n = group.n, columns = group.nrhs + (options_.doubt ? 1 : 0);
    std::optional<BatchedLu> lu;
    context_.programs().prepare([&] {
      lu.emplace(context_, type_, n);
      lu->prepare(columns);
    });
    const DeviceProfile& device = context_.profile();
    const std::uint64_t bytes = n * std::max(n, columns) * bytes_of(type_),
                        limit = std::min(
                            {kMostGroupBytes, device.max_alloc_bytes, device.global_mem_bytes / 4});
    const Index chunk = std::clamp<Index>(limit / bytes, 1, group.systems.size());
    const auto buffer = [&](Index numbers, const char* what) {
      return context_.allocate(numbers * bytes_of(type_), what);
    };
    const BatchView a{buffer(chunk * n * n, "the matrices of a batch"), 0, n, n * n},
        b{buffer(chunk * n * columns, "the right-hand sides of a batch"), 0, columns, n * columns};
    const cl::Buffer info = context_.allocate(chunk * sizeof(cl_int), "the outcomes of a batch");
    for (Index first = 0; first < group.systems.size(); first += chunk) {
      report();
      const std::span<const Index> part =
          std::span(group.systems).subspan(first, std::min(chunk, group.systems.size() - first));
      upload_by_rows(context_, a.buffer, type_, part.size() * n, n,
                     [&](Index row, std::span<double> out) {
                       write_padded_row(systems_[part[row / n]].a, row % n, out);
                     });
      upload_right_hand_sides(part, n, b);
      lu->factor_and_solve(a, b, columns, part.size(), info);
      judge(part, n, columns, download(context_.queue(), b.buffer, type_, part.size() * b.stride));
    }
  }

  /// B of each system, padded with zeros, and in the last column doubt_question() if asked for.
  void upload_right_hand_sides(std::span<const Index> part, Index n, const BatchView& b) {
    std::map<Index, Matrix> questions;
    if (options_.doubt)
      for (const Index s : part)
        if (!questions.contains(n_of(s))) questions.emplace(n_of(s), doubt_question(n_of(s)));
    upload_by_rows(context_, b.buffer, type_, part.size() * n, b.ld,
                   [&](Index row, std::span<double> out) {
                     const Matrix& of_system = systems_[part[row / n]].b;
                     const Index i = row % n;
                     std::ranges::fill(out, 0.0);
                     if (i >= of_system.rows()) return;
                     std::ranges::copy(of_system.row(i), out.begin());
                     if (options_.doubt) out.back() = questions.at(of_system.rows())(i, 0);
                   });
  }

  /// Takes the good answers among those to the systems `part`; `x` is n-by-columns for each, and
  /// NaN if a pivot was 0 or not finite.
  void judge(std::span<const Index> part, Index n, Index columns, const Values& x) {
    in_parallel(part.size(), kElementsPerThread / (n * n) + 1, [&](Index first, Index last) {
      for (Index i = first; i < last; ++i)
        contained([&] { judge_one(part[i], x.data() + i * n * columns, columns); });
    });
  }

  /// `x` has rows of `columns` numbers: X, padding, and the answer to a question if there is one.
  void judge_one(Index s, const double* x, Index columns) {
    const Index rows = n_of(s), nrhs = systems_[s].b.cols();
    Values by_columns(rows * (nrhs + (options_.doubt ? 1 : 0))), by_rows(rows * nrhs);
    for (Index row = 0; row < rows; ++row) {
      const double* const numbers = x + row * columns;
      for (Index c = 0; c < nrhs; ++c)
        by_rows[row * nrhs + c] = by_columns[c * rows + row] = numbers[c];
      if (options_.doubt) by_columns[nrhs * rows + row] = numbers[columns - 1];
    }
    if (const auto residual = residual_if_good(numbers_of(s), by_columns, unit_roundoff(type_)))
      take(s, type_, std::move(by_rows), *residual);
  }

  Context& context_;
  std::span<const System> systems_;
  const VbatchedOptions& options_;
  const ProgressCallback& progress_;
  RealType type_;
  std::vector<std::optional<Solution>> answers_;
  std::atomic<Index> done_ = 0;
};

void check_shapes_of_all(std::span<const System> systems) {
  for (Index s = 0; s < systems.size(); ++s) {
    try {
      check_shapes(systems[s]);
    } catch (const DimensionError& error) {
      throw DimensionError(fmt::format("system [{}]: {}", s, error.what()));
    }
  }
}

}  // namespace

std::vector<Solution> solve_vbatched(Context& context, std::span<const System> systems,
                                     const VbatchedOptions& options,
                                     const ProgressCallback& progress) {
  check_shapes_of_all(systems);
  return ManySystems(context, systems, options, progress).solve();
}

}  // namespace clgauss
