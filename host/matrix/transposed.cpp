#include "matrix/transposed.hpp"

#include <utility>

#include "vectors.hpp"

namespace clgauss {

namespace {

template <typename V, typename Real>
struct LineOf {
  using Type = typename V::Numbers;
};
template <typename V>
struct LineOf<V, float> {
  using Type = typename V::Singles;
};

/// Exchanges the numbers kHalf beside the diagonal of every 2 kHalf x 2 kHalf block of a tile.
template <typename Tile, Index kSize, Index kHalf, std::size_t... kLane>
CLGAUSS_INLINE void exchange_halves(Tile (&lines)[kSize], std::index_sequence<kLane...> /*lanes*/) {
  for (Index k = 0; k < kSize; ++k) {
    if ((k & kHalf) != 0) continue;
    const Tile one = lines[k], two = lines[k + kHalf];
    lines[k] = __builtin_shufflevector(
        one, two, ((kLane & kHalf) != 0 ? int(kSize + kLane - kHalf) : int(kLane))...);
    lines[k + kHalf] = __builtin_shufflevector(
        one, two, ((kLane & kHalf) != 0 ? int(kSize + kLane) : int(kLane + kHalf))...);
  }
}

template <typename V, typename Real>
CLGAUSS_INLINE void turn_tile(const Real* from, Index from_ld, Real* to, Index to_ld) {
  constexpr Index kSize = V::kLanes;
  using Tile = typename LineOf<V, Real>::Type;
  constexpr std::make_index_sequence<kSize> kLanes;
  Tile lines[kSize];
  for (Index k = 0; k < kSize; ++k) lines[k] = *reinterpret_cast<const Tile*>(from + k * from_ld);
  exchange_halves<Tile, kSize, 1>(lines, kLanes);
  if constexpr (kSize > 2) exchange_halves<Tile, kSize, 2>(lines, kLanes);
  if constexpr (kSize > 4) exchange_halves<Tile, kSize, 4>(lines, kLanes);
  for (Index k = 0; k < kSize; ++k) *reinterpret_cast<Tile*>(to + k * to_ld) = lines[k];
}

template <typename V, typename Real>
CLGAUSS_INLINE void turn_tiles_of(const Real* from, Index from_ld, Real* to, Index to_ld,
                                  Index first, Index last, Index columns) {
  constexpr Index kSize = V::kLanes, kRows = 256;
  for (Index i0 = first; i0 < last; i0 += kRows) {
    const Index end = std::min(i0 + kRows, last), whole = end - (end - i0) % kSize;
    Index j = 0;
    for (; j + kSize <= columns; j += kSize) {
      for (Index i = i0; i < whole; i += kSize)
        turn_tile<V>(from + j * from_ld + i, from_ld, to + i * to_ld + j, to_ld);
      turn_numbers(from + j * from_ld, from_ld, to + j, to_ld, whole, end, kSize);
    }
    turn_numbers(from + j * from_ld, from_ld, to + j, to_ld, i0, end, columns - j);
  }
}

#define CLGAUSS_TURN_TILES(NAME, LANES, TARGET, RUNS_HERE)                              \
  template <typename Real>                                                              \
  TARGET void turn_tiles_##NAME(const Real* from, Index from_ld, Real* to, Index to_ld, \
                                Index first, Index last, Index columns) {               \
    turn_tiles_of<Vectors<LANES>>(from, from_ld, to, to_ld, first, last, columns);      \
  }

CLGAUSS_EACH_WIDTH(CLGAUSS_TURN_TILES)

#define CLGAUSS_TURN_TILES_ROW(NAME, LANES, TARGET, RUNS_HERE) \
  {#NAME, &RUNS_HERE, &turn_tiles_##NAME<Real>},
template <typename Real>
constexpr TileTurn<Real> kTurns[] = {CLGAUSS_EACH_WIDTH(CLGAUSS_TURN_TILES_ROW)};

}  // namespace

template <typename Real>
std::span<const TileTurn<Real>> all_tile_turns() {
  return kTurns<Real>;
}

template <typename Real>
void turn_tiles(const Real* from, Index from_ld, Real* to, Index to_ld, Index first, Index last,
                Index columns) {
  static const TileTurn<Real>& chosen = first_that_runs_here(kTurns<Real>);
  chosen.turn(from, from_ld, to, to_ld, first, last, columns);
}

template std::span<const TileTurn<float>> all_tile_turns();
template std::span<const TileTurn<double>> all_tile_turns();
template void turn_tiles(const float*, Index, float*, Index, Index, Index, Index);
template void turn_tiles(const double*, Index, double*, Index, Index, Index, Index);

}  // namespace clgauss
