/* Included by typed_tests.h, once for each type: factors in host memory. */

/* A, outweighed by what lies beside its diagonal, so that rows are exchanged; or symmetric. */
static double T(large)(size_t n, int symmetric, size_t i, size_t j) {
  const size_t low = i < j ? i : j, high = i < j ? j : i;
  if (symmetric) return (double)((3 * low + 5 * high) % 7) - 3 + (i == j ? 8.0 * (double)n : 0);
  return (double)((3 * i + 5 * j + i * j) % 11) - 5 + (i == (j + 1) % n ? 8.0 * (double)n : 0);
}

/* Whether the matrix is A^-1: A times it is I, by columns of A that are summed up. */
static int T(is_inverse)(int layout, int triangle, size_t n, const REAL* x, size_t ld) {
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) {
      double sum = i == j ? -1 : 0;
      for (size_t k = 0; k < n; ++k) {
        const int is_there = triangle == 0 || (triangle == CLGAUSS_LOWER ? k >= j : k <= j);
        sum += T(large)(n, triangle != 0, i, k) *
               (double)x[is_there ? at(layout, k, j, ld) : at(layout, j, k, ld)];
      }
      if (!(fabs(sum) <= 100 * (double)n * (double)EPS)) return 0;
    }
  return 1;
}

/* B = A X, or A^T X, in `b`; whether `b` is X. */
static double T(side)(size_t i, size_t c) { return (double)((i + 2 * c) % 5) - 2; }
static void T(fill_large)(int layout, size_t n, int symmetric, int transposed, REAL* a, REAL* b,
                          size_t ld) {
  for (size_t i = 0; i < n * ld; ++i) a[i] = b[i] = PAD;
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) a[at(layout, i, j, ld)] = (REAL)T(large)(n, symmetric, i, j);
    for (size_t c = 0; c < NRHS; ++c) {
      double sum = 0;
      for (size_t k = 0; k < n; ++k)
        sum += T(side)(k, c) * (transposed ? T(large)(n, 0, k, i) : T(large)(n, symmetric, i, k));
      b[at(layout, i, c, ld)] = (REAL)sum;
    }
  }
}
static int T(is_side)(int layout, size_t n, const REAL* b, size_t ld) {
  for (size_t i = 0; i < n; ++i)
    for (size_t c = 0; c < NRHS; ++c)
      if (!(fabs((double)b[at(layout, i, c, ld)] - T(side)(i, c)) <= 100 * (double)n * (double)EPS))
        return 0;
  return 1;
}

static void T(test_factors)(clgauss_context context, size_t n) {
  const size_t ld = n + 2, bytes = n * ld * sizeof(REAL);
  REAL *const a = malloc(bytes), *const b = malloc(bytes), *const was = malloc(bytes);
  int32_t* const ipiv = malloc(n * sizeof *ipiv);
  for (int l = 0; l < 2; ++l) {
    const int layout = kLayouts[l], triangles[] = {CLGAUSS_LOWER, CLGAUSS_UPPER};
    for (int trans = CLGAUSS_NO_TRANSPOSE; trans <= CLGAUSS_CONJUGATE_TRANSPOSE; ++trans) {
      T(fill_large)(layout, n, 0, trans != CLGAUSS_NO_TRANSPOSE, a, b, ld);
      EXPECT_STATUS(CLGAUSS_OK, P(gesv)(context, layout, n, 0, a, ld, ipiv, NULL, n));
      EXPECT_STATUS(CLGAUSS_OK, P(getrs_host)(context, layout, trans, n, NRHS, a, ld, ipiv, b, ld));
      EXPECT(T(is_side)(layout, n, b, ld));
      for (size_t i = 0; i < n; ++i) EXPECT(b[i * ld + n] == PAD && b[i * ld + n + 1] == PAD);
    }
    memcpy(was, a, bytes);
    EXPECT_STATUS(CLGAUSS_OK, P(getri)(context, layout, n, a, ld, ipiv));
    EXPECT(T(is_inverse)(layout, 0, n, a, ld));
    for (size_t i = 0; i < n; ++i) EXPECT(a[i * ld + n] == PAD && a[i * ld + n + 1] == PAD);

    /* A zero on U's diagonal, NaN, and a row that is none: all is as it was. */
    memcpy(a, was, bytes);
    a[2 * (ld + 1)] = a[4 * (ld + 1)] = 0;
    memcpy(was, a, bytes);
    EXPECT_STATUS(CLGAUSS_SINGULAR, P(getri)(context, layout, n, a, ld, ipiv));
    EXPECT_MESSAGE("column 3");
    EXPECT_STATUS(CLGAUSS_SINGULAR, P(getrs_host)(context, layout, CLGAUSS_NO_TRANSPOSE, n, NRHS, a,
                                                  ld, ipiv, b, ld));
    EXPECT(memcmp(a, was, bytes) == 0 && T(is_side)(layout, n, b, ld));
    a[2 * (ld + 1)] = (REAL)NAN;
    a[4 * (ld + 1)] = 1;
    memcpy(was, a, bytes);
    EXPECT_STATUS(CLGAUSS_OVERFLOW, P(getri)(context, layout, n, a, ld, ipiv));
    EXPECT_STATUS(CLGAUSS_OVERFLOW,
                  P(getrs_host)(context, layout, CLGAUSS_TRANSPOSE, n, NRHS, a, ld, ipiv, b, ld));
    for (int bad = 0; bad < 2; ++bad) {
      ipiv[1] = bad == 0 ? 0 : (int32_t)n + 1;
      EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, P(getri)(context, layout, n, a, ld, ipiv));
      EXPECT_MESSAGE("ipiv[1]");
      EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                    P(getrs_host)(context, layout, CLGAUSS_TRANSPOSE, n, NRHS, a, ld, ipiv, b, ld));
    }
    EXPECT(memcmp(a, was, bytes) == 0 && T(is_side)(layout, n, b, ld));

    for (int t = 0; t < 2; ++t) {
      const int uplo = triangles[t];
      T(fill_large)(layout, n, 1, 0, a, b, ld);
      for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < i; ++j)
          a[uplo == CLGAUSS_LOWER ? at(layout, j, i, ld) : at(layout, i, j, ld)] = 77;
      EXPECT_STATUS(CLGAUSS_OK, P(posv)(context, layout, uplo, n, 0, a, ld, NULL, n));
      memcpy(was, a, bytes);
      EXPECT_STATUS(CLGAUSS_OK, P(potrs)(context, layout, uplo, n, NRHS, a, ld, b, ld));
      EXPECT(T(is_side)(layout, n, b, ld));
      EXPECT_STATUS(CLGAUSS_OK, P(potri)(context, layout, uplo, n, a, ld));
      EXPECT(T(is_inverse)(layout, uplo, n, a, ld));
      for (size_t i = 0; i < n; ++i) {
        EXPECT(a[i * ld + n] == PAD && a[i * ld + n + 1] == PAD);
        for (size_t j = 0; j < i; ++j)
          EXPECT(a[uplo == CLGAUSS_LOWER ? at(layout, j, i, ld) : at(layout, i, j, ld)] == 77);
      }
      memcpy(a, was, bytes);
      a[3 * (ld + 1)] = 0;
      memcpy(was, a, bytes);
      EXPECT_STATUS(CLGAUSS_SINGULAR, P(potri)(context, layout, uplo, n, a, ld));
      EXPECT_MESSAGE("column 4");
      EXPECT_STATUS(CLGAUSS_SINGULAR, P(potrs)(context, layout, uplo, n, NRHS, a, ld, b, ld));
      EXPECT(memcmp(a, was, bytes) == 0 && T(is_side)(layout, n, b, ld));
    }
  }
  free(a), free(b), free(was), free(ipiv);
}

/* ||A||_1 or, transposed, ||A||_inf of a row-major matrix without gaps. */
static double T(norm)(size_t n, int transposed, const double* a) {
  double norm = 0;
  for (size_t j = 0; j < n; ++j) {
    double sum = 0;
    for (size_t i = 0; i < n; ++i) sum += fabs(transposed ? a[j * n + i] : a[i * n + j]);
    norm = fmax(norm, sum);
  }
  return norm;
}

/* The functions of real numbers, or with two `parts` those of complex ones. */
static clgauss_status T(gesv_of)(size_t parts, clgauss_context context, int layout, size_t n,
                                 REAL* a, size_t ld, int32_t* ipiv) {
  return parts == 1 ? P(gesv)(context, layout, n, 0, a, ld, ipiv, NULL, n)
                    : Z(gesv)(context, layout, n, 0, a, ld, ipiv, NULL, n);
}
static clgauss_status T(getri_of)(size_t parts, clgauss_context context, int layout, size_t n,
                                  REAL* a, size_t ld, const int32_t* ipiv) {
  return parts == 1 ? P(getri)(context, layout, n, a, ld, ipiv)
                    : Z(getri)(context, layout, n, a, ld, ipiv);
}
static clgauss_status T(gecon_of)(size_t parts, clgauss_context context, int layout, int norm,
                                  size_t n, const REAL* a, size_t ld, double anorm, double* rcond) {
  return parts == 1 ? P(gecon_host)(context, layout, norm, n, a, ld, anorm, rcond)
                    : Z(gecon_host)(context, layout, norm, n, a, ld, anorm, rcond);
}

/* The moduli of a matrix, row by row without gaps. */
static void T(moduli)(size_t parts, int layout, size_t n, const REAL* a, size_t ld,
                      double* moduli) {
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) {
      const REAL* const number = a + parts * at(layout, i, j, ld);
      moduli[i * n + j] = hypot((double)number[0], parts == 1 ? 0 : (double)number[1]);
    }
}

/* rcond of the graded matrix whose row i is divided by 1 + 3 i, against its inverse. */
static void T(test_gecon_of)(size_t parts, clgauss_context context, size_t n) {
  const size_t ld = n + 2, bytes = parts * n * ld * sizeof(REAL), last = parts * (n - 1) * (ld + 1);
  REAL *const a = malloc(bytes), *const x = malloc(bytes);
  double *const full = malloc(n * n * sizeof *full), *const inverse = malloc(n * n * sizeof *full);
  int32_t* const ipiv = malloc(n * sizeof *ipiv);
  for (int l = 0; l < 2; ++l) {
    const int layout = kLayouts[l];
    double rcond = PAD;
#define GECON(layout, norm, n, a, ld, anorm, rcond) \
  T(gecon_of)(parts, context, layout, norm, n, a, ld, anorm, rcond)
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j)
        for (size_t part = 0; part < parts; ++part)
          a[parts * at(layout, i, j, ld) + part] =
              (REAL)((part == 0 ? T(large)(n, 0, i, j) : (double)((7 * i + 4 * j) % 9) - 4) /
                     (double)(1 + 3 * i));
    T(moduli)(parts, layout, n, a, ld, full);
    EXPECT_STATUS(CLGAUSS_OK, T(gesv_of)(parts, context, layout, n, a, ld, ipiv));
    memcpy(x, a, bytes);
    EXPECT_STATUS(CLGAUSS_OK, T(getri_of)(parts, context, layout, n, x, ld, ipiv));
    T(moduli)(parts, layout, n, x, ld, inverse);
    for (int infinite = 0; infinite < 2; ++infinite) {
      const int norm = infinite ? CLGAUSS_INF_NORM : CLGAUSS_ONE_NORM;
      const double anorm = T(norm)(n, infinite, full),
                   right = 1 / (anorm * T(norm)(n, infinite, inverse));
      EXPECT_STATUS(CLGAUSS_OK, GECON(layout, norm, n, a, ld, anorm, &rcond));
      EXPECT(rcond >= 0.99 * right && rcond <= 3 * right);
    }
    /* Factors that are singular, or none. */
    REAL was[2] = {0, 0};
    memcpy(was, a + last, parts * sizeof *was);
    memset(a + last, 0, parts * sizeof *a);
    EXPECT_STATUS(CLGAUSS_OK, GECON(layout, CLGAUSS_ONE_NORM, n, a, ld, 1, &rcond));
    EXPECT(rcond == 0);
    rcond = PAD;
    a[last + parts - 1] = (REAL)NAN;
    EXPECT_STATUS(CLGAUSS_OVERFLOW, GECON(layout, CLGAUSS_INF_NORM, n, a, ld, 1, &rcond));
    a[last + parts - 1] = (REAL)INFINITY;
    EXPECT_STATUS(CLGAUSS_OVERFLOW, GECON(layout, CLGAUSS_ONE_NORM, n, a, ld, 1, &rcond));
    memcpy(a + last, was, parts * sizeof *was);
    EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, GECON(layout, '1', n, a, ld, 1, &rcond));
    EXPECT_MESSAGE("norm");
    EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, GECON(layout, CLGAUSS_ONE_NORM, n, a, ld, -1, &rcond));
    EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, GECON(layout, CLGAUSS_ONE_NORM, n, a, ld, NAN, &rcond));
    EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, GECON(layout, CLGAUSS_ONE_NORM, n, a, ld, 1, NULL));
    EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                  GECON(layout, CLGAUSS_ONE_NORM, n, NULL, ld, 1, &rcond));
    EXPECT_STATUS(CLGAUSS_INVALID_INPUT, GECON(layout, CLGAUSS_ONE_NORM, n, a, n - 1, 1, &rcond));
    EXPECT_STATUS(CLGAUSS_INVALID_HANDLE,
                  T(gecon_of)(parts, NULL, layout, CLGAUSS_ONE_NORM, n, a, ld, 1, &rcond));
    EXPECT(rcond == PAD);
    EXPECT_STATUS(CLGAUSS_OK, GECON(layout, CLGAUSS_ONE_NORM, n, a, ld, 0, &rcond));
    EXPECT(rcond == 0);
    EXPECT_STATUS(CLGAUSS_OK, GECON(layout, CLGAUSS_ONE_NORM, 0, NULL, 0, 1, &rcond));
    EXPECT(rcond == 1);
#undef GECON
  }
  free(a), free(x), free(full), free(inverse), free(ipiv);
}

static void T(test_gecon)(clgauss_context context) {
  for (size_t parts = 1; parts <= 2; ++parts) {
    T(test_gecon_of)(parts, context, 2);
    T(test_gecon_of)(parts, context, 150);
  }
}

/* P A = L U by L times U, with pivots that are the largest of their columns. */
static void T(test_rectangular)(clgauss_context context, size_t m, size_t n) {
  const size_t steps = m < n ? m : n, zero = steps / 2;
  REAL* const a = malloc((m + n) * (m + n) * sizeof *a);
  double* const pa = malloc(m * n * sizeof *pa);
  int32_t* const ipiv = malloc(steps * sizeof *ipiv);
  for (int l = 0; l < 2; ++l)
    for (int singular = 0; singular < 2; ++singular) {
      const int layout = kLayouts[l];
      const size_t ld = (layout == CLGAUSS_ROW_MAJOR ? n : m) + 1;
      for (size_t i = 0; i < (m + n) * (m + n); ++i) a[i] = PAD;
      for (size_t i = 0; i < m; ++i)
        for (size_t j = 0; j < n; ++j) { /* the pivots are those of rows half-way down */
          pa[i * n + j] = singular && j == zero ? 0 : T(large)(m, 0, (i + m / 2) % m, j);
          a[at(layout, i, j, ld)] = (REAL)pa[i * n + j];
        }
      EXPECT_STATUS(singular ? CLGAUSS_SINGULAR : CLGAUSS_OK,
                    P(getrf_host)(context, layout, m, n, a, ld, ipiv));
      double worst = 0, largest = 0;
      for (size_t k = 0; k < steps; ++k) {
        EXPECT(ipiv[k] > (int32_t)k && ipiv[k] <= (int32_t)m);
        for (size_t j = 0; j < n; ++j) {
          const size_t row = (size_t)ipiv[k] - 1;
          const double swapped = pa[k * n + j];
          pa[k * n + j] = pa[row * n + j];
          pa[row * n + j] = swapped;
        }
      }
      for (size_t i = 0; i < m; ++i)
        for (size_t j = 0; j < n; ++j) {
          double sum = 0;
          for (size_t k = 0; k <= i && k <= j; ++k)
            sum += (k == i ? 1 : (double)a[at(layout, i, k, ld)]) * (double)a[at(layout, k, j, ld)];
          worst = fmax(worst, fabs(sum - pa[i * n + j]));
          if (i > j) largest = fmax(largest, fabs((double)a[at(layout, i, j, ld)]));
        }
      EXPECT(worst <= 100 * (double)(m * n) * (double)EPS);
      EXPECT(largest <= 1 + 4 * (double)EPS);
      if (singular) EXPECT(a[at(layout, zero, zero, ld)] == 0);
      for (size_t line = 0; line < (layout == CLGAUSS_ROW_MAJOR ? m : n); ++line)
        EXPECT(a[line * ld + ld - 1] == PAD);
      /* NaN in the last number: nothing is written. */
      a[at(layout, m - 1, n - 1, ld)] = (REAL)NAN;
      const REAL first = a[0];
      ipiv[0] = PAD;
      EXPECT(P(getrf_host)(context, layout, m, n, a, ld, ipiv) != CLGAUSS_OK);
      EXPECT(a[0] == first && ipiv[0] == PAD);
    }
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                P(getrf_host)(context, CLGAUSS_ROW_MAJOR, m, n, a, n, NULL));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                P(getrf_host)(context, CLGAUSS_ROW_MAJOR, m, n, NULL, n, ipiv));
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT,
                P(getrf_host)(context, CLGAUSS_ROW_MAJOR, m, n, a, n - 1, ipiv));
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT,
                P(getrf_host)(context, CLGAUSS_ROW_MAJOR, (size_t)1 << 31U, n, a, n, ipiv));
  const size_t too_many = ((size_t)1 << (TYPE == CLGAUSS_F32 ? 24U : 30U)) + 1;
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT,
                P(getrf_host)(context, CLGAUSS_COLUMN_MAJOR, too_many, 1, a, too_many, ipiv));
  EXPECT_MESSAGE("rows");
  EXPECT_STATUS(CLGAUSS_INVALID_HANDLE, P(getrf_host)(NULL, CLGAUSS_ROW_MAJOR, m, n, a, n, ipiv));
  EXPECT_STATUS(CLGAUSS_OK, P(getrf_host)(context, CLGAUSS_ROW_MAJOR, 0, n, NULL, n, NULL));
  EXPECT_STATUS(CLGAUSS_OK, P(getrf_host)(context, CLGAUSS_ROW_MAJOR, m, 0, NULL, 0, NULL));
  free(a), free(pa), free(ipiv);
}

static void T(test_rectangular_shapes)(clgauss_context context) {
  static const size_t kShapes[][2] = {{1, 4},   {6, 6},     {70, 200}, {2, 1},
                                      {200, 1}, {200, 199}, {150, 70}, {700, 290}};
  for (size_t s = 0; s < sizeof kShapes / sizeof kShapes[0]; ++s)
    T(test_rectangular)(context, kShapes[s][0], kShapes[s][1]);
}

static void T(test_bad_factors)(clgauss_context context) {
  REAL a[N * LDA], b[LDB * LDB];
  int32_t ipiv[N] = {1, 2, 3, 4, 5, 6, 7};
  const size_t huge = (size_t)-1 / 4;
  T(fill)(CLGAUSS_ROW_MAJOR, a, b, 0);
#define GETRS_HOST(layout, trans, n, nrhs, a, lda, ipiv, b, ldb) \
  P(getrs_host)(context, layout, trans, n, nrhs, a, lda, ipiv, b, ldb)
  EXPECT_STATUS(CLGAUSS_INVALID_HANDLE, P(getri)(NULL, 101, N, a, LDA, ipiv));
  EXPECT_STATUS(CLGAUSS_INVALID_HANDLE, P(potri)(NULL, 101, CLGAUSS_LOWER, N, a, LDA));
  EXPECT_STATUS(CLGAUSS_INVALID_HANDLE, P(potrs)(NULL, 101, CLGAUSS_LOWER, N, 1, a, LDA, b, LDB));
  EXPECT_STATUS(CLGAUSS_INVALID_HANDLE,
                P(getrs_host)(NULL, 101, CLGAUSS_TRANSPOSE, N, 1, a, LDA, ipiv, b, LDB));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, GETRS_HOST(101, 1, N, 1, a, LDA, ipiv, b, LDB));
  EXPECT_MESSAGE("trans");
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, GETRS_HOST(0, 111, N, 1, a, LDA, ipiv, b, LDB));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, GETRS_HOST(101, 111, N, 1, NULL, LDA, ipiv, b, LDB));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, GETRS_HOST(101, 111, N, 1, a, LDA, NULL, b, LDB));
  EXPECT_MESSAGE("ipiv is NULL");
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, GETRS_HOST(101, 111, N, 1, a, LDA, ipiv, NULL, LDB));
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT, GETRS_HOST(101, 111, N, 1, a, N - 1, ipiv, b, LDB));
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT, GETRS_HOST(102, 111, N, 1, a, LDA, ipiv, b, N - 1));
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT, GETRS_HOST(101, 111, huge, 1, a, huge, ipiv, b, LDB));
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT, GETRS_HOST(101, 111, N, huge, a, LDA, ipiv, b, huge));
  EXPECT_STATUS(CLGAUSS_OK, GETRS_HOST(101, 111, N, 0, a, LDA, ipiv, NULL, 0));
  EXPECT_STATUS(CLGAUSS_OK, GETRS_HOST(102, 112, 0, 1, NULL, 0, NULL, NULL, 0));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, P(getri)(context, 101, N, NULL, LDA, ipiv));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, P(getri)(context, 101, N, a, LDA, NULL));
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT, P(getri)(context, 101, N, a, N - 1, ipiv));
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT, P(getri)(context, 101, huge, a, huge, ipiv));
  EXPECT_STATUS(CLGAUSS_OK, P(getri)(context, 101, 0, NULL, 0, NULL));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, P(potri)(context, 101, 'L', N, a, LDA));
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT, P(potri)(context, 101, CLGAUSS_LOWER, N, a, N - 1));
  EXPECT_STATUS(CLGAUSS_OK, P(potri)(context, 101, CLGAUSS_LOWER, 0, NULL, 0));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, P(potrs)(context, 101, 'U', N, 1, a, LDA, b, LDB));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                P(potrs)(context, 101, CLGAUSS_UPPER, N, 1, a, LDA, NULL, LDB));
  EXPECT_STATUS(CLGAUSS_OK, P(potrs)(context, 101, CLGAUSS_UPPER, N, 0, a, LDA, NULL, 0));
}
