#include "pdgesv.hpp"

#include <fmt/format.h>

#include <chrono>
#include <clgauss/error.hpp>
#include <cmath>

extern "C" {
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
void Cblacs_gridexit(int context);
void Cblacs_barrier(int context, const char* scope);
int numroc_(const int* n, const int* nb, const int* process, const int* source, const int* count);
void descinit_(int* descriptor, const int* m, const int* n, const int* mb, const int* nb,
               const int* row, const int* column, const int* context, const int* ld, int* info);
void pdgesv_(const int* n, const int* nrhs, double* a, const int* ia, const int* ja,
             const int* descriptor_a, int* pivots, double* b, const int* ib, const int* jb,
             const int* descriptor_b, int* info);
}

namespace clgauss::bench {

namespace {

constexpr int kBlock = 128;  // the best of 32, 64, 128 and 256 on two ranks of one core

struct Grid {
  int context = 0, rows = 1, columns = 1, row = 0, column = 0;

  explicit Grid(int ranks) {
    rows = static_cast<int>(std::sqrt(static_cast<double>(ranks)));
    while (ranks % rows != 0) --rows;
    columns = ranks / rows;
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", rows, columns);
    Cblacs_gridinfo(context, &rows, &columns, &row, &column);
  }
  Grid(const Grid&) = delete;
  Grid& operator=(const Grid&) = delete;
  ~Grid() { Cblacs_gridexit(context); }

  /// Where local number `l` of process `p` of `count` stands among all.
  static Index global(int l, int p, int count) {
    return static_cast<Index>((l / kBlock * count + p) * kBlock + l % kBlock);
  }
};

}  // namespace

double time_pdgesv(const Ranks& ranks, const ColumnSource& source, const Matrix& b, Matrix& x) {
  const Grid grid(ranks.count());
  const int n = static_cast<int>(source.n()), nrhs = static_cast<int>(b.cols()), zero = 0, one = 1;
  const int rows = numroc_(&n, &kBlock, &grid.row, &zero, &grid.rows),
            columns = numroc_(&n, &kBlock, &grid.column, &zero, &grid.columns),
            right = numroc_(&nrhs, &kBlock, &grid.column, &zero, &grid.columns),
            ld = std::max(1, rows);
  std::vector<double> a(static_cast<std::size_t>(ld) *
                        static_cast<std::size_t>(std::max(1, columns))),
      y(static_cast<std::size_t>(ld) * static_cast<std::size_t>(std::max(1, right)));
  std::vector<double> column(source.n());
  for (int j = 0; j < columns; ++j) {
    source.read(Grid::global(j, grid.column, grid.columns), 1, column);
    for (int i = 0; i < rows; ++i)
      a[static_cast<std::size_t>(j) * static_cast<std::size_t>(ld) + static_cast<std::size_t>(i)] =
          column[Grid::global(i, grid.row, grid.rows)];
  }
  for (int j = 0; j < right; ++j)
    for (int i = 0; i < rows; ++i)
      y[static_cast<std::size_t>(j) * static_cast<std::size_t>(ld) + static_cast<std::size_t>(i)] =
          b(Grid::global(i, grid.row, grid.rows), Grid::global(j, grid.column, grid.columns));
  int descriptor_a[9], descriptor_b[9], info = 0;
  descinit_(descriptor_a, &n, &n, &kBlock, &kBlock, &zero, &zero, &grid.context, &ld, &info);
  descinit_(descriptor_b, &n, &nrhs, &kBlock, &kBlock, &zero, &zero, &grid.context, &ld, &info);
  std::vector<int> pivots(static_cast<std::size_t>(rows + kBlock));
  Cblacs_barrier(grid.context, "All");
  const auto begin = std::chrono::steady_clock::now();
  pdgesv_(&n, &nrhs, a.data(), &one, &one, descriptor_a, pivots.data(), y.data(), &one, &one,
          descriptor_b, &info);
  Cblacs_barrier(grid.context, "All");
  const double time =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (info != 0) throw Error(ErrorCode::singular, fmt::format("pdgesv: info = {}", info));
  x = Matrix(source.n(), b.cols());
  for (int j = 0; j < right; ++j)
    for (int i = 0; i < rows; ++i)
      x(Grid::global(i, grid.row, grid.rows), Grid::global(j, grid.column, grid.columns)) =
          y[static_cast<std::size_t>(j) * static_cast<std::size_t>(ld) +
            static_cast<std::size_t>(i)];
  return time;
}

}  // namespace clgauss::bench
