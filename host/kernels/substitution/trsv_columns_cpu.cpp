#include "kernels/substitution/trsv_columns_cpu.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "kernels/common/cpu_tile.hpp"
#include "kernels/common/variants.hpp"
#include "kernels/estimates/upper_maxima.hpp"
#include "kernels/substitution/known_answers.hpp"
#include "kernels/substitution/trsv.hpp"

namespace clgauss {

namespace {

constexpr const char* kSolveSpace = "the workspace of a solve";
constexpr const char* kMoves = "columns.cl";  // copies right-hand sides in and out
constexpr cl_uint kRowGroup = 64;             // work-items of its groups, one per row

Defines with_columns(const KernelVariant& variant, const Parameters& parameters, cl_uint columns) {
  return with_parameters(variant, parameters, {{"RHS", std::to_string(columns)}});
}

/// Sets buffers aside until the end of the scope, where it restores them.
class AsideBuffers {
 public:
  explicit AsideBuffers(std::vector<cl::Buffer*> buffers) : buffers_(std::move(buffers)) {
    for (cl::Buffer* each : buffers_) kept_.push_back(std::exchange(*each, cl::Buffer()));
  }
  ~AsideBuffers() {
    for (std::size_t i = 0; i < buffers_.size(); ++i) *buffers_[i] = std::move(kept_[i]);
  }
  AsideBuffers(const AsideBuffers&) = delete;
  AsideBuffers& operator=(const AsideBuffers&) = delete;

 private:
  std::vector<cl::Buffer*> buffers_;
  std::vector<cl::Buffer> kept_;
};

/// Columns that the kernels are built for: 4 or 8. Fewer would take as long, because the factors
/// must be read in any case, and would need one more program.
cl_uint columns_for(cl_uint nrhs) { return std::max(4U, std::bit_ceil(nrhs)); }

Parameters usual(const KernelVariant& variant, const Setting& setting) {
  return usual_parameters(std::array{&variant}, setting);
}

std::uint64_t inverses_bytes(Index n, Index block, RealType type) {
  return 2 * ((n + block - 1) / block) * block * block * bytes_of(type);
}

class TransposedSteps : public ColumnSolves {
 public:
  TransposedSteps(Context& context, NumberType number, Index n)
      : ColumnSolves(context, number),
        parameters_(usual(trsv_transposed_variant(), {context.profile(), number.real, n})),
        block_(static_cast<cl_uint>(value_of(parameters_, "BLOCK"))),
        parts_(static_cast<cl_uint>(value_of(parameters_, "PARTS"))) {}

  const KernelVariant& variant() const override { return trsv_transposed_variant(); }
  bool transposed_only() const override { return true; }
  /// For complex numbers, kMostColumns would need more local memory than a device must have.
  cl_uint most_columns() const override {
    return static_cast<cl_uint>(kMostColumns / number().parts());
  }

 protected:
  Defines macros_for(cl_uint columns) const override {
    return with_columns(variant(), parameters_, columns);
  }
  Index rows_of_question() const override { return 3 * Index{block_} - block_ / 4; }

  void substitute(const cl::CommandQueue& queue, const MatrixView& lu, cl_uint n,
                  const cl::Buffer& x, cl_uint columns, bool /*transposed*/) override {
    const cl_uint blocks = ceil_div(n, block_);
    require_buffer(inverses_, 2 * std::uint64_t{blocks} * block_ * block_ * element_bytes());
    require_buffer(y_, std::uint64_t{n} * columns * element_bytes());
    Kernel& invert = kernel("transposed_inverses", columns);
    cl_uint index = 0;
    pass_view(invert, index, lu);
    invert.set_arguments_from(index, n, inverses_);
    launch_groups(queue, invert, 2 * std::size_t{blocks}, block_);

    Kernel& step = kernel("transposed_step", columns);
    index = 0;
    pass_view(step, index, lu);
    for (const bool upper : {true, false})
      for (cl_uint i = 0; i < blocks; ++i) {
        step.set_arguments_from(index, n, upper ? i : blocks - 1 - i, cl_uint{upper}, inverses_,
                                upper ? x : y_, upper ? y_ : x);
        launch_groups(queue, step, std::max<cl_uint>(1, blocks - 1 - i), block_ * parts_);
      }
  }

 private:
  Parameters parameters_;
  cl_uint block_, parts_;
  cl::Buffer inverses_, y_;
};

class PersistentColumns : public ColumnSolves {
 public:
  explicit PersistentColumns(const LuSetting& setting)
      : ColumnSolves(setting.context(), setting.kernels.type()),
        kernels_(setting.kernels),
        launch_(setting) {}

  const KernelVariant& variant() const override { return trsv_persistent_variant(); }
  bool transposed_only() const override { return false; }
  cl_uint most_columns() const override { return PersistentTrsv::kMostColumns; }

 protected:
  /// One build represents all four, op(T) being upper or lower, transposed or not.
  Defines macros_for(cl_uint columns) const override {
    return launch_.macros({false, false, columns});
  }
  Index rows_of_question() const override { return 150; }

  void substitute(const cl::CommandQueue& queue, const MatrixView& lu, cl_uint n,
                  const cl::Buffer& x, cl_uint columns, bool transposed) override {
    for (const bool upper : {transposed, !transposed})
      launch_.enqueue(queue,
                      kernels_.get(variant().file, "trsv_persistent",
                                   launch_.macros({upper, transposed, columns})),
                      lu, n, {x, 0, n}, columns);
  }

 private:
  KernelMemo& kernels_;
  PersistentTrsv launch_;
};

class ColumnsCpu : public ColumnSolves {
 public:
  ColumnsCpu(Context& context, RealType type, Index n)
      : ColumnSolves(context, type),
        parameters_(usual(trsv_columns_cpu_variant(), {context.profile(), type, n})),
        block_(static_cast<cl_uint>(value_of(parameters_, "BLOCK"))) {}

  const KernelVariant& variant() const override { return trsv_columns_cpu_variant(); }
  bool transposed_only() const override { return false; }

 protected:
  Defines macros_for(cl_uint columns) const override {
    return with_columns(variant(), parameters_, columns);
  }
  Index rows_of_question() const override { return 2 * Index{block_} + 7; }

  void substitute(const cl::CommandQueue& queue, const MatrixView& lu, cl_uint n,
                  const cl::Buffer& x, cl_uint columns, bool transposed) override {
    const cl_uint blocks = ceil_div(n, block_);
    Kernel& step = kernel("columns_step", columns);
    step.set_arguments(lu.buffer, cl_ulong{lu.offset}, cl_ulong{lu.ld}, n, block_);
    for (const bool downwards : {true, false})
      for (cl_uint i = 0; i < blocks; ++i) {
        step.set_arguments_from(5, downwards ? i : blocks - 1 - i, cl_uint{downwards == transposed},
                                cl_uint{transposed}, x);
        launch_groups(queue, step, 2 * std::size_t{context().profile().compute_units}, 1);
      }
  }

 private:
  Parameters parameters_;
  cl_uint block_;
};

void ask(ColumnSolves&& way) {
  for (cl_uint columns = 1; columns <= way.most_columns(); columns *= 2) (void)way.works(columns);
}
constexpr Index kRowsToAsk = 1500;

}  // namespace

const KernelVariant& trsv_transposed_variant() {
  static const KernelVariant variant{
      .name = "trsv_transposed",
      .file = "trsv_transposed.cl",
      .parameters =
          {{.name = "BLOCK",
            .least = 1,
            .most = 256,
            .usual = [](const Setting& at) { return usual_group(at, 64); }},
           {.name = "PARTS",  // work-items per column
            .least = 1,
            .most = 16,
            .usual = [](const Setting& at) { return std::max(usual_group(at, 256) / 64, 1); }}},
      .lacks = lacks_nothing,
      .ask =
          [](Context& context, RealType type) {
            for (const bool complex : {false, true})
              ask(TransposedSteps(context, {type, complex}, kRowsToAsk));
          },
      .broken_rule = [](const Parameters& parameters, RealType) -> std::string {
        const int block = value_of(parameters, "BLOCK"), parts = value_of(parameters, "PARTS");
        if ((block & (block - 1)) != 0 || (parts & (parts - 1)) != 0)
          return "BLOCK and PARTS must be powers of two";
        return parts <= block ? "" : "PARTS must be at most BLOCK";
      },
      .demands =
          [](const Parameters& parameters, RealType type) {
            const auto block = static_cast<std::size_t>(value_of(parameters, "BLOCK")),
                       parts = static_cast<std::size_t>(value_of(parameters, "PARTS"));
            return std::vector<Demand>{
                {"BLOCK", block * parts,
                 (parts + 1) * block * ColumnSolves::kMostColumns * bytes_of(type)}};
          },
      .workspace_bytes = [](const Parameters& parameters, const Setting& at) -> std::uint64_t {
        const auto block = static_cast<Index>(value_of(parameters, "BLOCK"));
        return inverses_bytes(at.n, block, at.type) +
               2 * ColumnSolves::kMostColumns * at.n * bytes_of(at.type) + at.n * sizeof(cl_uint);
      }};
  return variant;
}

const KernelVariant& trsv_columns_cpu_variant() {
  static const KernelVariant variant{
      .name = "trsv_columns_cpu",
      .file = "trsv_columns_cpu.cl",
      .parameters = with_cpu_tile({{.name = "BLOCK",
                                    .least = 1,
                                    .most = 1 << 16,
                                    .usual = [](const Setting&) { return 256; },
                                    .macro = false}}),
      .lacks = lacks_long_loops,
      .ask = [](Context& context, RealType type) { ask(ColumnsCpu(context, type, kRowsToAsk)); },
      .broken_rule = broken_tile_rule,
      .workspace_bytes = [](const Parameters&, const Setting& at) -> std::uint64_t {
        return ColumnSolves::kMostColumns * at.n * bytes_of(at.type) + at.n * sizeof(cl_uint);
      }};
  return variant;
}

Variants condition_variants() {
  static const std::array<const KernelVariant*, 3> variants{
      &trsv_columns_cpu_variant(), &trsv_transposed_variant(), &upper_maxima_variant()};
  return variants;
}

std::vector<std::unique_ptr<ColumnSolves>> make_column_solves(Context& context, NumberType number,
                                                              Index n, const LuSetting* may_wait) {
  std::vector<std::unique_ptr<ColumnSolves>> ways;
  if (!number.complex && may_wait != nullptr)
    ways.push_back(std::make_unique<PersistentColumns>(*may_wait));
  if (!number.complex && suits_cpu_kernels(context))
    ways.push_back(std::make_unique<ColumnsCpu>(context, number.real, n));
  ways.push_back(std::make_unique<TransposedSteps>(context, number, n));
  return ways;
}

Kernel& ColumnSolves::kernel(const char* name, cl_uint columns) {
  return memo_.get(variant().file, name, macros_for(columns));
}

void ColumnSolves::require_buffer(cl::Buffer& buffer, std::uint64_t bytes) const {
  if (buffer() == nullptr || buffer.getInfo<CL_MEM_SIZE>() < bytes)
    buffer = context_.allocate(bytes, kSolveSpace);
}

void ColumnSolves::launch_rows(const cl::CommandQueue& queue, const Kernel& kernel,
                               cl_uint n) const {
  const auto group =
      static_cast<cl_uint>(std::min<std::size_t>(kRowGroup, kernel.work_group_limit));
  launch_groups(queue, kernel, ceil_div(n, group), group);
}

bool ColumnSolves::works(cl_uint nrhs) {
  const cl_uint columns = columns_for(nrhs);
  return memo_.works(variant().name, variant().file, macros_for(columns), [&] {
    const AsideBuffers aside({&x_, &rows_});  // an order() may be in use
    for (const bool transposed : {true, false}) {
      if (!transposed && transposed_only()) continue;
      const auto solve_it = [&](const FactorsQuestion& q) {
        const cl::CommandQueue& queue = context_.queue();
        solve(queue, q.lu, q.n, order(queue, q.pivots, q.n), q.b, q.nrhs, transposed);
      };
      require_solve_with_factors(context_, memo_.number(), rows_of_question(),
                                 columns - columns / 4, transposed, solve_it);
    }
  });
}

RowOrder ColumnSolves::order(const cl::CommandQueue& queue, const cl::Buffer& pivots, cl_uint n) {
  require_buffer(rows_, std::uint64_t{n} * sizeof(cl_uint));
  Kernel& follow = memo_.get(kMoves, "exchanged_rows", {});
  follow.set_arguments(pivots, n, rows_);
  launch_rows(queue, follow, n);
  return {rows_, 0};
}

void ColumnSolves::solve(const cl::CommandQueue& queue, const MatrixView& lu, cl_uint n,
                         const RowOrder& order, const MatrixView& b, cl_uint nrhs,
                         bool transposed) {
  const cl_uint columns = columns_for(nrhs);
  require_buffer(x_, std::uint64_t{n} * columns * element_bytes());
  Kernel &gather = memo_.get(kMoves, "gather_columns", {}),
         &scatter = memo_.get(kMoves, "scatter_columns", {});
  cl_uint index = 0;
  pass_view(gather, index, b);
  gather.set_arguments_from(index, n, nrhs, order.rows, order.first, cl_uint{!transposed}, columns,
                            x_);
  launch_rows(queue, gather, n);
  substitute(queue, lu, n, x_, columns, transposed);
  index = 0;
  pass_view(scatter, index, b);
  scatter.set_arguments_from(index, n, nrhs, order.rows, order.first, cl_uint{transposed}, x_);
  launch_rows(queue, scatter, n);
}

}  // namespace clgauss
