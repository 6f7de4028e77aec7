/* Included by callers.c, once for each type: NUMBER, EPS, L(name) of LAPACK, T(name) of here,
 * RANDOM() and MAGNITUDE(), and IS_REAL and MIXED_GESV or not. At the end they are undefined
 * again. */

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

static void T(test)(void) {
  const int sizes[] = {1, 2, 5, 33, 100, 129, 257, LARGEST};
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s) {
    T(solve)(sizes[s], 1, sizes[s], sizes[s]);
    T(solve)(sizes[s], 3, sizes[s] + 3, sizes[s] + 1);
#ifdef MIXED_GESV
    T(solve_mixed)(sizes[s], 3, sizes[s] + 3, sizes[s] + 1);
#endif
  }
  T(refuse)();
}

#ifdef IS_REAL
#include "callers_real.h"
#undef IS_REAL
#endif

#undef MIXED_GESV
#undef NUMBER
#undef L
#undef T
#undef EPS
#undef RANDOM
#undef MAGNITUDE
