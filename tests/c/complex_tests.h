/* Included by typed_tests.h, once for each type: complex numbers. */

static double T(complex_a)(size_t i, size_t j, int imaginary) {
  return imaginary ? (double)((i * 5 + j * j) % 7) - 3
                   : (double)((i * 7 + j * 3) % 11) - (i == j && i > 0 ? N * 8 : 0);
}

/* A of that with padding, and B = A X for X = x_of - i x_of / 2. */
static void T(fill_complex_system)(int layout, REAL* a, REAL* b) {
  for (size_t i = 0; i < 2 * N * LDA; ++i) a[i] = PAD;
  for (size_t i = 0; i < N; ++i)
    for (size_t j = 0; j < N; ++j)
      for (int part = 0; part < 2; ++part)
        a[2 * at(layout, i, j, LDA) + (size_t)part] = (REAL)T(complex_a)(i, j, part);
  for (size_t c = 0; c < NRHS; ++c)
    for (size_t i = 0; i < N; ++i) {
      double re = 0, im = 0;
      for (size_t j = 0; j < N; ++j) {
        const double ar = T(complex_a)(i, j, 0), ai = T(complex_a)(i, j, 1), x = x_of(j, c);
        re += x * (ar + ai / 2);
        im += x * (ai - ar / 2);
      }
      b[2 * at(layout, i, c, LDB)] = (REAL)re;
      b[2 * at(layout, i, c, LDB) + 1] = (REAL)im;
    }
}

/* P A = L U, of pairs of REAL. */
static void T(expect_complex_factors)(int layout, const REAL* lu, const int32_t* ipiv) {
  size_t rows[N];
  for (size_t i = 0; i < N; ++i) rows[i] = i;
  for (size_t k = 0; k < N; ++k) {
    EXPECT(ipiv[k] > (int32_t)k && ipiv[k] <= N);
    if (ipiv[k] < 1 || ipiv[k] > N) return;
    const size_t swapped = rows[k];
    rows[k] = rows[ipiv[k] - 1];
    rows[ipiv[k] - 1] = swapped;
  }
  for (size_t i = 0; i < N; ++i)
    for (size_t j = 0; j < N; ++j) {
      double re = 0, im = 0;
      for (size_t k = 0; k <= i && k <= j; ++k) {
        const REAL *l = lu + 2 * at(layout, i, k, LDA), *u = lu + 2 * at(layout, k, j, LDA);
        const double lr = k == i ? 1 : l[0], li = k == i ? 0 : l[1];
        re += lr * u[0] - li * u[1];
        im += lr * u[1] + li * u[0];
      }
      EXPECT(fabs(re - T(complex_a)(rows[i], j, 0)) <= 2000 * (double)EPS &&
             fabs(im - T(complex_a)(rows[i], j, 1)) <= 2000 * (double)EPS);
    }
}

/* Pairs of REAL: A x = b of whole numbers, so that x comes back but for rounding. */
static void T(test_complex_gesv)(clgauss_context context) {
  REAL a[2 * N * LDA], b[2 * LDB * LDB];
  int32_t ipiv[N];
  for (int l = 0; l < 2; ++l)
    for (size_t nrhs = 0; nrhs <= NRHS; nrhs += NRHS) {
      const int layout = kLayouts[l];
      T(fill_complex_system)(layout, a, b);
      EXPECT_STATUS(CLGAUSS_OK,
                    Z(gesv)(context, layout, N, nrhs, a, LDA, ipiv, nrhs > 0 ? b : NULL, LDB));
      T(expect_complex_factors)(layout, a, ipiv);
      for (size_t i = 0; i < N; ++i) EXPECT(a[2 * (i * LDA + N)] == PAD);
      for (size_t c = 0; c < nrhs; ++c)
        for (size_t i = 0; i < N; ++i) {
          EXPECT(fabs((double)b[2 * at(layout, i, c, LDB)] - x_of(i, c)) <= 2000 * N * (double)EPS);
          EXPECT(fabs((double)b[2 * at(layout, i, c, LDB) + 1] + x_of(i, c) / 2) <=
                 2000 * N * (double)EPS);
        }
    }
  /* Column 2 is zero: the factors are there, as LAPACK's, and B stays. */
  for (size_t i = 0; i < N; ++i)
    for (size_t j = 0; j < N; ++j)
      for (size_t part = 0; part < 2; ++part)
        a[2 * at(CLGAUSS_ROW_MAJOR, i, j, LDA) + part] =
            j == 1 ? 0 : (REAL)T(complex_a)(i, j, (int)part);
  const REAL first = b[0];
  EXPECT_STATUS(CLGAUSS_SINGULAR,
                Z(gesv)(context, CLGAUSS_ROW_MAJOR, N, NRHS, a, LDA, ipiv, b, LDB));
  EXPECT_MESSAGE("column 2");
  EXPECT(b[0] == first && a[2 * (LDA + 1)] == 0 && a[2 * (LDA + 1) + 1] == 0);
  a[0] = (REAL)NAN;
  EXPECT_STATUS(CLGAUSS_OVERFLOW,
                Z(gesv)(context, CLGAUSS_ROW_MAJOR, N, NRHS, a, LDA, ipiv, b, LDB));
  EXPECT_STATUS(CLGAUSS_OK, Z(gesv)(context, CLGAUSS_ROW_MAJOR, 0, 1, NULL, 1, NULL, NULL, 1));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                Z(gesv)(context, CLGAUSS_ROW_MAJOR, N, 1, NULL, LDA, ipiv, b, LDB));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                Z(gesv)(context, CLGAUSS_ROW_MAJOR, N, 1, a, LDA, NULL, b, LDB));
}

/* Three systems of pairs of REAL with gaps between them; of the second one column 5 is zero. */
static void T(test_complex_batched)(clgauss_context context) {
  enum { BATCH = 3, STRIDE_A = N * LDA + 1, STRIDE_B = LDB * LDB + 2 };
  static REAL a[2 * BATCH * STRIDE_A], b[2 * BATCH * STRIDE_B];
  int32_t info[BATCH];
  for (int l = 0; l < 2; ++l)
    for (int singular = 0; singular < 2; ++singular) {
      const int layout = kLayouts[l];
      for (int s = 0; s < BATCH; ++s)
        T(fill_complex_system)(layout, a + 2 * s * STRIDE_A, b + 2 * s * STRIDE_B);
      for (size_t i = 0; singular && i < N; ++i)
        for (size_t part = 0; part < 2; ++part)
          a[2 * (STRIDE_A + at(layout, i, 4, LDA)) + part] = 0;
      EXPECT_STATUS(singular ? CLGAUSS_SINGULAR : CLGAUSS_OK,
                    Z(gesv_batched)(context, layout, N, NRHS, a, LDA, STRIDE_A, b, LDB, STRIDE_B,
                                    BATCH, info));
      for (int s = 0; s < BATCH; ++s) {
        const REAL* const x = b + 2 * s * STRIDE_B;
        const int fails = singular && s == 1;
        EXPECT(info[s] == (fails ? 5 : 0));
        for (size_t c = 0; c < NRHS; ++c)
          for (size_t i = 0; i < N; ++i) {
            const double re = x[2 * at(layout, i, c, LDB)], im = x[2 * at(layout, i, c, LDB) + 1];
            EXPECT(fails ? isnan(re) && isnan(im)
                         : fabs(re - x_of(i, c)) <= 2000 * N * (double)EPS &&
                               fabs(im + x_of(i, c) / 2) <= 2000 * N * (double)EPS);
          }
        EXPECT(a[2 * (s * STRIDE_A + N)] == PAD);
      }
    }
  const int layout = CLGAUSS_ROW_MAJOR;
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                Z(gesv_batched)(context, layout, N, 1, NULL, LDA, 0, b, LDB, 0, 1, info));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                Z(gesv_batched)(context, layout, N, 1, a, LDA, 0, b, LDB, 0, 1, NULL));
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT,
                Z(gesv_batched)(context, layout, 257, 1, a, 257, 0, b, 257, 0, 1, info));
  EXPECT_MESSAGE("256");
  EXPECT_STATUS(CLGAUSS_OK,
                Z(gesv_batched)(context, layout, N, 1, NULL, LDA, 0, NULL, LDB, 0, 0, NULL));
}

/* Row i of the m-by-n matrix, whose largest numbers lie beside the diagonal. */
static double T(complex_large)(size_t m, size_t i, size_t j, int imaginary) {
  if (i == (j + 1) % m) return imaginary ? -4.0 * (double)m : 8.0 * (double)m;
  return imaginary ? (double)((5 * i + 3 * j + i * j) % 7) - 3
                   : (double)((3 * i + 5 * j + i * j) % 11) - 5;
}

static void T(fill_complex)(int layout, size_t m, size_t n, REAL* a, size_t ld) {
  const size_t lines = layout == CLGAUSS_ROW_MAJOR ? m : n;
  for (size_t i = 0; i < 2 * lines * ld; ++i) a[i] = PAD;
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j)
      for (int part = 0; part < 2; ++part)
        a[2 * at(layout, i, j, ld) + (size_t)part] = (REAL)T(complex_large)(m, i, j, part);
}

/* (i, c) of X, and of B = op(A) X. */
static double T(complex_x)(size_t i, size_t c, int imaginary) {
  return imaginary ? (double)((2 * i + c) % 3) - 1 : (double)((i + 2 * c) % 5) - 2;
}
static void T(complex_b)(size_t n, int trans, size_t i, size_t c, double* re, double* im) {
  *re = *im = 0;
  for (size_t k = 0; k < n; ++k) {
    const size_t r = trans == CLGAUSS_NO_TRANSPOSE ? i : k,
                 s = trans == CLGAUSS_NO_TRANSPOSE ? k : i;
    const double ar = T(complex_large)(n, r, s, 0),
                 ai =
                     (trans == CLGAUSS_CONJUGATE_TRANSPOSE ? -1 : 1) * T(complex_large)(n, r, s, 1),
                 xr = T(complex_x)(k, c, 0), xi = T(complex_x)(k, c, 1);
    *re += ar * xr - ai * xi;
    *im += ar * xi + ai * xr;
  }
}

/* Whether P A = L U: for `a` as fill_complex() made it, but for a column of zeros. */
static int T(is_complex_lu)(int layout, size_t m, size_t n, size_t zero, const REAL* lu, size_t ld,
                            const int32_t* ipiv) {
  size_t* const rows = malloc(m * sizeof *rows);
  int is_well = 1;
  for (size_t i = 0; i < m; ++i) rows[i] = i;
  for (size_t k = 0; k < m && k < n; ++k) {
    const size_t row = (size_t)ipiv[k] - 1, kept = rows[k];
    if (ipiv[k] <= (int32_t)k || ipiv[k] > (int32_t)m) return 0;
    rows[k] = rows[row];
    rows[row] = kept;
  }
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j) {
      double re = j == zero ? 0 : T(complex_large)(m, rows[i], j, 0),
             im = j == zero ? 0 : T(complex_large)(m, rows[i], j, 1);
      for (size_t k = 0; k <= i && k <= j; ++k) {
        const REAL *const l = lu + 2 * at(layout, i, k, ld), *const u =
                                                                 lu + 2 * at(layout, k, j, ld);
        const double lr = k == i ? 1 : (double)l[0], li = k == i ? 0 : (double)l[1];
        re -= lr * (double)u[0] - li * (double)u[1];
        im -= lr * (double)u[1] + li * (double)u[0];
      }
      is_well = is_well && fabs(re) + fabs(im) <= 200 * (double)(m * n) * (double)EPS;
    }
  free(rows);
  return is_well;
}

static void T(test_complex_getrf)(clgauss_context context, size_t m, size_t n) {
  const size_t longer = m > n ? m : n, steps = m < n ? m : n;
  REAL* const a = malloc(2 * (longer + 1) * (longer + 1) * sizeof *a);
  int32_t* const ipiv = malloc(steps * sizeof *ipiv);
  for (int l = 0; l < 2; ++l)
    for (int singular = 0; singular < 2; ++singular) {
      const int layout = kLayouts[l];
      const size_t inner = layout == CLGAUSS_ROW_MAJOR ? n : m, ld = inner + 1;
      const size_t zero = singular ? steps / 2 : n;
      T(fill_complex)(layout, m, n, a, ld);
      for (size_t i = 0; singular && i < m; ++i)
        a[2 * at(layout, i, zero, ld)] = a[2 * at(layout, i, zero, ld) + 1] = 0;
      EXPECT_STATUS(singular ? CLGAUSS_SINGULAR : CLGAUSS_OK,
                    Z(getrf_host)(context, layout, m, n, a, ld, ipiv));
      EXPECT(T(is_complex_lu)(layout, m, n, zero, a, ld, ipiv));
      for (size_t line = 0; line < (layout == CLGAUSS_ROW_MAJOR ? m : n); ++line)
        EXPECT(a[2 * (line * ld + inner)] == PAD && a[2 * (line * ld + inner) + 1] == PAD);
      a[2 * at(layout, m - 1, n - 1, ld) + 1] = (REAL)NAN;
      const REAL first = a[0];
      ipiv[0] = PAD;
      EXPECT(Z(getrf_host)(context, layout, m, n, a, ld, ipiv) != CLGAUSS_OK);
      EXPECT(a[0] == first && ipiv[0] == PAD);
    }
  const size_t too_many = ((size_t)1 << 30U) + 1;
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT,
                Z(getrf_host)(context, CLGAUSS_COLUMN_MAJOR, too_many, 1, a, too_many, ipiv));
  EXPECT_MESSAGE("rows");
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                Z(getrf_host)(context, CLGAUSS_ROW_MAJOR, m, n, a, n, NULL));
  EXPECT_STATUS(CLGAUSS_INVALID_HANDLE, Z(getrf_host)(NULL, CLGAUSS_ROW_MAJOR, m, n, a, n, ipiv));
  EXPECT_STATUS(CLGAUSS_OK, Z(getrf_host)(context, CLGAUSS_ROW_MAJOR, 0, n, NULL, n, NULL));
  free(a), free(ipiv);
}

static void T(test_complex_factors)(clgauss_context context, size_t n) {
  const size_t ld = n + 2, bytes = 2 * n * ld * sizeof(REAL);
  REAL *const a = malloc(bytes), *const was = malloc(bytes);
  REAL* const b = malloc(2 * (n + NRHS) * ld * sizeof *b);
  int32_t* const ipiv = malloc(n * sizeof *ipiv);
  for (int l = 0; l < 2; ++l) {
    const int layout = kLayouts[l];
    const size_t ldb = layout == CLGAUSS_ROW_MAJOR ? NRHS + 1 : ld;
    const size_t lines = layout == CLGAUSS_ROW_MAJOR ? n : NRHS,
                 inner = layout == CLGAUSS_ROW_MAJOR ? NRHS : n;
    T(fill_complex)(layout, n, n, a, ld);
    EXPECT_STATUS(CLGAUSS_OK, Z(getrf_host)(context, layout, n, n, a, ld, ipiv));
    memcpy(was, a, bytes);
    for (int trans = CLGAUSS_NO_TRANSPOSE; trans <= CLGAUSS_CONJUGATE_TRANSPOSE; ++trans) {
      double worst = 0;
      for (size_t i = 0; i < 2 * (n + NRHS) * ld; ++i) b[i] = PAD;
      for (size_t i = 0; i < n; ++i)
        for (size_t c = 0; c < NRHS; ++c) {
          double re, im;
          T(complex_b)(n, trans, i, c, &re, &im);
          b[2 * at(layout, i, c, ldb)] = (REAL)re;
          b[2 * at(layout, i, c, ldb) + 1] = (REAL)im;
        }
      EXPECT_STATUS(CLGAUSS_OK,
                    Z(getrs_host)(context, layout, trans, n, NRHS, a, ld, ipiv, b, ldb));
      for (size_t i = 0; i < n; ++i)
        for (size_t c = 0; c < NRHS; ++c)
          for (int part = 0; part < 2; ++part)
            worst = fmax(worst, fabs((double)b[2 * at(layout, i, c, ldb) + (size_t)part] -
                                     T(complex_x)(i, c, part)));
      EXPECT(worst <= 100 * (double)n * (double)EPS);
      for (size_t line = 0; line < lines; ++line) EXPECT(b[2 * (line * ldb + inner)] == PAD);
      EXPECT(memcmp(a, was, bytes) == 0);
    }
    EXPECT_STATUS(CLGAUSS_OK, Z(getri)(context, layout, n, a, ld, ipiv));
    double worst = 0;
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j) { /* A X - I */
        double re = i == j ? -1 : 0, im = 0;
        for (size_t k = 0; k < n; ++k) {
          const double ar = T(complex_large)(n, i, k, 0), ai = T(complex_large)(n, i, k, 1);
          const REAL* const x = a + 2 * at(layout, k, j, ld);
          re += ar * (double)x[0] - ai * (double)x[1];
          im += ar * (double)x[1] + ai * (double)x[0];
        }
        worst = fmax(worst, fabs(re) + fabs(im));
      }
    EXPECT(worst <= 100 * (double)n * (double)EPS);
    for (size_t i = 0; i < n; ++i) EXPECT(a[2 * (i * ld + n)] == PAD);

    /* A zero on U's diagonal, NaN, and a row that is none: all is as it was. */
    memcpy(a, was, bytes);
    const REAL first = b[0];
    for (int part = 0; part < 2; ++part) a[2 * 2 * (ld + 1) + (size_t)part] = 0;
    memcpy(was, a, bytes);
    EXPECT_STATUS(CLGAUSS_SINGULAR, Z(getri)(context, layout, n, a, ld, ipiv));
    EXPECT_MESSAGE("column 3");
    EXPECT_STATUS(CLGAUSS_SINGULAR,
                  Z(getrs_host)(context, layout, CLGAUSS_TRANSPOSE, n, NRHS, a, ld, ipiv, b, ldb));
    EXPECT(memcmp(a, was, bytes) == 0);
    a[2 * 2 * (ld + 1) + 1] = (REAL)NAN;
    memcpy(was, a, bytes);
    EXPECT_STATUS(CLGAUSS_OVERFLOW, Z(getri)(context, layout, n, a, ld, ipiv));
    EXPECT_STATUS(CLGAUSS_OVERFLOW, Z(getrs_host)(context, layout, CLGAUSS_CONJUGATE_TRANSPOSE, n,
                                                  NRHS, a, ld, ipiv, b, ldb));
    ipiv[1] = (int32_t)n + 1;
    EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, Z(getri)(context, layout, n, a, ld, ipiv));
    EXPECT_MESSAGE("ipiv[1]");
    EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, Z(getrs_host)(context, layout, CLGAUSS_NO_TRANSPOSE, n,
                                                          NRHS, a, ld, ipiv, b, ldb));
    EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                  Z(getrs_host)(context, layout, 114, n, NRHS, a, ld, ipiv, b, ldb));
    EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                  Z(getrs_host)(context, layout, CLGAUSS_TRANSPOSE, n, 1, NULL, ld, ipiv, b, ldb));
    EXPECT_STATUS(CLGAUSS_INVALID_INPUT,
                  Z(getrs_host)(context, layout, CLGAUSS_TRANSPOSE, n, 1, a, n - 1, ipiv, b, ldb));
    EXPECT_STATUS(CLGAUSS_INVALID_INPUT, Z(getri)(context, layout, (size_t)1 << 40U, a, n, ipiv));
    EXPECT(memcmp(a, was, bytes) == 0 && b[0] == first);
  }
  EXPECT_STATUS(CLGAUSS_OK, Z(getri)(context, 101, 0, NULL, 0, NULL));
  EXPECT_STATUS(CLGAUSS_OK, Z(getrs_host)(context, 101, 111, n, 0, a, ld, ipiv, NULL, 0));
  EXPECT_STATUS(CLGAUSS_INVALID_HANDLE, Z(getri)(NULL, 101, n, a, ld, ipiv));
  EXPECT_STATUS(CLGAUSS_INVALID_HANDLE,
                Z(getrs_host)(NULL, 101, 111, n, NRHS, a, ld, ipiv, b, NRHS + 1));
  free(a), free(b), free(was), free(ipiv);
}

/* solve, with a report: A, B with padding, which stay as they are, and X apart. */
static void T(test_complex_solve)(clgauss_context context) {
  REAL a[2 * N * LDA], b[2 * LDB * LDB], x[2 * LDB * LDB], kept_a[2 * N * LDA];
  clgauss_solve_options options = {.struct_size = sizeof options, .trust = 1, .determinant = 1};
  clgauss_report report = {.struct_size = sizeof report};
#define SOLVE(layout, n, nrhs, a, b, x) \
  Z(solve)(context, layout, n, nrhs, a, LDA, b, LDB, x, LDB, &options, &report)
  for (int l = 0; l < 2; ++l) {
    const int layout = kLayouts[l];
    for (size_t i = 0; i < 2 * LDB * LDB; ++i) x[i] = PAD;
    T(fill_complex_system)(layout, a, b);
    memcpy(kept_a, a, sizeof a);
    EXPECT_STATUS(CLGAUSS_OK, SOLVE(layout, N, NRHS, a, b, x));
    EXPECT(memcmp(kept_a, a, sizeof a) == 0);
    for (size_t c = 0; c < NRHS; ++c)
      for (size_t i = 0; i < N; ++i) {
        EXPECT(fabs((double)x[2 * at(layout, i, c, LDB)] - x_of(i, c)) <= 2000 * N * (double)EPS);
        EXPECT(fabs((double)x[2 * at(layout, i, c, LDB) + 1] + x_of(i, c) / 2) <=
               2000 * N * (double)EPS);
      }
    EXPECT(x[2 * at(layout, N, 0, LDB)] == PAD);
    EXPECT(report.rcond > 0 && report.rcond <= 1 && report.forward_error >= 0);
    EXPECT(report.scaled_residual <= 16 && report.correct_digits >= 2);
    EXPECT(report.determinant_sign == 1 && isfinite(report.determinant_log10) &&
           fabs(report.determinant_argument) <= 3.15);
    EXPECT(report.method == CLGAUSS_METHOD_LU || report.method == CLGAUSS_METHOD_MIXED);
  }
  /* diag(2 i, -3, 1, 1, ..): det = -6 i. */
  memset(a, 0, sizeof a);
  for (size_t i = 2; i < N; ++i) a[2 * at(CLGAUSS_ROW_MAJOR, i, i, LDA)] = 1;
  a[1] = 2;
  a[2 * at(CLGAUSS_ROW_MAJOR, 1, 1, LDA)] = -3;
  EXPECT_STATUS(CLGAUSS_OK, SOLVE(CLGAUSS_ROW_MAJOR, N, 1, a, b, x));
  EXPECT(fabs(report.determinant_argument + 1.5707963267948966) <= 1e-6);
  EXPECT(fabs(report.determinant_log10 - 0.7781512503836436) <= 1e-6);
  EXPECT(fabs(report.rcond - 1. / 3) <= 1e-6);
  options.method = CLGAUSS_METHOD_CHOLESKY;
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT, SOLVE(CLGAUSS_ROW_MAJOR, N, 1, a, b, x));
  EXPECT_MESSAGE("A is not Hermitian");
  a[0] = 2;
  a[1] = 0;
  EXPECT_STATUS(CLGAUSS_SINGULAR, SOLVE(CLGAUSS_ROW_MAJOR, N, 1, a, b, x)); /* for the -3 */
  EXPECT(report.failed_column == 2);
  options.method = CLGAUSS_METHOD_LDLT;
  EXPECT_STATUS(CLGAUSS_OK, SOLVE(CLGAUSS_ROW_MAJOR, N, 1, a, b, x));
  EXPECT(report.positive == N - 1 && report.negative == 1 && report.zero == 0);
  options.method = CLGAUSS_METHOD_CHOLESKY;
  a[2 * at(CLGAUSS_ROW_MAJOR, 1, 1, LDA)] = 3;
  EXPECT_STATUS(CLGAUSS_OK, SOLVE(CLGAUSS_ROW_MAJOR, N, 1, a, b, x));
  EXPECT(report.method == CLGAUSS_METHOD_CHOLESKY);
  EXPECT(fabs(report.determinant_log10 - 0.7781512503836436) <= 1e-6);
  a[0] = 0;
  options.method = CLGAUSS_METHOD_AUTOMATIC;
  a[1] = 0;
  EXPECT_STATUS(CLGAUSS_SINGULAR, SOLVE(CLGAUSS_ROW_MAJOR, N, 1, a, b, x));
  EXPECT(report.failed_column == 1 && report.determinant_sign == 0);
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, SOLVE(CLGAUSS_ROW_MAJOR, N, 1, NULL, b, x));
  EXPECT_STATUS(CLGAUSS_OK, SOLVE(CLGAUSS_ROW_MAJOR, 0, 1, NULL, NULL, NULL));
#undef SOLVE
}

/* Bounds of moduli that hold, in both layouts; nothing is proven of a singular A. */
static void T(test_complex_certify)(clgauss_context context) {
  REAL a[2 * N * LDA], b[2 * LDB * LDB], x[2 * LDB * LDB];
  double bounds[LDB * LDB];
  for (int l = 0; l < 2; ++l) {
    const int layout = kLayouts[l];
    clgauss_certificate proof = {.struct_size = sizeof proof};
    T(fill_complex_system)(layout, a, b);
    for (size_t i = 0; i < LDB * LDB; ++i) bounds[i] = PAD;
    for (size_t i = 0; i < N; ++i)
      for (size_t j = 0; j < NRHS; ++j) {
        x[2 * at(layout, i, j, LDB)] = (REAL)(x_of(i, j) + 3. / 1024);
        x[2 * at(layout, i, j, LDB) + 1] = (REAL)(-x_of(i, j) / 2 - 1. / 256);
      }
    EXPECT_STATUS(CLGAUSS_OK,
                  Z(certify)(context, layout, N, NRHS, a, LDA, b, LDB, x, LDB, bounds, &proof));
    EXPECT(proof.proven == 1 && proof.norm_bound < 1 && proof.reason[0] == '\0');
    for (size_t i = 0; i < N; ++i)
      for (size_t j = 0; j < NRHS; ++j) {
        const double bound = bounds[at(layout, i, j, LDB)]; /* |3/1024 - 4/1024 i| */
        EXPECT(bound >= 5. / 1024 * (1 - 1e-6) && bound < 5.1 / 1024);
      }
    EXPECT(bounds[at(layout, layout == CLGAUSS_ROW_MAJOR ? 0 : N,
                     layout == CLGAUSS_ROW_MAJOR ? NRHS : 0, LDB)] == PAD);
    for (size_t j = 0; j < N; ++j)
      for (size_t part = 0; part < 2; ++part)
        a[2 * at(layout, 2, j, LDA) + part] = a[2 * at(layout, 4, j, LDA) + part];
    bounds[0] = PAD;
    EXPECT_STATUS(CLGAUSS_OK,
                  Z(certify)(context, layout, N, NRHS, a, LDA, b, LDB, x, LDB, bounds, &proof));
    EXPECT(proof.proven == 0 && proof.reason[0] != '\0' && bounds[0] == PAD);
  }
  clgauss_certificate proof = {.struct_size = sizeof proof};
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, Z(certify)(context, CLGAUSS_ROW_MAJOR, N, NRHS, NULL, LDA,
                                                     b, LDB, x, LDB, NULL, &proof));
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT, Z(certify)(context, CLGAUSS_ROW_MAJOR, N, NRHS, a, N - 1, b,
                                                  LDB, x, LDB, NULL, &proof));
}

/* The phase of a matrix with a known determinant, in both layouts; nothing of a singular one. */
static void T(test_complex_certify_det)(clgauss_context context) {
  REAL a[2 * 2 * 3] = {0, 3, 1, 0, PAD, PAD, 0, 0, 0, 2, PAD, PAD}; /* det = 3 i * 2 i = -6 */
  clgauss_det_certificate proof = {.struct_size = sizeof proof};
  for (int l = 0; l < 2; ++l) {
    EXPECT_STATUS(CLGAUSS_OK, Z(certify_det)(context, kLayouts[l], 2, a, 3, &proof));
    EXPECT(proof.proven == 1 && proof.sign == 0 && proof.reason[0] == '\0');
    EXPECT(proof.phase_bound < 1e-13 && fabs(proof.phase[0] + 1) <= proof.phase_bound);
    EXPECT(fabs(proof.phase[1]) <= proof.phase_bound && proof.norm_bound < 1);
    EXPECT(proof.log10_low <= log10(6) && proof.log10_high >= log10(6));
    EXPECT(proof.log10_high - proof.log10_low < 1e-12);
  }
  a[9] = 0;
  EXPECT_STATUS(CLGAUSS_OK, Z(certify_det)(context, CLGAUSS_ROW_MAJOR, 2, a, 3, &proof));
  EXPECT(proof.proven == 0 && proof.phase[0] == 0 && isinf(proof.phase_bound));
  EXPECT(proof.reason[0] != '\0' && isnan(proof.log10_low));
  EXPECT_STATUS(CLGAUSS_OK, Z(certify_det)(context, CLGAUSS_ROW_MAJOR, 0, NULL, 0, &proof));
  EXPECT(proof.proven == 1 && proof.phase[0] == 1 && proof.phase_bound == 0);
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                Z(certify_det)(context, CLGAUSS_ROW_MAJOR, 2, NULL, 3, &proof));
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT,
                Z(certify_det)(context, CLGAUSS_ROW_MAJOR, 2, a, 1, &proof));
}

static void T(test_complex)(clgauss_context context) {
  static const size_t kShapes[][2] = {{1, 1},    {1, 4}, {6, 6}, {70, 150},
                                      {150, 70}, {7, 3}, {5, 1}, {240, 120}};
  T(test_complex_gesv)(context);
  T(test_complex_batched)(context);
  for (size_t s = 0; s < sizeof kShapes / sizeof kShapes[0]; ++s)
    T(test_complex_getrf)(context, kShapes[s][0], kShapes[s][1]);
  T(test_complex_factors)(context, 5);
  T(test_complex_factors)(context, 290);
}
