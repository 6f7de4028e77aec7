/* Included by typed_tests.h, once for each type: posv, potrs and potri of complex numbers. */

static double T(hermitian)(size_t n, size_t i, size_t j, int imaginary) {
  const size_t low = i < j ? i : j, high = i < j ? j : i;
  if (!imaginary) return i == j ? 8.0 * (double)n : (double)((3 * low + 5 * high) % 7) - 3;
  const double part = (double)((2 * low + 3 * high) % 5) - 2;
  return i == j ? 0 : i > j ? part : -part;
}

/* One triangle of A, 77 in the other, 5 for the imaginary parts of the diagonal, which nobody
 * reads; and B = A X. */
static void T(fill_hermitian)(int layout, int uplo, size_t n, REAL* a, REAL* b, size_t ld) {
  for (size_t i = 0; i < 2 * n * ld; ++i) a[i] = b[i] = PAD;
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j)
      for (int part = 0; part < 2; ++part)
        a[2 * at(layout, i, j, ld) + (size_t)part] =
            (REAL)(i == j && part == 1                         ? 5
                   : (uplo == CLGAUSS_LOWER ? j <= i : j >= i) ? T(hermitian)(n, i, j, part)
                                                               : 77);
    for (size_t c = 0; c < NRHS; ++c) {
      double re = 0, im = 0;
      for (size_t k = 0; k < n; ++k) {
        const double ar = T(hermitian)(n, i, k, 0), ai = T(hermitian)(n, i, k, 1),
                     xr = T(complex_x)(k, c, 0), xi = T(complex_x)(k, c, 1);
        re += ar * xr - ai * xi;
        im += ar * xi + ai * xr;
      }
      b[2 * at(layout, i, c, ld)] = (REAL)re;
      b[2 * at(layout, i, c, ld) + 1] = (REAL)im;
    }
  }
}

static void T(expect_complex_x)(int layout, size_t n, const REAL* b, size_t ld) {
  double worst = 0;
  for (size_t i = 0; i < n; ++i)
    for (size_t c = 0; c < NRHS; ++c)
      for (int part = 0; part < 2; ++part)
        worst = fmax(worst, fabs((double)b[2 * at(layout, i, c, ld) + (size_t)part] -
                                 T(complex_x)(i, c, part)));
  EXPECT(worst <= 100 * (double)n * (double)EPS);
}

/* A = L L^H or R^H R, with a real diagonal, and 77 in the other triangle. */
static void T(expect_hermitian_factors)(int layout, int uplo, size_t n, const REAL* a, size_t ld) {
  double worst = 0;
  for (size_t i = 0; i < n; ++i) {
    EXPECT(a[2 * at(layout, i, i, ld)] > 0 && a[2 * at(layout, i, i, ld) + 1] == 0);
    EXPECT(a[2 * (i * ld + n)] == PAD);
    for (size_t j = 0; j <= i; ++j) {
      double re = -T(hermitian)(n, i, j, 0), im = -T(hermitian)(n, i, j, 1);
      for (size_t k = 0; k <= j; ++k) { /* l_ik conj(l_jk), of R conj(r_ki) r_kj */
        const int is_lower = uplo == CLGAUSS_LOWER;
        const REAL* const p = a + 2 * (is_lower ? at(layout, i, k, ld) : at(layout, k, i, ld));
        const REAL* const q = a + 2 * (is_lower ? at(layout, j, k, ld) : at(layout, k, j, ld));
        const double sign = is_lower ? 1 : -1;
        re += (double)p[0] * (double)q[0] + (double)p[1] * (double)q[1];
        im += sign * ((double)p[1] * (double)q[0] - (double)p[0] * (double)q[1]);
      }
      worst = fmax(worst, fabs(re) + fabs(im));
      if (j < i)
        EXPECT(a[2 * (uplo == CLGAUSS_LOWER ? at(layout, j, i, ld) : at(layout, i, j, ld))] == 77);
    }
  }
  EXPECT(worst <= 100 * (double)(n * n) * (double)EPS);
}

/* A X = I, for the X of which one triangle is stored, with a real diagonal, and 77 in the other. */
static void T(expect_hermitian_inverse)(int layout, int uplo, size_t n, const REAL* x, size_t ld) {
  double worst = 0;
  for (size_t i = 0; i < n; ++i) {
    EXPECT(x[2 * at(layout, i, i, ld) + 1] == 0 && x[2 * (i * ld + n)] == PAD);
    for (size_t j = 0; j < n; ++j) {
      double re = i == j ? -1 : 0, im = 0;
      for (size_t k = 0; k < n; ++k) {
        const int is_there = uplo == CLGAUSS_LOWER ? k >= j : k <= j;
        const REAL* const number = x + 2 * (is_there ? at(layout, k, j, ld) : at(layout, j, k, ld));
        const double ar = T(hermitian)(n, i, k, 0), ai = T(hermitian)(n, i, k, 1),
                     xr = (double)number[0], xi = (is_there ? 1 : -1) * (double)number[1];
        re += ar * xr - ai * xi;
        im += ar * xi + ai * xr;
      }
      worst = fmax(worst, isnan(re + im) ? INFINITY : fabs(re) + fabs(im));
      if (uplo == CLGAUSS_LOWER ? j > i : j < i) EXPECT(x[2 * at(layout, i, j, ld)] == 77);
    }
  }
  EXPECT(worst <= 100 * (double)n * (double)EPS);
}

static void T(test_hermitian_of)(clgauss_context context, int layout, int uplo, size_t n) {
  const size_t ld = n + 2, bytes = 2 * n * ld * sizeof(REAL);
  REAL *const a = malloc(bytes), *const b = malloc(bytes), *const was_a = malloc(bytes),
              *const was_b = malloc(bytes);
#define EXPECT_KEPT() EXPECT(memcmp(a, was_a, bytes) == 0 && memcmp(b, was_b, bytes) == 0)
  T(fill_hermitian)(layout, uplo, n, a, b, ld);
  EXPECT_STATUS(CLGAUSS_OK, Z(posv)(context, layout, uplo, n, NRHS, a, ld, b, ld));
  T(expect_complex_x)(layout, n, b, ld);
  T(expect_hermitian_factors)(layout, uplo, n, a, ld);
  T(fill_hermitian)(layout, uplo, n, a, b, ld);
  EXPECT_STATUS(CLGAUSS_OK, Z(posv)(context, layout, uplo, n, 0, a, ld, NULL, n));
  T(expect_hermitian_factors)(layout, uplo, n, a, ld);
  memcpy(was_a, a, bytes);
  EXPECT_STATUS(CLGAUSS_OK, Z(potrs)(context, layout, uplo, n, NRHS, a, ld, b, ld));
  T(expect_complex_x)(layout, n, b, ld);
  EXPECT_STATUS(CLGAUSS_OK, Z(potri)(context, layout, uplo, n, a, ld));
  T(expect_hermitian_inverse)(layout, uplo, n, a, ld);
  memcpy(a, was_a, bytes);
  memcpy(was_b, b, bytes);
  a[2 * 3 * (ld + 1)] = was_a[2 * 3 * (ld + 1)] = 0;
  EXPECT_STATUS(CLGAUSS_SINGULAR, Z(potri)(context, layout, uplo, n, a, ld));
  EXPECT_MESSAGE("column 4");
  EXPECT_STATUS(CLGAUSS_SINGULAR, Z(potrs)(context, layout, uplo, n, NRHS, a, ld, b, ld));
  EXPECT_MESSAGE("column 4");
  EXPECT_KEPT();

  T(fill_hermitian)(layout, uplo, n, a, b, ld);
  a[2 * 3 * (ld + 1)] = -1;
  memcpy(was_a, a, bytes);
  memcpy(was_b, b, bytes);
  EXPECT_STATUS(CLGAUSS_SINGULAR, Z(posv)(context, layout, uplo, n, NRHS, a, ld, b, ld));
  EXPECT_MESSAGE("not positive definite: the pivot of column 4");
  EXPECT_KEPT();
  a[2 * 3 * (ld + 1)] = was_a[2 * 3 * (ld + 1)] = (REAL)INFINITY;
  EXPECT_STATUS(CLGAUSS_OVERFLOW, Z(posv)(context, layout, uplo, n, NRHS, a, ld, b, ld));
  EXPECT_STATUS(CLGAUSS_OVERFLOW, Z(potrs)(context, layout, uplo, n, NRHS, a, ld, b, ld));
  EXPECT_STATUS(CLGAUSS_OVERFLOW, Z(potri)(context, layout, uplo, n, a, ld));
  EXPECT_KEPT();
#undef EXPECT_KEPT
  free(a), free(b), free(was_a), free(was_b);
}

/* Three systems with gaps between them; the second one becomes indefinite. */
static void T(test_hermitian_batched)(clgauss_context context) {
  enum { BATCH = 3, SIZE = 20, LD = SIZE + 2, STRIDE = SIZE * LD + 1 };
  static REAL a[2 * BATCH * STRIDE], b[2 * BATCH * STRIDE], was[2 * BATCH * STRIDE];
  int32_t info[BATCH];
  for (int l = 0; l < 2; ++l)
    for (int uplo = CLGAUSS_LOWER; uplo <= CLGAUSS_UPPER; ++uplo)
      for (int indefinite = 0; indefinite < 2; ++indefinite) {
        const int layout = kLayouts[l];
        for (int s = 0; s < BATCH; ++s)
          T(fill_hermitian)(layout, uplo, SIZE, a + 2 * s * STRIDE, b + 2 * s * STRIDE, LD);
        if (indefinite) a[2 * (STRIDE + 6 * (LD + 1))] = -1;
        memcpy(was, a, sizeof a);
        EXPECT_STATUS(indefinite ? CLGAUSS_SINGULAR : CLGAUSS_OK,
                      Z(posv_batched)(context, layout, uplo, SIZE, NRHS, a, LD, STRIDE, b, LD,
                                      STRIDE, BATCH, info));
        for (int s = 0; s < BATCH; ++s) {
          const int fails = indefinite && s == 1;
          EXPECT(info[s] == (fails ? 7 : 0));
          if (fails)
            EXPECT(isnan(b[2 * STRIDE]) && isnan(b[2 * STRIDE + 1]));
          else
            T(expect_complex_x)(layout, SIZE, b + 2 * s * STRIDE, LD);
        }
        EXPECT(memcmp(a, was, sizeof a) == 0);
      }
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, Z(posv_batched)(context, CLGAUSS_ROW_MAJOR, 'L', SIZE, 1,
                                                          a, LD, 0, b, LD, 0, 1, info));
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT, Z(posv_batched)(context, CLGAUSS_ROW_MAJOR, CLGAUSS_LOWER,
                                                       257, 1, a, 257, 0, b, 257, 0, 1, info));
  EXPECT_MESSAGE("256");
}

static void T(test_hermitian)(clgauss_context context) {
  static const size_t kSizes[] = {5, 64, 210};
  REAL a[2 * N * LDA] = {0}, b[2 * LDB * LDB] = {0};
  for (size_t s = 0; s < sizeof kSizes / sizeof kSizes[0]; ++s)
    for (int l = 0; l < 2; ++l)
      for (int uplo = CLGAUSS_LOWER; uplo <= CLGAUSS_UPPER; ++uplo)
        T(test_hermitian_of)(context, kLayouts[l], uplo, kSizes[s]);
  EXPECT_STATUS(CLGAUSS_OK, Z(posv)(context, 101, CLGAUSS_LOWER, 0, 1, NULL, 1, NULL, 1));
  EXPECT_STATUS(CLGAUSS_OK, Z(potrs)(context, 101, CLGAUSS_UPPER, N, 0, a, LDA, NULL, 0));
  EXPECT_STATUS(CLGAUSS_INVALID_HANDLE, Z(posv)(NULL, 101, CLGAUSS_LOWER, N, NRHS, a, LDA, b, LDB));
  EXPECT_STATUS(CLGAUSS_INVALID_HANDLE,
                Z(potrs)(NULL, 101, CLGAUSS_LOWER, N, NRHS, a, LDA, b, LDB));
  EXPECT_STATUS(CLGAUSS_OK, Z(potri)(context, 101, CLGAUSS_LOWER, 0, NULL, 0));
  EXPECT_STATUS(CLGAUSS_INVALID_HANDLE, Z(potri)(NULL, 101, CLGAUSS_LOWER, N, a, LDA));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, Z(potri)(context, 101, 'L', N, a, LDA));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, Z(potri)(context, 101, CLGAUSS_LOWER, N, NULL, LDA));
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT, Z(potri)(context, 101, CLGAUSS_LOWER, N, a, N - 1));
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT,
                Z(potri)(context, 101, CLGAUSS_LOWER, (size_t)1 << 40U, a, N));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, Z(posv)(context, 101, 'L', N, NRHS, a, LDA, b, LDB));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, Z(potrs)(context, 101, 'L', N, NRHS, a, LDA, b, LDB));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                Z(posv)(context, 101, CLGAUSS_LOWER, N, NRHS, a, LDA, NULL, LDB));
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT,
                Z(potrs)(context, 101, CLGAUSS_LOWER, N, NRHS, a, N - 1, b, LDB));
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT,
                Z(posv)(context, 101, CLGAUSS_LOWER, (size_t)1 << 31U, 0, a, N, b, LDB));
  T(test_hermitian_batched)(context);
}
