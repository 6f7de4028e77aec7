#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <clgauss/distributed.hpp>
#include <clgauss/error.hpp>
#include <cstring>

#include "distributed/block_store.hpp"
#include "distributed/column_cut.hpp"
#include "io/descriptor.hpp"
#include "io/mapping.hpp"
#include "parallel.hpp"

namespace clgauss {

namespace {

class MatrixColumns : public ColumnSource {
 public:
  explicit MatrixColumns(const Matrix& a) : a_(a) {
    if (a.rows() != a.cols())
      throw DimensionError(fmt::format("A is {} x {}, not square", a.rows(), a.cols()));
  }

  Index n() const override { return a_.rows(); }
  void read(Index first, Index count, std::span<double> to) const override {
    for (Index i = 0; i < a_.rows(); ++i)
      std::ranges::copy(a_.row(i).subspan(first, count),
                        to.begin() + static_cast<std::ptrdiff_t>(i * count));
  }
  std::uint64_t fingerprint() const override {
    return checksum(std::as_bytes(a_.values()), a_.rows());
  }

 private:
  const Matrix& a_;
};

/// A matrix that the first rank holds and sends to the ranks that read it.
class ScatteredColumns : public ColumnSource {
 public:
  ScatteredColumns(const Ranks& ranks, Matrix a) : ranks_(ranks), a_(std::move(a)) {
    double n = 0, half = 0, other_half = 0;  // 32-bit halves of the checksum, exact in f64
    ranks_.together([&] {
      if (ranks_.rank() != 0) return;
      const MatrixColumns columns(a_);
      const std::uint64_t fingerprint = columns.fingerprint();
      n = static_cast<double>(columns.n());
      half = static_cast<double>(fingerprint >> 32U);
      other_half = static_cast<double>(fingerprint & 0xffffffffU);
    });
    for (double* number : {&n, &half, &other_half}) ranks_.broadcast(0, {number, 1});
    n_ = static_cast<Index>(n);
    fingerprint_ =
        (static_cast<std::uint64_t>(half) << 32U) | static_cast<std::uint64_t>(other_half);
  }

  Index n() const override { return n_; }
  std::uint64_t fingerprint() const override { return fingerprint_; }

  void prepare(Engine& /*engine*/, Index block_columns) const override {
    if (ranks_.alone() || (!blocks_.empty() && cut_.width == block_columns)) return;
    if (!blocks_.empty()) throw UsageError("this matrix was sent in blocks of another width");
    cut_ = {n_, block_columns, ranks_};
    blocks_.resize(cut_.count());
    ranks_.together([&] {
      cut_.each_own_block([&](Index j, Index, Index columns) { blocks_[j].resize(n_ * columns); });
    });
    std::vector<double> sent;
    for (Index j = 0; j < cut_.count(); ++j) {
      const bool own = cut_.own(j);
      if (!own && ranks_.rank() == 0) sent.resize(n_ * cut_.columns(j));
      std::vector<double>& block = own ? blocks_[j] : sent;
      if (ranks_.rank() == 0) MatrixColumns(a_).read(cut_.first(j), cut_.columns(j), block);
      ranks_.send(0, cut_.owner(j), block);
    }
    a_ = Matrix();
  }

  void read(Index first, Index count, std::span<double> to) const override {
    if (ranks_.alone()) {
      MatrixColumns(a_).read(first, count, to);
      return;
    }
    const Index j = first / cut_.width;
    if (first != cut_.first(j) || count != cut_.columns(j) || !cut_.own(j))
      throw UsageError("the ranks have whole blocks of this matrix, each its own");
    std::ranges::copy(blocks_[j], to.begin());
  }

 private:
  const Ranks& ranks_;
  Index n_ = 0;
  std::uint64_t fingerprint_ = 0;
  mutable Matrix a_;  // freed once it is distributed
  mutable ColumnCut cut_;
  mutable std::vector<std::vector<double>> blocks_;
};

/// Columns of a mapped file: a page is read only by the ranks that need it.
template <typename Number>
class MappedColumns : public ColumnSource {
 public:
  MappedColumns(std::string name, io::Descriptor file, std::size_t size, std::size_t data, Index n)
      : name_(std::move(name)),
        file_(std::move(file)),
        mapping_(file_.number(), size),
        data_(data),
        n_(n) {
    if (!mapping_.mapped()) throw FileError(name_, std::strerror(errno));
  }

  Index n() const override { return n_; }

  void read(Index first, Index count, std::span<double> to) const override {
    std::vector<Number> row(count);
    for (Index i = 0; i < n_; ++i) {
      std::memcpy(row.data(), mapping_.bytes().data() + data_ + (i * n_ + first) * sizeof(Number),
                  count * sizeof(Number));
      std::ranges::copy(row, to.begin() + static_cast<std::ptrdiff_t>(i * count));
    }
    if (!mapping_.intact()) throw FileError(name_, "it was cut short while it was read");
  }

  /// Covers the size and the numbers of 64 rows. To cover all of them, every rank would have to
  /// read the whole file.
  std::uint64_t fingerprint() const override {
    std::uint64_t sum = mapping_.bytes().size();
    for (Index s = 0; s < std::min<Index>(n_, 64); ++s) {
      const Index i = s * n_ / std::min<Index>(n_, 64);
      sum = checksum(std::as_bytes(std::span(mapping_.bytes().substr(
                         data_ + i * n_ * sizeof(Number), n_ * sizeof(Number)))),
                     sum);
    }
    return sum;
  }

 private:
  std::string name_;
  io::Descriptor file_;
  io::Mapping mapping_;
  std::size_t data_;
  Index n_;
};

class RandomColumns : public ColumnSource {
 public:
  RandomColumns(Index n, std::uint64_t seed) : n_(n), seed_(seed) {}

  Index n() const override { return n_; }
  void read(Index first, Index count, std::span<double> to) const override {
    in_parallel(n_, std::max<Index>(1, kElementsPerThread / count), [&](Index from, Index end) {
      for (Index i = from; i < end; ++i)
        for (Index j = 0; j < count; ++j) to[i * count + j] = number(i * n_ + first + j);
    });
  }
  std::uint64_t fingerprint() const override { return seed_ * 0x9e3779b97f4a7c15U + n_; }

 private:
  /// SplitMix64 of the element's index.
  [[nodiscard]] double number(std::uint64_t element) const {
    std::uint64_t z = (element + 1) * 0x9e3779b97f4a7c15U + seed_ * 0xd1342543de82ef95U;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    z ^= z >> 31U;
    return static_cast<double>(z >> 11U) * 0x1p-52 - 1;
  }

  Index n_;
  std::uint64_t seed_;
};

}  // namespace

void ColumnSource::prepare(Engine& /*engine*/, Index /*block_columns*/) const {}

std::unique_ptr<ColumnSource> columns_of(const Matrix& a) {
  return std::make_unique<MatrixColumns>(a);
}

std::unique_ptr<ColumnSource> columns_of_first_rank(const Engine& engine, Matrix a) {
  return std::make_unique<ScatteredColumns>(engine.world(), std::move(a));
}

std::unique_ptr<ColumnSource> random_columns(Index n, std::uint64_t seed) {
  return std::make_unique<RandomColumns>(n, seed);
}

// Supports only the headers that NumPy itself writes; other files are left to the reader of whole
// files.
std::unique_ptr<ColumnSource> columns_of_npy(const std::filesystem::path& path) {
  if constexpr (std::endian::native != std::endian::little) return nullptr;
  io::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (!file.open() || ::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode))
    return nullptr;
  char start[10];
  if (::pread(file.number(), start, sizeof start, 0) != sizeof start ||
      std::string_view(start, 6) != "\x93NUMPY" || start[6] != 1)
    return nullptr;
  const std::size_t length = static_cast<unsigned char>(start[8]) +
                             (std::size_t{static_cast<unsigned char>(start[9])} << 8U);
  std::string header(length, ' ');
  if (::pread(file.number(), header.data(), header.size(), sizeof start) !=
      static_cast<ssize_t>(header.size()))
    return nullptr;
  std::erase(header, ' ');
  const auto shape = header.find("'shape':(");
  const bool f64 = header.find("'descr':'<f8'") != std::string::npos,
             f32 = header.find("'descr':'<f4'") != std::string::npos;
  if (shape == std::string::npos || (!f64 && !f32) ||
      header.find("'fortran_order':False") == std::string::npos)
    return nullptr;
  Index rows = 0, cols = 0;
  const char *const end = header.data() + header.size(), *at = header.data() + shape + 9;
  const auto first = std::from_chars(at, end, rows);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != ',') return nullptr;
  const auto second = std::from_chars(first.ptr + 1, end, cols);
  if (second.ec != std::errc{} || second.ptr == end || *second.ptr != ')' || rows != cols ||
      rows == 0)
    return nullptr;
  const std::size_t data = sizeof start + length, size = static_cast<std::size_t>(status.st_size);
  if (size != data + rows * cols * (f64 ? 8 : 4)) return nullptr;
  if (f64)
    return std::make_unique<MappedColumns<double>>(path.string(), std::move(file), size, data,
                                                   rows);
  return std::make_unique<MappedColumns<float>>(path.string(), std::move(file), size, data, rows);
}

}  // namespace clgauss
