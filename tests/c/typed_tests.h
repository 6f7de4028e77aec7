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

/* The same with a diagonal of both signs that begins with 0. */
static void T(fill_both_signs)(int layout, int uplo, REAL* a, REAL* b) {
  T(fill_spd)(layout, uplo, a, b);
  for (size_t i = 0; i < N; i = i == 0 ? 1 : i + 2) {
    REAL* diagonal = a + at(layout, i, i, LDA);
    const double changed = (double)*diagonal * (i == 0 ? -1 : -2);
    *diagonal += (REAL)changed;
    for (size_t c = 0; c < NRHS; ++c) b[at(layout, i, c, LDB)] += (REAL)(changed * x_of(i, c));
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

/* A = u v^T, of rank 1, and b = A w: the least x is v (v^T w) / (v^T v), of tall and wide A. */
static void T(test_gelsy)(clgauss_context context) {
  enum { SHORT = N - 2 };
  REAL a[N * LDA], b[LDB * LDB];
  size_t rank = 99;
  for (int l = 0; l < 2; ++l)
    for (int wide = 0; wide < 2; ++wide) {
      const int layout = kLayouts[l];
      const size_t m = wide ? SHORT : N, n = wide ? N : SHORT;
      double square = 0;
      for (size_t j = 0; j < n; ++j) square += (double)((j + 1) * (j + 1));
      for (size_t i = 0; i < m; ++i) {
        for (size_t j = 0; j < n; ++j) a[at(layout, i, j, LDA)] = (REAL)((i % 3 + 1) * (j + 1));
        for (size_t c = 0; c < NRHS; ++c) b[at(layout, i, c, LDB)] = (REAL)((i % 3 + 1) * (c + 1));
      }
      EXPECT_STATUS(CLGAUSS_OK, P(gelsy)(context, layout, m, n, NRHS, a, LDA, b, LDB, -1, &rank));
      EXPECT(rank == 1);
      for (size_t c = 0; c < NRHS; ++c)
        for (size_t j = 0; j < n; ++j)
          EXPECT(fabs((double)b[at(layout, j, c, LDB)] - (double)((j + 1) * (c + 1)) / square) <=
                 100 * N * (double)EPS);
    }
  for (size_t i = 0; i < N; ++i) { /* columns that differ by 1 part in 1000 */
    a[at(CLGAUSS_ROW_MAJOR, i, 0, LDA)] = 1;
    a[at(CLGAUSS_ROW_MAJOR, i, 1, LDA)] = (REAL)(1 + 1e-3 * (double)(i % 2));
  }
  EXPECT_STATUS(CLGAUSS_OK,
                P(gelsy)(context, CLGAUSS_ROW_MAJOR, N, 2, NRHS, a, LDA, b, LDB, -1, &rank));
  EXPECT(rank == 2);
  EXPECT_STATUS(CLGAUSS_OK,
                P(gelsy)(context, CLGAUSS_ROW_MAJOR, N, 2, NRHS, a, LDA, b, LDB, 0.01, &rank));
  EXPECT(rank == 1);
  EXPECT_STATUS(CLGAUSS_OK,
                P(gelsy)(context, CLGAUSS_ROW_MAJOR, 0, 0, 1, NULL, 1, NULL, 1, -1, &rank));
  EXPECT(rank == 0);
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                P(gelsy)(context, CLGAUSS_ROW_MAJOR, N, 2, 1, a, LDA, b, LDB, 1, &rank));
  EXPECT_MESSAGE("tolerance");
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                P(gelsy)(context, CLGAUSS_ROW_MAJOR, N, 2, 1, a, LDA, b, LDB, -1, NULL));
  EXPECT_MESSAGE("rank is NULL");
}

/* A = (1, 1, ..), of weights 1, 2, .. and 0: x is the weighted mean, by a ridge drawn to 0. */
static void T(test_lstsq)(clgauss_context context) {
  REAL a[N], b[N], weights[N];
  double mass = 0, moment = 0;
  size_t rank = 99;
  for (size_t i = 0; i < N; ++i) {
    a[i] = 1;
    weights[i] = (REAL)(i + 1 < N ? i + 1 : 0);
    mass += (double)weights[i];
    moment += (double)weights[i] * (double)(i * i);
  }
  for (int ridge = 0; ridge < 5; ridge += 4) {
    for (size_t i = 0; i < N; ++i) b[i] = (REAL)(i * i);
    EXPECT_STATUS(CLGAUSS_OK, P(lstsq)(context, CLGAUSS_COLUMN_MAJOR, N, 1, 1, a, N, b, N, weights,
                                       ridge, -1, &rank));
    EXPECT(rank == 1);
    EXPECT(fabs((double)b[0] - moment / (mass + ridge)) <= 10 * N * N * (double)EPS);
    for (size_t i = 1; i < N; ++i) EXPECT(b[i] == (REAL)(i * i));
  }
  b[0] = N + 1; /* of a wide A: A^T b / (N + ridge) */
  EXPECT_STATUS(CLGAUSS_OK,
                P(lstsq)(context, CLGAUSS_ROW_MAJOR, 1, N, 1, a, N, b, 1, NULL, 1, -1, &rank));
  for (size_t i = 0; i < N; ++i) EXPECT(fabs((double)b[i] - 1) <= 100 * (double)EPS);
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                P(lstsq)(context, CLGAUSS_ROW_MAJOR, N, 1, 1, a, 1, b, 1, NULL, -1, -1, &rank));
  EXPECT_MESSAGE("the ridge is -1");
  weights[2] = -3;
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                P(lstsq)(context, CLGAUSS_ROW_MAJOR, N, 1, 1, a, 1, b, 1, weights, 0, -1, &rank));
  EXPECT_MESSAGE("the weight of row 2 (from 0) is -3");
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                P(lstsq)(context, CLGAUSS_ROW_MAJOR, N, 1, 1, a, 1, b, 1, NULL, 0, -1, NULL));
  EXPECT_MESSAGE("rank is NULL");
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

/* Of a size at which an A by columns is not copied: the same in both layouts, with and without gaps. */
static void T(test_large_solve)(clgauss_context context) {
  enum { SIZE = 300, COLUMNS = 2, GAP = 3 };
  double rconds[4];
  for (int way = 0; way < 4; ++way) {
    const int layout = kLayouts[way % 2];
    const size_t lda = SIZE + (way < 2 ? 0 : GAP),
                 ldb = layout == CLGAUSS_ROW_MAJOR ? COLUMNS + GAP : SIZE + GAP;
    REAL *const a = malloc(SIZE * lda * sizeof *a), *const b = malloc((SIZE + GAP) *
                                                                      (COLUMNS + GAP) * sizeof *b);
    clgauss_solve_options options = {.struct_size = sizeof options, .trust = 1};
    clgauss_report report = {.struct_size = sizeof report};
    for (size_t i = 0; i < SIZE * lda; ++i) a[i] = (REAL)NAN;
    for (size_t i = 0; i < SIZE; ++i) {
      double sums[COLUMNS] = {0};
      for (size_t j = 0; j < SIZE; ++j) {
        const double number = i == j ? 2000 : (double)((3 * i + 5 * j) % 7) - (i < j ? 2 : 4);
        a[at(layout, i, j, lda)] = (REAL)number;
        for (size_t c = 0; c < COLUMNS; ++c) sums[c] += number * (double)(j % 4 + c);
      }
      for (size_t c = 0; c < COLUMNS; ++c) b[at(layout, i, c, ldb)] = (REAL)sums[c];
    }
    EXPECT_STATUS(CLGAUSS_OK, P(solve)(context, layout, SIZE, COLUMNS, a, lda, b, ldb, b, ldb,
                                       &options, &report));
    rconds[way] = report.rcond;
    EXPECT(report.rcond > 0.1 && fabs(report.rcond - rconds[0]) < 1e-3);
    int wrong = 0;
    for (size_t i = 0; i < SIZE; ++i)
      for (size_t c = 0; c < COLUMNS; ++c)
        wrong +=
            !(fabs((double)b[at(layout, i, c, ldb)] - (double)(i % 4 + c)) < 1000 * (double)EPS);
    EXPECT(wrong == 0);
    for (size_t i = 0; i < SIZE; ++i) a[at(layout, i, 270, lda)] = 0;
    const REAL first = b[0];
    EXPECT_STATUS(CLGAUSS_SINGULAR, P(solve)(context, layout, SIZE, COLUMNS, a, lda, b, ldb, b, ldb,
                                             &options, &report));
    EXPECT(report.failed_column == 271 && b[0] == first);
    free(a);
    free(b);
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

/* x = 1e60 is no float: no call gives an infinity for it. */
static void T(test_too_large)(clgauss_context context) {
  if (TYPE != CLGAUSS_F32) return;
  REAL a[2] = {(REAL)1e-30, 0}, b[2] = {(REAL)1e30, 0}, x[2] = {PAD, PAD};
  int32_t ipiv[1], info[1] = {0};
  const int layout = CLGAUSS_ROW_MAJOR;
  clgauss_report report;
  report.struct_size = sizeof report;
  EXPECT_STATUS(CLGAUSS_OVERFLOW, P(solve)(context, layout, 1, 1, a, 1, b, 1, x, 1, NULL, &report));
  EXPECT_MESSAGE("too large for float");
  EXPECT(x[0] == PAD && isnan(report.backward_error));
  EXPECT_STATUS(CLGAUSS_OVERFLOW, Z(solve)(context, layout, 1, 1, a, 1, b, 1, x, 1, NULL, NULL));
  EXPECT(x[0] == PAD && x[1] == PAD);
  x[0] = b[0];
  EXPECT_STATUS(CLGAUSS_OVERFLOW,
                P(gesv_batched)(context, layout, 1, 1, a, 1, 1, x, 1, 1, 1, info));
  EXPECT(info[0] == -1 && isnan(x[0]));
  x[0] = b[0];
  x[1] = 0;
  EXPECT_STATUS(CLGAUSS_OVERFLOW,
                Z(gesv_batched)(context, layout, 1, 1, a, 1, 1, x, 1, 1, 1, info));
  EXPECT(info[0] == -1 && isnan(x[0]));
  x[0] = b[0];
  EXPECT_STATUS(CLGAUSS_OVERFLOW,
                P(posv_batched)(context, layout, CLGAUSS_UPPER, 1, 1, a, 1, 1, x, 1, 1, 1, info));
  EXPECT(info[0] == -1 && isnan(x[0]));
  x[0] = b[0];
  x[1] = 0;
  EXPECT_STATUS(CLGAUSS_OVERFLOW,
                Z(posv_batched)(context, layout, CLGAUSS_LOWER, 1, 1, a, 1, 1, x, 1, 1, 1, info));
  EXPECT(info[0] == -1 && isnan(x[0]));
  x[0] = b[0];
  EXPECT(P(gesv)(context, layout, 1, 1, a, 1, ipiv, x, 1) != CLGAUSS_OK && x[0] == b[0]);
  EXPECT_STATUS(CLGAUSS_OVERFLOW, P(gels)(context, layout, 1, 1, 1, a, 1, x, 1));
  EXPECT(x[0] == b[0]);
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
                  P(gesv_batched)(context, layout, 2049, 1, a, 2049, 0, b, 2049, 0, 1, info));
    EXPECT_STATUS(CLGAUSS_OK, GESV_BATCHED(N, NRHS, NULL, NULL, 0, NULL));
    EXPECT_STATUS(CLGAUSS_INVALID_HANDLE,
                  P(gesv_batched)(NULL, layout, N, 1, a, LDA, 0, b, LDB, 0, 1, info));
  }
}

/* Systems by Cholesky, with gaps between them; the second one becomes indefinite. */
static void T(test_posv_batched)(clgauss_context context) {
  enum { BATCH = 3, STRIDE_A = N * LDA + 1, STRIDE_B = LDB * LDB + 2 };
  static REAL a[BATCH * STRIDE_A], was[BATCH * STRIDE_A], b[BATCH * STRIDE_B];
  int32_t info[BATCH];
#define POSV_BATCHED(uplo, n, nrhs, a, b, batch, info) \
  P(posv_batched)(context, layout, uplo, n, nrhs, a, LDA, STRIDE_A, b, LDB, STRIDE_B, batch, info)
  for (int l = 0; l < 2; ++l)
    for (int uplo = CLGAUSS_LOWER; uplo <= CLGAUSS_UPPER; ++uplo) {
      const int layout = kLayouts[l];
      for (int indefinite = 0; indefinite < 2; ++indefinite) {
        for (int s = 0; s < BATCH; ++s)
          T(fill_spd)(layout, uplo, a + s * STRIDE_A, b + s * STRIDE_B);
        if (indefinite) a[STRIDE_A + at(layout, 4, 4, LDA)] = -1;
        memcpy(was, a, sizeof a);
        EXPECT_STATUS(indefinite ? CLGAUSS_SINGULAR : CLGAUSS_OK,
                      POSV_BATCHED(uplo, N, NRHS, a, b, BATCH, info));
        if (indefinite) EXPECT_MESSAGE("1 of the systems are not positive definite, system 1");
        for (int s = 0; s < BATCH; ++s) {
          const int fails = indefinite && s == 1;
          EXPECT(info[s] == (fails ? 5 : 0));
          if (fails)
            EXPECT(isnan(b[STRIDE_B]));
          else
            EXPECT_ANSWER(layout, b + s * STRIDE_B);
        }
        EXPECT(memcmp(a, was, sizeof a) == 0);
      }
      a[0] = (REAL)INFINITY;
      EXPECT_STATUS(CLGAUSS_SINGULAR, POSV_BATCHED(uplo, N, NRHS, a, b, 1, info));
      EXPECT(info[0] == 1 && isnan(b[0]));

      EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, POSV_BATCHED(uplo, N, NRHS, NULL, b, BATCH, info));
      EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, POSV_BATCHED(uplo, N, NRHS, a, NULL, BATCH, info));
      EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, POSV_BATCHED(uplo, N, NRHS, a, b, BATCH, NULL));
      EXPECT_STATUS(CLGAUSS_INVALID_INPUT, POSV_BATCHED(uplo, LDA + 1, NRHS, a, b, BATCH, info));
      EXPECT_STATUS(CLGAUSS_INVALID_INPUT, POSV_BATCHED(uplo, 0, NRHS, a, b, BATCH, info));
      EXPECT_STATUS(CLGAUSS_INVALID_INPUT, P(posv_batched)(context, layout, uplo, 2049, 1, a, 2049,
                                                           0, b, 2049, 0, 1, info));
      EXPECT_STATUS(CLGAUSS_OK, POSV_BATCHED(uplo, N, NRHS, NULL, NULL, 0, NULL));
      EXPECT_STATUS(CLGAUSS_INVALID_HANDLE,
                    P(posv_batched)(NULL, layout, uplo, N, 1, a, LDA, 0, b, LDB, 0, 1, info));
    }
  const int layout = CLGAUSS_ROW_MAJOR;
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, POSV_BATCHED('L', N, NRHS, NULL, NULL, 0, NULL));
  EXPECT_MESSAGE("uplo");
}

/* Systems by L D L^T, with gaps between them; the second one becomes singular. */
static void T(test_sysv_batched)(clgauss_context context) {
  enum { BATCH = 3, STRIDE_A = N * LDA + 1, STRIDE_B = LDB * LDB + 2 };
  static REAL a[BATCH * STRIDE_A], was[BATCH * STRIDE_A], b[BATCH * STRIDE_B];
  int32_t info[BATCH];
#define SYSV_BATCHED(uplo, n, nrhs, a, b, batch, info) \
  P(sysv_batched)(context, layout, uplo, n, nrhs, a, LDA, STRIDE_A, b, LDB, STRIDE_B, batch, info)
  for (int l = 0; l < 2; ++l)
    for (int uplo = CLGAUSS_LOWER; uplo <= CLGAUSS_UPPER; ++uplo) {
      const int layout = kLayouts[l];
      for (int singular = 0; singular < 2; ++singular) {
        for (int s = 0; s < BATCH; ++s)
          T(fill_both_signs)(layout, uplo, a + s * STRIDE_A, b + s * STRIDE_B);
        for (size_t i = 0; singular && i < N; ++i)
          a[STRIDE_A + at(layout, i, N - 1, LDA)] = a[STRIDE_A + at(layout, N - 1, i, LDA)] = 0;
        memcpy(was, a, sizeof a);
        EXPECT_STATUS(singular ? CLGAUSS_SINGULAR : CLGAUSS_OK,
                      SYSV_BATCHED(uplo, N, NRHS, a, b, BATCH, info));
        if (singular) EXPECT_MESSAGE("1 of the systems are singular, system 1");
        for (int s = 0; s < BATCH; ++s) {
          const int fails = singular && s == 1;
          EXPECT(info[s] == (fails ? N : 0));
          if (fails)
            EXPECT(isnan(b[STRIDE_B]));
          else
            EXPECT_ANSWER(layout, b + s * STRIDE_B);
        }
        EXPECT(memcmp(a, was, sizeof a) == 0);
      }
      EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, SYSV_BATCHED(uplo, N, NRHS, NULL, b, BATCH, info));
      EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, SYSV_BATCHED(uplo, N, NRHS, a, NULL, BATCH, info));
      EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, SYSV_BATCHED(uplo, N, NRHS, a, b, BATCH, NULL));
      EXPECT_STATUS(CLGAUSS_INVALID_INPUT, SYSV_BATCHED(uplo, LDA + 1, NRHS, a, b, BATCH, info));
      EXPECT_STATUS(CLGAUSS_INVALID_INPUT, SYSV_BATCHED(uplo, 0, NRHS, a, b, BATCH, info));
      EXPECT_STATUS(CLGAUSS_INVALID_INPUT,
                    P(sysv_batched)(context, layout, uplo, 257, 1, a, 257, 0, b, 257, 0, 1, info));
      EXPECT_STATUS(CLGAUSS_OK, SYSV_BATCHED(uplo, N, NRHS, NULL, NULL, 0, NULL));
      EXPECT_STATUS(CLGAUSS_INVALID_HANDLE,
                    P(sysv_batched)(NULL, layout, uplo, N, 1, a, LDA, 0, b, LDB, 0, 1, info));
    }
  const int layout = CLGAUSS_ROW_MAJOR;
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, SYSV_BATCHED('L', N, NRHS, NULL, NULL, 0, NULL));
  EXPECT_MESSAGE("uplo");
}

/* Systems of different n in one call: that of fill(), leading parts of it, an empty one. */
static void T(test_vbatched)(clgauss_context context) {
  enum { BATCH = 6, SINGULAR = 2 };
  static REAL a[BATCH][N * LDA], b[BATCH][LDB * LDB];
  const size_t n[BATCH] = {N, 3, 5, N, 0, 5}, nrhs[BATCH] = {NRHS, 1, 2, NRHS, 1, 0};
  const size_t lda[BATCH] = {LDA, LDA, LDA, LDA, LDA, LDA};
  const size_t ldb[BATCH] = {LDB, LDB, LDB, LDB, LDB, LDB};
  const REAL* matrices[BATCH];
  REAL* answers[BATCH];
  int32_t info[BATCH];
#define GESV_VBATCHED(n, nrhs, a, lda, b, batch, info) \
  P(gesv_vbatched)(context, layout, n, nrhs, a, lda, b, ldb, batch, info)
  for (int l = 0; l < 2; ++l) {
    const int layout = kLayouts[l];
    for (int is_singular = 0; is_singular < 2; ++is_singular) {
      for (int s = 0; s < BATCH; ++s) {
        T(fill)(layout, a[s], b[s], 0);
        matrices[s] = a[s];
        answers[s] = b[s];
        info[s] = 99;
      }
      if (is_singular)
        for (size_t i = 0; i < n[SINGULAR]; ++i) a[SINGULAR][at(layout, i, 3, LDA)] = 0;
      EXPECT_STATUS(is_singular ? CLGAUSS_SINGULAR : CLGAUSS_OK,
                    GESV_VBATCHED(n, nrhs, matrices, lda, answers, BATCH, info));
      EXPECT_ANSWER(layout, b[0]);
      EXPECT_ANSWER(layout, b[3]);
      for (int s = 0; s < BATCH; ++s) {
        EXPECT(info[s] == (is_singular && s == SINGULAR ? 4 : 0));
        if (n[s] == N) continue;
        for (size_t i = 0; i < LDB; ++i)
          for (size_t j = 0; j < LDB; ++j) {
            const double value = (double)b[s][at(layout, i, j, LDB)];
            if (i >= n[s] || j >= nrhs[s]) {
              EXPECT(value == (i < N && j < NRHS ? (double)(REAL)b_of(0, i, j) : (double)PAD));
            } else if (is_singular && s == SINGULAR) {
              EXPECT(isnan(value));
            } else { /* A X = B */
              double sum = 0;
              for (size_t k = 0; k < n[s]; ++k)
                sum += a_of(i, k) * (double)b[s][at(layout, k, j, LDB)];
              EXPECT(fabs(sum - b_of(0, i, j)) <= 1000 * (double)EPS);
            }
          }
      }
    }
    if (TYPE == CLGAUSS_F32) { /* x = 1e60 is no float */
      a[1][0] = (REAL)1e-30;
      b[1][0] = (REAL)1e30;
      const size_t one = 1;
      EXPECT_STATUS(CLGAUSS_OVERFLOW,
                    GESV_VBATCHED(&one, &one, matrices + 1, lda, answers + 1, 1, info));
      EXPECT(info[0] == -1 && isnan(b[1][0]));
    }
    EXPECT_STATUS(CLGAUSS_OK, GESV_VBATCHED(NULL, NULL, NULL, NULL, NULL, 0, NULL));
    EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                  GESV_VBATCHED(NULL, nrhs, matrices, lda, answers, BATCH, info));
    EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                  GESV_VBATCHED(n, NULL, matrices, lda, answers, BATCH, info));
    EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                  GESV_VBATCHED(n, nrhs, NULL, lda, answers, BATCH, info));
    EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                  GESV_VBATCHED(n, nrhs, matrices, NULL, answers, BATCH, info));
    EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                  GESV_VBATCHED(n, nrhs, matrices, lda, NULL, BATCH, info));
    EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                  GESV_VBATCHED(n, nrhs, matrices, lda, answers, BATCH, NULL));
    /* One system with a wrong argument: nothing is solved, and the message names it. */
    T(fill)(layout, a[0], b[0], 0);
    const REAL before = b[0][0];
    const size_t short_lda[BATCH] = {LDA, 2, LDA, LDA, LDA, LDA};
    EXPECT_STATUS(CLGAUSS_INVALID_INPUT,
                  GESV_VBATCHED(n, nrhs, matrices, short_lda, answers, BATCH, info));
    EXPECT(strstr(clgauss_last_error(), "[1]") != NULL && b[0][0] == before);
    matrices[5] = NULL;
    EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                  GESV_VBATCHED(n, nrhs, matrices, lda, answers, BATCH, info));
    EXPECT(strstr(clgauss_last_error(), "[5]") != NULL);
    EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                  P(gesv_vbatched)(context, 7, n, nrhs, matrices, lda, answers, ldb, 1, info));
    EXPECT_STATUS(CLGAUSS_INVALID_HANDLE,
                  P(gesv_vbatched)(NULL, layout, n, nrhs, matrices, lda, answers, ldb, 1, info));
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

/* Three systems by Cholesky from their lower triangles, of which the second one is indefinite; and
 * the same numbers as pairs: a Hermitian one [[4, -2i], [2i, 2]], whose answer to (1, 0) is
 * (1/2, -i/2). */
static void T(test_posv_batched_buffer)(clgauss_context context, const struct queues* q) {
  enum { OFFSET = 5, BATCH = 3, STRIDE_A = N * LDA + 1, STRIDE_B = LDB * LDB + 2 };
  static REAL as[BATCH * STRIDE_A], bs[BATCH * STRIDE_B];
  int32_t info[BATCH] = {-1, -1, -1};
  for (int s = 0; s < BATCH; ++s)
    T(fill_spd)(CLGAUSS_ROW_MAJOR, CLGAUSS_LOWER, as + s * STRIDE_A, bs + s * STRIDE_B);
  as[STRIDE_A + 4 * LDA + 4] = -1;
  cl_mem a = T(buffer_of)(q->mine, as, OFFSET, BATCH * STRIDE_A);
  cl_mem b = T(buffer_of)(q->mine, bs, OFFSET, BATCH * STRIDE_B);
  cl_mem of_info = clCreateBuffer(q->mine, CL_MEM_READ_WRITE, sizeof info, NULL, NULL);
  EXPECT_STATUS(CLGAUSS_OK,
                P(posv_batched_buffer)(context, N, NRHS, a, OFFSET, LDA, STRIDE_A, b, OFFSET, LDB,
                                       STRIDE_B, BATCH, of_info, q->own, 0, NULL, NULL));
  EXPECT(clEnqueueReadBuffer(q->own, of_info, CL_TRUE, 0, sizeof info, info, 0, NULL, NULL) ==
         CL_SUCCESS);
  EXPECT(clEnqueueReadBuffer(q->own, b, CL_TRUE, OFFSET * sizeof(REAL), sizeof bs, bs, 0, NULL,
                             NULL) == CL_SUCCESS);
  EXPECT(info[0] == 0 && info[1] == 5 && info[2] == 0);
  EXPECT_ANSWER(CLGAUSS_ROW_MAJOR, bs);
  EXPECT_ANSWER(CLGAUSS_ROW_MAJOR, bs + 2 * STRIDE_B);
  EXPECT(isnan(bs[STRIDE_B]));
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT,
                P(posv_batched_buffer)(context, N, 1, NULL, OFFSET, LDA, STRIDE_A, b, OFFSET, LDB,
                                       STRIDE_B, 1, of_info, q->own, 0, NULL, NULL));
  clReleaseMemObject(a);
  clReleaseMemObject(b);

  const REAL pairs[] = {4, 5, NAN, NAN, 0, 2, 2, 5}, side[] = {1, 0, 0, 0};
  REAL x[4];
  a = T(buffer_of)(q->mine, pairs, 0, 8);
  b = T(buffer_of)(q->mine, side, 0, 4);
  EXPECT_STATUS(CLGAUSS_OK, Z(posv_batched_buffer)(context, 2, 1, a, 0, 2, 4, b, 0, 1, 2, 1,
                                                   of_info, q->own, 0, NULL, NULL));
  EXPECT(clEnqueueReadBuffer(q->own, b, CL_TRUE, 0, sizeof x, x, 0, NULL, NULL) == CL_SUCCESS);
  EXPECT(x[0] == 0.5F && x[1] == 0 && x[2] == 0 && x[3] == -0.5F);
  clReleaseMemObject(a);
  clReleaseMemObject(b);
  clReleaseMemObject(of_info);
}

/* Three systems by L D L^T from their lower triangles, of which the second one is singular. */
static void T(test_sysv_batched_buffer)(clgauss_context context, const struct queues* q) {
  enum { OFFSET = 5, BATCH = 3, STRIDE_A = N * LDA + 1, STRIDE_B = LDB * LDB + 2 };
  static REAL as[BATCH * STRIDE_A], bs[BATCH * STRIDE_B];
  int32_t info[BATCH] = {-1, -1, -1};
  for (int s = 0; s < BATCH; ++s)
    T(fill_both_signs)(CLGAUSS_ROW_MAJOR, CLGAUSS_LOWER, as + s * STRIDE_A, bs + s * STRIDE_B);
  for (size_t j = 0; j < N; ++j) as[STRIDE_A + (N - 1) * LDA + j] = 0;
  cl_mem a = T(buffer_of)(q->mine, as, OFFSET, BATCH * STRIDE_A);
  cl_mem b = T(buffer_of)(q->mine, bs, OFFSET, BATCH * STRIDE_B);
  cl_mem of_info = clCreateBuffer(q->mine, CL_MEM_READ_WRITE, sizeof info, NULL, NULL);
  EXPECT_STATUS(CLGAUSS_OK,
                P(sysv_batched_buffer)(context, N, NRHS, a, OFFSET, LDA, STRIDE_A, b, OFFSET, LDB,
                                       STRIDE_B, BATCH, of_info, q->own, 0, NULL, NULL));
  EXPECT(clEnqueueReadBuffer(q->own, of_info, CL_TRUE, 0, sizeof info, info, 0, NULL, NULL) ==
         CL_SUCCESS);
  EXPECT(clEnqueueReadBuffer(q->own, b, CL_TRUE, OFFSET * sizeof(REAL), sizeof bs, bs, 0, NULL,
                             NULL) == CL_SUCCESS);
  EXPECT(info[0] == 0 && info[1] == N && info[2] == 0);
  EXPECT_ANSWER(CLGAUSS_ROW_MAJOR, bs);
  EXPECT_ANSWER(CLGAUSS_ROW_MAJOR, bs + 2 * STRIDE_B);
  EXPECT(isnan(bs[STRIDE_B]));
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT,
                P(sysv_batched_buffer)(context, 257, 1, a, OFFSET, 257, 0, b, OFFSET, 1, 0, 1,
                                       of_info, q->own, 0, NULL, NULL));
  clReleaseMemObject(a);
  clReleaseMemObject(b);
  clReleaseMemObject(of_info);
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

  /* Pairs of REAL: diagonal matrices (2 s + 2) i, and right-hand sides 1. */
  for (size_t i = 0; i < sizeof as / sizeof *as; ++i) as[i] = 0;
  for (size_t i = 0; i < sizeof bs / sizeof *bs; ++i) bs[i] = 0;
  for (size_t s = 0; s < 2; ++s)
    for (size_t i = 0; i < 4; ++i) {
      as[2 * (s * 17 + i * 4 + i) + 1] = (REAL)(2 * s + 2);
      bs[2 * (s * 5 + i)] = 1;
    }
  as_buffer = T(buffer_of)(q->mine, as, 2 * OFFSET, BATCH * STRIDE_A);
  bs_buffer = T(buffer_of)(q->mine, bs, 2 * OFFSET, BATCH * STRIDE_B);
  info_buffer = clCreateBuffer(q->mine, CL_MEM_READ_WRITE, sizeof info, NULL, NULL);
  EXPECT_STATUS(CLGAUSS_OK,
                Z(gesv_batched_buffer)(context, 4, 1, as_buffer, OFFSET, 4, 17, bs_buffer, OFFSET,
                                       1, 5, 2, info_buffer, q->own, 0, NULL, NULL));
  EXPECT(clEnqueueReadBuffer(q->own, info_buffer, CL_TRUE, 0, sizeof info, info, 0, NULL, NULL) ==
         CL_SUCCESS);
  EXPECT(clEnqueueReadBuffer(q->own, bs_buffer, CL_TRUE, 2 * OFFSET * sizeof(REAL), sizeof bs, bs,
                             0, NULL, NULL) == CL_SUCCESS);
  EXPECT(info[0] == 0 && info[1] == 0);
  for (size_t s = 0; s < 2; ++s)
    for (size_t i = 0; i < 4; ++i)
      EXPECT(bs[2 * (s * 5 + i)] == 0 && bs[2 * (s * 5 + i) + 1] == (s == 0 ? -0.5F : -0.25F));
  clReleaseMemObject(as_buffer);
  clReleaseMemObject(bs_buffer);
  clReleaseMemObject(info_buffer);

  T(test_posv_batched_buffer)(context, q);
  T(test_sysv_batched_buffer)(context, q);

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

#include "complex_tests.h"
#include "factor_tests.h"
#include "hermitian_tests.h"
#include "symmetric_tests.h"
