#include <algorithm>
#include <array>
#include <bit>
#include <clgauss/lab/launch.hpp>

#include "kernels/batched/batched_by_factors.hpp"
#include "kernels/common/variants.hpp"
#include "kernels/gemm/gemm_backend.hpp"
#include "kernels/lu/lu_common.hpp"

namespace clgauss {

namespace {

/// The kernels of cl/batched/batched_blocks.cl. The value is that of the macro KERNEL.
enum Which { kPanel = 1, kRows, kStart, kCarry, kBlockSolve };
constexpr const char* kNames[] = {"batched_panel", "batched_rows", "batched_start", "batched_carry",
                                  "batched_block_solve"};

/// From this many right-hand sides on, matrix products are used for the solve.
constexpr Index kMany = 17;

/// Work-items that share a panel. Each keeps some of its rows in registers.
int usual_blocks_group(const Setting& at) {
  return usual_group(at, std::clamp<std::size_t>(std::bit_ceil(at.n) / 2, 32, 512));
}

/// In f64, 16 columns need too many registers for more rows.
int usual_blocks_panel(const Setting& at) {
  return at.type == RealType::f64 && at.n > 1024 ? 8 : 16;
}

std::string broken_blocks_rule(const Parameters& parameters, RealType /*type*/) {
  const std::string rule = not_power_of_two(parameters, "GROUP");
  return rule.empty() ? not_multiple(parameters, "BLOCK", "PANEL") : rule;
}

std::vector<Demand> blocks_demands(const Parameters& parameters, RealType type) {
  const auto group = static_cast<std::size_t>(value_of(parameters, "GROUP"));
  return {{"GROUP", group, (group + 16) * (bytes_of(type) + sizeof(cl_uint)) + 4096}};
}

/// The parameters of batched_solve, for systems that are larger and fewer than those of
/// batched_panels_variant(). Of the smaller ones several work-groups share a compute unit: on an
/// H200, LU and solve in f64 with n = 160 and 192 take 0.92 of the time.
Parameters parameters_of_solve(const Setting& at) {
  if (at.n < kLargestInPanels) return {{"PANEL", 8}, {"GROUP", usual_group(at, 128)}};
  return {{"PANEL", 16}, {"GROUP", usual_group(at, 512)}};
}

/// Columns begin .. end - 1.
struct Range {
  Index begin, end;
};

/// A rectangle of every system's matrix: rows and columns from `row` and `column` on.
struct Place {
  const BatchView& of;
  Index row, column;

  [[nodiscard]] MatrixView view() const {
    return {of.buffer, of.offset + row * of.ld + column, of.ld};
  }
};

class BatchedBlocks : public BatchedByFactors {
 public:
  BatchedBlocks(Context& context, RealType type, Index n, bool definite, Parameters panels,
                const Parameters& parameters, std::uint64_t workspace)
      : BatchedByFactors(context, type, n, definite, std::move(panels), workspace),
        group_(static_cast<cl_uint>(value_of(parameters, "GROUP"))),
        panel_(static_cast<Index>(value_of(parameters, "PANEL"))),
        block_(static_cast<Index>(value_of(parameters, "BLOCK"))),
        gemm_(make_gemm_gpu(context, type, {})) {
    const KernelVariant& ptx = batched_panel_ptx_variant();
    const std::string lacks = ptx.lacks(context);
    if (!lacks.empty()) context.trials().pass_over({ptx.name, ptx.file, {}}, lacks);
    by_sub_groups_ = lacks.empty() && group_ % kSubGroup == 0;
  }

  void prepare(Index nrhs) override {
    require(nrhs);
    (void)kernel(kPanel);
    for (const auto& [name, build] : others_for(nrhs)) {
      note_works(build);
      (void)context_.programs().kernel(build.file, name, build.defines);
    }
  }

  [[nodiscard]] std::string name() const override { return "blocks"; }

 private:
  void factor_part(const cl::CommandQueue& queue, const BatchView& a, const Part& part) override {
    const auto& [lu, batch, permutation, info] = part.factors;
    require(1);
    (void)room_in(moves_, batch * 2 * block_ * sizeof(cl_int), "the exchanges of a batched solve");
    {
      Kernel start = kernel(kStart);
      cl_uint index = 0;
      pass_batch(start, index, a);
      pass_batch(start, index, lu);
      start.set_arguments_from(index, permutation, n_, cl_ulong{part.first}, info);
      launch(queue, start, n_, batch);
    }
    for (Index top = 0; top < n_; top += block_) {
      const Index end = std::min<Index>(top + block_, n_);
      for (Index at = top; at < end; at += panel_) {
        const Index below = std::min(at + panel_, end);
        factor_panel(queue, part, at);
        finish_rows(queue, part.factors, {at, below}, {top, end});
        update(queue, part.factors, {at, below}, end);
      }
      finish_rows(queue, part.factors, {top, end}, {0, n_});
      update(queue, part.factors, {top, end}, n_);
    }
  }

  void solve_part(const cl::CommandQueue& queue, const Part& part, const BatchView& b,
                  Index nrhs) override {
    require(nrhs);
    if (nrhs < kMany) {
      BatchedByFactors::solve_part(queue, part, b, nrhs);
      return;
    }
    const Index batch = part.factors.batch, ld = round_up(nrhs, kAlignment);
    const BatchView y{
        room_in(y_, batch * n_ * ld * number_.bytes(), "the right-hand sides of a batched solve"),
        0, ld, n_ * ld};
    carry(queue, part, b, y, nrhs, false);
    for (Index top = 0; top < n_; top += block_) {
      const Index end = std::min<Index>(top + block_, n_);
      for (Index at = top; at < end; at += panel_) {
        const Index below = std::min(at + panel_, end);
        solve_block(queue, part.factors, y, nrhs, at, false);
        subtract(queue, part.factors, y, nrhs, below, end, at, below);
      }
      subtract(queue, part.factors, y, nrhs, end, n_, top, end);
    }
    const Index blocks = (n_ + block_ - 1) / block_;
    for (Index block = blocks; block-- > 0;) {
      const Index top = block * block_, end = std::min<Index>(top + block_, n_),
                  panels = (end - top + panel_ - 1) / panel_;
      for (Index k = panels; k-- > 0;) {
        const Index at = top + k * panel_;
        solve_block(queue, part.factors, y, nrhs, at, true);
        subtract(queue, part.factors, y, nrhs, top, at, at, std::min(at + panel_, end));
      }
      subtract(queue, part.factors, y, nrhs, 0, top, top, end);
    }
    carry(queue, part, b, y, nrhs, true);
  }

  void factor_panel(const cl::CommandQueue& queue, const Part& part, Index at) {
    const auto& [lu, batch, permutation, info] = part.factors;
    Kernel panel = kernel(kPanel);
    cl_uint index = 0;
    pass_batch(panel, index, lu);
    panel.set_arguments_from(index, permutation, moves_, n_, static_cast<cl_uint>(at),
                             cl_ulong{part.first}, info);
    launch_groups(queue, panel, batch, group_);
  }

  /// Applies the exchanges and L of the columns `of` to the other columns of `among`.
  void finish_rows(const cl::CommandQueue& queue, const BatchFactors& factors, Range of,
                   Range among) {
    const Index begin = definite_ ? of.begin : among.begin;
    const Index columns = among.end - begin - (of.end - of.begin);
    if (columns == 0) return;
    const auto number = [](Index value) { return static_cast<cl_uint>(value); };
    const Index panels = (of.end - of.begin + panel_ - 1) / panel_;
    Kernel rows = kernel(kRows, rows_build(panels == 1 ? panel_ : block_));
    cl_uint index = 0;
    pass_batch(rows, index, factors.lu);
    rows.set_arguments_from(index, moves_, n_, number(of.begin), number(panels), number(begin),
                            number(of.begin), number(of.end), number(among.end));
    launch(queue, rows, (columns + kColumns - 1) / kColumns, factors.batch);
  }

  /// Subtracts L U of the columns `of` from the rows below and the columns right of them, up to
  /// column `end`.
  void update(const cl::CommandQueue& queue, const BatchFactors& factors, Range of, Index end) {
    const BatchView& lu = factors.lu;
    multiply(queue, factors.batch,
             {n_ - of.end, end - of.end, of.end - of.begin, false, false, definite_},
             Place{lu, of.end, of.begin}, Place{lu, of.begin, of.end}, Place{lu, of.end, of.end});
  }

  /// Rows row .. row_end - 1 of y -= columns k .. k_end - 1 of the factors times rows k .. k_end -
  /// 1 of y.
  void subtract(const cl::CommandQueue& queue, const BatchFactors& factors, const BatchView& y,
                Index nrhs, Index row, Index row_end, Index k, Index k_end) {
    multiply(queue, factors.batch, {row_end - row, nrhs, k_end - k}, Place{factors.lu, row, k},
             Place{y, k, 0}, Place{y, row, 0});
  }

  void multiply(const cl::CommandQueue& queue, Index batch, const GemmShape& shape, const Place& a,
                const Place& b, const Place& c) {
    if (shape.m == 0 || shape.n == 0) return;
    const GemmBatch matrices{batch, a.of.stride, b.of.stride, c.of.stride};
    gemm_->multiply(queue, {shape, -1, a.view(), b.view(), 1, c.view(), nullptr, &matrices});
  }

  void solve_block(const cl::CommandQueue& queue, const BatchFactors& factors, const BatchView& y,
                   Index nrhs, Index at, bool upper) {
    Kernel solve = kernel(kBlockSolve);
    cl_uint index = 0;
    pass_batch(solve, index, factors.lu);
    pass_batch(solve, index, y);
    solve.set_arguments_from(index, n_, static_cast<cl_uint>(nrhs), static_cast<cl_uint>(at),
                             cl_uint{upper});
    launch(queue, solve, (nrhs + kColumns - 1) / kColumns, factors.batch);
  }

  void carry(const cl::CommandQueue& queue, const Part& part, const BatchView& b,
             const BatchView& y, Index nrhs, bool back) {
    Kernel carry = kernel(kCarry);
    cl_uint index = 0;
    pass_batch(carry, index, b);
    pass_batch(carry, index, y);
    carry.set_arguments_from(index, part.factors.permutation, n_, static_cast<cl_uint>(nrhs),
                             cl_uint{back}, cl_ulong{part.first}, part.factors.info);
    launch(queue, carry, n_, part.factors.batch);
  }

  static void launch(const cl::CommandQueue& queue, const Kernel& kernel, Index groups,
                     Index batch) {
    enqueue_kernel(queue, kernel, cl::NDRange(groups * kColumns, batch), cl::NDRange(kColumns, 1));
  }

  /// Throws NoUsableKernel unless all kernels for `nrhs` right-hand sides passed their self-test.
  /// Uses the panels by sub-groups if these work.
  void require(Index nrhs) {
    const Index asked = nrhs >= kMany ? kMany : rhs_for(nrhs);
    by_sub_groups_ = by_sub_groups_ && works(all_for(nrhs), asked);
    if (by_sub_groups_) return;
    const KernelBuild all = all_for(nrhs);
    if (!works(all, asked)) none_works(all);
  }

  /// The key of the self-test: everything that the answer depends on, under the name of the panel
  /// kernel.
  [[nodiscard]] KernelBuild all_for(Index nrhs) const {
    KernelBuild all = build_of(kPanel);
    all.defines.emplace_back("SOLVES", nrhs >= kMany ? "many" : std::to_string(rhs_for(nrhs)));
    return all;
  }

  /// The other kernels that `nrhs` right-hand sides need, besides the panel kernel.
  [[nodiscard]] std::vector<std::pair<const char*, KernelBuild>> others_for(Index nrhs) const {
    std::vector<std::pair<const char*, KernelBuild>> builds{
        {kNames[kStart - 1], build_of(kStart)},
        {kNames[kRows - 1], rows_build(panel_)},
        {kNames[kRows - 1], rows_build(block_)}};
    if (nrhs < kMany) {
      builds.emplace_back("batched_solve", solve_build(nrhs));
    } else {
      for (const Which which : {kCarry, kBlockSolve})
        builds.emplace_back(kNames[which - 1], build_of(which));
    }
    return builds;
  }

  Kernel kernel(Which which) { return kernel(which, build_of(which)); }
  Kernel kernel(Which which, const KernelBuild& build) {
    return context_.programs().kernel(build.file, kNames[which - 1], build.defines);
  }

  [[nodiscard]] KernelBuild rows_build(Index most_rows) const {
    KernelBuild build = build_of(kRows);
    build.defines.emplace_back("MOST_ROWS", std::to_string(most_rows));
    return build;
  }

  [[nodiscard]] KernelBuild build_of(Which which) const {
    const bool panel = which == kPanel;
    const KernelVariant& variant =
        panel && by_sub_groups_ ? batched_panel_ptx_variant() : batched_blocks_variant();
    KernelBuild build{variant.name, variant.file, real_defines(number_.real)};
    const auto define = [&](const char* name, Index value) {
      build.defines.emplace_back(name, std::to_string(value));
    };
    define("PANEL", panel_);
    define("BLOCK", block_);
    define("GROUP", panel ? group_ : kColumns);
    if (panel) define("LANE_ROWS", (n_ + group_ - 1) / group_);
    if (!panel || !by_sub_groups_) define("KERNEL", which);
    if (definite_ && (panel || which == kRows)) define("DEFINITE", 1);
    return build;
  }

  /// `buffer`, replaced by a larger one if it has fewer than `bytes`.
  const cl::Buffer& room_in(cl::Buffer& buffer, std::size_t bytes, const char* what) {
    if (buffer() == nullptr || buffer.getInfo<CL_MEM_SIZE>() < bytes)
      buffer = context_.allocate(bytes, what);
    return buffer;
  }

  static constexpr cl_uint kColumns = 64;  // work-items of a group, one per column

  cl_uint group_;
  Index panel_, block_;
  bool by_sub_groups_;
  std::unique_ptr<GemmBackend> gemm_;
  cl::Buffer moves_, y_;
};

}  // namespace

const KernelVariant& batched_blocks_variant() {
  static const KernelVariant variant{
      .name = "batched_blocks",
      .file = "batched_blocks.cl",
      .parameters =
          {{.name = "PANEL", .least = 4, .most = 32, .step = 4, .usual = usual_blocks_panel},
           {.name = "GROUP", .least = 1, .most = 1024, .usual = usual_blocks_group},
           {.name = "BLOCK",
            .least = 4,
            .most = 1024,
            .step = 4,
            .usual = [](const Setting&) { return 64; },
            .macro = false}},
      .lacks = lacks_nothing,
      .ask =
          [](Context& context, RealType type) {
            make_batched_blocks(context, type, 2 * kLargestInPanels)->prepare(1);
          },
      .broken_rule = broken_blocks_rule,
      .demands = blocks_demands};
  return variant;
}

const KernelVariant& batched_panel_ptx_variant() {
  static const KernelVariant variant{.name = "batched_panel_ptx",
                                     .file = "batched_panel_ptx.cl",
                                     .parameters = {},
                                     .lacks = lacks_ptx,
                                     .ask = batched_blocks_variant().ask};
  return variant;
}

std::unique_ptr<BatchedBackend> make_batched_blocks(Context& context, RealType type, Index n,
                                                    const BatchedLuOptions& options,
                                                    const std::optional<Parameters>& parameters,
                                                    std::uint64_t workspace) {
  const std::array blocks{&batched_blocks_variant()};
  const Setting setting{context.profile(), type, n};
  return std::make_unique<BatchedBlocks>(
      context, type, n, options.positive_definite, parameters_of_solve(setting),
      parameters.value_or(usual_parameters(blocks, setting)), workspace);
}

}  // namespace clgauss
