#include <clblast.h>

#include <clgauss/error.hpp>

#include "bench_contestant.hpp"

namespace clgauss::bench {

namespace {

template <typename T>
class ClBlastGemm : public Contestant {
 public:
  explicit ClBlastGemm(const DeviceProblem& device) : device_(device) {}

  void restore() override { device_.restore(); }

  /// As the column-major product C^T <- C^T - B^T A^T, which is the same in memory: CLBlast then
  /// transposes one operand before its kernel; told that all is row-major it would transpose A, and
  /// C twice.
  void run() override {
    const ProblemSize& size = device_.problem().size;
    const auto& [a, b, c] = std::tie(device_.a(), device_.b(), device_.work());
    cl_command_queue queue = device_.context().queue()();
    const auto status = clblast::Gemm<T>(clblast::Layout::kColMajor, clblast::Transpose::kNo,
                                         clblast::Transpose::kNo, size.n, size.m, size.k, T{-1},
                                         b.buffer(), b.offset, b.ld, a.buffer(), a.offset, a.ld,
                                         T{1}, c.buffer(), c.offset, c.ld, &queue);
    if (status != clblast::StatusCode::kSuccess)
      throw OpenClError("clblast::Gemm", static_cast<int>(status));
    device_.context().queue().finish();
  }

  [[nodiscard]] Matrix result() override { return device_.result(); }

  [[nodiscard]] std::string detail() const override { return "column-major view"; }

 private:
  const DeviceProblem& device_;
};

}  // namespace

std::unique_ptr<Contestant> make_clblast(const DeviceProblem& problem) {
  if (problem.problem().size.type == RealType::f32)
    return std::make_unique<ClBlastGemm<float>>(problem);
  return std::make_unique<ClBlastGemm<double>>(problem);
}

}  // namespace clgauss::bench
