// Calls clgauss.h with whatever comes to mind, for some seconds: arguments that make sense and such
// that do not, handles that are live, destroyed, made up or of another kind. Whatever comes, the
// answer is a status, with a message where it is not CLGAUSS_OK; nothing is written beside the
// matrices. One seed gives the same calls. The caller's only promise is kept: pointers point to
// what the sizes say.

#include <CL/cl.h>
#include <clgauss.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <limits>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr unsigned kPatienceSeconds =
    60;  // for one call, which may build kernels; a hang ends by SIGALRM
constexpr long kMostResidentKb = 3L << 19U;
constexpr std::size_t kElements = 1200;  // of every host array and buffer
constexpr double kCanary = -12345;

template <typename Real>
using Complex = std::complex<Real>;

class Fuzzer {
 public:
  Fuzzer(const char* device, std::uint64_t seed) : random_(seed) {
    require(clgauss_context_create(device, CLGAUSS_USE_ENVIRONMENT, &context_) == CLGAUSS_OK);
    // Buffers, queues and events: of the context that clgauss works in, and of another one.
    for (int i = 0; i < 2; ++i) {
      cl_platform_id platform = nullptr;
      cl_device_id id = nullptr;
      require(clGetPlatformIDs(1, &platform, nullptr) == CL_SUCCESS);
      require(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &id, nullptr) == CL_SUCCESS);
      cl_context context = clCreateContext(nullptr, 1, &id, nullptr, nullptr, nullptr);
      for (int j = 0; j < 2; ++j)
        queues_.push_back(clCreateCommandQueueWithProperties(context, id, nullptr, nullptr));
      events_.push_back(clCreateUserEvent(context, nullptr));
      clSetUserEventStatus(events_.back(), CL_COMPLETE);
      for (const cl_mem_flags flags : {CL_MEM_READ_WRITE, CL_MEM_READ_WRITE, CL_MEM_READ_ONLY})
        buffers_.push_back(
            clCreateBuffer(context, flags, kElements * sizeof(double), nullptr, nullptr));
    }
    events_.push_back(nullptr);
    queues_.push_back(nullptr);
    buffers_.push_back(nullptr);
    require(clgauss_context_create_on_queue(queues_[0], CLGAUSS_USE_ENVIRONMENT, &on_queue_) ==
            CLGAUSS_OK);
    contexts_ = {context_, on_queue_, on_queue_};
  }

  /// One call.
  void step() {
    alarm(kPatienceSeconds);
    if (lus_.size() > 12) destroy_one();
    // posv_batched with the arguments of gesv_batched.
    const auto of_triangle = [this](auto* call) {
      return [this, call](clgauss_context context, int layout, auto... rest) {
        return call(context, layout, triangle(), rest...);
      };
    };
    switch (below(22)) {
      case 0:
        return contexts();
      case 1:
        return one_in(3) ? destroy_one() : create();
      case 2:
        return one_in(2) ? gesv<float>(clgauss_sgesv) : gesv<double>(clgauss_dgesv);
      case 3:
        return one_in(2) ? solve<float>(clgauss_ssolve) : solve<double>(clgauss_dsolve);
      case 4:
        if (one_in(2))
          return one_in(2) ? vbatched<float>(clgauss_sgesv_vbatched)
                           : vbatched<double>(clgauss_dgesv_vbatched);
        if (one_in(2))
          return one_in(2)
                     ? batches<float>(
                           clgauss_sgesv_batched,
                           of_triangle(one_in(2) ? clgauss_sposv_batched : clgauss_ssysv_batched))
                     : batches<double>(
                           clgauss_dgesv_batched,
                           of_triangle(one_in(2) ? clgauss_dposv_batched : clgauss_dsysv_batched));
        return one_in(2) ? batches<Complex<float>>(clgauss_cgesv_batched,
                                                   of_triangle(clgauss_cposv_batched))
                         : batches<Complex<double>>(clgauss_zgesv_batched,
                                                    of_triangle(clgauss_zposv_batched));
      case 5:
        return one_in(2) ? norm<float>(clgauss_snorm1) : norm<double>(clgauss_dnorm1);
      case 6:
        return one_in(2) ? getrf<float>(clgauss_sgetrf) : getrf<double>(clgauss_dgetrf);
      case 7:
        return one_in(2) ? getrs<float>(clgauss_sgetrs) : getrs<double>(clgauss_dgetrs);
      case 8:
      case 9:
        return getrf_buffer(one_in(2) ? clgauss_sgetrf_buffer : clgauss_dgetrf_buffer);
      case 10:
        return getrs_buffer(one_in(2) ? clgauss_sgetrs_buffer : clgauss_dgetrs_buffer);
      case 11:
        return batched_buffer(
            one_of(std::vector{clgauss_sgesv_batched_buffer, clgauss_dgesv_batched_buffer,
                               clgauss_cgesv_batched_buffer, clgauss_zgesv_batched_buffer,
                               clgauss_sposv_batched_buffer, clgauss_dposv_batched_buffer,
                               clgauss_cposv_batched_buffer, clgauss_zposv_batched_buffer,
                               clgauss_ssysv_batched_buffer, clgauss_dsysv_batched_buffer}));
      case 12:
        if (one_in(2))
          return one_in(2) ? posv<Complex<float>>(clgauss_cposv)
                           : posv<Complex<double>>(clgauss_zposv);
        return one_in(2) ? posv<float>(clgauss_sposv) : posv<double>(clgauss_dposv);
      case 13:
        if (one_in(2)) return one_in(2) ? gels<float>(clgauss_sgels) : gels<double>(clgauss_dgels);
        if (one_in(2))
          return one_in(2) ? lstsq<float>(clgauss_slstsq) : lstsq<double>(clgauss_dlstsq);
        return one_in(2) ? gelsy<float>(clgauss_sgelsy) : gelsy<double>(clgauss_dgelsy);
      case 14:
        if (one_in(2))
          return one_in(2) ? solve<float, 2>(clgauss_csolve) : solve<double, 2>(clgauss_zsolve);
        return one_in(2) ? gesv<Complex<float>>(clgauss_cgesv)
                         : gesv<Complex<double>>(clgauss_zgesv);
      case 15:
        return one_in(2) ? by_factors<float>(clgauss_sgetrs_host, clgauss_sgetri, clgauss_spotrs,
                                             clgauss_spotri)
                         : by_factors<double>(clgauss_dgetrs_host, clgauss_dgetri, clgauss_dpotrs,
                                              clgauss_dpotri);
      case 16:
        return one_in(2) ? getrf_host<float>(clgauss_sgetrf_host)
                         : getrf_host<double>(clgauss_dgetrf_host);
      case 17:
        return one_in(2) ? by_factors<Complex<float>>(clgauss_cgetrs_host, clgauss_cgetri,
                                                      clgauss_cpotrs, clgauss_cpotri)
                         : by_factors<Complex<double>>(clgauss_zgetrs_host, clgauss_zgetri,
                                                       clgauss_zpotrs, clgauss_zpotri);
      case 19:
        if (one_in(2))
          return one_in(2) ? gecon<Complex<float>>(clgauss_cgecon_host)
                           : gecon<Complex<double>>(clgauss_zgecon_host);
        return one_in(2) ? gecon<float>(clgauss_sgecon_host) : gecon<double>(clgauss_dgecon_host);
      case 18:
        return one_in(2) ? getrf_host<Complex<float>>(clgauss_cgetrf_host)
                         : getrf_host<Complex<double>>(clgauss_zgetrf_host);
      case 20:
        if (one_in(2))
          return one_in(2) ? symmetric<Complex<float>>(clgauss_chesv, clgauss_chetrs)
                           : symmetric<Complex<double>>(clgauss_zhesv, clgauss_zhetrs);
        return one_in(2) ? symmetric<float>(clgauss_ssysv, clgauss_ssytrs)
                         : symmetric<double>(clgauss_dsysv, clgauss_dsytrs);
      default:
        return ask();
    }
  }

  void finish() {
    alarm(0);
    clFinish(queues_[0]);
    clFinish(queues_[1]);
    for (const auto& [lu, type] : lus_) require(clgauss_lu_destroy(lu) == CLGAUSS_OK);
  }

  /// How often each status came.
  [[nodiscard]] const std::map<clgauss_status, std::size_t>& counts() const { return counts_; }

 private:
  static void require(bool condition) {
    if (!condition)
      throw std::runtime_error(std::string("the set-up failed: ") + clgauss_last_error());
  }

  std::size_t below(std::size_t bound) { return random_() % bound; }
  bool one_in(std::size_t count) { return below(count) == 0; }
  template <typename T>
  const T& one_of(const std::vector<T>& values) {
    return values[below(values.size())];
  }

  // Arguments: mostly good ones, so that calls get somewhere.
  std::size_t size() {
    constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
    static const std::vector<std::size_t> odd = {0,         1,         17,         33,
                                                 1U << 24U, 1U << 31U, 1UL << 32U, kMost / 16,
                                                 kMost / 8, kMost / 2, kMost - 1,  kMost};
    return one_in(8) ? one_of(odd) : 1 + below(12);
  }
  std::size_t ld(std::size_t at_least) { return one_in(8) ? size() : at_least + below(3); }
  int layout() {
    return one_in(20) ? static_cast<int>(random_()) : 101 + static_cast<int>(below(2));
  }
  int triangle() {
    return one_in(20) ? static_cast<int>(random_()) : 121 + static_cast<int>(below(2));
  }
  int trans() {
    return one_in(20) ? static_cast<int>(random_()) : 111 + static_cast<int>(below(3));
  }
  template <typename Handle>
  Handle bad_handle() {
    if (one_in(3) || dead_.empty()) return nullptr;
    return reinterpret_cast<Handle>(one_in(2) ? one_of(dead_) : random_());
  }
  clgauss_context context() {
    return one_in(20) ? bad_handle<clgauss_context>() : one_of(contexts_);
  }
  clgauss_lu lu() {
    return lus_.empty() || one_in(20) ? bad_handle<clgauss_lu>() : lus_[below(lus_.size())].first;
  }
  template <typename Number>
  std::vector<Number> numbers() {
    if constexpr (std::is_floating_point_v<Number>) {
      return real_numbers<Number>();
    } else {
      using Real = typename Number::value_type;
      std::vector<Number> made;
      const auto real = real_numbers<Real>(), imaginary = real_numbers<Real>();
      std::ranges::transform(real, imaginary, std::back_inserter(made),
                             [](Real re, Real im) { return Number(re, im); });
      return made;
    }
  }
  template <typename Real, std::size_t kParts = 1>
  std::vector<Real> real_numbers() {
    std::vector<Real> values(kParts * kElements);
    const bool wild = one_in(6);
    for (Real& value : values) {
      value = static_cast<Real>(static_cast<int>(below(2001)) - 1000) / 64;
      if (wild && one_in(40)) {
        static const std::vector<Real> odd = {
            0, std::numeric_limits<Real>::quiet_NaN(), std::numeric_limits<Real>::infinity(),
            std::numeric_limits<Real>::max(), std::numeric_limits<Real>::denorm_min()};
        value = one_of(odd);
      }
    }
    return values;
  }

  /// Whether an array of kElements may be handed over as such a matrix: it holds it, or the call
  /// cannot go as far as to read it, because no memory has so many elements, or no address space so
  /// much between the first and the last.
  static bool promised(std::size_t rows, std::size_t columns, std::size_t leading,
                       std::size_t count = 1, std::size_t stride = 0) {
    using Wide = unsigned __int128;
    if (rows == 0 || columns == 0 || count == 0) return true;
    if (Wide{rows} * columns >= Wide{1} << 44U) return true;
    const auto end = [&](std::size_t lines, std::size_t of) {  // by rows or by columns
      return Wide{count - 1} * stride + Wide{lines - 1} * leading + of;
    };
    const auto [least, most] = std::minmax(rows, columns);
    return end(most, most) <= kElements || end(least, most) > Wide{PTRDIFF_MAX};
  }

  template <typename T>
  T* perhaps(T* pointer) {
    return one_in(30) ? nullptr : pointer;
  }

  clgauss_status check(const char* call, clgauss_status status) {
    ++counts_[status];
    const bool message = clgauss_last_error()[0] != '\0';
    if (status < CLGAUSS_OK || status >= CLGAUSS_INTERNAL || message != (status != CLGAUSS_OK))
      throw std::runtime_error(
          fmt::format("{}: status {}: '{}'", call, status, clgauss_last_error()));
    return status;
  }

  void contexts() {
    char name[16];
    clgauss_context made = nullptr;
    switch (below(4)) {
      case 0:
        check("device_name", clgauss_context_device_name(context(), perhaps(name), below(17)));
        break;
      case 1: {
        int fp64 = 0;
        check("has_fp64", clgauss_context_has_fp64(context(), perhaps(&fp64)));
        break;
      }
      case 2:
        if (!one_in(50)) break;  // takes longer
        if (check("create", clgauss_context_create_on_queue(
                                one_of(queues_), static_cast<unsigned>(below(4)), &made)) ==
            CLGAUSS_OK) {
          check("destroy", clgauss_context_destroy(made));
          dead_.push_back(reinterpret_cast<std::uintptr_t>(made));
        }
        break;
      default:
        check("destroy", clgauss_context_destroy(bad_handle<clgauss_context>()));
    }
  }

  void create() {
    clgauss_lu made = nullptr;
    const int type = one_in(20)  ? static_cast<int>(random_())
                     : one_in(2) ? CLGAUSS_F32
                                 : CLGAUSS_F64;
    const std::size_t n = size();
    if (n > kElements && n <= 1U << 30U) return;  // there may be gigabytes for its workspace
    if (check("lu_create", clgauss_lu_create(context(), type, n, perhaps(&made))) == CLGAUSS_OK)
      lus_.emplace_back(made, n);
  }

  void destroy_one() {
    if (lus_.empty() || one_in(10)) {
      check("lu_destroy", clgauss_lu_destroy(bad_handle<clgauss_lu>()));
      return;
    }
    const std::size_t i = below(lus_.size());
    check("lu_destroy", clgauss_lu_destroy(lus_[i].first));
    dead_.push_back(reinterpret_cast<std::uintptr_t>(lus_[i].first));
    lus_.erase(lus_.begin() + static_cast<std::ptrdiff_t>(i));
  }

  /// Throws unless `there` is `before` outside of what `written` says of places (row, column) of
  /// `lines` lines.
  template <typename Real, typename Written>
  static void require_kept(const char* name, const std::vector<Real>& before,
                           const std::vector<Real>& there, int layout, std::size_t ld,
                           const Written& written) {
    for (std::size_t at = 0; at < there.size(); ++at) {
      if (std::memcmp(&before[at], &there[at], sizeof(Real)) == 0) continue;
      const std::size_t step = std::max<std::size_t>(ld, 1), line = at / step, place = at % step;
      if (!(layout == CLGAUSS_ROW_MAJOR ? written(line, place) : written(place, line)))
        throw std::runtime_error(fmt::format("{}: number {} is written", name, at));
    }
  }

  template <typename Real, typename Call>
  void posv(const Call& call) {
    const std::size_t n = size(), nrhs = size(), lda = ld(n), ldb = ld(std::max(n, nrhs));
    if (!promised(n, n, lda) || !promised(n, nrhs, ldb) || n > kElements) return;
    auto a = numbers<Real>(), b = numbers<Real>();
    if (!one_in(4))
      for (std::size_t at = 0; at < kElements; at += std::min(lda, kElements) + 1)
        a[at] = std::abs(a[at]) + 256;
    const auto a_before = a, b_before = b;
    const int order = layout(), uplo = triangle();
    const bool ok = check("posv", call(context(), order, uplo, n, nrhs, perhaps(a.data()), lda,
                                       perhaps(b.data()), ldb)) == CLGAUSS_OK;
    require_kept("posv", a_before, a, order, lda, [&](std::size_t i, std::size_t j) {
      return ok && i < n && j < n && (uplo == CLGAUSS_LOWER ? i >= j : i <= j);
    });
    require_kept("posv", b_before, b, order, ldb,
                 [&](std::size_t i, std::size_t j) { return ok && i < n && j < nrhs; });
  }

  /// Also zeros on the diagonal, singular matrices, and tiny or huge numbers.
  template <typename Number>
  std::vector<Number> symmetric_numbers(std::size_t ld) {
    using Real = decltype(std::real(Number{}));
    auto a = numbers<Number>();
    if (one_in(4))
      for (std::size_t at = 0; at < kElements; at += std::min(ld, kElements) + 1) a[at] = 0;
    if (one_in(4))
      std::fill(a.begin() + static_cast<std::ptrdiff_t>(below(kElements)), a.end(), Number{0});
    if (one_in(4)) {
      constexpr int kMost = std::numeric_limits<Real>::max_exponent;
      const Real scale = std::ldexp(Real{1}, static_cast<int>(below(2 * kMost)) - kMost);
      for (Number& number : a) number *= scale;
    }
    return a;
  }

  /// sysv and sytrs, or hesv and hetrs.
  template <typename Number, typename Sysv, typename Sytrs>
  void symmetric(const Sysv& sysv, const Sytrs& sytrs) {
    const std::size_t n = size(), nrhs = size(), lda = ld(n), ldb = ld(std::max(n, nrhs));
    if (!promised(n, n, lda) || !promised(n, nrhs, ldb) || n > kElements) return;
    auto a = symmetric_numbers<Number>(lda), b = numbers<Number>();
    const auto a_before = a, b_before = b;
    std::vector<std::int32_t> ipiv(kElements);
    for (std::int32_t& row : ipiv) {
      row = 1 + static_cast<std::int32_t>(below(std::max<std::size_t>(n, 1)));
      if (one_in(4)) row = -row;
      if (one_in(100)) row = static_cast<std::int32_t>(random_());
    }
    const int order = layout(), uplo = triangle();
    const bool factors = one_in(2);
    const char* const name = factors ? "sysv" : "sytrs";
    Number *const a_data = perhaps(a.data()), *const b_data = perhaps(b.data());
    const clgauss_status status = factors ? sysv(context(), order, uplo, n, nrhs, a_data, lda,
                                                 perhaps(ipiv.data()), b_data, ldb)
                                          : sytrs(context(), order, uplo, n, nrhs, a_data, lda,
                                                  perhaps(ipiv.data()), b_data, ldb);
    const bool ok = check(name, status) == CLGAUSS_OK;
    require_kept(name, a_before, a, order, lda, [&](std::size_t i, std::size_t j) {
      return factors && (ok || status == CLGAUSS_SINGULAR) && i < n && j < n &&
             (uplo == CLGAUSS_LOWER ? i >= j : i <= j);
    });
    require_kept(name, b_before, b, order, ldb,
                 [&](std::size_t i, std::size_t j) { return ok && i < n && j < nrhs; });
  }

  template <typename Number, typename Getrs, typename Getri, typename Potrs, typename Potri>
  void by_factors(const Getrs& getrs, const Getri& getri, const Potrs& potrs, const Potri& potri) {
    const std::size_t n = size(), nrhs = size(), lda = ld(n), ldb = ld(std::max(n, nrhs));
    if (!promised(n, n, lda) || !promised(n, nrhs, ldb) || n > kElements) return;
    auto a = numbers<Number>(), b = numbers<Number>();
    const auto a_before = a, b_before = b;
    std::vector<std::int32_t> ipiv(kElements);
    for (std::int32_t& row : ipiv)
      row = one_in(100) ? static_cast<std::int32_t>(random_())
                        : 1 + static_cast<std::int32_t>(below(std::max<std::size_t>(n, 1)));
    const int order = layout(), uplo = triangle();
    const bool inverts = one_in(2), symmetric = one_in(2);
    const char* const name = symmetric ? (inverts ? "potri" : "potrs")  //
                                       : (inverts ? "getri" : "getrs_host");
    Number *const a_data = perhaps(a.data()), *const b_data = perhaps(b.data());
    const std::int32_t* const rows = perhaps(ipiv.data());
    const auto by_cholesky = [&]() -> clgauss_status {
      if (inverts) return potri(context(), order, uplo, n, a_data, lda);
      return potrs(context(), order, uplo, n, nrhs, a_data, lda, b_data, ldb);
    };
    const clgauss_status status =
        symmetric ? by_cholesky()
        : inverts ? getri(context(), order, n, a_data, lda, rows)
                  : getrs(context(), order, trans(), n, nrhs, a_data, lda, rows, b_data, ldb);
    const bool ok = check(name, status) == CLGAUSS_OK;
    require_kept(name, a_before, a, order, lda, [&](std::size_t i, std::size_t j) {
      const bool is_there = !symmetric || (uplo == CLGAUSS_LOWER ? i >= j : i <= j);
      return ok && inverts && i < n && j < n && is_there;
    });
    require_kept(name, b_before, b, order, ldb,
                 [&](std::size_t i, std::size_t j) { return ok && !inverts && i < n && j < nrhs; });
  }

  template <typename Number, typename Call>
  void getrf_host(const Call& call) {
    const std::size_t m = size(), n = size(), lda = ld(std::max(m, n));
    if (!promised(m, n, lda) || m > kElements) return;
    auto a = numbers<Number>();
    const auto before = a;
    const std::vector<std::int32_t> ipiv_before(kElements, -1);
    auto ipiv = ipiv_before;
    const int order = layout();
    const clgauss_status status = check(
        "getrf_host", call(context(), order, m, n, perhaps(a.data()), lda, perhaps(ipiv.data())));
    const bool written = status == CLGAUSS_OK || status == CLGAUSS_SINGULAR;
    require_kept("getrf_host", before, a, order, lda,
                 [&](std::size_t i, std::size_t j) { return written && i < m && j < n; });
    if (!written && ipiv != ipiv_before) throw std::runtime_error("getrf_host: ipiv is written");
  }

  template <typename Real, typename Call>
  void gecon(const Call& call) {
    const std::size_t n = size(), lda = ld(n);
    if (!promised(n, n, lda) || n > kElements) return;
    auto a = numbers<Real>();
    const double anorm = one_in(8) ? -1 : static_cast<double>(below(1000));
    double rcond = kCanary;
    const int norm = one_in(20) ? static_cast<int>(random_()) : one_in(2) ? 171 : 175;
    const clgauss_status status =
        check("gecon",
              call(context(), layout(), norm, n, perhaps(a.data()), lda, anorm, perhaps(&rcond)));
    if (status != CLGAUSS_OK && rcond != kCanary)
      throw std::runtime_error("gecon: rcond is written");
  }

  template <typename Real, typename Call>
  void gels(const Call& call) {
    const std::size_t m = size(), n = size(), nrhs = size(), rows = std::max(m, n), lda = ld(rows),
                      ldb = ld(std::max(rows, nrhs));
    if (!promised(m, n, lda) || !promised(rows, nrhs, ldb) || rows > kElements) return;
    const auto a = numbers<Real>();
    auto b = numbers<Real>();
    const auto before = b;
    const int order = layout();
    const clgauss_status status = check(
        "gels", call(context(), order, m, n, nrhs, perhaps(a.data()), lda, perhaps(b.data()), ldb));
    const bool written = status == CLGAUSS_OK || status == CLGAUSS_INACCURATE;
    require_kept("gels", before, b, order, ldb,
                 [&](std::size_t i, std::size_t j) { return written && i < n && j < nrhs; });
  }

  /// To any tolerance, some of them out of range.
  template <typename Real, typename Call>
  void gelsy(const Call& call) {
    std::size_t rank = 0;
    const double rcond = one_in(2) ? -1 : static_cast<double>(below(12)) / 10;
    gels<Real>([&](auto... arguments) { return call(arguments..., rcond, perhaps(&rank)); });
  }

  /// With weights and a ridge, some of them below 0.
  template <typename Real, typename Call>
  void lstsq(const Call& call) {
    std::size_t rank = 0;
    auto weights = numbers<Real>();
    for (Real& weight : weights)
      if (!one_in(100)) weight = std::abs(weight);
    const double ridge = one_in(20) ? -1 : static_cast<double>(below(100)) / 10;
    const Real* const given = one_in(2) ? nullptr : weights.data();
    gels<Real>(
        [&](auto... arguments) { return call(arguments..., given, ridge, -1, perhaps(&rank)); });
  }

  /// gesv of real or complex numbers: what it writes, and when.
  template <typename Call, typename Number>
  void gesv(const Call& call, std::vector<Number> a, std::vector<Number> b) {
    const std::size_t n = size(), nrhs = size(), lda = ld(n), ldb = ld(std::max(n, nrhs));
    if (!promised(n, n, lda) || !promised(n, nrhs, ldb) || n > kElements) return;
    const auto a_before = a, b_before = b;
    const std::vector<std::int32_t> ipiv_before(kElements, -1);
    auto ipiv = ipiv_before;
    const int order = layout();
    const clgauss_status status =
        check("gesv", call(context(), order, n, nrhs, perhaps(a.data()), lda, perhaps(ipiv.data()),
                           perhaps(b.data()), ldb));
    const bool factored = status == CLGAUSS_OK || status == CLGAUSS_SINGULAR;
    require_kept("gesv", a_before, a, order, lda,
                 [&](std::size_t i, std::size_t j) { return factored && i < n && j < n; });
    require_kept("gesv", b_before, b, order, ldb, [&](std::size_t i, std::size_t j) {
      return status == CLGAUSS_OK && i < n && j < nrhs;
    });
    if (!factored && ipiv != ipiv_before) throw std::runtime_error("gesv: ipiv is written");
  }

  template <typename Number, typename Call>
  void gesv(const Call& call) {
    gesv(call, numbers<Number>(), numbers<Number>());
  }

  /// Of numbers with so many parts.
  template <typename Real, std::size_t kParts = 1, typename Call>
  void solve(const Call& call) {
    const std::size_t n = size(), nrhs = size(), lda = ld(n), ldb = ld(std::max(n, nrhs)),
                      ldx = ld(std::max(n, nrhs));
    if (!promised(n, n, lda) || !promised(n, nrhs, ldb) || !promised(n, nrhs, ldx)) return;
    const auto a = real_numbers<Real, kParts>(), b = real_numbers<Real, kParts>();
    std::vector<Real> x(kParts * kElements + 1, static_cast<Real>(kCanary));
    clgauss_solve_options options{};
    options.struct_size = one_in(20) ? size() : sizeof options;
    options.method = static_cast<int>(below(10)) - (one_in(20) ? 1 : 0);
    options.accuracy = static_cast<int>(below(5));
    options.factor_type = one_in(2) ? 0 : one_in(2) ? CLGAUSS_F32 : CLGAUSS_F64;
    options.trust = one_in(2);
    options.determinant = one_in(2);
    options.reserved = one_in(30);
    options.max_scaled_residual = one_in(10) ? std::numeric_limits<double>::quiet_NaN() : 0;
    options.progress = [](const char*, double, void* user) { return *static_cast<int*>(user); };
    int stop = one_in(4);
    options.user = &stop;
    clgauss_report report{};
    report.struct_size = one_in(20) ? below(sizeof report) : sizeof report;
    check("solve",
          call(context(), layout(), n, nrhs, perhaps(a.data()), lda, perhaps(b.data()), ldb,
               perhaps(x.data()), ldx, one_in(3) ? nullptr : &options, perhaps(&report)));
    if (x.back() != static_cast<Real>(kCanary)) throw std::runtime_error("solve: written behind X");
  }

  template <typename Number, typename Gesv, typename Posv>
  void batches(const Gesv& gesv, const Posv& posv) {
    return one_in(2) ? batched<Number>(gesv) : batched<Number>(posv);
  }

  template <typename Number, typename Call>
  void batched(const Call& call) {
    const std::size_t n = size(), nrhs = size(), lda = ld(n), ldb = ld(std::max(n, nrhs)),
                      batch = one_in(10) ? size() : 1 + below(4),
                      stride_a = one_in(3) ? 0 : ld(n * lda),
                      stride_b = ld(std::max(n, nrhs) * ldb);
    if (!promised(n, n, lda, batch, stride_a) || !promised(n, nrhs, ldb, batch, stride_b) ||
        batch > kElements)
      return;
    const auto a = numbers<Number>();
    auto b = numbers<Number>();
    const auto before = b;
    std::vector<std::int32_t> info(kElements);
    const clgauss_status status =
        check("batched", call(context(), layout(), n, nrhs, perhaps(a.data()), lda, stride_a,
                              perhaps(b.data()), ldb, stride_b, batch, perhaps(info.data())));
    const bool written = status == CLGAUSS_OK || status == CLGAUSS_SINGULAR ||
                         status == CLGAUSS_OVERFLOW || status == CLGAUSS_INACCURATE;
    if (!written && std::memcmp(b.data(), before.data(), kElements * sizeof(Number)) != 0)
      throw std::runtime_error("batched: B is written");
  }

  /// Up to three systems, each with sizes of its own.
  template <typename Real, typename Call>
  void vbatched(const Call& call) {
    constexpr std::size_t kMost = 3;
    std::vector<std::size_t> n(kMost), nrhs(kMost), lda(kMost), ldb(kMost);
    std::vector<std::vector<Real>> a(kMost), b(kMost);
    std::vector<const Real*> a_of(kMost);
    std::vector<Real*> b_of(kMost);
    for (std::size_t s = 0; s < kMost; ++s) {
      n[s] = size(), nrhs[s] = size(), lda[s] = ld(n[s]), ldb[s] = ld(std::max(n[s], nrhs[s]));
      if (!promised(n[s], n[s], lda[s]) || !promised(n[s], nrhs[s], ldb[s])) return;
      a[s] = numbers<Real>(), b[s] = numbers<Real>();
      a_of[s] = perhaps(a[s].data()), b_of[s] = perhaps(b[s].data());
    }
    std::vector<std::int32_t> info(kMost);
    check("gesv_vbatched", call(context(), layout(), perhaps(n.data()), perhaps(nrhs.data()),
                                perhaps(a_of.data()), perhaps(lda.data()), perhaps(b_of.data()),
                                perhaps(ldb.data()), below(kMost + 1), perhaps(info.data())));
  }

  template <typename Real, typename Call>
  void norm(const Call& call) {
    const std::size_t rows = size(), columns = size(), lda = ld(std::max(rows, columns));
    if (!promised(rows, columns, lda) || (rows > kElements && columns > 0) ||
        (columns > kElements && rows > 0))
      return;
    const auto a = numbers<Real>();
    double norm = 0;
    check("norm1", call(layout(), rows, columns, perhaps(a.data()), lda, perhaps(&norm)));
  }

  template <typename Real, typename Call>
  void getrf(const Call& call) {
    const auto [handle, n] = known_lu();
    const std::size_t lda = ld(n);
    if (!promised(n, n, lda)) return;
    const auto a = numbers<Real>();
    check("getrf", call(handle, layout(), perhaps(a.data()), lda));
  }

  template <typename Real, typename Call>
  void getrs(const Call& call) {
    const auto [handle, n] = known_lu();
    const std::size_t nrhs = size(), ldb = ld(std::max(n, nrhs));
    if (!promised(n, nrhs, ldb)) return;
    auto b = numbers<Real>();
    check("getrs", call(handle, layout(), trans(), nrhs, perhaps(b.data()), ldb));
  }

  /// A factorisation and its n; a bad handle, and an n that does not matter.
  std::pair<clgauss_lu, std::size_t> known_lu() {
    if (lus_.empty() || one_in(20)) return {bad_handle<clgauss_lu>(), 1};
    return lus_[below(lus_.size())];
  }

  std::size_t offset() { return one_in(10) ? size() : below(5); }

  /// call(queue, number of events, wait list, event).
  template <typename Call>
  void enqueue(const char* name, const Call& call) {
    std::vector<cl_event> list;
    for (std::size_t i = one_in(3) ? 1 + below(3) : 0; i > 0; --i)
      list.push_back(one_in(10) ? one_of(events_) : events_[0]);
    const auto count =
        static_cast<std::uint32_t>(one_in(30) ? below(list.size() + 1) : list.size());
    cl_event event = nullptr;
    const bool wanted = one_in(2);
    const clgauss_status status = check(
        name, call(one_in(10) ? one_of(queues_) : queues_[below(2)], count,
                   count == 0 && !one_in(30) ? nullptr : list.data(), wanted ? &event : nullptr));
    if ((event != nullptr) != (wanted && status == CLGAUSS_OK))
      throw std::runtime_error(fmt::format("{}: an event, or none, against the status", name));
    if (event == nullptr) return;
    if (clWaitForEvents(1, &event) != CL_SUCCESS || clReleaseEvent(event) != CL_SUCCESS)
      throw std::runtime_error(fmt::format("{}: what was enqueued failed", name));
  }

  cl_mem buffer() { return one_in(10) ? one_of(buffers_) : buffers_[below(2)]; }

  template <typename Call>
  void getrf_buffer(const Call& call) {
    const auto [handle, n] = known_lu();
    enqueue("getrf_buffer", [&, factors = handle, lda = ld(n)](auto... rest) {
      return call(factors, layout(), buffer(), offset(), lda, rest...);
    });
  }

  template <typename Call>
  void getrs_buffer(const Call& call) {
    const auto [handle, n] = known_lu();
    const std::size_t nrhs = size(), ldb = ld(std::max(n, nrhs));
    enqueue("getrs_buffer", [&, factors = handle](auto... rest) {
      return call(factors, layout(), trans(), nrhs, buffer(), offset(), ldb, rest...);
    });
  }

  template <typename Call>
  void batched_buffer(const Call& call) {
    const std::size_t n = size(), nrhs = size(), lda = ld(n), ldb = ld(nrhs);
    const std::size_t batch = one_in(10) ? size() : 1 + below(4);
    enqueue("batched_buffer", [&](auto... rest) {
      return call(context(), n, nrhs, buffer(), offset(), lda, ld(n * lda), buffer(), offset(), ldb,
                  ld(n * ldb), batch, buffer(), rest...);
    });
  }

  void ask() {
    std::size_t column = 0;
    std::vector<std::int32_t> ipiv(kElements);
    double rcond = 0;
    switch (below(4)) {
      case 0:
        check("failed_column", clgauss_lu_failed_column(lu(), perhaps(&column)));
        break;
      case 1: {
        const auto [handle, n] = known_lu();
        if (n <= kElements) check("pivots", clgauss_lu_pivots(handle, perhaps(ipiv.data())));
        break;
      }
      case 2: {
        const int version = clgauss_version();
        if (version != CLGAUSS_VERSION || clgauss_version_string() == nullptr)
          throw std::runtime_error(fmt::format("version: {}", version));
        break;
      }
      default:
        check("rcond", clgauss_lu_rcond(lu(), one_in(10) ? -1 : 3, perhaps(&rcond)));
    }
  }

  std::mt19937_64 random_;
  clgauss_context context_ = nullptr, on_queue_ = nullptr;
  std::vector<clgauss_context> contexts_;
  std::vector<std::pair<clgauss_lu, std::size_t>> lus_;  // and their n
  std::vector<std::uintptr_t> dead_;
  std::vector<cl_mem> buffers_;
  std::vector<cl_command_queue> queues_;
  std::vector<cl_event> events_;
  std::map<clgauss_status, std::size_t> counts_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: fuzz_c SECONDS [SEED [DEVICE]]\n");
    return 2;
  }
  using Clock = std::chrono::steady_clock;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  std::size_t calls = 0;
  try {
    Fuzzer fuzzer(argc > 3 ? argv[3] : "auto", seed);
    const auto end = Clock::now() + std::chrono::duration<double>(std::strtod(argv[1], nullptr));
    for (; Clock::now() < end; ++calls) fuzzer.step();
    fuzzer.finish();
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    if (!(usage.ru_maxrss <= kMostResidentKb))
      throw std::runtime_error(fmt::format("{} KB of memory were in use", usage.ru_maxrss));
    fmt::print("clgauss.h: seed {}, {} calls, {} KB:", seed, calls, usage.ru_maxrss);
    for (const auto& [status, count] : fuzzer.counts())
      fmt::print(" {} {},", count, clgauss_status_string(status));
    fmt::print("\n");
    const auto& counts = fuzzer.counts();
    return counts.contains(CLGAUSS_OK) && counts.contains(CLGAUSS_INVALID_ARGUMENT) ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "fuzz_c: seed {}, call {}: {}\n", seed, calls, error.what());
    return 1;
  }
}
