#include "tuner/reproduce/reproduction.hpp"

namespace clgauss::tune {

const std::vector<Reproduction>& reproductions() {
  static const std::vector<Reproduction> all{matmul_ladder(), matmul_kernels(), matmul_cpu_gpu(),
                                             bandwidth()};
  return all;
}

}  // namespace clgauss::tune
