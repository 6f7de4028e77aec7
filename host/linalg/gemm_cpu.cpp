#include <algorithm>

#include "linalg/cpu_tile.hpp"
#include "linalg/gemm_backend.hpp"

namespace clgauss {

namespace {

/// Parameters of cl/gemm_cpu.cl; pack_steps is a macro, the others are kernel arguments. The values are the best of a search
/// on 2 cores with AVX-512.
struct Parameters {
  CpuTile tile;
  cl_uint kc;              // steps of k between two visits of C
  cl_uint mc = 144;        // rows of C of one work-item, at most
  cl_uint nc;              // columns of C of one work-item, at most
  cl_uint pack_steps = 8;  // rows packed by one work-item

  Parameters(const DeviceContext& context, RealType type)
      : tile(CpuTile::for_device(context, type)),
        kc(type == RealType::f32 ? 512 : 320),
        nc(16 * tile.nr) {}

  [[nodiscard]] Defines defines(RealType type) const {
    Defines defines = tile.defines(type);
    defines.emplace_back("PACK_STEPS", std::to_string(pack_steps));
    return defines;
  }
};

/// Extent and depth of one operand.
struct Operand {
  cl_uint extent, depth, kc, panel;
};

/// The largest multiple of `unit` that cuts `extent` in `parts` parts, or one unit.
cl_uint part(cl_uint extent, cl_uint parts, cl_uint unit) {
  return std::max(unit, round_up(ceil_div(extent, parts), unit));
}

class GemmCpu : public GemmBackend {
 public:
  GemmCpu(DeviceContext& context, RealType type)
      : context_(context),
        type_(type),
        parameters_(context, type),
        compute_units_(context.profile().compute_units),
        tickets_(context.allocate(sizeof(cl_uint), "the tickets of a GEMM")) {
    const auto kernel = [&](const char* name) {
      return context.programs().kernel("gemm_cpu.cl", name, parameters_.defines(type));
    };
    pack_a_n_ = kernel("pack_a_n");
    pack_a_t_ = kernel("pack_a_t");
    pack_b_n_ = kernel("pack_b_n");
    pack_b_t_ = kernel("pack_b_t");
    tiles_ = kernel("gemm_tiles");
  }

  void multiply(const cl::CommandQueue& queue, const GemmCall& call) override {
    const auto m = static_cast<cl_uint>(call.shape.m);
    const auto n = static_cast<cl_uint>(call.shape.n);
    const auto k = static_cast<cl_uint>(call.shape.k);
    // Blocks of equal depth: a thin last block would visit C for little work.
    const cl_uint kc = round_up(ceil_div(k, ceil_div(k, parameters_.kc)), parameters_.pack_steps);
    const Operand a{m, k, kc, parameters_.tile.mr}, b{n, k, kc, parameters_.tile.nr};
    reserve(packed_a_, capacity_a_, a);
    reserve(packed_b_, capacity_b_, b);
    Kernel& pack_a = call.shape.transpose_a ? pack_a_t_ : pack_a_n_;
    Kernel& pack_b = call.shape.transpose_b ? pack_b_t_ : pack_b_n_;
    pack(queue, pack_a, !call.shape.transpose_a, call.a, a, call.alpha, packed_a_);
    pack(queue, pack_b, call.shape.transpose_b, call.b, b, 1, packed_b_);
    tiles_.set_arguments(packed_a_, packed_b_, call.c.buffer, cl_ulong{call.c.offset},
                         cl_ulong{call.c.ld}, m, n, k, kc);
    set_real(tiles_, 9, type_, call.beta);
    enqueue_tiles(queue, m, n);
  }

  std::string kernel_name(const GemmCall& /*call*/) override { return "cpu_packed"; }

 private:
  void reserve(cl::Buffer& buffer, std::uint64_t& capacity, const Operand& operand) const {
    const std::uint64_t count =
        std::uint64_t{round_up(operand.extent, operand.panel)} * operand.depth;
    if (count <= capacity) return;
    buffer = context_.allocate(count * bytes_of(type_), "the packed copy of a GEMM operand");
    capacity = count;
  }

  /// `across`: the extent lies down the columns of `source`, and the copy transposes.
  void pack(const cl::CommandQueue& queue, Kernel& kernel, bool across, const MatrixView& source,
            const Operand& operand, double scale, const cl::Buffer& packed) const {
    kernel.set_arguments(source.buffer, cl_ulong{source.offset}, cl_ulong{source.ld},
                         operand.extent, operand.depth, operand.kc);
    set_real(kernel, 6, type_, scale);
    kernel.set_arguments_from(7, packed, tickets_);
    if (across)
      queue.enqueueNDRangeKernel(
          kernel.handle, cl::NullRange,
          cl::NDRange(ceil_div(operand.extent, operand.panel), ceil_div(operand.depth, operand.kc)),
          cl::NDRange(1, 1));
    else
      queue.enqueueNDRangeKernel(kernel.handle, cl::NullRange,
                                 cl::NDRange(ceil_div(operand.depth, parameters_.pack_steps)),
                                 cl::NDRange(1));
  }

  void enqueue_tiles(const cl::CommandQueue& queue, cl_uint m, cl_uint n) {
    const Parameters& p = parameters_;
    // Equal parts, and at least 32 a compute unit so that the last ones do not leave the others idle.
    cl_uint parts_m = ceil_div(m, p.mc), parts_n = ceil_div(n, p.nc);
    while (parts_m * parts_n < 32 * compute_units_ && n / parts_n > 4 * p.tile.nr) ++parts_n;
    while (parts_m * parts_n < 32 * compute_units_ && m / parts_m > 4 * p.tile.mr) ++parts_m;
    const cl_uint rows = part(m, parts_m, p.tile.mr), cols = part(n, parts_n, p.tile.nr);
    tiles_.set_arguments_from(10, rows, cols, tickets_);
    queue.enqueueNDRangeKernel(tiles_.handle, cl::NullRange, cl::NDRange(compute_units_),
                               cl::NDRange(1));
  }

  DeviceContext& context_;
  RealType type_;
  Parameters parameters_;
  cl_uint compute_units_;
  Kernel pack_a_n_, pack_a_t_, pack_b_n_, pack_b_t_, tiles_;
  cl::Buffer packed_a_, packed_b_;
  cl::Buffer tickets_;  // one counter, from which the work-items of gemm_tiles draw their tiles
  std::uint64_t capacity_a_ = 0, capacity_b_ = 0;
};

}  // namespace

std::unique_ptr<GemmBackend> make_gemm_cpu(DeviceContext& context, RealType type) {
  return std::make_unique<GemmCpu>(context, type);
}

}  // namespace clgauss
