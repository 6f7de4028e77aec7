/* Included by callers.c, once for each type: NUMBER, REAL, EPS, L(name) of LAPACK, S(sv), S(trf) and
 * S(trs) of LAPACK for symmetric or Hermitian matrices, T(name) of here, RANDOM(), MAGNITUDE(),
 * CONJUGATE(), REAL_PART() and LARGEST_L, a bound of L's numbers, and MIXED_GESV or not. At the end
 * they are undefined again. */

static NUMBER* T(matrix)(int rows, int columns, int ld) {
  NUMBER* const a = malloc(sizeof *a * (size_t)ld * (size_t)(columns > 0 ? columns : 1));
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < ld; ++i) a[j * ld + i] = i < rows ? RANDOM() : (NUMBER)PAD;
  return a;
}

static NUMBER* T(copied)(const NUMBER* a, int columns, int ld) {
  const size_t bytes = sizeof *a * (size_t)ld * (size_t)columns;
  return memcpy(malloc(bytes), a, bytes);
}

static int T(is_padded)(const NUMBER* a, int rows, int columns, int ld) {
  for (int j = 0; j < columns; ++j)
    for (int i = rows; i < ld; ++i)
      if (a[j * ld + i] != (NUMBER)PAD) return 0;
  return 1;
}

/* ||B - A X||_1 / (||A||_1 ||X||_1 eps), as LAPACK's own tests have it, of the worst column. */
static double T(residual)(int n, int nrhs, const NUMBER* a, int lda, const NUMBER* x,
                          const NUMBER* b, int ldb) {
  double norm = 0, worst = 0;
  for (int j = 0; j < n; ++j) {
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += (double)MAGNITUDE(a[j * lda + i]);
    norm = fmax(norm, sum);
  }
  for (int c = 0; c < nrhs; ++c) {
    NUMBER* const r = T(copied)(b + c * ldb, 1, n);
    double size = 0, sum = 0;
    for (int j = 0; j < n; ++j) {
      size += (double)MAGNITUDE(x[c * ldb + j]);
      for (int i = 0; i < n; ++i) r[i] -= a[j * lda + i] * x[c * ldb + j];
    }
    for (int i = 0; i < n; ++i) sum += (double)MAGNITUDE(r[i]);
    const double ratio = sum / (norm * size * EPS);
    worst = isnan(ratio) ? INFINITY : fmax(worst, ratio);
    free(r);
  }
  return worst;
}

static void T(solve)(int n, int nrhs, int lda, int ldb) {
  NUMBER *const a = T(matrix)(n, n, lda), *const b = T(matrix)(n, nrhs, ldb);
  NUMBER *const lu = T(copied)(a, n, lda), *x = T(copied)(b, nrhs, ldb);
  int* const ipiv = malloc(sizeof *ipiv * (size_t)n);
  int info = -77;
  L(gesv)(&n, &nrhs, lu, &lda, ipiv, x, &ldb, &info);
  EXPECT(info == 0);
  EXPECT(T(residual)(n, nrhs, a, lda, x, b, ldb) < BOUND);
  EXPECT(T(is_padded)(lu, n, n, lda) && T(is_padded)(x, n, nrhs, ldb));
  for (int i = 0; i < n; ++i) EXPECT(ipiv[i] > i && ipiv[i] <= n);

  /* Factors that other routines go on with. */
  NUMBER* const factors = T(copied)(a, n, lda);
  memcpy(x, b, sizeof *b * (size_t)ldb * (size_t)nrhs);
  L(getrf)(&n, &n, factors, &lda, ipiv, &info);
  EXPECT(info == 0);
  L(getrs)("N", &n, &nrhs, factors, &lda, ipiv, x, &ldb, &info, 1);
  EXPECT(T(residual)(n, nrhs, a, lda, x, b, ldb) < BOUND);

  /* A column of zeros: the factorisation is complete, X is not touched. */
  const int zero = n / 2;
  memcpy(lu, a, sizeof *a * (size_t)lda * (size_t)n);
  for (int i = 0; i < n; ++i) lu[zero * lda + i] = 0;
  memcpy(x, b, sizeof *b * (size_t)ldb * (size_t)nrhs);
  L(gesv)(&n, &nrhs, lu, &lda, ipiv, x, &ldb, &info);
  EXPECT(info == zero + 1);
  EXPECT(memcmp(x, b, sizeof *b * (size_t)ldb * (size_t)nrhs) == 0);
  free(a), free(b), free(lu), free(x), free(factors), free(ipiv);
}

#ifdef MIXED_GESV
/* With factors in single precision: A stays as it is, or holds those in double. */
static void T(solve_mixed)(int n, int nrhs, int lda, int ldb) {
  NUMBER *const a = T(matrix)(n, n, lda), *const b = T(matrix)(n, nrhs, ldb);
  NUMBER *const lu = T(copied)(a, n, lda), *const given = T(copied)(b, nrhs, ldb);
  NUMBER* const x = T(matrix)(n, nrhs, ldb);
  NUMBER *const work = T(matrix)(n, nrhs, n), *const swork = T(matrix)(n, n + nrhs, n);
  int* const ipiv = malloc(sizeof *ipiv * (size_t)n);
  int iter = -77, info = -77;
  MIXED_GESV(&n, &nrhs, lu, &lda, ipiv, b, &ldb, x, &ldb, work, swork, &iter, &info);
  EXPECT(info == 0 && iter >= -31);
  EXPECT(T(residual)(n, nrhs, a, lda, x, b, ldb) < BOUND);
  EXPECT(memcmp(b, given, sizeof *b * (size_t)ldb * (size_t)nrhs) == 0);
  EXPECT(T(is_padded)(lu, n, n, lda) && T(is_padded)(x, n, nrhs, ldb));
  if (iter >= 0) {
    EXPECT(memcmp(lu, a, sizeof *a * (size_t)lda * (size_t)n) == 0);
  } else {
    memcpy(x, b, sizeof *b * (size_t)ldb * (size_t)nrhs);
    L(getrs)("N", &n, &nrhs, lu, &lda, ipiv, x, &ldb, &info, 1);
    EXPECT(T(residual)(n, nrhs, a, lda, x, b, ldb) < BOUND);
  }
  memcpy(lu, a, sizeof *a * (size_t)lda * (size_t)n);
  for (int i = 0; i < n; ++i) lu[n / 2 * lda + i] = 0;
  MIXED_GESV(&n, &nrhs, lu, &lda, ipiv, b, &ldb, x, &ldb, work, swork, &iter, &info);
  EXPECT(info == n / 2 + 1);
  EXPECT(memcmp(b, given, sizeof *b * (size_t)ldb * (size_t)nrhs) == 0);
  free(a), free(b), free(lu), free(given), free(x), free(work), free(swork), free(ipiv);
}
#endif

/* ||I - A X||_1 / (||A||_1 ||X||_1 eps n), as LAPACK's own tests have it, of the worst column. */
static double T(inverse_residual)(int n, const NUMBER* a, int lda, const NUMBER* x, int ldx) {
  NUMBER* const identity = T(matrix)(n, n, ldx);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) identity[j * ldx + i] = i == j;
  const double ratio = T(residual)(n, n, a, lda, x, identity, ldx);
  free(identity);
  return ratio / n;
}

/* getrf of a matrix that is not square: ||P A - L U||_1 is small, and L is bounded. */
static void T(factor)(int m, int n, int lda) {
  const int steps = m < n ? m : n, zero = steps / 2;
  NUMBER *const a = T(matrix)(m, n, lda), *const lu = T(copied)(a, n, lda);
  int* const ipiv = malloc(sizeof *ipiv * (size_t)steps);
  int info = -77;
  double worst = 0, norm = 0, largest = 0;
  L(getrf)(&m, &n, lu, &lda, ipiv, &info);
  EXPECT(info == 0);
  for (int j = 0; j < n; ++j) {
    double off = 0, sum = 0;
    for (int k = 0; k < steps; ++k) {
      const NUMBER swapped = a[j * lda + k];
      a[j * lda + k] = a[j * lda + ipiv[k] - 1];
      a[j * lda + ipiv[k] - 1] = swapped;
    }
    NUMBER* const r = T(copied)(a + j * lda, 1, m);
    for (int k = 0; k <= j && k < steps; ++k) {
      const NUMBER u = lu[j * lda + k];
      r[k] -= u;
      for (int i = k + 1; i < m; ++i) r[i] -= lu[k * lda + i] * u;
    }
    for (int i = 0; i < m; ++i) {
      sum += (double)MAGNITUDE(a[j * lda + i]);
      off += (double)MAGNITUDE(r[i]);
      if (i > j) largest = fmax(largest, (double)MAGNITUDE(lu[j * lda + i]));
    }
    free(r);
    norm = fmax(norm, sum);
    worst = isnan(off) ? INFINITY : fmax(worst, off);
  }
  EXPECT(worst < BOUND * n * norm * EPS);
  EXPECT(largest <= LARGEST_L);
  EXPECT(T(is_padded)(lu, m, n, lda));
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) lu[j * lda + i] = j == zero ? 0 : a[j * lda + i];
  L(getrf)(&m, &n, lu, &lda, ipiv, &info);
  EXPECT(info == zero + 1);
  complaints = 0;
  lda = m - 1;
  L(getrf)(&m, &n, lu, &lda, ipiv, &info);
  EXPECT(m == 1 || (info == -4 && complaints == 1));
  free(a), free(lu), free(ipiv);
}

/* What goes on with the factors of an LU. */
static void T(invert)(int n, int nrhs, int lda, int ldb) {
  NUMBER *const a = T(matrix)(n, n, lda), *const turned = T(copied)(a, n, lda);
  NUMBER *const b = T(matrix)(n, nrhs, ldb), *const x = T(copied)(b, nrhs, ldb);
  NUMBER *const lu = T(copied)(a, n, lda), best = 0;
  int* const ipiv = malloc(sizeof *ipiv * (size_t)n);
  int info = -77, size = -1;
  L(getrf)(&n, &n, lu, &lda, ipiv, &info);
  NUMBER *const factors = T(copied)(lu, n, lda), *const work = malloc(sizeof *work * (size_t)n);
  L(getrs)("N", &n, &nrhs, lu, &lda, ipiv, x, &ldb, &info, 1);
  EXPECT(info == 0);
  EXPECT(T(residual)(n, nrhs, a, lda, x, b, ldb) < BOUND);
  for (const char* trans = "TtCc"; *trans != '\0'; ++trans) {
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        turned[j * lda + i] =
            *trans == 'T' || *trans == 't' ? a[i * lda + j] : CONJUGATE(a[i * lda + j]);
    memcpy(x, b, sizeof *b * (size_t)ldb * (size_t)nrhs);
    L(getrs)(trans, &n, &nrhs, lu, &lda, ipiv, x, &ldb, &info, 1);
    EXPECT(info == 0);
    EXPECT(T(residual)(n, nrhs, turned, lda, x, b, ldb) < BOUND);
  }
  EXPECT(T(is_padded)(x, n, nrhs, ldb));
  EXPECT(memcmp(lu, factors, sizeof *lu * (size_t)lda * (size_t)n) == 0);

  L(getri)(&n, lu, &lda, ipiv, &best, &size, &info);
  EXPECT(info == 0 && REAL_PART(best) >= n);
  L(getri)(&n, lu, &lda, ipiv, work, &n, &info);
  EXPECT(info == 0 && REAL_PART(work[0]) >= n && REAL_PART(work[0]) <= REAL_PART(best));
  EXPECT(T(inverse_residual)(n, a, lda, lu, lda) < BOUND);
  EXPECT(T(is_padded)(lu, n, n, lda));

  /* A zero on the diagonal of U: A stays as it is. */
  factors[n / 2 * (lda + 1)] = 0;
  memcpy(lu, factors, sizeof *lu * (size_t)lda * (size_t)n);
  L(getri)(&n, lu, &lda, ipiv, work, &n, &info);
  EXPECT(info == n / 2 + 1);
  EXPECT(memcmp(lu, factors, sizeof *lu * (size_t)lda * (size_t)n) == 0);

  complaints = 0;
  size = n - 1;
  L(getri)(&n, lu, &lda, ipiv, work, &size, &info);
  EXPECT(n == 1 || (info == -6 && complaints == 1));
  free(a), free(turned), free(b), free(x), free(lu), free(ipiv), free(factors), free(work);
}

/* rcond in both norms, against the inverse. The norms are those of moduli. */
static void T(condition)(int n, int lda) {
  NUMBER *const a = T(matrix)(n, n, lda), *const lu = T(copied)(a, n, lda);
  NUMBER* const work = malloc(4 * sizeof *work * (size_t)n);
  int* const ipiv = malloc(sizeof *ipiv * (size_t)n);
  void* const more_work = malloc(2 * sizeof(double) * (size_t)n); /* iwork or rwork */
  int info = -77;
  L(getrf)(&n, &n, lu, &lda, ipiv, &info);
  NUMBER *const factors = T(copied)(lu, n, lda), *const x = T(copied)(lu, n, lda);
  L(getri)(&n, x, &lda, ipiv, work, &n, &info);
  for (const char* norm = "1oOiI"; *norm != '\0'; ++norm) {
    const int is_one = *norm != 'i' && *norm != 'I';
    double largest = 0, largest_x = 0;
    for (int j = 0; j < n; ++j) {
      double sum = 0, sum_x = 0;
      for (int i = 0; i < n; ++i) {
        const int at = is_one ? j * lda + i : i * lda + j;
        sum += (double)MAGNITUDE(a[at]);
        sum_x += (double)MAGNITUDE(x[at]);
      }
      largest = fmax(largest, sum);
      largest_x = fmax(largest_x, sum_x);
    }
    REAL anorm = (REAL)largest, rcond = PAD;
    for (int i = n; i < 2 * n; ++i) work[i] = (NUMBER)PAD;
    L(gecon)(norm, &n, lu, &lda, &anorm, &rcond, work, more_work, &info, 1);
    for (int i = n; i < 2 * n; ++i) /* which LAPACK's latdf uses */
      EXPECT(n > 8 || work[i] != (NUMBER)PAD);
    const double product = (double)rcond * largest * largest_x;
    EXPECT(info == 0 && product > 0.99 - 1e4 * EPS && product < 10);
  }
  EXPECT(memcmp(lu, factors, sizeof *lu * (size_t)lda * (size_t)n) == 0);
  REAL anorm = 1, rcond = PAD;
  lu[n / 2 * (lda + 1)] = 0;
  L(gecon)("1", &n, lu, &lda, &anorm, &rcond, work, more_work, &info, 1);
  EXPECT(rcond == 0);
  anorm = 0;
  L(gecon)("1", &n, factors, &lda, &anorm, &rcond, work, more_work, &info, 1);
  EXPECT(info == 0 && rcond == 0);
  complaints = 0;
  L(gecon)("x", &n, lu, &lda, &anorm, &rcond, work, more_work, &info, 1);
  EXPECT(info == -1 && complaints == 1);
  anorm = -1;
  L(gecon)("1", &n, lu, &lda, &anorm, &rcond, work, more_work, &info, 1);
  EXPECT(info == -5 && complaints == 2);
  free(a), free(lu), free(work), free(ipiv), free(more_work), free(factors), free(x);
}

/* Of a Hermitian matrix, which of real numbers is symmetric. */
static void T(cholesky)(const char* uplo, int n, int nrhs, int lda, int ldb) {
  const int is_lower = *uplo == 'L' || *uplo == 'l';
  NUMBER *const a = T(matrix)(n, n, lda), *const b = T(matrix)(n, nrhs, ldb);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i <= j; ++i) {
      if (i == j) a[j * lda + i] = (NUMBER)(2 * n);
      a[i * lda + j] = CONJUGATE(a[j * lda + i]);
    }
  NUMBER *const given = T(copied)(a, n, lda), *const x = T(copied)(b, nrhs, ldb);
  for (int j = 0; j < n; ++j) /* the other triangle is nobody's */
    for (int i = 0; i < n; ++i)
      if (is_lower ? i < j : i > j) given[j * lda + i] = (NUMBER)PAD;
  NUMBER *const factors = T(copied)(given, n, lda), *const r = T(copied)(given, n, lda);
  int info = -77;
  L(posv)(uplo, &n, &nrhs, factors, &lda, x, &ldb, &info, 1);
  EXPECT(info == 0);
  EXPECT(T(residual)(n, nrhs, a, lda, x, b, ldb) < BOUND);
  L(potrf)(uplo, &n, r, &lda, &info, 1);
  EXPECT(info == 0);
  memcpy(x, b, sizeof *b * (size_t)ldb * (size_t)nrhs);
  L(potrs)(uplo, &n, &nrhs, r, &lda, x, &ldb, &info, 1);
  EXPECT(T(residual)(n, nrhs, a, lda, x, b, ldb) < BOUND);
  NUMBER* const inverse = T(copied)(r, n, lda);
  L(potri)(uplo, &n, inverse, &lda, &info, 1);
  EXPECT(info == 0);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < lda; ++i)
      if (i >= n || (is_lower ? i < j : i > j)) {
        EXPECT(inverse[j * lda + i] == (NUMBER)PAD);
        if (i < n) inverse[j * lda + i] = CONJUGATE(inverse[i * lda + j]);
      }
  EXPECT(T(inverse_residual)(n, a, lda, inverse, lda) < BOUND);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < lda; ++i)
      if (i >= n || (is_lower ? i < j : i > j))
        EXPECT(r[j * lda + i] == (NUMBER)PAD && factors[j * lda + i] == (NUMBER)PAD);
  /* Not positive definite, and no factor: LAPACK's info. */
  const int bad = n / 2;
  r[bad * (lda + 1)] = 0;
  L(potri)(uplo, &n, r, &lda, &info, 1);
  EXPECT(info == bad + 1);
  memcpy(r, given, sizeof *r * (size_t)lda * (size_t)n);
  r[bad * (lda + 1)] = -1;
  L(potrf)(uplo, &n, r, &lda, &info, 1);
  EXPECT(info == bad + 1);
  free(a), free(b), free(given), free(x), free(factors), free(r), free(inverse);
}

static void T(refuse)(void) {
  NUMBER a[4] = {1, 0, 0, 1}, b[2] = {1, 1};
  int ipiv[2], n = -1, one = 1, two = 2, info = 0;
  complaints = 0;
  L(gesv)(&n, &one, a, &two, ipiv, b, &two, &info);
  EXPECT(info == -1 && complaints == 1);
  L(gesv)(&two, &one, a, &one, ipiv, b, &two, &info);
  EXPECT(info == -4 && complaints == 2);
  L(getrf)(&two, &n, a, &two, ipiv, &info);
  EXPECT(info == -2 && complaints == 3);
  n = 0;
  L(gesv)(&n, &one, a, &two, ipiv, b, &two, &info);
  EXPECT(info == 0 && complaints == 3);
}

#include "callers_symmetric.h"

/* Each routine once. */
static void T(each)(int n) {
  T(solve)(n, 3, n + 3, n + 1);
  T(invert)(n, 70, n + 3, n + 1);
  T(condition)(n, n + 2);
  T(factor)(n, n + n / 3, n + 2);
  T(factor)(n + n / 3, n, n + n / 3);
  T(cholesky)("L", n, 3, n + 3, n + 1);
  T(cholesky)("U", n, 1, n, n);
  T(symmetric)("L", n, 3, n + 3, n + 1);
  T(symmetric)("U", n, 1, n, n);
#ifdef MIXED_GESV
  T(solve_mixed)(n, 3, n + 3, n + 1);
#endif
}

static void T(test)(void) {
  const int sizes[] = {1, 2, 5, 33, 100, 129, 257, 400};
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s) {
    T(solve)(sizes[s], 1, sizes[s], sizes[s]);
    T(solve)(sizes[s], 3, sizes[s] + 3, sizes[s] + 1);
    T(invert)(sizes[s], 1, sizes[s], sizes[s]);
    T(invert)(sizes[s], 70, sizes[s] + 3, sizes[s] + 1);
    T(condition)(sizes[s], sizes[s] + 2);
    T(factor)(sizes[s], sizes[s] + sizes[s] / 3, sizes[s] + 2);
    T(factor)(sizes[s], 2 * sizes[s], sizes[s]);
    T(factor)(sizes[s] + sizes[s] / 3, sizes[s], 2 * sizes[s] + 2);
    T(factor)(3 * sizes[s], sizes[s], 3 * sizes[s]);
    T(cholesky)("L", sizes[s], 1, sizes[s], sizes[s]);
    T(cholesky)("U", sizes[s], 3, sizes[s] + 3, sizes[s] + 1);
    T(cholesky)("u", sizes[s], 1, sizes[s], sizes[s]);
    T(symmetric)("L", sizes[s], 1, sizes[s], sizes[s]);
    T(symmetric)("l", sizes[s], 3, sizes[s] + 3, sizes[s] + 1);
    T(symmetric)("U", sizes[s], 1, sizes[s], sizes[s]);
    T(symmetric)("u", sizes[s], 3, sizes[s] + 3, sizes[s] + 1);
#ifdef MIXED_GESV
    T(solve_mixed)(sizes[s], 3, sizes[s] + 3, sizes[s] + 1);
#endif
  }
  T(refuse)();
}

#undef MIXED_GESV
#undef NUMBER
#undef REAL
#undef L
#undef S
#undef T
#undef EPS
#undef RANDOM
#undef MAGNITUDE
#undef CONJUGATE
#undef REAL_PART
#undef LARGEST_L
