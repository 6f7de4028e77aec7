#pragma once
/// The tests of kernels that solve a batch: batched_ptx.cl with its macros REAL_BITS, COMPLEX,
/// SIZE, LANES, SYSTEMS and RHS, or, where SUB_GROUPS is defined, lu_small_columns.cl. Who includes
/// this defines them, after doctest and work_group.hpp.

#include <complex>

#ifdef SUB_GROUPS
#define KERNEL 2
#define GROUPS 3
#define SYSTEMS 1
#define RHS 1
#define WORK_ITEMS (32 * SUB_GROUPS)
#define NRHS
#else
#define GROUPS 2
#define WORK_ITEMS (SYSTEMS * LANES)
#define NRHS kColumns,
#endif
#include "emulated/cases.hpp"
namespace {
#ifdef SUB_GROUPS
#include "lu_small_columns.hpp"
#else
#include "batched_ptx.hpp"
#endif
}  // namespace

using namespace clgauss::test::emulated;

namespace {

#if COMPLEX
using Of = std::complex<REAL>;
#else
using Of = REAL;
#endif
using Its = Arithmetic<Of>;

/// Systems one behind the other, with gaps that stay as they are.
struct Stack {
  uint cols, ld, stride;
  std::vector<Of> values;

  Stack(uint systems, uint columns)
      : cols(columns), ld(columns + 2), stride(SIZE * ld + 3), values(1 + systems * stride) {
    std::mt19937 generator(columns);
    std::uniform_real_distribution<REAL> uniform(-1, 1);
    const auto part = [&] { return uniform(generator); };
    for (Of& v : values) v = Its::random(part);
  }
  Of& at(uint s, uint i, uint j) { return values[1 + s * stride + i * ld + j]; }
  [[nodiscard]] NUMBER* data() { return reinterpret_cast<NUMBER*>(values.data()); }
};

/// The largest |b - A x| of system s over eps |A| |x|, of maxima.
double residual_of(Stack& a, Stack& b, Stack& x, uint s) {
  double most = 0;
  for (uint c = 0; c < b.cols; ++c) {
    double difference = 0, row = 0, largest = 0;
    for (uint i = 0; i < SIZE; ++i) {
      std::complex<double> sum = b.at(s, i, c);
      double size = 0;
      for (uint j = 0; j < SIZE; ++j) {
        sum -= std::complex<double>(a.at(s, i, j)) * std::complex<double>(x.at(s, j, c));
        size += std::abs(a.at(s, i, j));
      }
      difference = !(std::abs(sum) <= difference) ? std::abs(sum) : difference;
      row = std::max(row, size);
      largest = std::max(largest, double{std::abs(x.at(s, i, c))});
    }
    const double error =
        difference == 0 ? 0 : difference / (row * largest * std::numeric_limits<REAL>::epsilon());
    if (!(error <= most)) most = error;
  }
  return most;
}

}  // namespace

TEST_CASE("batches, " TEXT_OF(SIZE) " rows, f" TEXT_OF(REAL_BITS) ", complex " TEXT_OF(
    COMPLEX) ": systems, what is singular, and what is left as it was") {
  // The last group is not full.
  constexpr uint kSystems = GROUPS * SYSTEMS - (SYSTEMS > 1 ? 1 : 0), kColumns = 2 * RHS - 1;
  constexpr uint kNone = 1000, kLarge = 1, kSubnormal = 4;
  constexpr uint kZeroPivot = 0, kSingular = kSystems / 2, kNan = kSystems - 1;
  for (const uint special : {kNone, kSingular, kNan}) {
    Stack a(kSystems, SIZE), b(kSystems, kColumns);
    a.at(kZeroPivot, 0, 0) = 0;
    // Of the range's ends: such as have no square, and subnormal pivots.
    const auto power = [](int exponent) { return std::ldexp(REAL{1}, exponent); };
    const REAL large = power(std::numeric_limits<REAL>::max_exponent - 8),
               small = power(std::numeric_limits<REAL>::min_exponent - 2);
    for (uint i = 0; i < SIZE; ++i) {
      for (uint j = 0; j < SIZE; ++j) {
        a.at(kLarge, i, j) *= large;
        if (kSubnormal < kSystems) a.at(kSubnormal, i, j) = i == j ? small : REAL{0};
      }
      for (uint c = 0; c < kColumns; ++c) {
        b.at(kLarge, i, c) *= large;
        if (kSubnormal < kSystems) b.at(kSubnormal, i, c) = small * static_cast<REAL>(1 + i % 3);
      }
    }
    if (special == kSingular)
      for (uint i = 0; i < SIZE; ++i) a.at(special, i, SIZE / 2) = 0;
    if (special == kNan) a.at(special, SIZE - 1, 0) = NAN;
    Stack x = b, before = a;
    std::vector<int> info(kSystems, -1);
    for (uint chunk = 0; chunk * RHS < kColumns; ++chunk)
      WorkGroup::run(
          GROUPS, WORK_ITEMS,
          [&] {
            batched_factor_and_solve(a.data(), 1, a.ld, a.stride, x.data(), 1, x.ld, x.stride,
                                     NRHS kSystems, info.data());
          },
          chunk);
    const auto bytes = [](const Stack& stack) {
      const auto* begin = reinterpret_cast<const unsigned char*>(stack.values.data());
      return std::vector<unsigned char>(begin, begin + stack.values.size() * sizeof(Of));
    };
    CHECK(bytes(a) == bytes(before));
    for (uint s = 0; s < kSystems; ++s) {
      CAPTURE(s);
      CAPTURE(special);
      CHECK(info[s] == (s != special ? 0 : s == kNan ? 1 : SIZE / 2 + 1));
      for (uint i = 0; i < SIZE && s == special; ++i)
        for (uint c = 0; c < kColumns; ++c) CHECK(std::isnan(std::abs(x.at(s, i, c))));
      if (s != special) CHECK(residual_of(a, b, x, s) <= 4 * SIZE);
      for (uint i = 0; i < SIZE; ++i)
        for (uint c = 0; c < kColumns; ++c) x.at(s, i, c) = b.at(s, i, c);
    }
    CHECK(bytes(x) == bytes(b));
  }
}

#ifndef SUB_GROUPS
TEST_CASE("batches, " TEXT_OF(SIZE) " rows, f" TEXT_OF(REAL_BITS) ", complex " TEXT_OF(
    COMPLEX) ": an unknown that overflows leaves those that do not depend on it") {
  constexpr uint kColumns = RHS, kLast = SIZE - 1;
  Stack a(SYSTEMS, SIZE), b(SYSTEMS, kColumns);
  for (uint s = 0; s < SYSTEMS; ++s)
    for (uint i = 0; i < SIZE; ++i) {
      for (uint j = 0; j < SIZE; ++j) a.at(s, i, j) = i == j ? REAL{1} : REAL{0};
      for (uint c = 0; c < RHS; ++c) b.at(s, i, c) = REAL{1};
    }
  a.at(0, 1, 1) = std::numeric_limits<REAL>::min();
  for (uint c = 0; c < RHS; ++c) b.at(0, 1, c) = std::numeric_limits<REAL>::max();
  std::vector<int> info(SYSTEMS, -1);
  WorkGroup::run(1, WORK_ITEMS, [&] {
    batched_factor_and_solve(a.data(), 1, a.ld, a.stride, b.data(), 1, b.ld, b.stride, NRHS SYSTEMS,
                             info.data());
  });
  CHECK(info[0] == 0);
  for (uint c = 0; c < RHS; ++c) {
    CHECK_FALSE(std::isfinite(std::abs(b.at(0, 1, c))));
    CHECK(b.at(0, kLast, c) == Of(1));
  }
}
#endif
