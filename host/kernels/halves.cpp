#include "kernels/halves.hpp"

#include "kernels/cpu_tile.hpp"

namespace clgauss {

namespace {

constexpr std::size_t kGroup = 64;         // of split_rows
constexpr Index kColumns = 32, kRows = 8;  // of a group of split_columns

std::uint64_t bytes_of_halves(Index rows, Index k) { return rows * k * 2 * sizeof(cl_half); }

}  // namespace

Halves::Halves(Context& context)
    : context_(context),
      unfit_(context.context(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof epoch_, &epoch_) {
  const Defines defines{{"GROUP", std::to_string(kGroup)}};
  split_rows_ = context_.programs().kernel("halves.cl", "split_rows", defines);
  split_columns_ = context_.programs().kernel("halves.cl", "split_columns", defines);
}

void Halves::split(const cl::CommandQueue& queue, Index m, Index n, Index k, const MatrixView& a,
                   const MatrixView& b, Index tile_m, Index tile_n, Index tile_k) {
  const Index rows = round_up(m, tile_m), columns = round_up(n, tile_n),
              padded_k = round_up(k, tile_k);
  make_room(a_, rows, padded_k);
  make_room(b_, columns, padded_k);
  if (++epoch_ == 0) {
    queue.enqueueFillBuffer(unfit_, cl_uint{0}, 0, sizeof(cl_uint));
    epoch_ = 1;
  }
  const auto enqueue = [&](Kernel& kernel, Index there, const MatrixView& from,
                           const SplitOperand& to, const cl::NDRange& global,
                           const cl::NDRange& local) {
    const auto int_of = [](Index x) { return static_cast<cl_int>(x); };
    kernel.set_arguments(int_of(there), int_of(k), int_of(padded_k), from.buffer,
                         cl_ulong{from.offset}, static_cast<cl_uint>(from.ld), to.halves,
                         to.exponents, unfit_, epoch_);
    enqueue_kernel(queue, kernel, global, local);
  };
  enqueue(split_rows_, m, a, a_, cl::NDRange(rows / 2 * kGroup), cl::NDRange(kGroup));
  enqueue(split_columns_, n, b, b_, cl::NDRange(columns, kRows), cl::NDRange(kColumns, kRows));
}

void Halves::make_room(SplitOperand& operand, Index rows, Index k) {
  const auto make = [&](cl::Buffer& buffer, std::uint64_t bytes) {
    if (buffer() == nullptr || buffer.getInfo<CL_MEM_SIZE>() < bytes)
      buffer = context_.allocate(bytes, "the split operands of a matrix product");
  };
  make(operand.halves, bytes_of_halves(rows, k));
  make(operand.exponents, rows * sizeof(cl_int));
}

}  // namespace clgauss
