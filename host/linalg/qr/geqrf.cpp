#include "linalg/qr/geqrf.hpp"

#include <algorithm>
#include <clgauss/error.hpp>
#include <numeric>
#include <utility>
#include <vector>

#include "kernels/common/cpu_tile.hpp"
#include "kernels/gemm/gemm_backend.hpp"
#include "launch/queue_progress.hpp"
#include "launch/staging.hpp"
#include "matrix/shapes.hpp"

namespace clgauss {

namespace {

constexpr const char* kWorkspace = "the reflections of a QR factorisation";

Index block_of(const DeviceProfile& device, RealType type, Index m) {
  return static_cast<Index>(value_of(usual_qr_parameters({device, type, m}), "BLOCK"));
}

Index whole_blocks(Index n, Index block) { return (n + block - 1) / block; }

}  // namespace

Geqrf::Geqrf(Context& context, RealType type, Index m, Index n, Index nrhs)
    : context_(context),
      type_(type),
      m_(m),
      n_(n),
      memo_(context_, type),
      kernels_([&]() -> QrKernels {
        for (const Index rows : {m, kManyRows}) {
          const Parameters parameters = usual_qr_parameters({context.profile(), type, rows});
          if (qr_works(context, type, parameters)) return {memo_, m, parameters};
        }
        throw NoUsableKernel("no kernel for a QR factorisation works on " + context.profile().name +
                             ": " + context.trials().reasons({qr_variant().name}));
      }()),
      gemm_(context_, type, gemm_options_for_lu(context_, type, n, {})),
      few_(context_, type, n) {
  const Index nb = kernels_.block(), element = bytes_of(type);
  const auto space = [&](Index rows, Index ld) {
    return MatrixView{context_.allocate(rows * ld * element, kWorkspace), 0, ld};
  };
  bytes_of_v_ = whole_blocks(n, nb) * m * nb * element;
  v_ = {context_.staging().matrices().take(context_, bytes_of_v_, kWorkspace), 0, nb};
  t_ = space(whole_blocks(n, nb) * nb, nb);
  gram_ = space(nb, nb);
  panel_t_ = space(kernels_.panel_columns(), kernels_.panel_columns());
  const Index ld = padded_ld(std::max(n + nrhs, nb), type);
  w_ = space(nb, ld);
  w2_ = space(nb, ld);
  taus_ = context_.allocate(n * element, kWorkspace);
  std::vector<cl_uint> rows(n);
  std::iota(rows.begin(), rows.end(), 0U);
  identity_ = context_.allocate(n * sizeof(cl_uint), kWorkspace);
  context_.queue().enqueueWriteBuffer(identity_, CL_TRUE, 0, n * sizeof(cl_uint), rows.data());
}

std::uint64_t Geqrf::bytes(const DeviceProfile& device, RealType type, Index m, Index n,
                           Index nrhs) {
  const Index nb = block_of(device, type, m), ld = padded_ld(std::max(n + nrhs, nb), type);
  const std::uint64_t numbers =
      whole_blocks(n, nb) * (m + nb) * nb + 2 * nb * nb + 2 * nb * ld + 2 * n;
  return numbers * bytes_of(type) +
         qr_variant().workspace_bytes(usual_qr_parameters({device, type, m}), {device, type, m});
}

void Geqrf::keep_memory() {
  r_ = {};
  context_.staging().matrices().give(context_, std::exchange(v_, {}).buffer, bytes_of_v_);
}

Geqrf::Reflections Geqrf::reflections(Index k) const {
  const Index nb = kernels_.block(), block = k / nb;
  return {v_.at(block * m_, 0), t_.at(block * nb, 0), static_cast<cl_uint>(m_ - k),
          static_cast<cl_uint>(std::min(nb, n_ - k))};
}

void Geqrf::apply(const cl::CommandQueue* queue, const Reflections& q, const MatrixView& c,
                  Index columns, bool transposed) {
  if (columns == 0) return;
  const MatrixView w{w_.buffer, 0, padded_ld(columns, type_)}, w2{w2_.buffer, 0, w.ld};
  multiply_or_prepare(gemm_, queue, {{q.columns, columns, q.rows, true, false}, 1, q.v, c, 0, w});
  multiply_or_prepare(gemm_, queue,
                      {{q.columns, columns, q.columns, transposed, false}, 1, q.t, w, 0, w2});
  multiply_or_prepare(gemm_, queue,
                      {{q.rows, columns, q.columns}, -1, q.v, w2, 1, c});  // C = C - V T V^T C
}

void Geqrf::factor_block(const cl::CommandQueue* queue, const MatrixView& a, Index k) {
  const auto [v, t, rows, columns] = reflections(k);
  const cl_uint nb = kernels_.panel_columns();
  const std::size_t element = bytes_of(type_);
  const bool alone = columns <= nb;
  if (queue != nullptr && !alone)  // above a panel's first row, its v are zero
    queue->enqueueFillBuffer(v.buffer, cl_uchar{0}, v.offset * element, columns * v.ld * element);
  for (cl_uint j = 0; j < columns; j += nb) {
    const cl_uint width = std::min(nb, columns - j), right = columns - j - width;
    const QrKernels::Panel panel{a.at(k + j, k + j),
                                 v.at(j, j),
                                 rows - j,
                                 width,
                                 static_cast<cl_uint>(n_ - k) - j,
                                 taus_,
                                 static_cast<cl_uint>(k) + j};
    if (queue != nullptr) {
      kernels_.factor(*queue, panel);
      if (alone || right > 0)
        kernels_.triangle(*queue, kernels_.gram(), taus_, panel.first, width, alone ? t : panel_t_);
    }
    if (right > 0)
      apply(queue, {panel.v, panel_t_, panel.rows, width}, panel.a.at(0, width), right, true);
  }
  if (alone) return;
  multiply_or_prepare(gemm_, queue, {{columns, columns, rows, true, false}, 1, v, v, 0, gram_});
  if (queue != nullptr)
    kernels_.triangle(*queue, gram_, taus_, static_cast<cl_uint>(k), columns, t);
}

void Geqrf::factor_step(const cl::CommandQueue* queue, const MatrixView& a, Index k,
                        Index columns) {
  factor_block(queue, a, k);  // A(k:m, k:k+nb) = Q_k R
  const Index next = std::min(n_, k + kernels_.block());
  apply(queue, reflections(k), a.at(k, next), n_ + columns - next, true);
}

void Geqrf::prepare(const MatrixView& a, Index columns) {
  for (Index k = 0; k < n_; k += kernels_.block()) factor_step(nullptr, a, k, columns);
}

void Geqrf::prepare_solves(Index columns) {
  few_.prepare_both(context_, columns);
  if (!few_.solves_plain(columns)) many().prepare(columns);
}

void Geqrf::factor(const cl::CommandQueue& queue, const MatrixView& a, Index columns,
                   const ProgressCallback& callback) {
  const auto m = static_cast<double>(m_), n = static_cast<double>(n_);
  const Index nb = kernels_.block();
  r_ = MatrixView(a);
  QueueProgress progress(queue, callback, "factorisation", whole_blocks(n_, nb),
                         2 * n * n * (m - n / 3));
  for (Index k = 0; k < n_; k += nb) {
    factor_step(&queue, a, k, columns);
    const Index next = std::min(n_, k + nb);
    const auto left = static_cast<double>(n_ - next);
    progress.step_enqueued(k / nb,
                           1 - left * left * (m - n + left * 2 / 3) / (n * n * (m - n / 3)));
  }
  if (callback) progress.finish();
}

void Geqrf::apply(const cl::CommandQueue& queue, const MatrixView& c, Index columns,
                  bool transposed) {
  const Index nb = kernels_.block(), blocks = whole_blocks(n_, nb);
  for (Index step = 0; step < blocks; ++step) {  // Q^T = .. Q_2^T Q_1^T, Q = Q_1 Q_2 ..
    const Index k = (transposed ? step : blocks - 1 - step) * nb;
    apply(&queue, reflections(k), c.at(k, 0), columns, transposed);
  }
}

void Geqrf::solve(const cl::CommandQueue& queue, const MatrixView& b, Index columns,
                  bool transposed) {
  const auto n = static_cast<cl_uint>(n_), nrhs = static_cast<cl_uint>(columns);
  if (columns == 0) return;
  // R is the U of an LU with L = I, stored as zeros below the diagonal.
  if (transposed || few_.solves_plain(columns)) {
    few_.solve(queue, r_, n, {identity_, 0}, b, nrhs, transposed);
    return;
  }
  many().substitute(queue, r_, n, b, nrhs);
}

ManySolves& Geqrf::many() {
  if (!many_) many_ = std::make_unique<ManySolves>(context_, type_, n_, GemmOptions{});
  return *many_;
}

}  // namespace clgauss
