#include "bench_contestant.hpp"
#include "bench_openblas.hpp"

namespace clgauss::bench {

// The adapters that CMake compiles in; see tests/CMakeLists.txt.
std::unique_ptr<Contestant> make_clblast(const DeviceProblem& problem);
std::unique_ptr<Contestant> make_viennacl(const DeviceProblem& problem);
std::unique_ptr<Contestant> make_mixed(const DeviceProblem& problem);
std::unique_ptr<Contestant> make_rbt(const DeviceProblem& problem);

namespace {

using Make = std::unique_ptr<Contestant> (*)(const DeviceProblem&);
using Prepare = void (*)(char**);

#ifdef CLGAUSS_BENCH_WITH_OPENBLAS
constexpr Make kOpenBlas = make_openblas, kGelsd = make_gelsd;
constexpr Prepare kPrepareOpenBlas = prepare_openblas;
#else
constexpr Make kOpenBlas = nullptr, kGelsd = nullptr;
constexpr Prepare kPrepareOpenBlas = nullptr;
#endif
#ifdef CLGAUSS_BENCH_WITH_CLBLAST
constexpr Make kClBlast = make_clblast;
#else
constexpr Make kClBlast = nullptr;
#endif
#ifdef CLGAUSS_BENCH_WITH_VIENNACL
constexpr Make kViennaCl = make_viennacl;
#else
constexpr Make kViennaCl = nullptr;
#endif

constexpr Peer kPeers[] = {
    {.name = "mixed",
     .about = "clgauss's own: solve in f64 by factors in f32 and refinement",
     .gemm = false,
     .lu = true,
     .batched = false,
     .cpu_only = false,
     .not_the_same = true,
     .make = make_mixed,
     .prepare = nullptr},
    {.name = "rbt",
     .about = "clgauss's own: the same with random butterflies",
     .gemm = false,
     .lu = true,
     .batched = false,
     .cpu_only = false,
     .not_the_same = true,
     .make = make_rbt,
     .prepare = nullptr},
    {.name = "openblas",
     .about = "on the host's CPU, all hardware threads",
     .gemm = true,
     .lu = true,
     .batched = true,
     .cholesky = true,
     .ldlt = true,
     .lstsq = true,
     .gelsy = true,
     .complex_solve = true,
     .invert = true,
     .gecon = true,
     .cpu_only = true,
     .not_the_same = false,
     .make = kOpenBlas,
     .prepare = kPrepareOpenBlas},
    {.name = "gelsd",
     .about = "OpenBLAS's, beside its gelsy: by singular values",
     .gemm = false,
     .lu = false,
     .batched = false,
     .gelsy = true,
     .cpu_only = true,
     .not_the_same = false,
     .make = kGelsd,
     .prepare = kPrepareOpenBlas},
    {.name = "clblast",
     .about = "gemm only, as tuned by its database",
     .gemm = true,
     .lu = false,
     .batched = false,
     .cpu_only = false,
     .not_the_same = false,
     .make = kClBlast,
     .prepare = nullptr},
    {.name = "viennacl",
     .about = "its lu and solve do not pivot",
     .gemm = true,
     .lu = true,
     .batched = false,
     .cpu_only = false,
     .not_the_same = true,
     .make = kViennaCl,
     .prepare = nullptr},
};

}  // namespace

std::span<const Peer> peers() { return kPeers; }

}  // namespace clgauss::bench
