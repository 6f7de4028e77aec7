#include "tuner/reproduce/matmul_cases.hpp"

#include <fmt/format.h>

#include "tuner/measure/flops.hpp"

namespace clgauss::tune {

MatmulRung rung_of(std::string name, std::string parameters, const MatmulKernel& kernel) {
  return {std::move(name), std::move(parameters), kernel.local[0] * kernel.local[1],
          [kernel] { return kernel; }};
}

std::vector<std::size_t> sizes_or(const ReproduceOptions& options,
                                  std::vector<std::size_t> initial) {
  return options.sizes.empty() ? std::move(initial) : options.sizes;
}

MatmulCases::MatmulCases(const Laboratory& laboratory, Index n)
    : laboratory_(laboratory),
      n_(n),
      timing_(laboratory.options.timing),
      product_([n] { return std::make_unique<Product>(n); }),
      bench_([&context = laboratory.context, product = product_, timing = timing_] {
        return std::make_unique<MatmulBench>(context, *product, timing);
      }),
      cpu_([product = product_] { return std::make_unique<CpuMatrices>(*product); }) {}

Row MatmulCases::row(std::string_view kernel, std::string_view part,
                     std::string_view parameters) const {
  Row row = row_for(laboratory_.info);
  row.kernel = kernel;
  row.part = part;
  row.parameters = parameters;
  row.n = n_;
  row.work = product_flops(n_);
  return row;
}

std::optional<Case> MatmulCases::too_large() const {
  constexpr Index kLargest = 1U << 16U;  // up to which the check is exact
  const Outcome outcome = guarded([&]() -> Outcome {
    if (n_ > kLargest) return {Status::constraint, fmt::format("n is above {}", kLargest), {}};
    laboratory_.context.require_memory(3 * n_ * n_ * sizeof(float),
                                       fmt::format("the matrices of n = {}", n_));
    return {};
  });
  if (outcome.status == Status::ok) return std::nullopt;
  return single_case(row("all", "multiply"), [outcome] { return Prepared{outcome}; });
}

Case MatmulCases::transfer() const {
  Row in = row("transfer", "copy_in"), out = row("transfer", "copy_out");
  const double bytes = static_cast<double>(n_ * n_ * sizeof(float));
  in.work = 2 * bytes;
  out.work = bytes;
  return {{in, out}, [bench = bench_] {
            return std::vector<Prepared>{bench->copy_in(), bench->copy_out()};
          }};
}

Case MatmulCases::device(MatmulRung rung) const {
  Row one = row(rung.name, "multiply", rung.parameters);
  one.local = rung.local;
  return single_case(
      one, [bench = bench_, make = std::move(rung.make)] { return bench->multiply(make()); });
}

Case MatmulCases::clgauss_gemm() const {
  return single_case(row("clgauss_gemm", "multiply"),
                     [bench = bench_] { return bench->multiply_by_gemm(); });
}

Case MatmulCases::cpu(const CpuLoop& loop) const {
  Row one = row(loop.name, "multiply");
  const Index count = cpu_count(loop, n_, laboratory_.options.full_cpu);
  one.all_steps = n_;
  one.steps = count;
  one.estimated = count < n_;
  one.detail = loop.all_cores ? fmt::format("{} threads", openmp_cores()) : "1 thread";
  return single_case(one, [loop, count, matrices = cpu_, timing = timing_]() -> Prepared {
    if (loop.all_cores && openmp_cores() == 0)
      return {{Status::device_limit, "unsupported: built without OpenMP", {}}};
    return prepare_cpu(loop, *matrices, count, timing);
  });
}

Case MatmulCases::openblas() const {
  Row one = row("openblas", "multiply");
  one.detail = openblas_detail();
  return single_case(
      one, [matrices = cpu_, timing = timing_] { return prepare_openblas(*matrices, timing); });
}

Case MatmulCases::constraint(std::string_view rung, std::string_view parameters,
                             std::string_view reason) const {
  return single_case(row(rung, "multiply", parameters), [reason = std::string(reason)] {
    return Prepared{{Status::constraint, reason, {}}};
  });
}

std::size_t square_side(const DeviceProfile& device) {
  for (const std::size_t side : {32U, 16U})
    if (side * side <= device.max_work_group_size) return side;
  return 8;
}

}  // namespace clgauss::tune
