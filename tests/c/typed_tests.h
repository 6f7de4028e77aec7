/* Included by c_test.c, once for each type. */

static void T(fill)(int layout, REAL* a, REAL* b, int transposed) {
  for (size_t i = 0; i < N * LDA; ++i) a[i] = PAD;
  for (size_t i = 0; i < LDB * LDB; ++i) b[i] = PAD;
  for (size_t i = 0; i < N; ++i) {
    for (size_t j = 0; j < N; ++j) a[at(layout, i, j, LDA)] = (REAL)a_of(i, j);
    for (size_t j = 0; j < NRHS; ++j) b[at(layout, i, j, LDB)] = (REAL)b_of(transposed, i, j);
  }
}

/* B is X, and what lies between its rows or columns is as it was. */
static void T(expect_answer)(int line, int layout, const REAL* b) {
  int wrong = 0, touched = 0;
  for (size_t i = 0; i < LDB; ++i)
    for (size_t j = 0; j < LDB; ++j) {
      const REAL value = b[at(layout, i, j, LDB)];
      if (i < N && j < NRHS)
        wrong += fabs((double)value - x_of(i, j)) <= 200 * (double)EPS ? 0 : 1;
      else
        touched += value != PAD;
    }
  if (wrong > 0) fail_at(line, "wrong numbers", clgauss_last_error());
  if (touched > 0) fail_at(line, "the padding of B was written", "");
}
#define EXPECT_ANSWER(layout, b) T(expect_answer)(__LINE__, layout, b)

/* P A = L U for what gesv left in `lu` and ipiv, in either layout. */
static void T(expect_factors)(int line, int layout, const REAL* lu, const int32_t* ipiv) {
  double pa[N][N];
  for (size_t i = 0; i < N; ++i)
    for (size_t j = 0; j < N; ++j) pa[i][j] = a_of(i, j);
  for (size_t k = 0; k < N; ++k) {
    if (ipiv[k] < (int32_t)k + 1 || ipiv[k] > N) {
      fail_at(line, "a pivot is out of range", "");
      return;
    }
    for (size_t j = 0; j < N; ++j) {
      const double swapped = pa[k][j];
      pa[k][j] = pa[ipiv[k] - 1][j];
      pa[ipiv[k] - 1][j] = swapped;
    }
  }
  for (size_t i = 0; i < N; ++i)
    for (size_t j = 0; j < N; ++j) {
      double sum = 0;
      for (size_t k = 0; k <= i && k <= j; ++k)
        sum += (k == i ? 1 : (double)lu[at(layout, i, k, LDA)]) * (double)lu[at(layout, k, j, LDA)];
      if (!(fabs(sum - pa[i][j]) <= 200 * (double)EPS)) {
        fail_at(line, "P A is not L U", "");
        return;
      }
    }
  for (size_t i = 0; i < N; ++i)
    if (lu[i * LDA + N] != PAD) fail_at(line, "the padding of A was written", "");
}

/* A symmetric A whose diagonal outweighs its rows, of which one triangle is there, and B = A X. */
static void T(fill_spd)(int layout, int uplo, REAL* a, REAL* b) {
  T(fill)(layout, a, b, 0);
  for (size_t i = 0; i < N; ++i) {
    for (size_t j = 0; j < N; ++j)
      a[at(layout, i, j, LDA)] =
          (REAL)((uplo == CLGAUSS_LOWER ? j <= i : j >= i) ? spd_of(i, j) : 77);
    for (size_t c = 0; c < NRHS; ++c) {
      double sum = 0;
      for (size_t j = 0; j < N; ++j) sum += spd_of(i, j) * x_of(j, c);
      b[at(layout, i, c, LDB)] = (REAL)sum;
    }
  }
}

static void T(test_posv)(clgauss_context context) {
  REAL a[N * LDA], b[LDB * LDB];
  const int triangles[] = {CLGAUSS_LOWER, CLGAUSS_UPPER};
  for (int l = 0; l < 2; ++l)
    for (int t = 0; t < 2; ++t) {
      const int layout = kLayouts[l], uplo = triangles[t];
      T(fill_spd)(layout, uplo, a, b);
      EXPECT_STATUS(CLGAUSS_OK, P(posv)(context, layout, uplo, N, NRHS, a, LDA, b, LDB));
      EXPECT_ANSWER(layout, b);
      for (size_t i = 0; i < N; ++i)
        for (size_t j = 0; j < N; ++j) {
          if (uplo == CLGAUSS_LOWER ? j > i : j < i) {
            EXPECT(a[at(layout, i, j, LDA)] == 77);
            continue;
          }
          double sum = 0; /* L L^T or R^T R */
          for (size_t k = 0; k <= i && k <= j; ++k)
            sum += uplo == CLGAUSS_LOWER
                       ? (double)a[at(layout, i, k, LDA)] * (double)a[at(layout, j, k, LDA)]
                       : (double)a[at(layout, k, i, LDA)] * (double)a[at(layout, k, j, LDA)];
          EXPECT(fabs(sum - spd_of(i, j)) <= 200 * N * (double)EPS);
        }
      T(fill_spd)(layout, uplo, a, b);
      a[at(layout, 2, 2, LDA)] = -1;
      const REAL first = b[0];
      EXPECT_STATUS(CLGAUSS_SINGULAR, P(posv)(context, layout, uplo, N, NRHS, a, LDA, b, LDB));
      EXPECT_MESSAGE("column 3");
      EXPECT(b[0] == first && a[at(layout, 2, 2, LDA)] == -1);
    }
  EXPECT_STATUS(CLGAUSS_OK,
                P(posv)(context, CLGAUSS_ROW_MAJOR, CLGAUSS_LOWER, 0, 1, NULL, 1, NULL, 1));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                P(posv)(context, CLGAUSS_ROW_MAJOR, 'L', N, NRHS, a, LDA, b, LDB));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                P(posv)(context, CLGAUSS_ROW_MAJOR, CLGAUSS_LOWER, N, 1, NULL, LDA, b, LDB));
}

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
    for (int trans = CLGAUSS_NO_TRANSPOSE; trans <= CLGAUSS_TRANSPOSE; ++trans) {
      T(fill_large)(layout, n, 0, trans == CLGAUSS_TRANSPOSE, a, b, ld);
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

/* A of few rows, the same columns shifted: P A = L U, by L times U. */
static void T(test_wide)(clgauss_context context, size_t m, size_t n) {
  REAL* const a = malloc((m + n) * (m + n) * sizeof *a);
  double* const pa = malloc(m * n * sizeof *pa);
  int32_t* const ipiv = malloc(m * sizeof *ipiv);
  for (int l = 0; l < 2; ++l)
    for (int singular = 0; singular < 2; ++singular) {
      const int layout = kLayouts[l];
      const size_t ld = (layout == CLGAUSS_ROW_MAJOR ? n : m) + 1, zero = m / 2;
      for (size_t i = 0; i < (m + n) * (m + n); ++i) a[i] = PAD;
      for (size_t i = 0; i < m; ++i)
        for (size_t j = 0; j < n; ++j) {
          pa[i * n + j] = singular && j == zero ? 0 : T(large)(m, 0, i, j);
          a[at(layout, i, j, ld)] = (REAL)pa[i * n + j];
        }
      EXPECT_STATUS(singular ? CLGAUSS_SINGULAR : CLGAUSS_OK,
                    P(getrf_host)(context, layout, m, n, a, ld, ipiv));
      double worst = 0;
      for (size_t k = 0; k < m; ++k) {
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
        }
      EXPECT(worst <= 100 * (double)(m * n) * (double)EPS);
      if (singular) EXPECT(a[at(layout, zero, zero, ld)] == 0);
      for (size_t line = 0; line < (layout == CLGAUSS_ROW_MAJOR ? m : n); ++line)
        EXPECT(a[line * ld + ld - 1] == PAD);
      /* NaN in what is solved for alone: nothing is written. */
      a[at(layout, 0, n - 1, ld)] = (REAL)NAN;
      const REAL first = a[0];
      ipiv[0] = PAD;
      EXPECT(P(getrf_host)(context, layout, m, n, a, ld, ipiv) != CLGAUSS_OK);
      EXPECT(m == n || (a[0] == first && ipiv[0] == PAD));
    }
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT,
                P(getrf_host)(context, CLGAUSS_ROW_MAJOR, m + 1, m, a, n, ipiv));
  EXPECT_MESSAGE("rows");
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                P(getrf_host)(context, CLGAUSS_ROW_MAJOR, m, n, a, n, NULL));
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT,
                P(getrf_host)(context, CLGAUSS_ROW_MAJOR, m, n, a, n - 1, ipiv));
  EXPECT_STATUS(CLGAUSS_INVALID_HANDLE, P(getrf_host)(NULL, CLGAUSS_ROW_MAJOR, m, n, a, n, ipiv));
  EXPECT_STATUS(CLGAUSS_OK, P(getrf_host)(context, CLGAUSS_ROW_MAJOR, 0, n, NULL, n, NULL));
  free(a), free(pa), free(ipiv);
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

/* The first N - 2 columns of A, with an x that makes b, and its transpose. */
static void T(test_gels)(clgauss_context context) {
  enum { SHORT = N - 2 };
  REAL a[N * LDA], b[LDB * LDB];
  for (int l = 0; l < 2; ++l)
    for (int wide = 0; wide < 2; ++wide) {
      const int layout = kLayouts[l];
      const size_t m = wide ? SHORT : N, n = wide ? N : SHORT;
      T(fill)(layout, a, b, 0);
      for (size_t c = 0; c < NRHS; ++c)
        for (size_t i = 0; i < m; ++i) {
          double sum = 0;
          for (size_t j = 0; j < n; ++j) sum += (double)a[at(layout, i, j, LDA)] * x_of(j, c);
          b[at(layout, i, c, LDB)] = (REAL)sum;
        }
      EXPECT_STATUS(CLGAUSS_OK, P(gels)(context, layout, m, n, NRHS, a, LDA, b, LDB));
      for (size_t c = 0; c < NRHS; ++c)
        for (size_t i = 0; i < m; ++i) { /* A x = b, or x is the one that was */
          double sum = 0;
          for (size_t j = 0; j < n; ++j)
            sum +=
                (double)a[at(layout, i, j, LDA)] * ((double)b[at(layout, j, c, LDB)] - x_of(j, c));
          EXPECT(fabs(sum) <= 2000 * N * (double)EPS);
          if (!wide && i < n)
            EXPECT(fabs((double)b[at(layout, i, c, LDB)] - x_of(i, c)) <= 20000 * N * (double)EPS);
        }
    }
  for (size_t i = 0; i < N; ++i)
    a[at(CLGAUSS_ROW_MAJOR, i, 1, LDA)] = a[at(CLGAUSS_ROW_MAJOR, i, 0, LDA)];
  EXPECT_STATUS(CLGAUSS_SINGULAR, P(gels)(context, CLGAUSS_ROW_MAJOR, N, 2, NRHS, a, LDA, b, LDB));
  EXPECT_MESSAGE("rank 1");
  EXPECT_STATUS(CLGAUSS_OK, P(gels)(context, CLGAUSS_ROW_MAJOR, 0, 0, 1, NULL, 1, NULL, 1));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                P(gels)(context, CLGAUSS_ROW_MAJOR, N, 2, 1, NULL, LDA, b, LDB));
}

static double T(complex_a)(size_t i, size_t j, int imaginary) {
  return imaginary ? (double)((i * 5 + j * j) % 7) - 3
                   : (double)((i * 7 + j * 3) % 11) - (i == j && i > 0 ? N * 8 : 0);
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
      for (size_t i = 0; i < 2 * N * LDA; ++i) a[i] = PAD;
      for (size_t i = 0; i < N; ++i)
        for (size_t j = 0; j < N; ++j)
          for (int part = 0; part < 2; ++part)
            a[2 * at(layout, i, j, LDA) + (size_t)part] = (REAL)T(complex_a)(i, j, part);
      for (size_t c = 0; c < NRHS; ++c)
        for (size_t i = 0; i < N; ++i) {
          double re = 0, im = 0;
          for (size_t j = 0; j < N; ++j) { /* x = x_of - i x_of / 2 */
            const double ar = T(complex_a)(i, j, 0), ai = T(complex_a)(i, j, 1), x = x_of(j, c);
            re += x * (ar + ai / 2);
            im += x * (ai - ar / 2);
          }
          b[2 * at(layout, i, c, LDB)] = (REAL)re;
          b[2 * at(layout, i, c, LDB) + 1] = (REAL)im;
        }
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

/* The same with a report: A, B with padding, which stay as they are, and X apart. */
static void T(test_complex_solve)(clgauss_context context) {
  REAL a[2 * N * LDA], b[2 * LDB * LDB], x[2 * LDB * LDB], kept_a[2 * N * LDA];
  clgauss_solve_options options = {.struct_size = sizeof options, .trust = 1, .determinant = 1};
  clgauss_report report = {.struct_size = sizeof report};
#define SOLVE(layout, n, nrhs, a, b, x) \
  Z(solve)(context, layout, n, nrhs, a, LDA, b, LDB, x, LDB, &options, &report)
  for (int l = 0; l < 2; ++l) {
    const int layout = kLayouts[l];
    for (size_t i = 0; i < 2 * N * LDA; ++i) a[i] = PAD;
    for (size_t i = 0; i < 2 * LDB * LDB; ++i) x[i] = PAD;
    for (size_t i = 0; i < N; ++i)
      for (size_t j = 0; j < N; ++j)
        for (int part = 0; part < 2; ++part)
          a[2 * at(layout, i, j, LDA) + (size_t)part] = (REAL)T(complex_a)(i, j, part);
    for (size_t c = 0; c < NRHS; ++c)
      for (size_t i = 0; i < N; ++i) {
        double re = 0, im = 0;
        for (size_t j = 0; j < N; ++j) {
          re += x_of(j, c) * (T(complex_a)(i, j, 0) + T(complex_a)(i, j, 1) / 2);
          im += x_of(j, c) * (T(complex_a)(i, j, 1) - T(complex_a)(i, j, 0) / 2);
        }
        b[2 * at(layout, i, c, LDB)] = (REAL)re;
        b[2 * at(layout, i, c, LDB) + 1] = (REAL)im;
      }
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
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, SOLVE(CLGAUSS_ROW_MAJOR, N, 1, a, b, x));
  EXPECT_MESSAGE("lu and mixed");
  options.method = CLGAUSS_METHOD_AUTOMATIC;
  a[1] = 0;
  EXPECT_STATUS(CLGAUSS_SINGULAR, SOLVE(CLGAUSS_ROW_MAJOR, N, 1, a, b, x));
  EXPECT(report.failed_column == 1 && report.determinant_sign == 0);
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, SOLVE(CLGAUSS_ROW_MAJOR, N, 1, NULL, b, x));
  EXPECT_STATUS(CLGAUSS_OK, SOLVE(CLGAUSS_ROW_MAJOR, 0, 1, NULL, NULL, NULL));
#undef SOLVE
}

static void T(test_host)(clgauss_context context) {
  REAL a[N * LDA], b[LDB * LDB];
  int32_t ipiv[N];
  for (int l = 0; l < 2; ++l) {
    const int layout = kLayouts[l];
    T(fill)(layout, a, b, 0);
    EXPECT_STATUS(CLGAUSS_OK, P(gesv)(context, layout, N, NRHS, a, LDA, ipiv, b, LDB));
    EXPECT_ANSWER(layout, b);
    T(expect_factors)(__LINE__, layout, a, ipiv);

    /* LAPACK's way with nrhs = 0: factors alone. */
    T(fill)(layout, a, b, 0);
    EXPECT_STATUS(CLGAUSS_OK, P(gesv)(context, layout, N, 0, a, LDA, ipiv, NULL, 0));
    T(expect_factors)(__LINE__, layout, a, ipiv);

    T(fill)(layout, a, b, 0);
    EXPECT_STATUS(CLGAUSS_OK,
                  P(solve)(context, layout, N, NRHS, a, LDA, b, LDB, b, LDB, NULL, NULL));
    EXPECT_ANSWER(layout, b);

    double norm = 0, wanted = 0, rcond = -1;
    EXPECT_STATUS(CLGAUSS_OK, P(norm1)(layout, N, N, a, LDA, &norm));
    for (size_t j = 0; j < N; ++j) {
      double sum = 0;
      for (size_t i = 0; i < N; ++i) sum += fabs(a_of(i, j));
      wanted = sum > wanted ? sum : wanted;
    }
    EXPECT(norm == wanted);

    clgauss_lu lu = NULL;
    int32_t pivots[N];
    size_t column = 99;
    EXPECT_STATUS(CLGAUSS_OK, clgauss_lu_create(context, TYPE, N, &lu));
    EXPECT_STATUS(CLGAUSS_OK, P(getrf)(lu, layout, a, LDA));
    EXPECT_STATUS(CLGAUSS_OK, clgauss_lu_failed_column(lu, &column));
    EXPECT(column == 0);
    EXPECT_STATUS(CLGAUSS_OK, clgauss_lu_pivots(lu, pivots));
    EXPECT(memcmp(pivots, ipiv, sizeof pivots) == 0);
    EXPECT_STATUS(CLGAUSS_OK, clgauss_lu_rcond(lu, norm, &rcond));
    EXPECT(rcond > 0.001 && rcond < 1);
    for (int transposed = 0; transposed < 2; ++transposed)
      for (int b_layout = 0; b_layout < 2; ++b_layout) { /* need not be A's */
        T(fill)(kLayouts[b_layout], a, b, transposed);
        EXPECT_STATUS(CLGAUSS_OK, P(getrs)(lu, kLayouts[b_layout],
                                           transposed ? CLGAUSS_TRANSPOSE : CLGAUSS_NO_TRANSPOSE,
                                           NRHS, b, LDB));
        EXPECT_ANSWER(kLayouts[b_layout], b);
      }

    /* Column 3 is zero. */
    T(fill)(layout, a, b, 0);
    for (size_t i = 0; i < N; ++i) a[at(layout, i, 2, LDA)] = 0;
    const REAL first = b[0];
    EXPECT_STATUS(CLGAUSS_OK, P(getrf)(lu, layout, a, LDA));
    EXPECT_STATUS(CLGAUSS_OK, clgauss_lu_failed_column(lu, &column));
    EXPECT(column == 3);
    EXPECT_STATUS(CLGAUSS_SINGULAR, P(getrs)(lu, layout, CLGAUSS_NO_TRANSPOSE, NRHS, b, LDB));
    EXPECT(b[0] == first);
    EXPECT_STATUS(CLGAUSS_OK, clgauss_lu_rcond(lu, norm, &rcond));
    EXPECT(rcond == 0);
    EXPECT_STATUS(CLGAUSS_SINGULAR, P(gesv)(context, layout, N, NRHS, a, LDA, ipiv, b, LDB));
    EXPECT_MESSAGE("column 3");
    EXPECT(b[0] == first);
    clgauss_report report = {.struct_size = sizeof report};
    T(fill)(layout, a, b, 0);
    for (size_t i = 0; i < N; ++i) a[at(layout, i, 2, LDA)] = 0;
    EXPECT_STATUS(CLGAUSS_SINGULAR,
                  P(solve)(context, layout, N, NRHS, a, LDA, b, LDB, b, LDB, NULL, &report));
    EXPECT(report.failed_column == 3 && b[0] == first);
    EXPECT_STATUS(CLGAUSS_OK, clgauss_lu_destroy(lu));
  }
}

static void T(test_bad_host)(clgauss_context context) {
  REAL a[N * LDA], b[LDB * LDB];
  OTHER_REAL other[1] = {1};
  int32_t ipiv[N];
  double norm;
  clgauss_lu lu = NULL;
  const size_t huge = (size_t)-1 / 4;
  T(fill)(CLGAUSS_ROW_MAJOR, a, b, 0);
#define GESV(layout, n, nrhs, a, lda, ipiv, b, ldb) \
  P(gesv)(context, layout, n, nrhs, a, lda, ipiv, b, ldb)
  EXPECT_STATUS(CLGAUSS_INVALID_HANDLE,
                P(gesv)(NULL, CLGAUSS_ROW_MAJOR, N, 1, a, LDA, ipiv, b, LDB));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, GESV(0, N, 1, a, LDA, ipiv, b, LDB));
  EXPECT_MESSAGE("layout");
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, GESV(101, N, 1, NULL, LDA, ipiv, b, LDB));
  EXPECT_MESSAGE("A is NULL");
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, GESV(101, N, 1, a, LDA, NULL, b, LDB));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, GESV(101, N, 1, a, LDA, ipiv, NULL, LDB));
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT, GESV(101, N, 1, a, N - 1, ipiv, b, LDB));
  EXPECT_MESSAGE("leading dimension");
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT, GESV(102, N, 1, a, LDA, ipiv, b, N - 1));
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT, GESV(101, N, NRHS, a, LDA, ipiv, b, NRHS - 1));
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT, GESV(101, huge, 1, a, huge, ipiv, b, 1));
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT, GESV(101, N, huge, a, LDA, ipiv, b, huge));
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT, GESV(101, N, 1, a, huge, ipiv, b, 1));
  EXPECT_STATUS(CLGAUSS_OUT_OF_MEMORY, GESV(101, 1u << 24, 1, a, 1u << 24, ipiv, b, 1));
  EXPECT_STATUS(CLGAUSS_OK, GESV(101, 0, 1, NULL, 0, NULL, NULL, 1));
  EXPECT_STATUS(CLGAUSS_OK, GESV(102, 0, 0, NULL, 0, NULL, NULL, 0));

#define SOLVE_HOST(layout, n, nrhs, a, lda, b, ldb, x, ldx) \
  P(solve)(context, layout, n, nrhs, a, lda, b, ldb, x, ldx, NULL, NULL)
  EXPECT_STATUS(CLGAUSS_INVALID_HANDLE,
                P(solve)(NULL, CLGAUSS_ROW_MAJOR, N, 1, a, LDA, b, LDB, b, LDB, NULL, NULL));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, SOLVE_HOST(7, N, 1, a, LDA, b, LDB, b, LDB));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, SOLVE_HOST(101, N, 1, NULL, LDA, b, LDB, b, LDB));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, SOLVE_HOST(101, N, 1, a, LDA, NULL, LDB, b, LDB));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, SOLVE_HOST(101, N, 1, a, LDA, b, LDB, NULL, LDB));
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT, SOLVE_HOST(101, N, 1, a, 0, b, LDB, b, LDB));
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT, SOLVE_HOST(101, N, 2, a, LDA, b, LDB, b, 1));
  EXPECT_STATUS(CLGAUSS_OUT_OF_MEMORY, SOLVE_HOST(101, 1u << 24, 1, a, 1u << 24, b, LDB, b, LDB));
  EXPECT_STATUS(CLGAUSS_OK, SOLVE_HOST(101, 0, 1, NULL, 0, NULL, 1, NULL, 1));
  EXPECT_STATUS(CLGAUSS_OK, SOLVE_HOST(101, N, 0, a, LDA, NULL, 0, NULL, 0));
  T(fill)(CLGAUSS_ROW_MAJOR, a, b, 0);
  a[LDA + 3] = (REAL)NAN;
  EXPECT_STATUS(CLGAUSS_SINGULAR, SOLVE_HOST(101, N, 1, a, LDA, b, LDB, b, LDB));

  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, P(norm1)(3, N, N, a, LDA, &norm));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, P(norm1)(101, N, N, NULL, LDA, &norm));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, P(norm1)(101, N, N, a, LDA, NULL));
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT, P(norm1)(101, N, N, a, N - 1, &norm));
  EXPECT_STATUS(CLGAUSS_OK, P(norm1)(101, N, N, a, LDA, &norm));
  EXPECT(isnan(norm));
  EXPECT_STATUS(CLGAUSS_OK, P(norm1)(101, 0, huge, NULL, 0, &norm));
  EXPECT(norm == 0);

  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, clgauss_lu_create(context, TYPE, N, NULL));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, clgauss_lu_create(context, 0, N, &lu));
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT, clgauss_lu_create(context, TYPE, huge, &lu));
  EXPECT(lu == NULL);
  EXPECT_STATUS(CLGAUSS_OK, clgauss_lu_create(context, TYPE, N, &lu));
  /* Nothing is factored yet. */
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                P(getrs)(lu, CLGAUSS_ROW_MAJOR, CLGAUSS_NO_TRANSPOSE, 1, b, LDB));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, clgauss_lu_pivots(lu, ipiv));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, clgauss_lu_rcond(lu, 1, &norm));
  T(fill)(CLGAUSS_ROW_MAJOR, a, b, 0);
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, P(getrf)(lu, CLGAUSS_ROW_MAJOR, NULL, LDA));
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT, P(getrf)(lu, CLGAUSS_ROW_MAJOR, a, N - 1));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, OTHER(getrf)(lu, CLGAUSS_ROW_MAJOR, other, LDA));
  EXPECT_STATUS(CLGAUSS_OK, P(getrf)(lu, CLGAUSS_ROW_MAJOR, a, LDA));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, P(getrs)(lu, CLGAUSS_ROW_MAJOR, 1, 1, b, LDB));
  EXPECT_MESSAGE("trans");
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                P(getrs)(lu, CLGAUSS_ROW_MAJOR, CLGAUSS_TRANSPOSE, 1, NULL, LDB));
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT,
                P(getrs)(lu, CLGAUSS_ROW_MAJOR, CLGAUSS_TRANSPOSE, huge, b, LDB));
  EXPECT_STATUS(CLGAUSS_OK, P(getrs)(lu, CLGAUSS_ROW_MAJOR, CLGAUSS_NO_TRANSPOSE, 0, NULL, 0));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, clgauss_lu_failed_column(lu, NULL));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, clgauss_lu_pivots(lu, NULL));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, clgauss_lu_rcond(lu, 1, NULL));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, clgauss_lu_rcond(lu, -1, &norm));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, clgauss_lu_rcond(lu, NAN, &norm));
  EXPECT_STATUS(CLGAUSS_OK, clgauss_lu_destroy(lu));
  EXPECT_STATUS(CLGAUSS_OK, clgauss_lu_create(context, TYPE, 0, &lu));
  EXPECT_STATUS(CLGAUSS_OK, P(getrf)(lu, CLGAUSS_ROW_MAJOR, NULL, 0));
  EXPECT_STATUS(CLGAUSS_OK, P(getrs)(lu, CLGAUSS_COLUMN_MAJOR, CLGAUSS_NO_TRANSPOSE, 2, NULL, 0));
  EXPECT_STATUS(CLGAUSS_OK, clgauss_lu_pivots(lu, NULL));
  EXPECT_STATUS(CLGAUSS_OK, clgauss_lu_destroy(lu));
}

static void T(test_batched)(clgauss_context context) {
  enum { BATCH = 3, STRIDE_A = N * LDA + 1, STRIDE_B = LDB * LDB + 2 };
  static REAL a[BATCH * STRIDE_A], b[BATCH * STRIDE_B];
  int32_t info[BATCH];
  for (int l = 0; l < 2; ++l) {
    const int layout = kLayouts[l];
#define GESV_BATCHED(n, nrhs, a, b, batch, info) \
  P(gesv_batched)(context, layout, n, nrhs, a, LDA, STRIDE_A, b, LDB, STRIDE_B, batch, info)
    for (int s = 0; s < BATCH; ++s) T(fill)(layout, a + s * STRIDE_A, b + s * STRIDE_B, 0);
    EXPECT_STATUS(CLGAUSS_OK, GESV_BATCHED(N, NRHS, a, b, BATCH, info));
    for (int s = 0; s < BATCH; ++s) {
      EXPECT_ANSWER(layout, b + s * STRIDE_B);
      EXPECT(info[s] == 0);
    }
    /* The second one is singular. */
    for (int s = 0; s < BATCH; ++s) T(fill)(layout, a + s * STRIDE_A, b + s * STRIDE_B, 0);
    for (size_t i = 0; i < N; ++i) a[STRIDE_A + at(layout, i, 4, LDA)] = 0;
    EXPECT_STATUS(CLGAUSS_SINGULAR, GESV_BATCHED(N, NRHS, a, b, BATCH, info));
    EXPECT(info[0] == 0 && info[1] == 5 && info[2] == 0);
    EXPECT_ANSWER(layout, b);
    EXPECT_ANSWER(layout, b + 2 * STRIDE_B);
    EXPECT(isnan(b[STRIDE_B]));

    EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, GESV_BATCHED(N, NRHS, NULL, b, BATCH, info));
    EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, GESV_BATCHED(N, NRHS, a, NULL, BATCH, info));
    EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, GESV_BATCHED(N, NRHS, a, b, BATCH, NULL));
    EXPECT_STATUS(CLGAUSS_INVALID_INPUT, GESV_BATCHED(LDA + 1, NRHS, a, b, BATCH, info));
    EXPECT_STATUS(CLGAUSS_INVALID_INPUT, GESV_BATCHED(0, NRHS, a, b, BATCH, info));
    EXPECT_STATUS(CLGAUSS_INVALID_INPUT, GESV_BATCHED(N, NRHS, a, b, (size_t)-1, info));
    EXPECT_STATUS(CLGAUSS_INVALID_INPUT,
                  P(gesv_batched)(context, layout, 257, 1, a, 257, 0, b, 257, 0, 1, info));
    EXPECT_STATUS(CLGAUSS_OK, GESV_BATCHED(N, NRHS, NULL, NULL, 0, NULL));
    EXPECT_STATUS(CLGAUSS_INVALID_HANDLE,
                  P(gesv_batched)(NULL, layout, N, 1, a, LDA, 0, b, LDB, 0, 1, info));
  }
}

#ifndef CLGAUSS_TEST_QUEUES
#define CLGAUSS_TEST_QUEUES
struct queues {
  cl_context mine, foreign;
  cl_command_queue own, second, foreign_queue, unordered;
};
#endif

static cl_mem T(buffer_of)(cl_context context, const REAL* values, size_t offset, size_t count) {
  cl_int error;
  REAL* const copy = calloc(offset + count, sizeof *copy);
  memcpy(copy + offset, values, count * sizeof *copy);
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                 (offset + count) * sizeof *copy, copy, &error);
  free(copy);
  EXPECT(error == CL_SUCCESS);
  return buffer;
}

static void T(test_buffers)(clgauss_context context, const struct queues* q) {
  enum { OFFSET = 5 };
  REAL a[N * LDA], b[LDB * LDB], read[LDB * LDB];
  clgauss_lu lu = NULL;
  size_t column = 99;
  int32_t pivots[N];
  double rcond = -1, norm = 0;
  EXPECT_STATUS(CLGAUSS_OK, clgauss_lu_create(context, TYPE, N, &lu));
  /* Every layout of A and B, transposed or not, one and several right-hand sides, every queue. */
  for (int turn = 0; turn < 32; ++turn) {
    const int a_layout = kLayouts[turn & 1], b_layout = kLayouts[(turn >> 1) & 1];
    const int transposed = (turn >> 2) & 1;
    const size_t nrhs = (turn >> 3) & 1 ? NRHS : 1;
    cl_command_queue queue = (turn >> 4) & 1 ? q->second : (turn & 1 ? q->own : NULL);
    cl_int error;
    T(fill)(b_layout, a, b, transposed);
    cl_mem b_buffer = T(buffer_of)(q->mine, b, OFFSET, LDB * LDB);
    T(fill)(a_layout, a, b, transposed);
    cl_mem a_buffer = T(buffer_of)(q->mine, a, OFFSET, N * LDA);
    cl_event gate = clCreateUserEvent(q->mine, &error), factored = NULL, solved = NULL;
    const cl_event gates[] = {gate};
    EXPECT_STATUS(CLGAUSS_OK,
                  P(getrf_buffer)(lu, a_layout, a_buffer, OFFSET, LDA, queue, 1, gates, &factored));
    EXPECT(factored != NULL);
    const cl_event before[] = {factored};
    EXPECT_STATUS(
        CLGAUSS_OK,
        P(getrs_buffer)(lu, b_layout, transposed ? CLGAUSS_TRANSPOSE : CLGAUSS_NO_TRANSPOSE, nrhs,
                        b_buffer, OFFSET, LDB, queue, 1, before, &solved));
    EXPECT(solved != NULL);
    clSetUserEventStatus(gate, CL_COMPLETE);
    EXPECT(clWaitForEvents(1, &solved) == CL_SUCCESS);
    EXPECT(clEnqueueReadBuffer(q->own, b_buffer, CL_TRUE, OFFSET * sizeof(REAL), sizeof read, read,
                               0, NULL, NULL) == CL_SUCCESS);
    if (nrhs == 1) /* the others are untouched: make them X for the comparison */
      for (size_t i = 0; i < N; ++i)
        for (size_t j = 1; j < NRHS; ++j) {
          EXPECT(read[at(b_layout, i, j, LDB)] == (REAL)b_of(transposed, i, j));
          read[at(b_layout, i, j, LDB)] = (REAL)x_of(i, j);
        }
    EXPECT_ANSWER(b_layout, read);
    EXPECT_STATUS(CLGAUSS_OK, clgauss_lu_failed_column(lu, &column));
    EXPECT(column == 0);
    EXPECT_STATUS(CLGAUSS_OK, clgauss_lu_pivots(lu, pivots));
    P(norm1)(a_layout, N, N, a, LDA, &norm);
    double first = rcond;
    EXPECT_STATUS(CLGAUSS_OK, clgauss_lu_rcond(lu, norm, &rcond));
    /* Of one A, whatever its layout. */
    EXPECT(turn == 0 ? rcond > 0.001 && rcond < 1 : fabs(rcond - first) <= 0.1 * first);
    clReleaseEvent(gate);
    clReleaseEvent(factored);
    clReleaseEvent(solved);
    clReleaseMemObject(a_buffer);
    clReleaseMemObject(b_buffer);
  }
  /* A batch, of which the second system is singular. */
  enum { BATCH = 3, STRIDE_A = N * LDA + 1, STRIDE_B = LDB * LDB + 2 };
  static REAL as[BATCH * STRIDE_A], bs[BATCH * STRIDE_B];
  int32_t info[BATCH] = {-1, -1, -1};
  for (int s = 0; s < BATCH; ++s)
    T(fill)(CLGAUSS_ROW_MAJOR, as + s * STRIDE_A, bs + s * STRIDE_B, 0);
  for (size_t i = 0; i < N; ++i) as[STRIDE_A + i * LDA + 4] = 0;
  cl_mem as_buffer = T(buffer_of)(q->mine, as, OFFSET, BATCH * STRIDE_A);
  cl_mem bs_buffer = T(buffer_of)(q->mine, bs, OFFSET, BATCH * STRIDE_B);
  cl_mem info_buffer = clCreateBuffer(q->mine, CL_MEM_READ_WRITE, sizeof info, NULL, NULL);
  cl_event done = NULL;
#define GESV_BUFFER(n, nrhs, a, lda, b, batch, info)                                             \
  P(gesv_batched_buffer)                                                                         \
  (context, n, nrhs, a, OFFSET, lda, STRIDE_A, b, OFFSET, LDB, STRIDE_B, batch, info, q->second, \
   0, NULL, &done)
  EXPECT_STATUS(CLGAUSS_OK, GESV_BUFFER(N, NRHS, as_buffer, LDA, bs_buffer, BATCH, info_buffer));
  EXPECT(done != NULL && clWaitForEvents(1, &done) == CL_SUCCESS);
  clReleaseEvent(done);
  EXPECT(clEnqueueReadBuffer(q->own, info_buffer, CL_TRUE, 0, sizeof info, info, 0, NULL, NULL) ==
         CL_SUCCESS);
  EXPECT(clEnqueueReadBuffer(q->own, bs_buffer, CL_TRUE, OFFSET * sizeof(REAL), sizeof bs, bs, 0,
                             NULL, NULL) == CL_SUCCESS);
  EXPECT(info[0] == 0 && info[1] == 5 && info[2] == 0);
  EXPECT_ANSWER(CLGAUSS_ROW_MAJOR, bs);
  EXPECT_ANSWER(CLGAUSS_ROW_MAJOR, bs + 2 * STRIDE_B);
  EXPECT(isnan(bs[STRIDE_B]));
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT, GESV_BUFFER(N, 1, NULL, LDA, bs_buffer, 1, info_buffer));
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT, GESV_BUFFER(N, 1, as_buffer, LDA, bs_buffer, 1, NULL));
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT,
                GESV_BUFFER(N, 0, as_buffer, LDA, bs_buffer, 1, info_buffer));
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT,
                GESV_BUFFER(0, 1, as_buffer, LDA, bs_buffer, 1, info_buffer));
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT,
                GESV_BUFFER(129, 1, as_buffer, LDA, bs_buffer, 1, info_buffer));
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT,
                GESV_BUFFER(N, 1, as_buffer, N - 1, bs_buffer, 1, info_buffer));
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT,
                GESV_BUFFER(N, 1, as_buffer, LDA, bs_buffer, 4, info_buffer));
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT,
                GESV_BUFFER(N, 1, as_buffer, LDA, bs_buffer, (size_t)-1, info_buffer));
  EXPECT(done == NULL);
  EXPECT_STATUS(CLGAUSS_OK, GESV_BUFFER(N, 1, NULL, LDA, NULL, 0, NULL));
  EXPECT(done != NULL && clWaitForEvents(1, &done) == CL_SUCCESS);
  clReleaseEvent(done);
  clReleaseMemObject(as_buffer);
  clReleaseMemObject(bs_buffer);
  clReleaseMemObject(info_buffer);

  /* Without events; a singular A gives NaN. */
  T(fill)(CLGAUSS_ROW_MAJOR, a, b, 0);
  for (size_t i = 0; i < N; ++i) a[i * LDA + 6] = 0;
  cl_mem a_buffer = T(buffer_of)(q->mine, a, 0, N * LDA),
         b_buffer = T(buffer_of)(q->mine, b, 0, LDB * LDB);
  EXPECT_STATUS(CLGAUSS_OK,
                P(getrf_buffer)(lu, CLGAUSS_ROW_MAJOR, a_buffer, 0, LDA, q->own, 0, NULL, NULL));
  EXPECT_STATUS(CLGAUSS_OK, P(getrs_buffer)(lu, CLGAUSS_ROW_MAJOR, CLGAUSS_NO_TRANSPOSE, NRHS,
                                            b_buffer, 0, LDB, q->own, 0, NULL, NULL));
  EXPECT(clEnqueueReadBuffer(q->own, b_buffer, CL_TRUE, 0, sizeof read, read, 0, NULL, NULL) ==
         CL_SUCCESS);
  EXPECT(isnan(read[0]));
  EXPECT_STATUS(CLGAUSS_OK, clgauss_lu_failed_column(lu, &column));
  EXPECT(column == 7);
  clReleaseMemObject(a_buffer);
  clReleaseMemObject(b_buffer);
  EXPECT_STATUS(CLGAUSS_OK, clgauss_lu_destroy(lu));
}

static void T(test_bad_buffers)(clgauss_context context, const struct queues* q) {
  REAL a[N * LDA], b[LDB * LDB];
  clgauss_lu lu = NULL;
  cl_int error;
  const cl_image_format format = {CL_R, CL_FLOAT};
  const cl_image_desc image_of = {
      .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 64, .image_height = 64};
  T(fill)(CLGAUSS_ROW_MAJOR, a, b, 0);
  cl_mem ours = T(buffer_of)(q->mine, a, 0, N * LDA),
         theirs = T(buffer_of)(q->foreign, a, 0, N * LDA);
  cl_mem image = clCreateImage(q->mine, CL_MEM_READ_WRITE, &format, &image_of, NULL, &error);
  cl_mem constant = clCreateBuffer(q->mine, CL_MEM_READ_ONLY, sizeof a, NULL, &error);
  const cl_event their_event[] = {clCreateUserEvent(q->foreign, &error)}, no_event[] = {NULL};
  cl_event event = (cl_event)(void*)a;
  EXPECT_STATUS(CLGAUSS_OK, clgauss_lu_create(context, TYPE, N, &lu));
#define GETRF(wanted, lu, a, offset, lda, queue, count, list) \
  EXPECT_STATUS(                                              \
      wanted, P(getrf_buffer)(lu, CLGAUSS_ROW_MAJOR, a, offset, lda, queue, count, list, &event))
#define GETRS(wanted, layout, trans, nrhs, b, offset, ldb, queue) \
  EXPECT_STATUS(wanted,                                           \
                P(getrs_buffer)(lu, layout, trans, nrhs, b, offset, ldb, queue, 0, NULL, &event))
  GETRS(CLGAUSS_INVALID_ARGUMENT, 101, 111, 1, ours, 0, LDB, NULL); /* nothing is factored */
  EXPECT(event == NULL);
  GETRF(CLGAUSS_INVALID_HANDLE, NULL, ours, 0, LDA, NULL, 0, NULL);
  GETRF(CLGAUSS_INVALID_INPUT, lu, NULL, 0, LDA, NULL, 0, NULL);
  GETRF(CLGAUSS_INVALID_INPUT, lu, ours, 3, LDA, NULL, 0, NULL);
  GETRF(CLGAUSS_INVALID_INPUT, lu, ours, (size_t)-1, LDA, NULL, 0, NULL);
  GETRF(CLGAUSS_INVALID_INPUT, lu, ours, 0, LDA + 1, NULL, 0, NULL);
  GETRF(CLGAUSS_INVALID_INPUT, lu, ours, 0, (size_t)-1, NULL, 0, NULL);
  GETRF(CLGAUSS_INVALID_INPUT, lu, ours, 0, N - 1, NULL, 0, NULL);
  GETRF(CLGAUSS_INVALID_ARGUMENT, lu, theirs, 0, LDA, NULL, 0, NULL);
  EXPECT_MESSAGE("another OpenCL context");
  GETRF(CLGAUSS_INVALID_ARGUMENT, lu, constant, 0, LDA, NULL, 0, NULL);
  if (image != NULL) GETRF(CLGAUSS_INVALID_ARGUMENT, lu, image, 0, LDA, NULL, 0, NULL);
  GETRF(CLGAUSS_INVALID_ARGUMENT, lu, ours, 0, LDA, q->foreign_queue, 0, NULL);
  EXPECT_MESSAGE("queue");
  if (q->unordered != NULL)
    GETRF(CLGAUSS_INVALID_ARGUMENT, lu, ours, 0, LDA, q->unordered, 0, NULL);
  GETRF(CLGAUSS_INVALID_ARGUMENT, lu, ours, 0, LDA, NULL, 1, NULL);
  GETRF(CLGAUSS_INVALID_ARGUMENT, lu, ours, 0, LDA, NULL, 0, their_event);
  GETRF(CLGAUSS_INVALID_ARGUMENT, lu, ours, 0, LDA, NULL, 1, their_event);
  GETRF(CLGAUSS_INVALID_ARGUMENT, lu, ours, 0, LDA, NULL, 1, no_event);
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                P(getrf_buffer)(lu, 5, ours, 0, LDA, NULL, 0, NULL, NULL));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                OTHER(getrf_buffer)(lu, CLGAUSS_ROW_MAJOR, ours, 0, LDA, NULL, 0, NULL, NULL));
  EXPECT(event == NULL);
  EXPECT_STATUS(CLGAUSS_OK,
                P(getrf_buffer)(lu, CLGAUSS_ROW_MAJOR, ours, 0, LDA, NULL, 0, NULL, NULL));
  GETRS(CLGAUSS_INVALID_ARGUMENT, 101, 0, 1, ours, 0, LDB, NULL);
  GETRS(CLGAUSS_INVALID_ARGUMENT, 0, 111, 1, ours, 0, LDB, NULL);
  GETRS(CLGAUSS_INVALID_INPUT, 101, 111, 1, NULL, 0, LDB, NULL);
  GETRS(CLGAUSS_INVALID_INPUT, 102, 111, 2, NULL, 0, LDB, NULL);
  GETRS(CLGAUSS_INVALID_INPUT, 102, 111, LDA, ours, 1, LDB, NULL);
  GETRS(CLGAUSS_INVALID_INPUT, 102, 111, 2, ours, 0, N - 1, NULL);
  GETRS(CLGAUSS_INVALID_INPUT, 102, 111, (size_t)-1, ours, 0, LDB, NULL);
  GETRS(CLGAUSS_INVALID_INPUT, 101, 111, 2, ours, (size_t)-1, LDB, NULL);
  GETRS(CLGAUSS_INVALID_ARGUMENT, 101, 111, 1, theirs, 0, LDB, NULL);
  GETRS(CLGAUSS_INVALID_ARGUMENT, 101, 111, 1, ours, 0, LDB, q->foreign_queue);
  EXPECT(event == NULL);
  GETRS(CLGAUSS_OK, 102, 111, 0, NULL, 0, 0, NULL); /* nothing to do, and an event of that */
  EXPECT(event != NULL && clWaitForEvents(1, &event) == CL_SUCCESS);
  clReleaseEvent(event);
  EXPECT_STATUS(CLGAUSS_OK, clgauss_lu_destroy(lu));
  clReleaseEvent(their_event[0]);
  clReleaseMemObject(constant);
  if (image != NULL) clReleaseMemObject(image);
  clReleaseMemObject(theirs);
  clReleaseMemObject(ours);
}
