#include <algorithm>
#include <clgauss/error.hpp>
#include <clgauss/lab/launch.hpp>
#include <numeric>

#include "kernels/cpu_tile.hpp"
#include "kernels/known_answers.hpp"
#include "kernels/lu_backend.hpp"
#include "kernels/lu_parts.hpp"
#include "linalg/transfer.hpp"
#include "opencl_error.hpp"

namespace clgauss {

namespace {

/// A checked LuSpec for CPUs; NB, the tiles and SOLVE_BLOCK are arguments of the kernels of cl/lu_cpu.cl, the others macros.
struct Blocking {
  cl_uint rb, nr, nb, tile_rows, tile_cols, solve_block;

  explicit Blocking(const LuSpec& spec) {
    const auto number = [&](const char* name) { return static_cast<cl_uint>(spec.value(name)); };
    rb = number("RB");
    nr = number("NR");
    nb = number("NB");
    tile_rows = number("TILE_ROWS");
    tile_cols = number("TILE_COLS");
    solve_block = number("SOLVE_BLOCK");
  }

  /// Elements of the panel store: every panel's rows in chunks of rb, each with the padding of CHUNK_PAD = 8 columns.
  [[nodiscard]] std::uint64_t store_elements(cl_uint n) const {
    std::uint64_t elements = 0;
    for (cl_uint k = 0; k < n; k += nb)
      elements += std::uint64_t{ceil_div(n - k, rb)} * (nb + 8) * rb;
    return elements;
  }
};

/// Solves with many right-hand sides, by the kernels that CPU and GPU have in common.
struct ManySolves {
  KernelMemo kernels;
  LuFlags flags;
  LuTuning tuning;
  Gemm gemm;
  LuSolves solves;

  ManySolves(Context& context, RealType type, Index n, const GemmOptions& gemm_options)
      : kernels(context, type),
        flags(context),
        tuning(default_lu_spec(context.profile(), type, n, LuFamily::gpu)),
        gemm(context, type, gemm_options),
        solves(kernels, flags, gemm, tuning, n, false, false) {}
};

class LuCpu : public Lu {
 public:
  LuCpu(Context& context, RealType type, cl_uint n, const LuOptions& options)
      : context_(context),
        type_(type),
        spec_(options.spec ? *options.spec
                           : default_lu_spec(context.profile(), type, n, LuFamily::cpu)),
        blocking_(spec_),
        gemm_options_(options.gemm),
        n_(n),
        panels_(ceil_div(n, blocking_.nb)),
        compute_units_(context.profile().compute_units) {
    const std::uint64_t element = bytes_of(type), store = blocking_.store_elements(n);
    const std::uint64_t rows = std::uint64_t{panels_} * n;
    context.require_memory(store * element + rows * sizeof(cl_uint), "the workspace of an LU");
    const auto buffer = [&](std::uint64_t bytes) {
      return context.allocate(bytes, "the workspace of an LU");
    };
    store_ = buffer(store * element);
    u_ = buffer(std::uint64_t{round_up(n, blocking_.nr)} * blocking_.nb * element);
    scratch_ = buffer(blocking_.nb * 8 * element);
    x_ = buffer(n * element);
    ids_ = buffer(rows * sizeof(cl_uint));
    pivots_ = buffer(n * sizeof(cl_uint));
    positions_ = buffer(n * sizeof(cl_uint));
    moves_ = buffer(blocking_.nb * 3 * sizeof(cl_uint));
    tickets_ = buffer(panels_ * sizeof(cl_uint));
    info_ = buffer(sizeof(cl_int));
    build_kernels();
  }

  /// Every kernel is launched once, on a system that is as small as it can be: PoCL builds a kernel for a work-group size
  /// when it is first launched with it, which would else be counted as factorisation.
  void prepare(const MatrixView& /*a*/, Index nrhs) override {
    translate_opencl_errors([&] {
      const bool many = nrhs > 1;
      const cl_uint n = many ? std::min(n_, many_solves().tuning.solve_block + 1) : 1;
      const std::uint64_t element = bytes_of(type_);
      const MatrixView a{context_.allocate(n * n * element, "a first launch"), 0, n};
      const MatrixView b{context_.allocate(n * nrhs * element, "a first launch"), 0, nrhs};
      for (const MatrixView& view : {a, b})
        context_.queue().enqueueFillBuffer(view.buffer, cl_uchar{0}, 0,
                                           view.buffer.getInfo<CL_MEM_SIZE>());
      enqueue_factorisation(a, n);
      enqueue(row_block_, 1);  // finds nothing right of the only panel
      enqueue_diagonal(context_.queue(), *diagonal_kernel(), a, 1, x_);
      if (nrhs > 0) enqueue_solution(a, b, n, nrhs);
      context_.queue().finish();
    });
  }

  void factor(const MatrixView& a) override {
    translate_opencl_errors([&] {
      factored_ = MatrixView(a);
      enqueue_factorisation(a, n_);
    });
  }

  void solve(const MatrixView& b, Index nrhs) override {
    require_factored(factored_);
    translate_opencl_errors([&] { enqueue_solution(factored_, b, n_, nrhs); });
  }

  std::optional<Index> failed_column() override {
    return translate_opencl_errors([&]() -> std::optional<Index> {
      cl_int column = 0;
      context_.queue().enqueueReadBuffer(info_, CL_TRUE, 0, sizeof column, &column);
      if (column == static_cast<cl_int>(n_)) return std::nullopt;
      return checked_failed_column(static_cast<Index>(column), n_);
    });
  }

  std::vector<Index> pivots() override {
    return translate_opencl_errors(
        [&] { return read_pivots<cl_uint>(context_.queue(), pivots_, n_, n_); });
  }

  void poison_if_failed(const MatrixView& b, Index nrhs) override {
    translate_opencl_errors([&] {
      enqueue_poison(context_, type_, {info_, static_cast<cl_int>(n_), false}, b, n_, nrhs);
    });
  }

  std::optional<Kernel> diagonal_kernel() override { return kernel("diagonal"); }

  Pivoting pivoting() const override { return Pivoting::partial; }

 private:
  [[nodiscard]] Kernel kernel(const char* name) const {
    Defines defines = cpu_tile_defines(type_, spec_.parameters);
    defines.emplace_back("RB", std::to_string(blocking_.rb));
    return context_.programs().kernel("lu_cpu.cl", name, defines);
  }

  void build_kernels() {
    reset_ = kernel("lu_reset");
    extract_ = kernel("lu_extract");
    advance_ = kernel("lu_advance");
    row_block_ = kernel("lu_row_block");
    find_positions_ = kernel("lu_positions");
    put_back_ = kernel("lu_store");
    permute_ = kernel("rhs_permute");
    forward_ = kernel("forward_step");
    backward_ = kernel("backward_step");
  }

  ManySolves& many_solves() {
    if (!many_) many_ = std::make_unique<ManySolves>(context_, type_, n_, gemm_options_);
    return *many_;
  }

  /// Factors the n-by-n `a`, n <= n_.
  void enqueue_factorisation(const MatrixView& a, cl_uint n) {
    const cl_uint panels = ceil_div(n, blocking_.nb);
    bind_matrix(a, n, panels);
    enqueue(reset_, std::max(n, panels));
    for (cl_uint step = 0; step < panels; ++step) {
      const cl_uint k0 = step * blocking_.nb, right = n - std::min(n, k0 + blocking_.nb);
      for (Kernel* kernel : {&extract_, &advance_, &row_block_})
        kernel->set_arguments_from(5, step);
      enqueue(extract_, ceil_div(n - k0, blocking_.rb));  // W = A11 and A21, updated
      enqueue(advance_, compute_units_);  // P W = L U, and the rest of A -= L U before
      enqueue(row_block_, ceil_div(right, blocking_.nr));  // U12 = L11^-1 P A12
    }
    enqueue(find_positions_, n);
    enqueue(put_back_, ceil_div(n, blocking_.rb), panels);
  }

  /// B <- A^-1 B with the factors `lu` of the last factorisation, n-by-n.
  void enqueue_solution(const MatrixView& lu, const MatrixView& b, cl_uint n, Index nrhs) {
    if (nrhs == 1 && b.ld == 1)
      solve_one(lu, b, n);
    else
      many_solves().solves.solve(context_.queue(), lu, n, pivots_, b, static_cast<cl_uint>(nrhs));
  }

  void bind_matrix(const MatrixView& a, cl_uint n, cl_uint panels) {
    const Blocking& p = blocking_;
    for (Kernel* kernel : {&extract_, &advance_, &row_block_, &put_back_})
      kernel->set_arguments(a.buffer, cl_ulong{a.offset}, cl_ulong{a.ld}, n, p.nb);
    reset_.set_arguments(info_, tickets_, n, panels);
    extract_.set_arguments_from(6, store_, u_);
    advance_.set_arguments_from(6, store_, u_, scratch_, pivots_, ids_, moves_, info_, tickets_,
                                p.tile_rows, p.tile_cols);
    row_block_.set_arguments_from(6, store_, u_, moves_);
    find_positions_.set_arguments(ids_, n, p.nb, panels, pivots_, positions_);
    put_back_.set_arguments_from(5, store_, ids_, positions_);
  }

  /// x_ <- U^-1 L^-1 P b, block by block; then b <- x_.
  void solve_one(const MatrixView& lu, const MatrixView& b, cl_uint n) {
    const cl_uint size = blocking_.solve_block, blocks = ceil_div(n, size);
    permute_.set_arguments(b.buffer, cl_ulong{b.offset}, x_, cl_ulong{0}, n, ids_,
                           ceil_div(n, blocking_.nb));
    for (Kernel* kernel : {&forward_, &backward_})
      kernel->set_arguments(lu.buffer, cl_ulong{lu.offset}, cl_ulong{lu.ld}, n, x_, cl_ulong{0},
                            size);
    enqueue(permute_, n);
    for (cl_uint block = 0; block < blocks; ++block) {
      forward_.set_arguments_from(7, block);
      enqueue(forward_, 2 * compute_units_);
    }
    for (cl_uint block = blocks; block-- > 0;) {
      backward_.set_arguments_from(7, block);
      enqueue(backward_, 2 * compute_units_);
    }
    const std::size_t element = bytes_of(type_);
    context_.queue().enqueueCopyBuffer(x_, b.buffer, 0, b.offset * element, n * element);
  }

  void enqueue(const Kernel& kernel, cl_uint items, cl_uint rows = 1) const {
    if (items == 0) return;
    if (rows == 1)
      enqueue_kernel(context_.queue(), kernel, cl::NDRange(items), cl::NDRange(1));
    else
      enqueue_kernel(context_.queue(), kernel, cl::NDRange(items, rows), cl::NDRange(1, 1));
  }

  Context& context_;
  RealType type_;
  LuSpec spec_;
  Blocking blocking_;
  GemmOptions gemm_options_;
  cl_uint n_, panels_, compute_units_;
  std::unique_ptr<ManySolves> many_;  // made when first needed
  cl::Buffer store_, u_, scratch_, x_, ids_, pivots_, positions_, moves_, tickets_, info_;
  Kernel reset_, extract_, advance_, row_block_, find_positions_, put_back_, permute_, forward_,
      backward_;
  MatrixView factored_;
};

}  // namespace

std::unique_ptr<Lu> make_lu_cpu(Context& context, RealType type, Index n,
                                const LuOptions& options) {
  return translate_opencl_errors(
      [&] { return std::make_unique<LuCpu>(context, type, static_cast<cl_uint>(n), options); });
}

bool lu_cpu_works(Context& context, RealType type, const LuSpec& spec) {
  KernelBuild build{"lu_cpu", "lu_cpu.cl", cpu_tile_defines(type, spec.parameters)};
  build.defines.emplace_back("RB", std::to_string(spec.value("RB")));
  return context.trials().passes(build, [&] {
    LuSpec small = spec;  // more than one panel, and the last one cut
    const int unit = std::lcm(spec.value("RB"), spec.value("NR"));
    set_value(small.parameters, "NB", unit);
    set_value(small.parameters, "SOLVE_BLOCK", unit);
    const Index n = 2 * static_cast<Index>(unit) + 5;
    LuOptions options;
    options.spec = small;
    LuCpu lu(context, type, static_cast<cl_uint>(n), options);
    require_solution(context, type, n, [&](const MatrixView& a, const MatrixView& b) {
      lu.factor(a);
      lu.solve(b, 1);
      return lu.pivots();
    });
  });
}

}  // namespace clgauss
