// What a product in f64 by tensor instructions on 8-bit integers would cost on an NVIDIA device:
// its pieces, int8.cl, each timed by itself after it gave a known answer.

#include <fmt/format.h>

#include <array>
#include <clgauss/context.hpp>
#include <clgauss/error.hpp>
#include <clgauss/lab/launch.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "command_line/exit_code.hpp"
#include "opencl_error.hpp"
#include "statistics.hpp"

namespace {

using namespace clgauss;
__extension__ using Wide = __int128;

constexpr std::array<int, 15> kModuli{256, 255, 253, 251, 247, 241, 239, 233,
                                      229, 227, 223, 217, 211, 199, 197};
constexpr int kHighBits = 77;  // above: 41 bits, which 15 residues times them fill 53 with
constexpr int kReps = 7;

class Bench {
 public:
  explicit Bench(Context context) : context_(std::move(context)) {}

  /// Launches once for the answer, then kReps times; prints a row: how many of what a second, by
  /// the device's clock.
  void time(const char* what, const char* unit, double amount, Kernel& kernel, std::size_t items,
            std::size_t local) {
    std::vector<double> rates;
    for (int rep = 0; rep < kReps; ++rep) {
      cl::Event done;
      enqueue_kernel(context_.queue(), kernel, cl::NDRange(items), cl::NDRange(local),
                     cl::NullRange, &done);
      done.wait();
      rates.push_back(amount /
                      static_cast<double>(done.getProfilingInfo<CL_PROFILING_COMMAND_END>() -
                                          done.getProfilingInfo<CL_PROFILING_COMMAND_START>()));
    }
    const Statistics of = statistics(rates);
    fmt::print("{},{},{:.4g},{:.4g},{:.4g}\n", what, unit, of.median, of.min, of.max);
  }

  template <typename T>
  cl::Buffer filled(const std::vector<T>& values) {
    const cl::Buffer buffer = context_.allocate(values.size() * sizeof(T), "a bench");
    context_.queue().enqueueWriteBuffer(buffer, CL_TRUE, 0, values.size() * sizeof(T),
                                        values.data());
    return buffer;
  }
  template <typename T>
  std::vector<T> read(const cl::Buffer& buffer, std::size_t count) {
    std::vector<T> values(count);
    context_.queue().enqueueReadBuffer(buffer, CL_TRUE, 0, count * sizeof(T), values.data());
    return values;
  }

  /// Operations a second of the tensor instructions on integers, or on halves.
  template <typename Entry>
  void tensor_products(const char* what, bool floats, int depth) {
    constexpr cl_uint kSteps = 20000, kLocal = 256, kTiles = 8;
    const std::size_t items = std::size_t{context_.profile().compute_units} * 8 * kLocal;
    Kernel kernel =
        context_.programs().kernel("int8.cl", "tensor_products", {{"FLOATS", floats ? "1" : "0"}});
    const cl::Buffer out = filled(std::vector<Entry>(items));
    kernel.set_arguments(out, kSteps);
    const double each = 2.0 * 16 * 8 * depth * kTiles * kSteps;  // of a sub-group
    time(what, "Top/s", each * static_cast<double>(items / 32) / 1e3, kernel, items, kLocal);
    require(read<Entry>(out, items) ==
            std::vector<Entry>(items, static_cast<Entry>(4 * kTiles * kSteps * depth)));
  }

  void residues() {
    constexpr cl_uint kCount = 1U << 22U;
    std::mt19937_64 generator(1);
    std::vector<double> a(4 * std::size_t{kCount});
    for (double& x : a)
      x = static_cast<double>(static_cast<std::int64_t>(generator() >> 10U)) - 0x1p53;
    const cl::Buffer from = filled(a), to = filled(std::vector<cl_char>(a.size() * kModuli.size()));
    Kernel kernel = context_.programs().kernel("int8.cl", "residues", {});
    kernel.set_arguments(from, to, kCount);
    time("residues of f64", "Gelement/s", static_cast<double>(a.size()), kernel, kCount, 256);
    const auto planes = read<cl_char>(to, a.size() * kModuli.size());
    for (std::size_t m = 0; m < kModuli.size(); ++m)
      for (std::size_t i = 0; i < a.size(); i += 997)
        require((static_cast<std::int64_t>(a[i]) - planes[m * a.size() + i]) % kModuli[m] == 0);
  }

  void reconstruct() {
    constexpr cl_uint kItems = 1U << 20U, kTurns = 64;
    Wide product = 1;
    for (const int p : kModuli) product *= p;
    const auto split = [](Wide x) {
      const Wide high = x >> kHighBits << kHighBits;
      return std::array{static_cast<double>(high), static_cast<double>(x - high)};
    };
    std::vector<double> weights;
    for (const int p : kModuli) {  // (product / p) times its inverse to p
      Wide weight = product / p;
      while (weight % p != 1) weight += product / p;
      for (const double part : split(weight)) weights.push_back(part);
    }
    for (const double part : split(product)) weights.push_back(part);
    weights.push_back(1 / static_cast<double>(product));

    std::mt19937_64 generator(2);
    std::vector<Wide> numbers(64);
    std::vector<cl_int> remainders(64 * kModuli.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = (static_cast<Wide>(static_cast<std::int64_t>(generator())) << 46) +
                   static_cast<Wide>(generator() >> 20U);
      for (std::size_t m = 0; m < kModuli.size(); ++m)
        remainders[64 * m + i] = static_cast<cl_int>(numbers[i] % kModuli[m]);
    }
    const std::size_t count = std::size_t{kItems} * kTurns;
    const cl::Buffer from = filled(remainders), by = filled(weights),
                     c = filled(std::vector<double>(count));
    Kernel kernel = context_.programs().kernel("int8.cl", "reconstruct", {});
    kernel.set_arguments(from, by, c, kTurns);
    time("numbers of remainders", "Gelement/s", static_cast<double>(count), kernel, kItems, 256);
    const auto sums = read<double>(c, count);
    for (std::size_t i = 0; i < count; i += 61) {
      const double exact = -static_cast<double>(numbers[i % 64]) * kReps;
      require(std::fabs(sums[i] - exact) <= 1e-14 * std::fabs(exact) + 0x1p46);
    }
  }

  [[nodiscard]] const Context& context() const { return context_; }

 private:
  static void require(bool right) {
    if (!right) throw DeviceLimit("a kernel of int8.cl gave a wrong answer");
  }

  Context context_;
};

void measure() {
  const Device device = open_device();
  ContextOptions options = ContextOptions::from_environment();
  options.profiling = true;
  if (!options.kernel_folder) options.kernel_folder = CLGAUSS_BENCH_KERNELS;
  translate_opencl_errors([&] {
    Bench bench(Context(device, options));
    fmt::print("# {}\nwhat,unit,median,min,max\n", device.profile.name);
    if (const std::string lacks = device.profile.lacks_ptx(); lacks.empty()) {
      bench.tensor_products<cl_int>("tensor products of 8-bit integers", false, 32);
      bench.tensor_products<cl_float>("tensor products of halves", true, 16);
    } else {
      fmt::print(stderr, "no tensor instructions: {}\n", lacks);
    }
    bench.residues();
    bench.reconstruct();
  });
}

}  // namespace

int main(int argc, char** /*argv*/) {
  if (argc > 1) {
    fmt::print(
        "usage: int8_bench\n"
        "Times the pieces of a product in f64 by 8-bit integers on the best device, after a known "
        "answer of each.\n"
        "Prints CSV: what,unit,median,min,max\n");
    return 0;
  }
  try {
    measure();
  } catch (const clgauss::Error& error) {
    fmt::print(stderr, "int8_bench: {}\n", error.what());
    return static_cast<int>(clgauss::cli::exit_code_of(error));
  }
  return 0;
}
