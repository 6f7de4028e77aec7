#include "tuner/measure/gemm_rules.hpp"

#include <fmt/format.h>

namespace clgauss::tune {

namespace {

/// Rules as "what", or empty.
std::string broken_simt_rule(const GemmSpec& spec) {
  const auto v = [&](const char* name) { return spec.value(name); };
  const int vec = v("VEC_WIDTH"), wg = v("WG_M") * v("WG_N"), k = v("TILE_K");
  if (v("TILE_M") % (v("WG_M") * vec) != 0 || v("TILE_N") % (v("WG_N") * vec) != 0 ||
      k % vec != 0 || v("PAD") % vec != 0)
    return "VEC_WIDTH must divide TILE_M / WG_M, TILE_N / WG_N, TILE_K and PAD";
  if (v("WG_M") % v("LANES_M") != 0 || v("WG_N") % v("LANES_N") != 0)
    return "LANES_M must divide WG_M, LANES_N must divide WG_N";
  if (v("TILE_M") * k % (vec * wg) != 0 || v("TILE_N") * k % (vec * wg) != 0)
    return "every work-item must load the same number of vectors of A, and of B";
  const int accumulators = v("TILE_M") / v("WG_M") * (v("TILE_N") / v("WG_N"));
  if (accumulators * static_cast<int>(bytes_of(spec.type)) > 640)
    return "a work-item's accumulators must fit 160 registers of 4 bytes";
  return {};
}

std::string broken_nvidia_rule(const GemmSpec& spec) {
  const auto v = [&](const char* name) { return spec.value(name); };
  const bool f64 = spec.type == RealType::f64;
  const int chunk = f64 ? 2 : 4, tile_k = v("TILE_K");
  if (v("TILE_M") % v("SG_M") != 0 || v("TILE_N") % v("SG_N") != 0)
    return "the sub-group tile must divide the tile";
  const int wg = static_cast<int>(spec.work_group_size());
  const int chunks_a = tile_k / chunk, chunks_b = v("TILE_N") / chunk;
  if (wg % chunks_a != 0 || wg % chunks_b != 0 || v("TILE_M") % (wg / chunks_a) != 0 ||
      tile_k % (wg / chunks_b) != 0)
    return "the work-group must copy whole rows, and a whole number of times";
  const int rows_a = wg / chunks_a, rows_b = wg / chunks_b;
  if (f64 && (rows_a % 4 != 0 || rows_b % 4 != 0))
    return "the work-group must copy a multiple of 4 rows of A, and of B, at once";
  if (!f64 && (rows_a % 2 != 0 || (rows_b & (rows_b - 1)) != 0))
    return "the work-group must copy an even number of rows of A and a power of two of rows of B "
           "at once";
  if (f64 && v("TILE_M") % (v("C_BATCH") * rows_b) != 0)
    return "TILE_M must be a multiple of C_BATCH times the rows of C that are moved at once";
  if (f64 && v("TILE_M") * (v("TILE_N") + 8) > v("STAGES") * tile_k * (v("TILE_M") + v("TILE_N")))
    return "the tile of C does not fit the slots";
  if (v("SG_M") * v("SG_N") / 32 * static_cast<int>(bytes_of(spec.type)) > 640)
    return "a work-item's accumulators must fit 160 registers of 4 bytes";
  return {};
}

std::string broken_cpu_rule(const GemmSpec& spec) {
  const auto v = [&](const char* name) { return spec.value(name); };
  const int vectors = v("NR") / v("VEC_WIDTH");
  if (v("NR") % v("VEC_WIDTH") != 0 || vectors > 4) return "NR must be 1, 2, 3 or 4 vectors";
  if (v("KC") % v("PACK_STEPS") != 0) return "PACK_STEPS must divide KC";
  if (v("MR") * vectors + vectors + 1 > 32) return "the register tile must fit 32 registers";
  return {};
}

}  // namespace

std::string broken_rule(const GemmSpec& spec) {
  if (spec.is_for_cpu()) return broken_cpu_rule(spec);
  return spec.needs_nvidia() ? broken_nvidia_rule(spec) : broken_simt_rule(spec);
}

std::string exceeded_limit(const GemmSpec& spec, const DeviceProfile& device) {
  if (spec.is_for_cpu()) return {};
  if (spec.work_group_size() > device.max_work_group_size)
    return fmt::format("{} work-items a work-group, the device takes {}", spec.work_group_size(),
                       device.max_work_group_size);
  if (spec.local_bytes() > device.static_local_bytes())
    return fmt::format("{} bytes of local memory, the device has {}", spec.local_bytes(),
                       device.static_local_bytes());
  return {};
}

}  // namespace clgauss::tune
