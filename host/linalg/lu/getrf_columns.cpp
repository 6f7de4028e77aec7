#include "linalg/lu/getrf_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <clgauss/error.hpp>
#include <clgauss/gemm.hpp>
#include <clgauss/lab/launch.hpp>
#include <clgauss/lab/lu_spec.hpp>

#include "kernels/common/variants.hpp"
#include "kernels/lu/known_answers.hpp"
#include "kernels/lu/laswp_trsm.hpp"
#include "kernels/lu/lu_cpu.hpp"
#include "kernels/lu/lu_panels.hpp"
#include "matrix/transfer.hpp"

namespace clgauss {

namespace {

/// The steps that GPUs and CPUs share: row exchanges, triangular solves and products.
class GeneralSteps : public ColumnSteps {
 public:
  GeneralSteps(Context& context, RealType type, Index n, cl_uint columns, Parameters parameters)
      : context_(context),
        columns_(columns),
        n_(static_cast<cl_uint>(n)),
        parameters_(std::move(parameters)),
        memo_(context_, type),
        flags_(context_),
        setting_{memo_, flags_, parameters_, n},
        laswp_trsm_(setting_),
        gemm_(context_, type) {}

  void prepare(Index nrhs) override {
    if (nrhs == 0) return;
    laswp_trsm_.prepare(setting_.number("NB"), false);
    laswp_trsm_.prepare_trsm();
    const MatrixView block{{}, 0, columns_}, right{{}, 0, nrhs};
    if (n_ > columns_)
      gemm_.prepare_update(n_ - columns_, nrhs, columns_, block.at(columns_, 0), right,
                           right.at(columns_, 0));
  }

  void exchange(const FactoredBlock& l, const MatrixView& b, cl_uint columns) override {
    const auto& [view, rows, width] = l.block;
    const cl_uint nb = setting_.number("NB");
    for (cl_uint i = 0; i < width; i += nb)
      laswp_trsm_.laswp_trsm(context_.queue(), {view.at(i, i), b.at(i, 0), std::min(nb, width - i),
                                                columns, 0, 0, false, l.pivots, i});
  }

  void forward(const FactoredBlock& l, const MatrixView& b, cl_uint nrhs) override {
    const auto& [view, rows, width] = l.block;
    const cl::CommandQueue& queue = context_.queue();
    const cl_uint size = laswp_trsm_.solve_block();
    exchange(l, b, nrhs);
    for (cl_uint i = 0; i < width; i += size) {
      const cl_uint w = std::min(size, width - i), next = i + w;
      laswp_trsm_.trsm(queue, view.at(i, i), b.at(i, 0), w, nrhs, false);  // Y_i = L_ii^-1 B_i
      gemm_.update(width - next, nrhs, w, view.at(next, i), b.at(i, 0),
                   b.at(next, 0));  // B_j -= L_ji Y_i
    }
    gemm_.update(rows - width, nrhs, width, view.at(width, 0), b, b.at(width, 0));
  }

  void backward(const MatrixView& u, cl_uint first, cl_uint columns, const MatrixView& y,
                cl_uint nrhs) override {
    const cl::CommandQueue& queue = context_.queue();
    const cl_uint size = laswp_trsm_.solve_block();
    for (cl_uint end = columns; end > 0;) {
      const cl_uint w = (end - 1) % size + 1, i = end - w;
      laswp_trsm_.trsm(queue, u.at(first + i, i), y.at(first + i, 0), w, nrhs,
                       true);                                               // X_i = U_ii^-1 Y_i
      gemm_.update(first + i, nrhs, w, u.at(0, i), y.at(first + i, 0), y);  // Y_j -= U_ji X_i
      end = i;
    }
  }

 protected:
  /// Copies a panel's PanelOutcome behind its pivots.
  void report(const FactoredBlock& a, const cl::Buffer& outcome, std::size_t bytes) {
    context_.queue().enqueueCopyBuffer(outcome, a.pivots, 0, a.block.columns * sizeof(cl_int),
                                       bytes);
  }

  Context context_;
  cl_uint columns_, n_;
  Parameters parameters_;
  KernelMemo memo_;
  LuFlags flags_;
  LuSetting setting_;
  LaswpTrsmKernels laswp_trsm_;
  Gemm gemm_;
};

class GpuSteps : public GeneralSteps {
 public:
  GpuSteps(Context& context, RealType type, Index n, cl_uint columns, Parameters parameters)
      : GeneralSteps(context, type, n, columns, std::move(parameters)),
        panels_(setting_, PanelWays::partial) {}

  void prepare(Index nrhs) override {
    GeneralSteps::prepare(nrhs);
    for (cl_uint k = 0; k < n_; k += kPanelWidth) panels_.prepare(n_ - k);
    for (const cl_uint width : {kPanelWidth, columns_}) laswp_trsm_.prepare(width, true);
    const MatrixView block{{}, 0, columns_};
    for (cl_uint k = 0; k < n_; k += columns_) {
      const auto below = [&](cl_uint w, cl_uint right) {
        if (n_ > k + w)
          gemm_.prepare_update(n_ - k - w, right, w, block.at(k + w, 0), block.at(k, 0),
                               block.at(k + w, 0));
      };
      below(columns_, columns_);
      below(kPanelWidth, columns_ - kPanelWidth);
    }
  }

  void panel(const FactoredBlock& a) override {
    const cl::CommandQueue& queue = context_.queue();
    const auto& [view, rows, width] = a.block;
    flags_.reset(queue);
    for (cl_uint j = 0; j < width; j += kPanelWidth) {
      const cl_uint w = std::min(kPanelWidth, width - j), next = j + w;
      const bool done_beside =
          panels_.factor(queue, {view.at(j, j), rows - j, w, j, a.pivots, j, width - next});
      if (w == width) break;
      if (!done_beside)
        laswp_trsm_.laswp_trsm(
            queue, {view.at(j, j), view.at(j, 0), w, width, j, next, true, a.pivots, j});
      gemm_.update(rows - next, width - next, w, view.at(next, j), view.at(j, next),
                   view.at(next, next));
    }
    report(a, flags_.buffer(), PanelOutcome::kCount * sizeof(cl_int));
  }

  void update(const FactoredBlock& l, const MatrixView& b, cl_uint columns) override {
    const auto& [view, rows, width] = l.block;
    laswp_trsm_.laswp_trsm(context_.queue(), {view, b, width, columns, 0, 0, true, l.pivots, 0});
    gemm_.update(rows - width, columns, width, view.at(width, 0), b, b.at(width, 0));
  }

 private:
  Panels panels_;
};

/// Steps by the kernels of cl/lu/lu_cpu.cl, which treat a block as a matrix of one panel.
class CpuSteps : public GeneralSteps {
 public:
  CpuSteps(Context& context, RealType type, Index n, cl_uint columns, const Parameters& cpu,
           Parameters general)
      : GeneralSteps(context, type, n, columns, std::move(general)),
        kernels_(context_, type, cpu),
        phases_(context_, cpu),
        tile_rows_(number(cpu, "TILE_ROWS")),
        tile_cols_(number(cpu, "TILE_COLS")),
        rb_(number(cpu, "RB")),
        nr_(number(cpu, "NR")),
        buffers_(context_, workspace(cpu, type, n, columns)) {
    const Defines defines = macros_of(lu_columns_cpu_variant(), type, cpu);
    const auto kernel = [&](const char* name) {
      return context_.programs().kernel(lu_columns_cpu_variant().file, name, defines);
    };
    moves_ = kernel("block_moves");
    rows_ = kernel("block_rows");
    subtract_ = kernel("block_subtract");
  }

  /// The kernels factor exactly min(columns_, rows) columns. A narrower block is factored with zero
  /// columns appended, which change no pivot.
  void panel(const FactoredBlock& a) override {
    const auto& [view, rows, width] = a.block;
    const cl_uint factored = std::min(columns_, rows);
    if (width == factored) return panel(a, a.block);
    const std::size_t bytes = bytes_of(memo_.type()), pitch = factored * bytes;
    const MatrixView wide{context_.allocate(rows * pitch, "a block beside zeros"), 0, factored};
    const ByteRows narrow_rows{view.buffer, view.offset * bytes, view.ld * bytes},
        wide_rows{wide.buffer, 0, pitch};
    const cl::CommandQueue& queue = context_.queue();
    queue.enqueueFillBuffer(wide.buffer, cl_uchar{0}, 0, rows * pitch);
    enqueue_copy_rows(queue, narrow_rows, wide_rows, width * bytes, rows);
    panel(a, {wide, rows, factored});
    enqueue_copy_rows(queue, wide_rows, narrow_rows, width * bytes, rows);
  }

  /// Factors `a`; `block` holds its numbers, possibly with zero columns appended.
  void panel(const FactoredBlock& a, const ColumnBlock& block) {
    const cl_uint rows = block.rows, width = a.block.columns;
    constexpr cl_uint kRowBlock = 2, kEnd = lu_phases(1);  // update() does the row block
    const LuCpuBuffers& d = buffers_;
    const cl::CommandQueue& queue = context_.queue();
    queue.enqueueFillBuffer(d.info, static_cast<cl_int>(rows), 0, sizeof(cl_int));
    queue.enqueueFillBuffer(d.counters, cl_uint{0}, 0, kEnd * kLuCpuCounterBytes);
    Kernel& kernel = kernels_.phases;
    bind(kernel, block);
    kernel.set_arguments_from(7, d.store, d.u, d.scratch, d.pivots, d.ids, d.positions, d.moves,
                              d.info, d.counters, tile_rows_, tile_cols_, 1U);
    phases_.launch(queue, kernel, 5, 0, kRowBlock);
    phases_.launch(queue, kernel, 5, kRowBlock + 1, kEnd);
    queue.enqueueCopyBuffer(d.pivots, a.pivots, 0, 0, width * sizeof(cl_int));
    queue.enqueueFillBuffer(a.pivots, cl_int{0}, (width + 1) * sizeof(cl_int), sizeof(cl_int));
    report(a, d.info, sizeof(cl_int));
    packed_ = a.version;
  }

  void update(const FactoredBlock& l, const MatrixView& b, cl_uint columns) override {
    const cl_uint rows = l.block.rows, nb = columns_;
    const LuCpuBuffers& d = buffers_;
    if (packed_ != l.version) {
      pack(l.block);
      moves_.set_arguments(l.pivots, nb, d.moves);
      launch(moves_, 1);
      packed_ = l.version;
    }
    for (cl_uint c = 0; c < columns; c += nb) {  // `u` has room for nb columns
      const MatrixView part = b.at(0, c);
      const cl_uint count = std::min(nb, columns - c);
      rows_.set_arguments(part.buffer, cl_ulong{part.offset}, cl_ulong{part.ld}, count, nb, d.store,
                          d.u, d.moves);
      launch(rows_, ceil_div(count, nr_));
      subtract_.set_arguments(part.buffer, cl_ulong{part.offset}, cl_ulong{part.ld}, rows - nb,
                              count, nb, d.store, d.u, tile_rows_, tile_cols_);
      launch(subtract_, ceil_div(rows - nb, tile_rows_), ceil_div(count, tile_cols_));
    }
  }

 private:
  static cl_uint number(const Parameters& parameters, const char* name) {
    return static_cast<cl_uint>(value_of(parameters, name));
  }

  /// The workspace for one panel of n rows.
  static LuCpuWorkspace workspace(const Parameters& cpu, RealType type, Index n, cl_uint columns) {
    LuCpuBlocking cut(cpu, n);
    cut.nb = columns;
    LuCpuWorkspace bytes(cut, type);
    bytes.store = std::uint64_t{ceil_div(cut.n, cut.rb)} * (columns + 8) * cut.rb * bytes_of(type);
    bytes.u = std::uint64_t{round_up(columns, cut.nr)} * columns * bytes_of(type);
    bytes.ids = n * sizeof(cl_uint);
    bytes.pivots = std::max<std::uint64_t>(n, columns) * sizeof(cl_uint);
    bytes.counters = lu_phases(1) * kLuCpuCounterBytes;
    return bytes;
  }

  void bind(Kernel& kernel, const ColumnBlock& block) {
    kernel.set_arguments(block.view.buffer, cl_ulong{block.view.offset}, cl_ulong{block.view.ld},
                         block.rows, columns_);
  }

  void pack(const ColumnBlock& block) {
    bind(kernels_.extract, block);
    kernels_.extract.set_arguments_from(5, 0U, buffers_.store, buffers_.u);
    launch(kernels_.extract, ceil_div(block.rows, rb_));
  }

  void launch(const Kernel& kernel, cl_uint items) {
    if (items > 0) enqueue_kernel(context_.queue(), kernel, cl::NDRange(items), cl::NDRange(1));
  }
  void launch(const Kernel& kernel, cl_uint items, cl_uint other) {
    if (items > 0 && other > 0)
      enqueue_kernel(context_.queue(), kernel, cl::NDRange(items, other), cl::NDRange(1, 1));
  }

  LuCpuKernels kernels_;
  LuCpuPhases phases_;
  Kernel moves_, rows_, subtract_;
  cl_uint tile_rows_, tile_cols_, rb_, nr_;
  LuCpuBuffers buffers_;
  std::uint64_t packed_ = 0;  // version of the block in `store`; 0: none
};

/// The parameters of GeneralSteps for order n.
Parameters general_parameters(Context& context, RealType type, Index n) {
  return default_lu_spec(context.profile(), type, n, LuFamily::gpu).parameters;
}

Parameters cpu_parameters(Context& context, RealType type, Index n) {
  return default_lu_spec(context.profile(), type, n, LuFamily::cpu).parameters;
}

std::unique_ptr<ColumnSteps> make_cpu_steps(Context& context, RealType type, Index n,
                                            cl_uint columns) {
  return std::make_unique<CpuSteps>(context, type, n, columns, cpu_parameters(context, type, n),
                                    general_parameters(context, type, n));
}

/// The self-test: an LU of two blocks, the second one narrower, with a right-hand side.
void ask_cpu_steps(Context& context, RealType type) {
  const cl_uint width = usual_block_columns(context, type, 1), n = width + 5;
  const auto steps = make_cpu_steps(context, type, n, width);
  require_solution(context, type, n, [&](const MatrixView& a, const MatrixView& b) {
    UsualLu usual(context, type);
    const cl::CommandQueue& queue = context.queue();
    std::vector<Index> rows;
    std::vector<FactoredBlock> blocks;
    for (cl_uint k = 0; k < n; k += width) {
      const cl_uint w = std::min(width, n - k);
      blocks.push_back({{a.at(k, k), n - k, w},
                        context.allocate((w + PanelOutcome::kCount) * sizeof(cl_int), "pivots"),
                        k + 1});
      const FactoredBlock& block = blocks.back();
      steps->panel(block);
      if (k + w < n) steps->update(block, a.at(k, k + w), n - k - w);
      steps->forward(block, b.at(k, 0), 1);
      LaswpTrsmKernels swaps(usual.setting);
      if (k > 0)  // the expected factors have every exchange applied
        swaps.laswp_trsm(queue, {a.at(k, k), a.at(k, 0), w, k, 0, 0, false, block.pivots, 0});
      std::vector<cl_int> pivots(w);
      queue.enqueueReadBuffer(block.pivots, CL_TRUE, 0, w * sizeof(cl_int), pivots.data());
      for (const cl_int row : pivots) rows.push_back(k + static_cast<Index>(row));
    }
    for (cl_uint k = width;; k = 0) {
      steps->backward(a.at(0, k), k, std::min(width, n - k), b, 1);
      if (k == 0) break;
    }
    return rows;
  });
}

bool cpu_steps_work(Context& context, RealType type) {
  const KernelVariant& variant = lu_columns_cpu_variant();
  const KernelBuild build{variant.name, variant.file,
                          macros_of(variant, type, cpu_parameters(context, type, 1))};
  return context.trials().passes(build, [&] { ask_cpu_steps(context, type); });
}

}  // namespace

const KernelVariant& lu_columns_cpu_variant() {
  static const KernelVariant variant = [] {
    KernelVariant columns = lu_cpu_variant();
    columns.name = "lu_columns_cpu";
    columns.file = "lu_columns_cpu.cl";
    columns.ask = [](Context& context, RealType type) { (void)cpu_steps_work(context, type); };
    return columns;
  }();
  return variant;
}

Variants lu_columns_variants() {
  static const std::array variants{&lu_columns_cpu_variant(), &panel_tall_variant()};
  return variants;
}

cl_uint usual_block_columns(Context& context, RealType type, Index n) {
  if (lu_cpu_variant().lacks(context).empty()) {
    const Parameters parameters = cpu_parameters(context, type, std::max<Index>(n, 2048));
    return static_cast<cl_uint>(value_of(parameters, "NB"));
  }
  LuSpec spec = default_lu_spec(context.profile(), type, n, LuFamily::gpu);
  // Measured on an H200 in f64, the two block widths interleaved. With 512 and 1024 columns,
  // n = 8192 takes 0.064 and 0.057 s, 16384 0.224 and 0.215 s, 32768 1.02 and 0.97 s. With 256
  // columns, n = 16384 takes 0.295 s.
  int columns = n >= 8192 ? 1024 : 256;
  for (; columns > 32; columns /= 2) {
    set_value(spec.parameters, "NB", columns);
    if (exceeded_demand(variants_of(LuFamily::gpu), spec.parameters, context.profile(), type)
            .empty())
      break;
  }
  return static_cast<cl_uint>(columns);
}

std::unique_ptr<ColumnSteps> make_column_steps(Context& context, RealType type, Index n,
                                               cl_uint columns) {
  if (lu_cpu_variant().lacks(context).empty()) {
    if (!cpu_steps_work(context, type))
      throw NoUsableKernel("no kernel for blocks of columns works on " + context.profile().name +
                           ": " + context.trials().reasons({lu_columns_cpu_variant().name}));
    return make_cpu_steps(context, type, n, columns);
  }
  Parameters parameters = general_parameters(context, type, n);
  set_value(parameters, "NB", static_cast<int>(columns));
  check_lu_spec({LuFamily::gpu, parameters}, context.profile(), type);
  return std::make_unique<GpuSteps>(context, type, n, columns, std::move(parameters));
}

}  // namespace clgauss
